"""Registers: their names and values, and the packing of block elements into them."""

import re
import struct

from ..dtypes import int64
from ..errors import LanguageValueError
from ..semantic import convert, pairs
from ..semantic.arithmetic import where
from ..semantic.shape import numel, reshape
from .text import WIDTHS, refused
from .words import UNSIGNED, constant, joined, parts, resized

#: Bits of the registers that a letter of the constraints names.
_LETTERS = {"h": 16, "r": 32, "f": 32, "l": 64, "d": 64}
_WORD = 32
_NUMBER = re.compile(
    r"(?P<sign>-?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)|(?P<octal>0[0-7]*)|(?P<decimal>\d+))U?"
)
_BASES = {"hex": 16, "binary": 2, "octal": 8, "decimal": 10}
_FLOAT_BITS = re.compile(r"0[fF](?P<single>[0-9a-fA-F]{8})|0[dD](?P<double>[0-9a-fA-F]{16})")
_FLOAT = re.compile(r"-?\d+\.\d*(?:[eE][+-]?\d+)?")
_OF_CONSTRAINTS = re.compile(r"\$(?:(?P<plain>\d+)|\{(?P<braced>\d+)\})")


class Registers:
    """The current values of the names in the text: words of `like`'s shape, None before they are written."""

    def __init__(self, numbered, like):
        """`numbered`: (width, word or None) of `$0`, `$1` and so on. `like`: a value with the shape of the words."""
        self._like = like
        self._scopes = [{f"${number}": list(entry) for number, entry in enumerate(numbered)}]

    def open(self):
        """Begin a scope of names."""
        self._scopes.append({})

    def close(self, text):
        """End the innermost scope."""
        if len(self._scopes) == 1:
            raise refused(text, "there is a '}' without its '{'")
        self._scopes.pop()

    def declare(self, declaration):
        """New names in the innermost scope."""
        for name in declaration.names:
            self._scopes[-1][name] = [WIDTHS[declaration.type], None]

    def _find(self, name, text):
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        if name.startswith("%"):
            raise refused(text, f"{name} is of a GPU or is not declared")
        raise refused(text, f"there is no register {name!r}")

    def width(self, name, text):
        """Bits of a register."""
        return self._find(name, text)[0]

    def write(self, name, word, text, guard=None):
        """Let a register hold the word from now on; with a `guard`, where that is true."""
        entry = self._find(name, text)
        if guard is not None:
            before = entry[1] if entry[1] is not None else constant(0, word.dtype, word)
            word = where(guard, word, before)
        entry[1] = word

    def read(self, operand, bits, text):
        """An operand, a register or a number, as a word of `bits` bits."""
        number = _number(operand, bits)
        if number is not None:
            return constant(number, UNSIGNED[bits], self._like)
        width, word = self._find(operand, text)
        if word is None:
            raise refused(text, f"register {operand} is read before anything is written to it")
        if width != bits:
            raise refused(text, f"register {operand} has {width} bits, the instruction takes {bits}")
        return word

    def read_low(self, operand, bits, text):
        """The same for instructions that take the low bits of a wider register."""
        if _number(operand, bits) is not None:
            return self.read(operand, bits, text)
        width = self.width(operand, text)
        if width < bits:
            raise refused(text, f"register {operand} has {width} bits, the instruction takes {bits}")
        return resized(self.read(operand, width, text), bits)


def _number(operand, bits):
    """The bits of a number in the text, None for anything else."""
    exact = _FLOAT_BITS.fullmatch(operand)
    if exact:
        return int(exact["single"] or exact["double"], 16)
    if _FLOAT.fullmatch(operand) and bits in (32, 64):
        packed = struct.pack("<f" if bits == 32 else "<d", float(operand))
        return int.from_bytes(packed, "little")
    number = _NUMBER.fullmatch(operand)
    if not number:
        return None
    (size,) = (int(number[name], base) for name, base in _BASES.items() if number[name])
    return (-size if number["sign"] else size) % 2**bits


# -- constraints and elements -----------------------------------------------------------


def plain_names(asm, count):
    """The text with `$1` for `${1}`; a '$' before anything else but a number below `count` is an error."""
    rest = asm.replace("$$", "")
    if any(int(m["plain"] or m["braced"]) >= count for m in _OF_CONSTRAINTS.finditer(rest)) or "$" in (
        _OF_CONSTRAINTS.sub("", rest)
    ):
        raise LanguageValueError(
            f"has a '$' in its text that is not followed by a register number below {count}; "
            "a literal '$' is written '$$'"
        )
    return re.sub(r"\$\{(\d+)\}", r"$\1", asm).replace("$$", "%")


