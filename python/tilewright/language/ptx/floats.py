"""Instructions on floating-point numbers.

Approximate instructions are computed as accurately as the language does. Results agree with a GPU's within the error that
PTX states for the instruction.
"""

from ..dtypes import float32
from ..extra.libdevice import copysign, rsqrt
from ..math import abs as magnitude
from ..math import cos, exp2, log2, sin, sqrt, tanh
from ..semantic import convert
from ..semantic.arithmetic import fma, maximum, minimum, truediv
from .rule import TYPE, Rule
from .words import constant

_SINGLE = ("f32", "f32x2")
_HALF_TYPES = ("f16", "bf16", "f16x2", "bf16x2")
_ALL = ("f64", *_SINGLE, *_HALF_TYPES)
_NEAREST = frozenset({"rn", "ftz", "sat"})
_APPROXIMATE = frozenset({"approx", "ftz"})
_EXACT = frozenset({"rn", "approx", "full", "ftz"})


def _wide(function):
    """Computes float16 and bfloat16 in float32 and rounds again. Double rounding is harmless for `+`, `*`, `/` and sqrt,
    but not for fma."""

    def compute(_, *values):
        ty = values[0].dtype
        if ty.primitive_bitwidth == 16:
            values = [convert.cast(value, float32) for value in values]
        return convert.cast(function(*values), ty)

    return compute


def _divided(a, b):
    return truediv(a, b, fast=False)


def _one_over(a):
    return _divided(constant(1.0, a.dtype, a), a)


def _extreme(function):
    def pick(instruction, a, b):
        return function(a, b, propagate_nan="NaN" in instruction.modifiers)

    return Rule(pick, _ALL, modifiers=frozenset({"ftz", "NaN"}))


def _function(function, types, modifiers=_APPROXIMATE):
    return Rule(_wide(function), types, (TYPE,), modifiers)


_FUSED = Rule(lambda _, a, b, c: fma(a, b, c), _ALL, (TYPE,) * 3, _NEAREST | {"relu"})

RULES = {
    "add": Rule(_wide(lambda a, b: a + b), _ALL, modifiers=_NEAREST),
    "sub": Rule(_wide(lambda a, b: a - b), _ALL, modifiers=_NEAREST),
    "mul": Rule(_wide(lambda a, b: a * b), _ALL, modifiers=_NEAREST),
    "fma": _FUSED,
    "mad": _FUSED,
    "div": Rule(_wide(_divided), ("f32", "f64"), modifiers=_EXACT),
    "rcp": _function(_one_over, ("f32", "f64"), _EXACT),
    "sqrt": _function(sqrt, ("f32", "f64"), _EXACT),
    "rsqrt": _function(rsqrt, ("f32", "f64")),
    "ex2": _function(exp2, ("f32", *_HALF_TYPES)),
    "lg2": _function(log2, ("f32",)),
    "sin": _function(sin, ("f32",)),
    "cos": _function(cos, ("f32",)),
    "tanh": _function(tanh, ("f32", *_HALF_TYPES)),
    "min": _extreme(minimum),
    "max": _extreme(maximum),
    "abs": Rule(lambda _, a: magnitude(a), _ALL, (TYPE,), frozenset({"ftz"})),
    "neg": Rule(lambda _, a: -a, _ALL, (TYPE,), frozenset({"ftz"})),
    "copysign": Rule(lambda _, a, b: copysign(b, a), ("f32", "f64")),
}
