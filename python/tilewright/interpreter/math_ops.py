"""The ops of `math` on NumPy arrays."""

import math

import numpy as np

from .numpy_types import unsigned

_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def _unary(function):
    return lambda operands, types, attrs: [function(operands[0])]


def _rsqrt(x):
    return (1.0 / np.sqrt(x.astype(np.float64))).astype(x.dtype)


def _two_sum(x, y):
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def _two_product(x, y):
    """The product rounded, and what the rounding left out (T. Dekker's way, by halves of 26 bits)."""
    product = x * y
    (x_high, y_high) = (v * 134217729.0 - (v * 134217729.0 - v) for v in (x, y))
    x_low, y_low = x - x_high, y - y_high
    return product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def _odd_sum(x, y):
    """The sum, of which an inexact one is rounded to the neighbour with an odd last bit."""
    total, rest = _two_sum(x, y)
    bits = total.view(np.int64)
    away = np.where((rest > 0) == (total > 0), 1, -1)
    odd = (bits + np.where((bits & 1) == 0, away, 0)).view(np.float64)
    return np.where((rest != 0) & np.isfinite(rest) & (total != 0), odd, total)


def _fma64(x, y, z):
    """Rounded once (S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums")."""
    scale = np.where(np.maximum(np.abs(x), np.abs(y)) > 2.0**960, 2.0**-64, 1.0)  # halves do not overflow
    larger = np.abs(x) > np.abs(y)
    high, low = _two_product(np.where(larger, x * scale, x), np.where(larger, y, y * scale))
    sum_low, rest_low = _two_sum(z * scale, low)
    total, rest = _two_sum(high, sum_low)
    result = (total + _odd_sum(rest_low, rest)) / scale
    return np.where(np.isfinite(result), result, x * y + z)


def _fma(operands, types, attrs):
    x, y, z = operands
    if x.dtype == np.float64:
        return [_fma64(x, y, z)]
    wide = [value.astype(np.float64) for value in operands]
    return [_odd_sum(wide[0] * wide[1], wide[2]).astype(x.dtype)]


def _round(x):
    """To the nearest integer, halves away from zero."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole).astype(x.dtype)


def _bit_matrix(x):
    """The bits of each element along a new last axis, the highest first."""
    count = 8 * x.dtype.itemsize
    places = np.arange(count - 1, -1, -1, dtype=np.uint64)
    return (unsigned(x).astype(np.uint64)[..., None] >> places) & np.uint64(1)


def _leading_zeros(x):
    return np.cumprod(1 - _bit_matrix(x).astype(np.int8), axis=-1).sum(-1).astype(x.dtype)


def _ones(x):
    return _bit_matrix(x).sum(-1).astype(x.dtype)


def _binary(function):
    return lambda operands, types, attrs: [function(*operands)]


OPS = {
    "math.exp": _unary(np.exp),
    "math.exp2": _unary(np.exp2),
    "math.log": _unary(np.log),
    "math.log2": _unary(np.log2),
    "math.sqrt": _unary(np.sqrt),
    "math.rsqrt": _unary(_rsqrt),
    "math.sin": _unary(np.sin),
    "math.cos": _unary(np.cos),
    "math.tanh": _unary(np.tanh),
    "math.erf": _unary(lambda x: np.asarray(_erf(x.astype(np.float64))).astype(x.dtype)),
    "math.erfc": _unary(lambda x: np.asarray(_erfc(x.astype(np.float64))).astype(x.dtype)),
    "math.acos": _unary(np.arccos),
    "math.acosh": _unary(np.arccosh),
    "math.asin": _unary(np.arcsin),
    "math.asinh": _unary(np.arcsinh),
    "math.atan": _unary(np.arctan),
    "math.atan2": _binary(np.arctan2),
    "math.atanh": _unary(np.arctanh),
    "math.cbrt": _unary(np.cbrt),
    "math.copysign": _binary(np.copysign),
    "math.cosh": _unary(np.cosh),
    "math.ctlz": _unary(_leading_zeros),
    "math.ctpop": _unary(_ones),
    "math.expm1": _unary(np.expm1),
    "math.log10": _unary(np.log10),
    "math.log1p": _unary(np.log1p),
    "math.powf": _binary(np.power),
    "math.round": _unary(_round),
    "math.roundeven": _unary(np.rint),
    "math.sinh": _unary(np.sinh),
    "math.tan": _unary(np.tan),
    "math.trunc": _unary(np.trunc),
    "math.floor": _unary(np.floor),
    "math.ceil": _unary(np.ceil),
    "math.absf": _unary(np.abs),
    "math.absi": _unary(np.abs),
    "math.fma": _fma,
}