def letters(constraints):
    """The letters of the results and of the operands that the constraints name."""
    outputs, inputs = [], []
    for entry in filter(None, (entry.strip() for entry in constraints.split(","))):
        if entry == "~{memory}":
            continue
        is_output = entry.startswith("=")
        name = entry.removeprefix("=").removeprefix("&") if is_output else entry
        if not is_output and name.isdigit() and int(name) < len(outputs):
            name = outputs[int(name)]
        if name not in _LETTERS or (is_output and inputs):
            raise LanguageValueError(
                f"has constraints with '{entry}'; they are '=' and a letter of h, r, f, l and d for each register "
                "of a result, then a letter for each of an operand"
            )
        (outputs if is_output else inputs).append(name)
    return outputs, inputs


def _bits(element):
    return 64 if element.is_ptr() else element.primitive_bitwidth


def _fits(letter, bits, pack):
    width = _LETTERS.get(letter, 0)
    if bits >= _WORD:
        return width == bits
    return width == _WORD if bits * pack >= _WORD else bits * pack <= width <= _WORD


def widths(given, elements, pack, kind, constraints):
    """For each element type the widths of the registers that a group of `pack` takes, as `given` by letters."""
    rest, taken = list(given), []
    for element in elements:
        bits = _bits(element)
        count = pack if bits >= _WORD else -(-bits * pack // _WORD)
        own, rest = rest[:count], rest[count:]
        if len(own) < count or not all(_fits(letter, bits, pack) for letter in own):
            raise LanguageValueError(
                f"needs {kind} registers for {pack} x '{_spelled(element)}', the constraints '{constraints}' have "
                "none that fit"
            )
        taken.append([_LETTERS[letter] for letter in own])
    if rest:
        raise LanguageValueError(
            f"uses {len(given) - len(rest)} {kind} registers, the constraints name {len(given)}"
        )
    return taken


def _spelled(element):
    return str(element).replace("int", "i").replace("ui", "i").replace("fp", "f")


def groups(value, pack):
    """Elements as words of their own width: `pack` blocks, of the first, the second ... of each group."""
    bits = convert.cast(value, int64) if value.dtype.is_ptr() else value
    bits = convert.bitcast(bits, UNSIGNED[bits.dtype.primitive_bitwidth])
    if pack == 1:
        return [bits]
    if not bits.type.is_block():
        return [bits] * pack
    count = numel(bits.shape)
    flat = pairs.resize(reshape(bits, (count,)), 0, -(-count // pack) * pack)
    return _unzipped(reshape(flat, (flat.shape[0] // pack, pack)))


def _unzipped(rows):
    groups, count = rows.shape
    if count == 1:
        return [reshape(rows, (groups,))]
    even, odd = (_unzipped(half) for half in pairs.split(reshape(rows, (groups, count // 2, 2)), 2))
    return [word for both in zip(even, odd, strict=True) for word in both]


def _zipped(words):
    if len(words) == 1:
        return reshape(words[0], (*words[0].shape, 1))
    even, odd = _zipped(words[::2]), _zipped(words[1::2])
    return reshape(pairs.join(even, odd, 2), (even.shape[0], len(words)))


def packed(words, widths_of_registers):
    """The words of a group as those of its registers: narrow ones share one, the first lowest."""
    bits = words[0].dtype.primitive_bitwidth
    share = 1 if bits >= _WORD else min(_WORD // bits, len(words))
    shared = [joined(words[i : i + share]) for i in range(0, len(words), share)]
    return [resized(word, width) for word, width in zip(shared, widths_of_registers, strict=True)]


def elements(words, ty, pack, shape):
    """The inverse of `packed` and `groups`: a block of `shape`, or a scalar, of elements of type `ty`."""
    bits = ty.primitive_bitwidth
    if bits < _WORD:
        share = min(_WORD // bits, pack)
        words = [part for word in words for part in parts(resized(word, bits * share), share)]
    if not shape or pack == 1:
        return convert.bitcast(words[0], ty)
    flat = _zipped(words)
    whole = reshape(flat, (numel(flat.shape),))
    return convert.bitcast(reshape(pairs.resize(whole, 0, numel(shape)), shape), ty)
