"""Functions that are ops of every back end, or a few of them."""

from ... import dtypes
from ...semantic import arithmetic, convert
from . import single
from .arguments import float_function, question, typed_function
from .numbers import (
    BIAS,
    bits,
    call,
    fast,
    fma,
    from_bits,
    is_finite,
    is_negative,
    like,
    magnitude,
    quotient,
    where,
    width,
)
from .series import by_width, through_float64

_LOG2_E, _LN_2, _LOG10_2, _LOG2_10 = (
    1.4426950408889634,
    0.6931471805599453,
    0.30102999566398120,
    3.32192809488736235,
)


def _op(name):
    return lambda *operands: call(name, *operands)


def _exp10(x):
    """10^x = 2^(x log2(10)), corrected by the rounding error of the exponent."""
    power = x * _LOG2_10
    rest = fma(x, like(x, _LOG2_10), -power) + x * 1.6616175169735920e-16  # the rest of log2(10)
    result = call("exp2", power)
    return where(is_finite(result) & is_finite(x), result + result * (rest * _LN_2), result)


def _quadrant(x):
    """The quadrant of the angle `pi x`, modulo 4 as int32, and the remainder as an angle."""
    reduced = arithmetic.mod(x, 2.0)
    quarters = call("roundeven", reduced * 2.0)
    angle = (reduced - quarters * 0.5) * 3.141592653589793
    return convert.cast(where(is_finite(x), quarters, 0.0), dtypes.int32) & 3, angle


def _sine(quadrant, angle, x):
    value = where((quadrant & 1) == 0, call("sin", angle), call("cos", angle))
    return where(is_finite(x), where(quadrant >= 2, -value, value), x - x)


def sinpi(x):
    result = _sine(*_quadrant(x), x)
    return where(x == call("roundeven", x), x * 0.0, result)


def _cospi(x):
    quadrant, angle = _quadrant(x)
    result = _sine((quadrant + 1) & 3, angle, x)
    return where(magnitude(x - call("floor", x)) == 0.5, 0.0, result)


def _remainder(x, y):
    """IEEE's: `x` minus the multiple of `y` nearest to the quotient, ties to even. All steps are exact."""
    size, divisor = magnitude(x), magnitude(y)
    bias = BIAS[width(x)]
    rest = where(divisor > 2.0 ** (bias - 1), size, arithmetic.mod(size, divisor + divisor))  # NaN stays
    half = divisor * 0.5
    small = divisor < 2.0 ** (32 - bias)  # half of it may be inexact
    over = where(small, rest + rest > divisor, rest > half)
    rest = where(over, rest - divisor, rest)
    still = where(small, rest + rest >= divisor, rest >= half)
    rest = where(over & still, rest - divisor, rest)
    rest = where(is_finite(x) & (divisor == float("inf")), size, rest)
    return where(is_negative(x), -rest, rest)


def _fdim(x, y):
    return where((x > y) | (x != x) | (y != y), x - y, 0.0)


def _saturate(x):
    return arithmetic.minimum(arithmetic.maximum(x, 0.0), 1.0)


def _reciprocal_upper_half(x):
    """1 / x with the lower half of its bits cleared."""
    return from_bits(arithmetic.bitwise(bits(like(x, 1.0) / x), 0xFFFFFFFF00000000, "arith.andi", "&"))


_OPS = {
    "acos": "Arc cosine", "acosh": "Inverse hyperbolic cosine", "asin": "Arc sine",
    "asinh": "Inverse hyperbolic sine", "atan": "Arc tangent", "atanh": "Inverse hyperbolic tangent",
    "cbrt": "Cube root", "ceil": "The smallest integer not below `x`, as a float", "cos": "Cosine",
    "cosh": "Hyperbolic cosine", "erf": "Error function",
    "exp": "e to the power `x`", "exp2": "2 to the power `x`", "expm1": "`exp(x) - 1`",
    "floor": "The largest integer not above `x`, as a float", "log": "Natural logarithm",
    "log10": "Logarithm to base 10", "log1p": "`log(1 + x)`", "log2": "Logarithm to base 2",
    "round": "The nearest integer as a float, ties away from zero", "rsqrt": "1 over the square root",
    "sin": "Sine", "sinh": "Hyperbolic sine", "sqrt": "Square root", "tan": "Tangent",
    "tanh": "Hyperbolic tangent", "trunc": "`x` without its fraction",
}  # fmt: skip

