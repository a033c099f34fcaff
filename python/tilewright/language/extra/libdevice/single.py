"""Exponentials of float32 that are scaled last, so that subnormal results are rounded once.

The coefficients of this package's polynomials for float32 minimise the largest relative error of the function on their
interval. They come from Lawson's iteration on Chebyshev points in extended precision. One coefficient after the other is
rounded to float32, and the others are fitted again.
"""

from ... import dtypes
from ...semantic import arithmetic, convert
from .numbers import fma, like, power_of_two, where
from .series import polynomial

_NEAREST, _NEAREST_BITS = 12582912.0, 0x4B400000  # 3 * 2^22: the lowest bits of sums with it are integers
_LOG2_E, _LN_2, _LN_2_REST = 1.4426950408889634, 0.6931471824645996, -1.904654299957768e-09
_LOG2_10, _LOG10_2, _LOG10_2_REST = 3.3219280948873623, 0.3010300099849701, -1.4320988897559699e-08

# (e^f - 1 - f) / f^2 for |f| up to log(2) / 2
_EXP = (
    0.4999999403953552,
    0.1666652113199234,
    0.04166826233267784,
    0.00836867094039917,
    0.0013820999301970005,
)
# (10^f - 1) / f for |f| up to log10(2) / 2
_EXP10 = (
    2.3025851249694824,
    2.6509487628936768,
    2.034656047821045,
    1.1712948083877563,
    0.5418254733085632,
    0.20618148148059845,
)  # fmt: skip


def bounded(x, limit):
    """`x` limited to sizes up to `limit`; NaN stays."""
    x = where(x > limit, limit, x)
    return where(x < -limit, -limit, x)


def _nearest(x, factor):
    """The integer nearest to `x * factor`, as a float and as int32."""
    shifted = fma(x, like(x, factor), like(x, _NEAREST))
    integer = arithmetic.sub(convert.bitcast(shifted, dtypes.int32), _NEAREST_BITS, check=False)
    return shifted - _NEAREST, integer


def _scale(x, exponent):
    """`x * 2**exponent` for exponents of twice the normal range."""
    half = exponent >> 1
    return x * power_of_two(half, x.dtype) * power_of_two(exponent - half, x.dtype)


def exp10(x):
    """10^x = 2^n 10^f."""
    x = bounded(x, 50.0)
    n, exponent = _nearest(x, _LOG2_10)
    f = fma(n, like(x, -_LOG10_2), x)
    f = fma(n, like(x, -_LOG10_2_REST), f)
    return _scale(fma(f, polynomial(f, _EXP10), like(x, 1.0)), exponent)


def times_gaussian(factor, x, y):
    """`factor * exp(-x * y)` for `x * y` from 0 to 200, which is computed in two parts."""
    high = x * y
    rest = fma(x, y, -high)
    n, exponent = _nearest(high, -_LOG2_E)
    f = fma(n, like(x, -_LN_2), -high)
    f = fma(n, like(x, -_LN_2_REST), f) - rest
    power = fma(f * f, polynomial(f, _EXP), f)
    return _scale(fma(factor, power, factor), exponent)
