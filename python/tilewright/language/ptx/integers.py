"""Instructions on integers, bits and predicates."""

from dataclasses import replace

from ..dtypes import int32, int64, uint32, uint64
from ..extra.libdevice import brev, clz, popc
from ..semantic import compare, convert
from ..semantic.arithmetic import maximum, minimum, where
from .rule import ADDEND, TYPE, Rule, check_count, unsigned
from .text import refused
from .words import SIGNED, UNSIGNED, constant, joined, resized

_INTEGERS = tuple(f"{kind}{bits}" for kind in "su" for bits in (16, 32, 64))
_BITS = ("b16", "b32", "b64")
_LOGICAL = (*_BITS, "pred")
_PAIRS = ("s16x2", "u16x2")


def _widened(value):
    table = SIGNED if value.dtype.is_int_signed() else UNSIGNED
    return convert.cast(value, table[2 * value.dtype.primitive_bitwidth])


def _multiplied(instruction, a, b):
    """The low half, the high half or all bits of `a * b`, as the instruction asks."""
    kinds = instruction.modifiers & {"lo", "hi", "wide"}
    if kinds == {"lo"}:
        return a * b
    if len(kinds) != 1 or a.dtype.primitive_bitwidth == 64:
        raise refused(instruction.text, "a multiplication is .lo, or .hi or .wide of 16 and 32 bits")
    whole = _widened(a) * _widened(b)
    if kinds == {"wide"}:
        return whole
    bits = a.dtype.primitive_bitwidth
    return convert.cast(whole >> bits, a.dtype)


def _divisor(b):
    """Replaces a divisor of 0, which is undefined on hardware, by 1."""
    return where(compare.compare("eq", b, 0), constant(1, b.dtype, b), b)


def _shift_left(_, a, count):
    bits = a.dtype.primitive_bitwidth
    inside = compare.compare("lt", count, bits)
    amount = convert.cast(where(inside, count, constant(0, count.dtype, count)), a.dtype)
    return where(inside, a << amount, constant(0, a.dtype, a))


def _shift_right(_, a, count):
    """Beyond the width zeros, or the sign, are left."""
    last = constant(a.dtype.primitive_bitwidth - 1, count.dtype, count)
    amount = convert.cast(minimum(count, last), a.dtype)
    if a.dtype.is_int_signed():
        return a >> amount
    return where(count > last, constant(0, a.dtype, a), a >> amount)


def _funnel(instruction, low, high, count):
    """Two words shifted as one of 64 bits."""
    kinds = instruction.modifiers
    both = joined([low, high])
    count = minimum(count, constant(32, uint32, count)) if "clamp" in kinds else count & 31
    count = convert.cast(count, uint64)
    return resized((both << count) >> 32 if "l" in kinds else both >> count, 32)


def _permuted(_, a, b, selector):
    """Each digit of the selector picks one of eight bytes, or with its highest bit that byte's sign."""
    both, picked = joined([a, b]), []
    for position in range(4):
        digit = (selector >> (4 * position)) & 15
        byte = resized(both >> (convert.cast(digit & 7, uint64) * 8), 8)
        sign = where(byte > 127, constant(255, byte.dtype, byte), constant(0, byte.dtype, byte))
        picked.append(where(digit > 7, sign, byte))
    return joined(picked)


def _field(_, a, start, length):
    """`length` bits from `start`, extended by zeros or by their highest bit."""
    start, length = (convert.cast(value & 255, uint64) for value in (start, length))
    start = minimum(start, constant(63, uint64, start))
    length = minimum(length, constant(32, uint64, length))
    if not a.dtype.is_int_signed():
        wide = convert.cast(a, uint64) >> start
        return resized(wide & ((constant(1, uint64, wide) << length) - 1), 32)
    wide = convert.cast(a, int64) >> convert.cast(start, int64)
    rest = convert.cast(constant(64, uint64, length) - maximum(length, constant(1, uint64, length)), int64)
    wide = (wide << rest) >> rest
    return convert.cast(where(length > 0, wide, constant(0, int64, wide)), int32)


def _inserted(_, a, b, start, length):
    """The low `length` bits of `a` at `start` of `b`."""
    start, length = (convert.cast(value & 255, uint64) for value in (start, length))
    start, length = (minimum(value, constant(32, uint64, value)) for value in (start, length))
    mask = resized(((constant(1, uint64, length) << length) - 1) << start, 32)
    moved = resized(convert.cast(a, uint64) << start, 32)
    return (b & ~mask) | (moved & mask)


def _reversed(_, a):
    return unsigned(brev(convert.bitcast(a, SIGNED[a.dtype.primitive_bitwidth])))


def _counted(function):
    def count(_, a):
        return convert.cast(function(convert.bitcast(a, SIGNED[a.dtype.primitive_bitwidth])), uint32)

    return count


