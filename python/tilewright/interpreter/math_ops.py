"""The ops of `math` on NumPy arrays."""

import math

import numpy as np

from .numpy_types import unsigned
from .rounding import fma

_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def _unary(function):
    return lambda operands, types, attrs: [function(operands[0])]


def _rsqrt(x):
    return (1.0 / np.sqrt(x.astype(np.float64))).astype(x.dtype)


def _round(x):
    """To the nearest integer, ties away from zero."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole).astype(x.dtype)


def _bit_matrix(x):
    """The bits of each element along a new last axis, the highest first."""
    count = 8 * x.dtype.itemsize
    positions = np.arange(count - 1, -1, -1, dtype=np.uint64)
    return (unsigned(x).astype(np.uint64)[..., None] >> positions) & np.uint64(1)


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
    "math.fma": lambda operands, types, attrs: [fma(*operands)],
}
