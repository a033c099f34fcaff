"""The gamma function and its logarithm in float32, without branches: all cases are computed."""

from ...semantic import arithmetic
from .numbers import call, fma, like, magnitude, quotient, where
from .series import polynomial

_ONE_OVER_E, _ONE_OVER_E_REST, _E = 0.3678794503211975, -9.149755188170102e-09, 2.718281828459045
_INFINITY = float("inf")

# (sin(pi r) / pi - r) / r^3 over r^2, |r| up to 0.5
_SINE = (-1.6449333429336548, 0.8117159008979797, -0.1904439926147461, 0.02471817284822464)
# lgamma(1 + u) / u, |u| up to 0.5
_NEAR_ONE = (
    -0.5772156715393066, 0.822467029094696, -0.40068528056144714, 0.27058717608451843, -0.20739251375198364,
    0.1692710965871811, -0.14387662708759308, 0.12996581196784973, -0.11430645734071732, 0.0695168673992157,
    -0.06762506812810898, 0.17393898963928223, -0.15372097492218018,
)  # fmt: skip
# lgamma(2 + u) / u, u from -0.5 to 2
_NEAR_TWO = (
    0.42278432846069336, 0.32246702909469604, -0.06735215336084366, 0.020580731332302094, -0.0073854574002325535,
    0.0028910809196531773, -0.0011985487071797252, 0.0005170895019546151, -0.00021550302335526794,
    7.294645183719695e-05, -1.595908724993933e-05, 1.5912158914943575e-06,
)  # fmt: skip
# x (lgamma(x) - (x - 0.5) (log(x) - 1) - _HALF_LOG) over 1 / x^2, x from 4 on
_STIRLING = (0.08333329856395721, -0.0027749482542276382, 0.0007229513139463961)
_HALF_LOG = 0.4189385332046727  # (log(2 pi) - 1) / 2
# gamma(1 + u) over u, from 0 to 1
_GAMMA = (
    1.0, -0.5772154331207275, 0.9890419840812683, -0.9071818590164185, 0.9785399436950684, -0.9617166519165039,
    0.9095081686973572, -0.7587958574295044, 0.5138303637504578, -0.25312116742134094, 0.07836128026247025,
    -0.011250771582126617,
)  # fmt: skip
# gamma(x) / (x / e)^(x - 0.5) over 1 / x, x from 3 on
_LARGE = (1.5203468799591064, 0.12669725716114044, 0.005246138200163841, -0.0038348231464624405,
          -0.001072570914402604, 0.001890558167360723)  # fmt: skip


def _rest(x):
    """`x` less the nearest integer, and that integer."""
    whole = call("roundeven", x)
    return x - whole, whole


def _sine(r):
    """sin(pi r) / pi for |r| up to 0.5."""
    square = r * r
    return fma(r * square, polynomial(square, _SINE), r)


def _far_lgamma(x, log):
    """Stirling's formula, for 4 and more."""
    t = quotient(like(x, 1.0), x)
    rest = fma(t, polynomial(t * t, _STIRLING), like(x, _HALF_LOG))
    return fma(x - 0.5, log - 1.0, rest)


def lgamma(x):
    """Of negative numbers by lgamma(-a) = -log(a |sin(pi a)| / pi) - lgamma(a)."""
    a = magnitude(x)
    log = call("log", a)
    small, lower = a < 0.5, a < 1.5
    near_one = where(small, a, a - 1.0)
    near_two = a - 2.0
    one = fma(near_one, polynomial(near_one, _NEAR_ONE), like(a, 0.0))  # of 1 it is +0
    value = where(lower, one, near_two * polynomial(near_two, _NEAR_TWO))
    value = where(a < 4.0, value, _far_lgamma(a, log))  # below 0.5 of 1 + a
    sine = magnitude(_sine(_rest(a)[0]))
    reflected = -call("log", where(small, sine, a * sine)) - value
    value = where(x < 0, reflected, where(small, value - log, value))
    pole = (x < 0) & (sine == 0)
    return where(pole | (a == _INFINITY), _INFINITY, value)


def _near_tgamma(x):
    """For sizes below 3, by the recurrence gamma(x + 1) = x gamma(x) from 1 to 2."""
    value = polynomial(x - call("floor", x), _GAMMA)
    value = where(x >= 2.0, value * (x - 1.0), value)
    divisor = where(x < 1.0, x, 1.0)
    for step in (1.0, 2.0, 3.0):
        divisor = where(x < 1.0 - step, divisor * (x + step), divisor)
    return arithmetic.truediv(value, divisor, fast=True)


def _far_tgamma(x):
    """For sizes of 3 and more, by Stirling's formula and gamma(-a) = -pi / (a sin(pi a) gamma(a)).

    The power is corrected to first order for the rounding of a / e. Where gamma(a) is large, negative numbers use the
    root of the power, so that no subnormal number is divided by a small sine.
    """
    negative = x < 0
    a = magnitude(x)
    base = a * _ONE_OVER_E
    lost = fma(a, like(a, _ONE_OVER_E_REST), fma(a, like(a, _ONE_OVER_E), -base))
    t = quotient(like(a, 1.0), a)
    change = lost * _E * fma(t, like(t, -0.5), like(t, 1.0))
    factor = polynomial(t, _LARGE)
    factor = fma(factor, change, factor)
    exponent = a - 0.5
    is_root = negative & (a > 33.5)
    power = call("powf", base, where(is_root, exponent * -0.5, where(negative, -exponent, exponent)))
    r, whole = _rest(a)
    odd = call("roundeven", whole * 0.5) != whole * 0.5
    sine = _sine(where(odd, -r, r))
    reflected = -quotient(power, factor * a * sine)
    reflected = where(is_root, reflected * power, reflected)
    return where(negative, reflected, where(x > 36.0, _INFINITY, power * factor))


def tgamma(x):
    value = where(magnitude(x) < 3.0, _near_tgamma(x), _far_tgamma(x))
    return where((x < 0) & (x == call("floor", x)), float("nan"), value)
