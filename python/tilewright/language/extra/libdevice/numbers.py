"""Parts of floats, and steps from one to the next."""

from ... import dtypes
from ...ir import Spelled, emit
from ...semantic import arithmetic, convert

SIGNED = {32: dtypes.int32, 64: dtypes.int64}
UNSIGNED = {32: dtypes.uint32, 64: dtypes.uint64}
MANTISSA_BITS = {32: 23, 64: 52}
BIAS = {32: 127, 64: 1023}


def call(op, *operands):
    """`math.op` on floats or integers of one type."""
    return emit(f"math.{op}", list(operands), operands[0].type)


def fast(op, x):
    """`math.op`, which may be approximated: a GPU may have an instruction for it."""
    return emit(f"math.{op}", [x], x.type, fastmath=Spelled("#arith.fastmath<afn>"))


def quotient(x, y):
    """`x / y` by a reciprocal, off by 2 ULP; 0 for `y` above 2 to the power 126."""
    return arithmetic.truediv(x, y, fast=True, whole_range=False)


def width(x):
    """The bits of an element."""
    return x.dtype.primitive_bitwidth


def bits(x):
    """The bits of floats as unsigned integers."""
    return convert.bitcast(x, UNSIGNED[width(x)])


def from_bits(pattern):
    """Unsigned integers read as floats of their width."""
    return convert.bitcast(pattern, dtypes.float32 if width(pattern) == 32 else dtypes.float64)


def like(x, value):
    """The number `value` in the type and shape of `x`."""
    return convert.constant(value, x.type)


def where(condition, x, y):
    """`x` where `condition`, else `y`."""
    return arithmetic.where(condition, x, y)


def fma(x, y, z):
    """`x * y + z`, rounded once."""
    return call("fma", x, y, z)


def magnitude(x):
    """The absolute value."""
    return call("absf", x)


def is_negative(x):
    """Whether the sign bit is set, as int1."""
    return convert.bitcast(x, SIGNED[width(x)]) < 0


def is_finite(x):
    """Neither an infinity nor NaN."""
    return magnitude(x) < float("inf")


def power_of_two(exponent, ty):
    """2 to integers from the exponent of the least normal number to that of the largest."""
    n = ty.primitive_bitwidth
    biased = convert.cast(exponent, SIGNED[n]) + BIAS[n]
    return from_bits(convert.cast(biased, UNSIGNED[n]) << MANTISSA_BITS[n])


def next_down(x):
    """The greatest number below `x`, which is neither NaN nor minus infinity."""
    pattern = bits(x)
    one = like(pattern, 1)
    moved = where(x > 0, arithmetic.sub(pattern, one), arithmetic.add(pattern, one))
    smallest = like(pattern, (1 << (width(x) - 1)) + 1)
    return from_bits(where(x == 0, smallest, moved))


def next_up(x):
    """The least number above `x`, which is neither NaN nor infinity."""
    return arithmetic.negate(next_down(arithmetic.negate(x)))


def two_sum(x, y):
    """`x + y` rounded, and the rounding error (D. Knuth, TAOCP 2, 4.2.2)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)
