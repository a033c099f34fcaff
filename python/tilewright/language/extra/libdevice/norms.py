"""Lengths of vectors, without overflow on the way."""

from ... import dtypes
from ...semantic import arithmetic, convert
from .arguments import float_function
from .exponents import exponent
from .numbers import call, fma, is_finite, magnitude, power_of_two, where, width


def _largest(values):
    largest = magnitude(values[0])
    for value in values[1:]:
        largest = arithmetic.maximum(largest, magnitude(value))
    return largest


def _root_of_squares(values):
    total = values[0] * values[0]
    for value in values[1:]:
        total = fma(value, value, total)
    return call("sqrt", total)


def _scaled_length(values, largest):
    """In float64: by a power of two that brings the largest value near 1."""
    shift = convert.cast(exponent(where(is_finite(largest) & (largest > 0), largest, 1.0)), dtypes.int32)
    # Two factors: the power for the least numbers would itself overflow.
    half = shift >> 1
    down, rest = power_of_two(0 - half, largest.dtype), power_of_two(half - shift, largest.dtype)
    up, back = power_of_two(half, largest.dtype), power_of_two(shift - half, largest.dtype)
    return _root_of_squares([value * down * rest for value in values]) * up * back


def _length(*values):
    largest = _largest(values)
    if width(largest) == 32:  # float64 holds all squares
        wide = [convert.cast(value, dtypes.float64) for value in values]
        length = convert.cast(_root_of_squares(wide), dtypes.float32)
    else:
        length = _scaled_length(values, largest)
    return where(largest == float("inf"), largest, length)


def _inverse(*values):
    if width(values[0]) == 32:
        inverse = 1.0 / _root_of_squares([convert.cast(v, dtypes.float64) for v in values])
        return where(_largest(values) == float("inf"), 0.0, convert.cast(inverse, dtypes.float32))
    return 1.0 / _length(*values)


def functions():
    """All functions of this module, by name."""
    names = {2: ("hypot", "rhypot"), 3: ("norm3d", "rnorm3d"), 4: ("norm4d", "rnorm4d")}
    found = {}
    for arity, (length, inverse) in names.items():
        said = " + ".join(f"{name}**2" for name in "xyzw"[:arity])
        found[length] = float_function(length, arity, _length, f"The square root of `{said}`")
        found[inverse] = float_function(inverse, arity, _inverse, f"1 over the square root of `{said}`")
    return found
