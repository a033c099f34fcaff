"""Functions about the error function and the normal distribution, in float32."""

from ...semantic import arithmetic
from .numbers import call, fast, fma, like, magnitude, quotient, where
from .series import polynomial
from .single import times_gaussian

_ROOT_TWO, _ROOT_HALF, _LN_2 = 1.4142135623730951, 0.7071067811865476, 0.6931471805599453
_ONE_OVER_ROOT_PI = 0.5641895835477563

# (erfcx(a) (1 + 2 a) - 1) / v over v - 0.5, v = a / (a + 2.75) (after M. Shepherd and J. Laframboise, 1981)
_ERFCX = (
    0.5176072120666504, -1.5570642948150635, 2.5436882972717285, -2.7688887119293213, 1.873576283454895,
    -0.39829757809638977, -0.5403375625610352, 0.4049908518791199, 0.12374952435493469, -0.18597455322742462,
)  # fmt: skip
# erfinv(y) / y - 1 over w - 1.5, w = -log(1 - y^2) up to 6.25
_INNER = (
    0.2520638406276703, 0.25036245584487915, 0.0008797272457741201, -0.0020923323463648558,
    0.00017775849846657366, 2.325689456483815e-05, -5.423649326985469e-06, -3.188944575072128e-08,
    1.204633690576884e-07, -1.5125930730164328e-08, 6.428659271584536e-10,
)  # fmt: skip
# erfinv(y) / (y sqrt(w)) - 1 over 1 / sqrt(w) - 0.25, w from 6.25 to 103.6
_OUTER = (
    -0.04005404934287071, -0.19818845391273499, 0.08062457293272018, 0.5663279294967651, -0.5669462084770203,
    5.7312188148498535, 36.24700164794922, 81.41936492919922, -796.0806884765625, -3507.3828125,
    6537.45263671875, 41663.34765625,
)  # fmt: skip


def _numerator(a):
    """erfcx(a) (1 + 2 a) for a from 0 to 1e6."""
    ratio = quotient(a, a + 2.75)
    return fma(ratio, polynomial(ratio - 0.5, _ERFCX), like(a, 1.0))


def _denominator(a):
    return fma(a, like(a, 2.0), like(a, 1.0))


def _upper_tail(a, x, y):
    """erfcx(a) exp(-x y)."""
    return times_gaussian(quotient(_numerator(a), _denominator(a)), x, y)


def erfc(x):
    size = magnitude(x)
    a = where(size > 10.5, 10.5, size)
    tail = _upper_tail(a, a, a)
    return where(x < 0, 2.0 - tail, tail)


def normcdf(x):
    size = magnitude(x)
    a = where(size > 15.0, 15.0, size)
    tail = 0.5 * _upper_tail(a * _ROOT_HALF, a, a * 0.5)
    return where(x > 0, 1.0 - tail, tail)


def _positive_erfcx(a):
    far = a > 1e6
    near = where(far, 1e6, a)
    numerator = where(far, _ONE_OVER_ROOT_PI, _numerator(near))
    return arithmetic.truediv(numerator, where(far, a, _denominator(near)), fast=True)


def erfcx(x):
    """For negative numbers 2 exp(x^2) - erfcx(-x)."""
    value = _positive_erfcx(magnitude(x))
    a = where(x < -9.5, -9.5, x)
    square = a * a
    power = call("exp", square)
    power = fma(power, fma(a, a, -square), power)
    return where(x < 0, where(x < -9.5, float("inf"), fma(power, like(x, 2.0), -value)), value)


def _inverse(y, complement):
    """erfinv(y), given `complement` = 1 - y^2."""
    w = fast("log2", complement) * -_LN_2
    reciprocal = call("rsqrt", w)
    root = w * reciprocal
    root = fma(fma(-root, root, w), 0.5 * reciprocal, root)
    far = root * y
    far = fma(far, polynomial(reciprocal - 0.25, _OUTER), far)
    near = fma(y, polynomial(w - 1.5, _INNER), y)
    result = where(complement == 0, float("inf"), where(w < 6.25, near, far))
    return call("copysign", result, y)  # near 0 the sum has lost its sign


def erfinv(y):
    return _inverse(y, fma(-y, y, like(y, 1.0)))


def erfcinv(p):
    return _inverse(1.0 - p, p * (2.0 - p))


def normcdfinv(p):
    return -_ROOT_TWO * erfcinv(p + p)
