"""Instructions that compare, choose and move."""

from ..semantic import compare
from ..semantic.arithmetic import where
from .rule import TYPE, Rule, check_count, check_modifiers, write
from .text import WIDTHS, refused
from .words import joined, parts, seen_as

_COMPARED = tuple(
    name for name in WIDTHS if name[-2:] != "x2" and name not in ("tf32", "pred") and name[-1] != "8"
)
_ORDERED = {"eq", "ne", "lt", "le", "gt", "ge"}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def _is_nan(value):
    return compare.compare("ne", value, value)


def _compared(name, a, b):
    if not a.dtype.is_floating():
        return compare.compare(_UNSIGNED.get(name, name), a, b)
    unordered = _is_nan(a) | _is_nan(b)
    if name in ("num", "nan"):
        return unordered if name == "nan" else ~unordered
    if name.removesuffix("u") not in _ORDERED:
        return None
    result = compare.compare(name.removesuffix("u"), a, b)
    return result | unordered if name.endswith("u") else result & ~unordered


class _Comparison:
    """setp: a predicate says how two numbers compare."""

    types = _COMPARED

    def execute(self, instruction, registers, guard):
        """As `Rule.execute`."""
        check_count(instruction, 3)
        destination, *operands = instruction.operands
        (ty,) = instruction.types
        a, b = (seen_as(registers.read(operand, WIDTHS[ty], instruction.text), ty)[0] for operand in operands)
        names = instruction.modifiers - {"ftz"}
        known = _ORDERED if not a.dtype.is_floating() else None
        name = next(iter(names)) if len(names) == 1 else ""
        if known and name not in known | set(_UNSIGNED):
            name = ""
        result = _compared(name, a, b) if name else None
        if result is None:
            raise refused(instruction.text, "setp is known with one comparison")
        write(registers, destination, result, instruction, guard)


class _Move:
    """mov: a register, a number, or several registers in braces as the parts of one."""

    types = tuple(WIDTHS)

    def execute(self, instruction, registers, guard):
        """As `Rule.execute`."""
        check_count(instruction, 2)
        check_modifiers(instruction, frozenset())
        destination, source = instruction.operands
        (ty,) = instruction.types
        bits, text = WIDTHS[ty], instruction.text
        if source.startswith("{"):
            names = names_in(source)
            width = _width_of_part(bits, names, text)
            word = joined([registers.read(name, width, text) for name in names])
        else:
            word = registers.read(source, bits, text)
        if not destination.startswith("{"):
            write(registers, destination, word, instruction, guard)
            return
        names = names_in(destination)
        _width_of_part(bits, names, text)
        for name, part in zip(names, parts(word, len(names)), strict=True):
            if name != "_":
                write(registers, name, part, instruction, guard)


def _width_of_part(bits, names, text):
    width = bits // len(names)
    if width * len(names) != bits or width < 8:
        raise refused(text, f"{bits} bits have no {len(names)} parts")
    return width


def names_in(vector):
    """The names of the registers in braces."""
    return [name.strip() for name in vector.strip("{}").split(",")]


def _chosen(_, a, b, condition):
    return where(condition, a, b)


RULES = {
    "mov": _Move(),
    "setp": _Comparison(),
    "selp": Rule(_chosen, _COMPARED, (TYPE, TYPE, "pred")),
}
