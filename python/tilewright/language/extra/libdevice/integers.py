"""Functions of integers, and of bits."""

from ... import dtypes
from ... import math as _math
from ...semantic import arithmetic, compare, convert
from .arguments import typed_function
from .numbers import UNSIGNED, call, where, width

_EITHER = [("i32",), ("i64",)]
_BOTH_SIGNS = [("i32", "i32"), ("u32", "u32")]


def _unsigned(x):
    return convert.cast(x, UNSIGNED[width(x)])


def _count(op, x):
    return convert.cast(call(op, x), dtypes.int32)


def _find_first_set(x):
    below = _unsigned(x)
    below = arithmetic.bitwise(
        arithmetic.invert(below), arithmetic.sub(below, 1, check=False), "arith.andi", "&"
    )
    return where(compare.compare("eq", x, 0), 0, _count("ctpop", below) + 1)


def _reverse(x):
    pattern = _unsigned(x)
    distance = width(x) // 2
    mask = (1 << width(x)) - 1
    while distance:
        mask ^= (mask << distance) & ((1 << width(x)) - 1)
        upper = arithmetic.bitwise(arithmetic.shift(pattern, distance, ">>"), mask, "arith.andi", "&")
        lower = arithmetic.shift(arithmetic.bitwise(pattern, mask, "arith.andi", "&"), distance, "<<")
        pattern = arithmetic.bitwise(upper, lower, "arith.ori", "|")
        distance //= 2
    return convert.cast(pattern, x.dtype)


def _byte_perm(x, y, selector):
    x, y, selector = (convert.cast(_unsigned(value), dtypes.uint64) for value in (x, y, selector))
    source = x | (y << 32)
    result = None
    for position in range(4):
        number = (selector >> (4 * position)) & 7
        byte = ((source >> (number * 8)) & 0xFF) << (8 * position)
        result = byte if result is None else result | byte
    return convert.cast(result, dtypes.int32)


def _multiply_high(x, y):
    high = arithmetic.multiply_high(_unsigned(x), _unsigned(y))
    if x.dtype.is_int_signed():  # a negative factor was read as 2^n more
        high = high - where(x < 0, _unsigned(y), 0) - where(y < 0, _unsigned(x), 0)
    return convert.cast(high, x.dtype)


def _multiply_24(x, y):
    x, y = ((value << 8) >> 8 for value in (x, y))
    return arithmetic.mul(x, y, check=False)


def _sum_of_difference(x, y, z):
    larger, smaller = (_unsigned(value) for value in (arithmetic.maximum(x, y), arithmetic.minimum(x, y)))
    return convert.cast(larger - smaller + z, x.dtype)


def _average_down(x, y):
    return arithmetic.add(x & y, (x ^ y) >> 1, check=False)


def _average_up(x, y):
    return arithmetic.sub(x | y, (x ^ y) >> 1, check=False)


def _reinterpret(target):
    return lambda x: convert.bitcast(x, target)


def _half(x, high):
    pattern = convert.bitcast(x, dtypes.uint64)
    return convert.cast(pattern >> 32 if high else pattern, dtypes.int32)


def _join_halves(high, low):
    high, low = (convert.cast(_unsigned(value), dtypes.uint64) for value in (high, low))
    return convert.bitcast((high << 32) | low, dtypes.float64)


_FUNCTIONS = {
    "clz": (_EITHER, lambda x: _count("ctlz", x), "The number of zero bits above the highest one, as int32"),
    "popc": (_EITHER, lambda x: _count("ctpop", x), "The number of bits that are one, as int32"),
    "ffs": (_EITHER, _find_first_set, "The position of the lowest set bit, from 1, as int32; 0 for 0"),
    "brev": (_EITHER, _reverse, "The bits in reverse order"),
    "byte_perm": ([("i32",) * 3], _byte_perm, "Four of the bytes of `x` (0 to 3) and `y` (4 to 7), which the "
                  "lowest three bits of each half byte of `z` name"),
    "mulhi": ([*_BOTH_SIGNS, ("i64", "i64"), ("u64", "u64")], _multiply_high, "The upper half of `x * y`"),
    "mul24": (_BOTH_SIGNS, _multiply_24, "`x * y` of the lowest 24 bits of each"),
    "sad": ([("i32", "i32", "u32"), ("u32", "u32", "u32")], _sum_of_difference, "`abs(x - y) + z`"),
    "hadd": (_BOTH_SIGNS, _average_down, "`(x + y) / 2` without overflow, rounded down"),
    "rhadd": (_BOTH_SIGNS, _average_up, "`(x + y) / 2` without overflow, rounded up"),
    "abs": ([("i32",), ("i64",), ("fp32",), ("fp64",)], _math.abs, "The absolute value"),
    "float_as_int": ([("fp32",)], _reinterpret(dtypes.int32), "The bits of `x`"),
    "float_as_uint": ([("fp32",)], _reinterpret(dtypes.uint32), "The bits of `x`"),
    "int_as_float": ([("i32",)], _reinterpret(dtypes.float32), "The float of these bits"),
    "uint_as_float": ([("u32",)], _reinterpret(dtypes.float32), "The float of these bits"),
    "double_as_longlong": ([("fp64",)], _reinterpret(dtypes.int64), "The bits of `x`"),
    "longlong_as_double": ([("i64",)], _reinterpret(dtypes.float64), "The float of these bits"),
    "double2hiint": ([("fp64",)], lambda x: _half(x, True), "The upper half of the bits"),
    "double2loint": ([("fp64",)], lambda x: _half(x, False), "The lower half of the bits"),
    "hiloint2double": ([("i32", "i32")], _join_halves, "The float with these upper and lower halves of its bits"),
}  # fmt: skip


def functions():
    """All functions of this module, by name."""
    return {name: typed_function(name, *rest) for name, rest in _FUNCTIONS.items()}
