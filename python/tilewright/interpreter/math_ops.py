"""The ops of `math` on NumPy arrays."""

import math

import numpy as np

_erf = np.frompyfunc(math.erf, 1, 1)


def _unary(function):
    return lambda operands, types, attrs: [function(operands[0])]


def _rsqrt(x):
    return (1.0 / np.sqrt(x.astype(np.float64))).astype(x.dtype)


def _fma(operands, types, attrs):
    x, y, z = operands
    if x.dtype == np.float64:
        return [x * y + z]  # NumPy has no fused form
    return [(x.astype(np.float64) * y.astype(np.float64) + z.astype(np.float64)).astype(x.dtype)]


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
    "math.floor": _unary(np.floor),
    "math.ceil": _unary(np.ceil),
    "math.absf": _unary(np.abs),
    "math.absi": _unary(np.abs),
    "math.fma": _fma,
}
