"""Sums, fma and conversions in NumPy that round once.

Rounding to odd gives the neighbour with an odd last bit for an inexact result. A second rounding to a format with at
least two bits less then equals one rounding of the exact result (S. Boldo and G. Melquiond, "Emulation of FMA
and correctly rounded sums: proved algorithms using rounding to odd", theorem 1).
"""

import functools
from fractions import Fraction

import numpy as np

#: Between these magnitudes of factors and results, the error of a float64 multiplication is a float64 number.
_LEAST, _MOST = 2.0**-900, 2.0**900


def _two_sum(x, y):
    """The rounded sum and its error (D. Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def _two_mul(x, y):
    """`x * y` rounded, and its error (T. Dekker, by splitting into 26-bit parts)."""
    rounded = x * y
    (x_high, y_high) = (v * 134217729.0 - (v * 134217729.0 - v) for v in (x, y))
    x_low, y_low = x - x_high, y - y_high
    return rounded, ((x_high * y_high - rounded) + x_high * y_low + x_low * y_high) + x_low * y_low


def _odd_sum(x, y):
    """The sum of float64 numbers rounded to odd."""
    total, rest = _two_sum(x, y)
    bits = total.view(np.int64)
    away = np.where((rest > 0) == (total > 0), 1, -1)
    odd = (bits + np.where((bits & 1) == 0, away, 0)).view(np.float64)
    return np.where((rest != 0) & np.isfinite(rest) & (total != 0), odd, total)


def odd_float32(value):
    """float64 numbers rounded to odd."""
    near = value.astype(np.float32)
    rest = value - near
    even = (near.view(np.int32) & 1) == 0
    odd = np.nextafter(near, np.where(rest > 0, np.float32(np.inf), -np.float32(np.inf)))
    return np.where((rest != 0) & even & np.isfinite(near), odd, near)


def odd_float64(integers):
    """Integers of any width rounded to odd. float64 holds each half of 64 bits."""
    if integers.dtype.itemsize < 8:
        return integers.astype(np.float64)
    high = (integers >> integers.dtype.type(32)).astype(np.float64)
    low = (integers & integers.dtype.type(2**32 - 1)).astype(np.float64)
    return _odd_sum(high * 2.0**32, low)


def narrow(value, target):
    """float32 or float64 numbers rounded once to `target`, a float of at most 16 bits. NumPy converts only float32 to
    some of these. 8-bit floats saturate to the largest number, as on processors."""
    if value.dtype == np.float64:
        value = odd_float32(value)
    if target.itemsize == 1:
        most = _largest(target)
        value = np.clip(value, -most, most)
    return value.astype(target)


@functools.cache
def _largest(float8):
    numbers = np.arange(128, dtype=np.uint8).view(float8).astype(np.float32)
    return numbers[np.isfinite(numbers)].max()


def fma(x, y, z):
    """`x * y + z` of floats of one type, rounded once."""
    if x.dtype == np.float64:
        return _fma64(x, y, z)
    # `x * y` has at most 48 bits, so it is exact in float64.
    x, y, z, target = *(value.astype(np.float64) for value in (x, y, z)), x.dtype
    total = _odd_sum(x * y, z)
    return total.astype(target) if target == np.float32 else narrow(total, target)


def _fma64(x, y, z):
    """By error-free transformations (algorithm 5 of Boldo and Melquiond) where none of them underflows or overflows, in
    fractions elsewhere."""
    plain = x * y + z
    special = ~(np.isfinite(x) & np.isfinite(y) & np.isfinite(z)) | (x == 0) | (y == 0)
    is_moderate = np.abs(z) < _MOST
    for size in (np.abs(x), np.abs(y), np.abs(x * y)):
        is_moderate &= (size > _LEAST) & (size < _MOST)
    high, low = _two_mul(x, y)
    sum_low, rest_low = _two_sum(z, low)
    total, rest = _two_sum(high, sum_low)
    result = np.asarray(np.where(special, plain, total + _odd_sum(rest_low, rest)))
    for position in np.argwhere(~(special | is_moderate)):
        index = tuple(position)
        result[index] = _exact_fma(*(float(value[index]) for value in (x, y, z)))
    return result


def _exact_fma(x, y, z):
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        return float(exact) if exact else x * y + z  # a sum of zero has the sign that float64 gives it
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")
