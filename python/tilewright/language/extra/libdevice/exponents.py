"""Functions of the exponents of floats, and of their neighbours."""

from ... import dtypes
from ...semantic import arithmetic, convert
from .arguments import float_function, typed_function
from .numbers import (
    BIAS,
    MANTISSA_BITS,
    SIGNED,
    bits,
    is_finite,
    is_negative,
    magnitude,
    next_down,
    next_up,
    power_of_two,
    where,
    width,
)
from .rounding import to_integer

_FLOATS = [("fp32",), ("fp64",)]


def exponent(x):
    """The exponent of finite numbers other than zero, as an integer of their width."""
    n = width(x)
    lift = MANTISSA_BITS[n] + 1
    subnormal = magnitude(x) < 2.0 ** (1 - BIAS[n])
    normal = where(subnormal, x * 2.0**lift, x)
    biased = (bits(magnitude(normal)) >> MANTISSA_BITS[n]).to(SIGNED[n])
    return biased - where(subnormal, BIAS[n] + lift, BIAS[n])


def _ilogb(x):
    least, greatest = -(2**31), 2**31 - 1
    found = convert.cast(exponent(x), dtypes.int32)
    found = where(magnitude(x) == float("inf"), greatest, where(x == 0, least, found))
    return where(x != x, least, found)


def _logb(x):
    found = convert.cast(exponent(x), x.dtype)
    found = where(x == 0, -float("inf"), found)
    return where(is_finite(x), found, magnitude(x))


def scale(x, n):
    """`x * 2**n` for int32 `n`, rounded once.

    The power is multiplied in by at most three factors. Downwards the second is a little more than the
    least power of normal numbers, so that nothing is rounded before the last factor.
    """
    ty = x.dtype
    top, bottom = BIAS[width(x)], 1 - BIAS[width(x)]
    low_step = bottom + MANTISSA_BITS[width(x)] + 1
    n = arithmetic.maximum(arithmetic.minimum(n, 3 * top), 3 * bottom)
    for _ in range(2):
        part = where(n > top, top, where(n < bottom, low_step, 0))
        x = x * power_of_two(part, ty)
        n = n - part
    n = arithmetic.maximum(arithmetic.minimum(n, top), bottom)
    return x * power_of_two(n, ty)


def _nextafter(x, y):
    result = where(y > x, next_up(x), next_down(x))
    return where(x == y, y, where((x != x) | (y != y), x + y, result))


def functions():
    """All functions of this module, by name."""
    scaling = [("fp32", "i32"), ("fp64", "i32")]
    text = "`x * 2**y`, rounded once"
    return {
        "ilogb": typed_function(
            "ilogb", _FLOATS, _ilogb, "The exponent of `x` as int32; -2**31 of 0 and NaN"
        ),
        "logb": float_function("logb", 1, _logb, "The exponent of `x` as a float; minus infinity of 0"),
        "ldexp": typed_function("ldexp", scaling, scale, text),
        "scalbn": typed_function("scalbn", scaling, scale, text),
        "nextafter": typed_function(
            "nextafter",
            [("fp32", "fp32"), ("fp64", "fp64")],
            _nextafter,
            "The neighbour of `x` in the direction of `y`",
        ),
        "signbit": typed_function(
            "signbit",
            _FLOATS,
            lambda x: convert.cast(is_negative(x), dtypes.int32),
            "1 where the sign bit is set, else 0, as int32",
        ),
        "llrint": typed_function(
            "llrint",
            _FLOATS,
            lambda x: to_integer(x, dtypes.int64, "roundeven"),
            "The nearest integer as int64, ties to even",
        ),
        "llround": typed_function(
            "llround",
            _FLOATS,
            lambda x: to_integer(x, dtypes.int64, "round"),
            "The nearest integer as int64, ties away from zero",
        ),
    }