_UNARY = {
    "rint": (_op("roundeven"), "The nearest integer as a float, ties to even"),
    "nearbyint": (_op("roundeven"), "The nearest integer as a float, ties to even"),
    "exp10": (by_width(single.exp10, _exp10), "10 to the power `x`"),
    "sinpi": (sinpi, "Sine of `pi * x`"),
    "cospi": (_cospi, "Cosine of `pi * x`"),
    "rcbrt": (through_float64(lambda x: 1.0 / call("cbrt", x)), "1 over the cube root"),
    "saturatef": (_saturate, "`x` limited to the range from 0 to 1; NaN gives 0"),
    "rsqrt_rn": (
        through_float64(lambda x: 1.0 / call("sqrt", x)), "1 over the square root, rounded to the nearest"),
    # Functions with fast GPU instructions.
    "fast_cosf": (lambda x: fast("cos", x), "Cosine, quick"),
    "fast_sinf": (lambda x: fast("sin", x), "Sine, quick"),
    "fast_tanf": (lambda x: fast("sin", x) / fast("cos", x), "Tangent, quick"),
    "fast_tanhf": (lambda x: fast("tanh", x), "Hyperbolic tangent, quick"),
    "fast_expf": (lambda x: fast("exp", x), "e to the power `x`, quick"),
    "fast_exp10f": (lambda x: fast("exp2", x * _LOG2_10), "10 to the power `x`, quick"),
    "fast_logf": (lambda x: fast("log2", x) * _LN_2, "Natural logarithm, quick"),
    "fast_log2f": (lambda x: fast("log2", x), "Logarithm to base 2, quick"),
    "fast_log10f": (lambda x: fast("log2", x) * _LOG10_2, "Logarithm to base 10, quick"),
}  # fmt: skip

_MORE = {
    "atan2": (2, _op("atan2"), "The angle of the point with abscissa `y` and ordinate `x`"),
    "copysign": (2, _op("copysign"), "The size of `x` with the sign of `y`"),
    "fdim": (2, _fdim, "`x - y` where that is positive, else 0"),
    "fmod": (2, arithmetic.mod, "The remainder of `x / y` with the sign of `x`"),
    "pow": (2, _op("powf"), "`x` to the power `y`"),
    "remainder": (2, _remainder, "`x` minus the multiple of `y` nearest to it, ties to even"),
    "fast_dividef": (2, quotient, "`x / y`, quick; 0 "
                     "for `y` above 2 to the power 126"),
    "fast_powf": (2, lambda x, y: fast("exp2", y * fast("log2", x)), "`x`, which is positive, to the power "
                  "`y`, quick"),
}  # fmt: skip

_QUESTIONS = {
    "isnan": (lambda x: x != x, "Whether `x` is NaN"),
    "isinf": (lambda x: magnitude(x) == float("inf"), "Whether `x` is an infinity"),
    "finitef": (is_finite, "Whether `x` is neither an infinity nor NaN"),
    "isfinited": (is_finite, "Whether `x` is neither an infinity nor NaN"),
}


def functions():
    """All functions of this module, by name."""
    found = {name: float_function(name, 1, _op(name), text) for name, text in _OPS.items()}
    found |= {name: float_function(name, 1, *rest) for name, rest in _UNARY.items()}
    found |= {name: float_function(name, *rest) for name, rest in _MORE.items()}
    found |= {name: question(name, *rest) for name, rest in _QUESTIONS.items()}
    found["fma"] = float_function("fma", 3, fma, "`x * y + z`, rounded once", widens=False)
    found["rcp64h"] = typed_function(
        "rcp64h", [("fp64",)], _reciprocal_upper_half, "`1 / x` to the upper half of its bits"
    )
    return found
