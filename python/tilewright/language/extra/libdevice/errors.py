"""Functions about the error function and the normal distribution; of float64."""

from . import errors_single as single
from .numbers import call, fma, is_negative, like, magnitude, where
from .series import by_width

_TWO_OVER_ROOT_PI, _ROOT_PI = 1.1283791670955126, 1.7724538509055160
_ROOT_TWO, _ROOT_HALF, _ROOT_HALF_REST = 1.4142135623730951, 0.7071067811865476, -4.8336466567264567e-17
_INFINITY = float("inf")


def _far_erfcx(x):
    """The asymptotic series for 10 and more."""
    factor = -0.5 / (x * x)
    total = like(x, 1.0)
    for k in range(12, 0, -1):
        total = 1.0 + (2 * k - 1) * factor * total
    return total / (x * _ROOT_PI)


def _erfcx(x):
    """exp(x^2) erfc(x), the square in two parts."""
    far = x >= 10.0
    near = where(far, 1.0, x)
    square = near * near
    rest = fma(near, near, -square)
    power = call("exp", square)
    value = power * call("erfc", near)
    value = where(power < _INFINITY, value + value * rest, value)
    return where(far, _far_erfcx(where(far, x, 10.0)), value)


def _guess(log):
    """|erfinv(y)| to three digits for `log` = -log(1 - y^2) (S. Winitzki, 2008)."""
    half = 4.3307467508 - 0.5 * log
    root = call("sqrt", half * half + log * 6.8027210884)
    return call("sqrt", where(half > 0, log * 6.8027210884 / (root + half), root - half))


def _inner_erfinv(y):
    """For |y| up to 0.75: Halley's steps on erf."""
    x = where(y < 1e-4, y * 0.886226925452758, _guess(-call("log1p", -(y * y))))
    for _ in range(2):
        error = (call("erf", x) - y) * (0.5 * _ROOT_PI) * call("exp", x * x)
        x = x - error / (1.0 + x * error)
    return x


def _outer_erfcinv(q):
    """For q below 0.25: Newton's steps on the logarithm of erfc, which is nearly a parabola."""
    goal = call("log", q)
    x = _guess(-goal - call("log1p", 1.0 - q))
    for _ in range(4):
        scaled = _erfcx(x)
        x = x + ((call("log", scaled) - x * x) - goal) * (0.5 * _ROOT_PI) * scaled
    return x


def _erfinv(y):
    size = magnitude(y)
    inner = size <= 0.75
    outer = _outer_erfcinv(where(inner | ~(size < 1.0), 0.25, 1.0 - size))
    value = where(inner, _inner_erfinv(where(inner, size, 0.5)), outer)
    value = where(size == 1.0, _INFINITY, where(size < 1.0, value, float("nan")))
    return where(is_negative(y), -value, value)


def _erfcinv(p):
    upper = p > 1.0
    q = where(upper, 2.0 - p, p)
    inner = q >= 0.25
    usable = (q > 0.0) & ~inner
    value = where(inner, _inner_erfinv(where(inner, 1.0 - q, 0.5)), _outer_erfcinv(where(usable, q, 0.125)))
    value = where(q == 0.0, _INFINITY, where(q > 0.0, value, float("nan")))
    return where(upper, -value, value)


def _normcdf(x):
    """erfc(-x / sqrt(2)) / 2, corrected for the rounding of its argument."""
    t = x * -_ROOT_HALF
    rest = fma(x, like(x, -_ROOT_HALF), -t) - x * _ROOT_HALF_REST
    value = call("erfc", t)
    change = _TWO_OVER_ROOT_PI * call("exp", -(t * t)) * rest
    return 0.5 * where(magnitude(x) < 40.0, value - change, value)


def _normcdfinv(p):
    return -_ROOT_TWO * _erfcinv(p + p)


FUNCTIONS = {
    "erfc": (1, by_width(single.erfc, lambda x: call("erfc", x)), "1 minus the error function"),
    "erfcx": (1, by_width(single.erfcx, _erfcx), "`exp(x**2) * erfc(x)`"),
    "erfinv": (1, by_width(single.erfinv, _erfinv), "The inverse of the error function"),
    "erfcinv": (1, by_width(single.erfcinv, _erfcinv), "The inverse of `erfc`"),
    "normcdf": (1, by_width(single.normcdf, _normcdf), "The cumulative normal distribution"),
    "normcdfinv": (
        1,
        by_width(single.normcdfinv, _normcdfinv),
        "The inverse of the cumulative normal distribution",
    ),
}