def _nth_one(_, mask, base, offset):
    """The position of the `offset`-th set bit from `base` upwards, or downwards if `offset` is negative. `base` itself
    for 0, and all ones if there is no such bit."""
    word = lambda number: constant(number, uint32, mask)  # noqa: E731
    none, down = word(0xFFFFFFFF), offset < 0
    wanted = convert.bitcast(offset, uint32)
    wanted = where(down, ~wanted + 1, wanted)
    mask = where(down, _reversed(None, mask), mask)
    start = where(down, 31 - (base & 31), base & 31)
    mask = mask & where(compare.compare("eq", wanted, 0), word(1) << start, none << start)
    wanted = maximum(wanted, word(1))
    before, position = wanted - 1, word(0)
    for width in (16, 8, 4, 2, 1):
        ones = _counted(popc)(None, (mask >> position) & ((1 << width) - 1))
        beyond = before >= ones
        before = where(beyond, before - ones, before)
        position = where(beyond, position + width, position)
    found = (base < 32) & (_counted(popc)(None, mask) >= wanted)
    return where(found, where(down, 31 - position, position), none)


class _AnyOfThree:
    """lop3: any function of three bits, as the table of its eight results."""

    types = ("b32",)

    def execute(self, instruction, registers, guard):
        """As `Rule.execute`."""
        check_count(instruction, 5)
        *operands, table = instruction.operands
        try:
            table = int(table, 0)
        except ValueError:
            raise refused(instruction.text, "the table of lop3 is a number") from None
        of_values = Rule(lambda _, *values: _of_table(values, table), self.types, (TYPE,) * 3)
        of_values.execute(replace(instruction, operands=tuple(operands)), registers, guard)


def _of_table(values, table):
    result = constant(0, uint32, values[0])
    for case in range(8):
        if table >> case & 1:
            a, b, c = (
                value if case >> bit & 1 else ~value for value, bit in zip(values, (2, 1, 0), strict=True)
            )
            result = result | (a & b & c)
    return result


_FUNNEL = frozenset({"l", "r", "wrap", "clamp"})
_PARTS = frozenset({"lo", "hi", "wide"})

RULES = {
    "and": Rule(lambda _, a, b: a & b, _LOGICAL),
    "or": Rule(lambda _, a, b: a | b, _LOGICAL),
    "xor": Rule(lambda _, a, b: a ^ b, _LOGICAL),
    "not": Rule(lambda _, a: ~a, _LOGICAL, (TYPE,)),
    "cnot": Rule(lambda _, a: convert.cast(compare.compare("eq", a, 0), a.dtype), _BITS, (TYPE,)),
    "lop3": _AnyOfThree(),
    "shl": Rule(_shift_left, _BITS, (TYPE, "u32")),
    "shr": Rule(_shift_right, (*_BITS, *_INTEGERS), (TYPE, "u32")),
    "shf": Rule(_funnel, ("b32",), (TYPE, TYPE, "u32"), _FUNNEL),
    "prmt": Rule(_permuted, ("b32",), (TYPE,) * 3),
    "bfe": Rule(_field, ("u32", "s32"), (TYPE, "u32", "u32")),
    "bfi": Rule(_inserted, ("b32",), (TYPE, TYPE, "u32", "u32")),
    "brev": Rule(_reversed, ("b32", "b64"), (TYPE,)),
    "popc": Rule(_counted(popc), ("b32", "b64"), (TYPE,)),
    "clz": Rule(_counted(clz), ("b32", "b64"), (TYPE,)),
    "fns": Rule(_nth_one, ("b32",), (TYPE, TYPE, "s32")),
    "add": Rule(lambda _, a, b: a + b, (*_INTEGERS, *_PAIRS)),
    "sub": Rule(lambda _, a, b: a - b, _INTEGERS),
    "mul": Rule(_multiplied, _INTEGERS, modifiers=_PARTS),
    "mad": Rule(lambda i, a, b, c: _multiplied(i, a, b) + c, _INTEGERS, (TYPE, TYPE, ADDEND), _PARTS),
    "div": Rule(lambda _, a, b: a // _divisor(b), _INTEGERS),
    "rem": Rule(lambda _, a, b: a % _divisor(b), _INTEGERS),
    "min": Rule(lambda _, a, b: minimum(a, b), (*_INTEGERS, *_PAIRS)),
    "max": Rule(lambda _, a, b: maximum(a, b), (*_INTEGERS, *_PAIRS)),
    "abs": Rule(lambda _, a: where(a < 0, 0 - a, a), ("s16", "s32", "s64"), (TYPE,)),
    "neg": Rule(lambda _, a: 0 - a, ("s16", "s32", "s64"), (TYPE,)),
}
