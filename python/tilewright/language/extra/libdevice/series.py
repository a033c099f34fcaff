"""Chebyshev series and polynomials, and functions that are computed in float64."""

from ... import dtypes
from ...semantic import convert
from .numbers import fma, like, width


def through_float64(compute):
    """`compute`, which float32 is widened for."""

    def run(*values):
        given = values[0].dtype
        return convert.cast(compute(*[convert.cast(value, dtypes.float64) for value in values]), given)

    return run


def chebyshev(table, t):
    """The sum of `table[k] T_k(t)` for `t` from -1 to 1, by Clenshaw's recurrence."""
    twice = t + t
    above, sum_ = like(t, 0.0), like(t, 0.0)
    for coefficient in reversed(table[1:]):
        above, sum_ = sum_, twice * sum_ - above + coefficient
    return t * sum_ - above + table[0]


def by_width(single, double):
    """`single` for float32, `double` for float64."""
    return lambda *values: (single if width(values[0]) == 32 else double)(*values)


def polynomial(x, coefficients):
    """The sum of `coefficients[k] x^k`, by Horner's scheme."""
    total = like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = fma(total, x, like(x, coefficient))
    return total
