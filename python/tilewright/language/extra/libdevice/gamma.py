"""The gamma function and its logarithm.

For float64:

1. From 1.5 to 2.5 they are Chebyshev series about 2.
2. Arguments up to 8 are reduced to that interval by the recurrence gamma(x + 1) = x gamma(x).
3. Larger arguments use Stirling's formula with a correction series.
4. Negative arguments use the reflection formula.

float32 uses polynomials.
"""

from . import gamma_single as single
from . import tables
from .elementary import sinpi
from .numbers import call, is_finite, like, magnitude, where
from .series import by_width, chebyshev

_PI, _LOG_PI = 3.141592653589793, 1.1447298858494002
_HALF_LOG_TWO_PI, _ROOT_TWO_PI = 0.91893853320467274, 2.5066282746310005
_INFINITY = float("inf")
_LARGE = 8.0


def _to_middle(x):
    """Reduces `x` below 8 to 1.5 ... 2.5. Returns the reduced argument less 2, the factor of gamma there, and the
    divisor."""
    factor = like(x, 1.0)
    rest = x
    for _ in range(6):
        down = rest >= 2.5
        rest = where(down, rest - 1.0, rest)
        factor = where(down, factor * rest, factor)
    low, lowest = x < 1.5, x < 0.5
    divisor = where(low, where(lowest, x * (x + 1.0), x), 1.0)
    return where(low, where(lowest, x, x - 1.0), rest - 2.0), factor, divisor


def _correction(x):
    ratio = _LARGE / x
    return ratio * chebyshev(tables.STIRLING, 2.0 * ratio * ratio - 1.0)


def _positive_lgamma(x):
    small = where(x < _LARGE, x, 2.0)
    rest, factor, _ = _to_middle(small)
    middle = rest * chebyshev(tables.LOG_GAMMA, 2.0 * rest)
    low, lowest = small < 1.5, small < 0.5
    shift = where(low, -call("log1p", where(low, rest, 0.0)), call("log", factor))
    shift = where(lowest, shift - call("log", where(lowest, small, 1.0)), shift)
    large = where(x < _LARGE, _LARGE, x)
    far = (large - 0.5) * (call("log", large) - 1.0) + (_HALF_LOG_TWO_PI - 0.5) + _correction(large)
    return where(x < _LARGE, middle + shift, where(x == _INFINITY, x, far))


def _lgamma(x):
    size = magnitude(x)
    value = _positive_lgamma(size)
    sine = magnitude(sinpi(x))
    reflected = _LOG_PI - call("log", size) - call("log", sine) - value
    pole = (x <= 0) & (x == call("floor", x))
    return where(x != x, x, where(pole, _INFINITY, where(x < 0, reflected, value)))


def _stirling(x):
    """For 8 and more. The power is split in two, which overflow later."""
    root = call("powf", x, 0.5 * x - 0.25)
    return _ROOT_TWO_PI * (root * call("exp", -x)) * root * call("exp", _correction(x))


def _positive_tgamma(x):
    """From -0.5 on."""
    small = where(x < _LARGE, x, 2.0)
    rest, factor, divisor = _to_middle(small)
    near = (1.0 + rest * chebyshev(tables.GAMMA, 2.0 * rest)) * factor / divisor
    overflows = x > 172.0
    large = where((x < _LARGE) | overflows | (x != x), _LARGE, x)
    far = where(overflows, _INFINITY, _stirling(large))
    return where(x < _LARGE, near, where(x != x, x, far))


def _tgamma(x):
    negative = x < -0.5
    value = _positive_tgamma(where(negative, -x, x))
    reflected = -_PI / (x * sinpi(x)) / value
    pole = negative & (x == call("floor", x))
    result = where(negative, reflected, value)
    return where(pole, float("nan"), where(negative & ~is_finite(x), float("nan"), result))


FUNCTIONS = {
    "lgamma": (
        1,
        by_width(single.lgamma, _lgamma),
        "The logarithm of the absolute value of the gamma function",
    ),
    "tgamma": (1, by_width(single.tgamma, _tgamma), "The gamma function"),
}
