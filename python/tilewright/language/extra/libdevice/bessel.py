"""Bessel functions, in float64.

Up to 8 they are Chebyshev series of the square, from there on modulus and phase are (G. Watson, "Theory of
Bessel Functions", chapter 7). Errors are absolute, near 1e-16, between the zeros of the oscillating ones.
"""

from ... import dtypes
from ...ir import builder
from ...semantic import arithmetic, convert
from . import tables
from .arguments import typed_function
from .numbers import call, is_negative, magnitude, where
from .series import chebyshev, through_float64

_TWO_OVER_PI, _ROOT_HALF = 0.6366197723675814, 0.7071067811865476
_INFINITY = float("inf")
_NEAR = 8.0


def _far(x, p, q):
    """sqrt(2 / (pi x)), and the corrections of modulus and phase, for 8 and more."""
    ratio = _NEAR / x
    t = 2.0 * ratio * ratio - 1.0
    return call("sqrt", _TWO_OVER_PI / x), chebyshev(p, t), ratio * chebyshev(q, t)


def _waves(x, order):
    """The cosine and the sine of x - (2 order + 1) pi / 4."""
    sine, cosine = call("sin", x), call("cos", x)
    plus, minus = (sine + cosine) * _ROOT_HALF, (sine - cosine) * _ROOT_HALF
    return (plus, minus) if order == 0 else (minus, -plus)


def _regions(x):
    """Arguments for both regions: each harmless where the other counts."""
    near = x < _NEAR
    return near, where(near, x, 1.0), where(near | ~(x < _INFINITY), _NEAR, x)


_FAR_TABLES = [(tables.P0_FAR, tables.Q0_FAR), (tables.P1_FAR, tables.Q1_FAR)]


def _near_j(x, order):
    t = x * x * (2.0 / _NEAR**2) - 1.0
    return chebyshev(tables.J0_NEAR, t) if order == 0 else x * chebyshev(tables.J1_NEAR, t)


def _positive_j(x, order):
    near, small, large = _regions(x)
    size, p, q = _far(large, *_FAR_TABLES[order])
    cosine, sine = _waves(large, order)
    value = where(near, _near_j(small, order), size * (p * cosine - q * sine))
    return where(x == _INFINITY, 0.0, where(x != x, x, value))


def _j0(x):
    return _positive_j(magnitude(x), 0)


def _j1(x):
    value = _positive_j(magnitude(x), 1)
    return where(is_negative(x), -value, value)


def _y(x, order):
    near, small, large = _regions(x)
    small = where(small > 0, small, 1.0)
    t = small * small * (2.0 / _NEAR**2) - 1.0
    log_term = call("log", small) * _near_j(small, order)
    if order == 0:
        value = _TWO_OVER_PI * log_term + chebyshev(tables.Y0_NEAR, t)
    else:
        value = _TWO_OVER_PI * (log_term - 1.0 / small) + small * chebyshev(tables.Y1_NEAR, t)
    size, p, q = _far(large, *_FAR_TABLES[order])
    cosine, sine = _waves(large, order)
    value = where(near, value, size * (p * sine + q * cosine))
    value = where(x == _INFINITY, 0.0, where(x > 0, value, -_INFINITY))
    return where((x < 0) | (x != x), float("nan"), value)


def _i(x, order):
    size = magnitude(x)
    near, small, large = _regions(size)
    tables_ = [(tables.I0_NEAR, tables.I0_FAR), (tables.I1_NEAR, tables.I1_FAR)][order]
    inner = chebyshev(tables_[0], small * 0.25 - 1.0)
    outer = chebyshev(tables_[1], 16.0 / large - 1.0) / call("sqrt", large)
    value = where(near, small * inner if order else inner, outer)
    root = call("exp", 0.5 * size)  # the whole power overflows before the result
    value = where(size < _INFINITY, root * value * root, size)
    return where(is_negative(x), -value, value) if order else value


def _kernel_functions():
    """Loops over the order, written as kernels are; made late, since kernels need the whole language."""
    from . import bessel_loops

    return bessel_loops


def _of_order(name, n, x):
    """J_n or Y_n of positive arguments and n; others follow by symmetry."""
    given = x.dtype
    x = convert.cast(x, dtypes.float64)
    order, size = where(n < 0, 0 - n, n), magnitude(x)
    first = [
        compute(size)
        for compute in ((_j0, _j1) if name == "jn" else (lambda v: _y(v, 0), lambda v: _y(v, 1)))
    ]
    value = builder().call(getattr(_kernel_functions(), name), [order, size, *first])
    odd = arithmetic.bitwise(order, 1, "arith.andi", "&") == 1
    value = where(odd & (n < 0), -value, value)
    if name == "jn":
        value = where(odd & (x < 0), -value, value)
    else:
        value = where(x < 0, float("nan"), value)
    return convert.cast(where(x != x, x, value), given)


def order_functions():
    """`jn` and `yn`, by name."""
    types = [("i32", "fp32"), ("i32", "fp64")]
    return {
        name: typed_function(name, types, lambda n, x, name=name: _of_order(name, n, x), text)
        for name, text in (
            ("jn", "The Bessel function of the first kind of order `x` at `y`"),
            ("yn", "The Bessel function of the second kind of order `x` at `y`"),
        )
    }


FUNCTIONS = {
    "j0": (1, through_float64(_j0), "The Bessel function of the first kind of order 0"),
    "j1": (1, through_float64(_j1), "The Bessel function of the first kind of order 1"),
    "y0": (1, through_float64(lambda x: _y(x, 0)), "The Bessel function of the second kind of order 0"),
    "y1": (1, through_float64(lambda x: _y(x, 1)), "The Bessel function of the second kind of order 1"),
    "cyl_bessel_i0": (1, through_float64(lambda x: _i(x, 0)), "The modified Bessel function of order 0"),
    "cyl_bessel_i1": (1, through_float64(lambda x: _i(x, 1)), "The modified Bessel function of order 1"),
}
