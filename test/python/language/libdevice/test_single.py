"""Error and gamma functions of float32 over all that they take, against the C library's in float64."""

import math

import numpy as np
import pytest

COUNT = 4096
LEAST = 2.0**-149


def _each(function, at_pole=math.nan):
    def one(x):
        try:
            return function(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return at_pole

    return np.vectorize(one, otypes=[np.float64])


_erf, _erfc, _tgamma = map(_each, (math.erf, math.erfc, math.gamma))
_lgamma = _each(math.lgamma, math.inf)


def _normcdf(x):
    return 0.5 * _erfc(-x * math.sqrt(0.5))


def _refined(x, error):
    """A result of float32 after a step of Newton's iteration in float64, given the error of erf there."""
    return x - error * 0.5 * math.sqrt(math.pi) * np.exp(x * x)


def _erfinv(y, x):
    rest = np.where(np.abs(y) < 0.5, _erf(x) - y, np.copysign(1 - np.abs(y) - _erfc(np.abs(x)), y))
    return _refined(x, rest)


def _erfcinv(p, x):
    return _refined(x, np.where(np.abs(p - 1) < 0.5, _erf(x) - (1 - p), p - _erfc(x)))


def _normcdfinv(p, x):
    root = math.sqrt(2)
    return -root * _erfcinv(2 * p, -x / root)


# name: (reference, which may take the result as the start of its search; ranges; allowed ULP).
# A range with positive ends has numbers of all magnitudes between them.
FUNCTIONS = {
    "erfc": (_erfc, [(-4, 0), (0, 10), (9, 10.2), (LEAST, 3e38)], 4),
    "erfcinv": (_erfcinv, [(0.01, 1.99), (LEAST, 0.5), (1.9999, 1.9999999)], 4),
    "erfcx": (lambda x: np.exp(x * x) * _erfc(x), [(-9.3, 0), (0, 25), (LEAST, 25)], 4),
    "erfinv": (_erfinv, [(-1, 1), (0.99, 0.9999999), (LEAST, 0.5)], 2),
    "exp10": (lambda x: 10.0**x, [(-46, 39), (-1, 1), (38, 38.6), (LEAST, 1)], 2),
    "lgamma": (_lgamma, [(0, 4), (0.9, 1.1), (1.9, 2.1), (LEAST, 3e36), (-2.25, 0), (-1e4, -10.01)], 6),
    "normcdf": (_normcdf, [(-5, 5), (-14.5, -5), (LEAST, 3e38)], 5),
    "normcdfinv": (_normcdfinv, [(0.01, 0.99), (LEAST, 0.25)], 5),
    "tgamma": (_tgamma, [(0, 4), (2.9, 35), (LEAST, 35), (-3.1, 0), (-42, -3), (34.9, 35.1)], 5),
}


def spread(rng, low, high):
    """Numbers of a range; of all sizes where its ends are far apart."""
    if low > 0 and high > 100 * low:
        return np.exp(rng.uniform(np.log(low), np.log(high), COUNT)).astype(np.float32)
    return rng.uniform(low, high, COUNT).astype(np.float32)


def ulps(got, want):
    """Where float32 overflows, the result may be infinite or, just about, the largest number."""
    got, want = (np.clip(each.astype(np.float64), -(2.0**128), 2.0**128) for each in (got, want))
    unit = np.spacing(np.minimum(np.abs(want), 2.0**127).astype(np.float32)).astype(np.float64)
    return np.abs(got - want) / unit


@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors(apply, rng, name):
    function, ranges, limit = FUNCTIONS[name]
    for low, high in ranges:
        x = spread(rng, low, high)
        got = apply(name, [x], "float32")
        wide = x.astype(np.float64)
        with np.errstate(all="ignore"):
            want = function(wide, got.astype(np.float64)) if name.endswith("inv") else function(wide)
        assert ulps(got, want).max() <= limit, (low, high)


def test_lgamma_between_its_zeros(apply, rng):
    """Where it has zeros the error is that of its largest part."""
    x = rng.uniform(-10, -2.25, COUNT).astype(np.float32)
    error = np.abs(apply("lgamma", [x], "float32") - _lgamma(x.astype(np.float64)))
    assert error.max() <= 5e-6


INF, NAN = math.inf, math.nan
SPECIAL = {
    "erfc": ([0.0, -0.0, INF, -INF, NAN, 11, -11, 1e-45], [1, 1, 0, 2, NAN, 0, 2, 1]),
    "erfcinv": ([1, 0, -0.0, 2, 3, NAN, -1, INF], [0, INF, INF, -INF, NAN, NAN, NAN, NAN]),
    "erfcx": ([0.0, -0.0, INF, -INF, NAN, -10, 1e-45, -1e-45], [1, 1, 0, INF, NAN, INF, 1, 1]),
    "erfinv": ([0.0, -0.0, 1, -1, 2, -INF, NAN, 1.5], [0.0, -0.0, INF, -INF, NAN, NAN, NAN, NAN]),
    "exp10": ([0.0, -0.0, INF, -INF, NAN, 400, -400, 1e-45], [1, 1, INF, 0, NAN, INF, 0, 1]),
    "lgamma": ([1, 2, 0.0, -0.0, -3, INF, -INF, NAN], [0.0, 0.0, INF, INF, INF, INF, INF, NAN]),
    "normcdf": ([0.0, -0.0, INF, -INF, NAN, 15, -15, 1e-45], [0.5, 0.5, 1, 0, NAN, 1, 0, 0.5]),
    "normcdfinv": ([0.5, 0, 1, 2, NAN, -1, INF, -INF], [0, -INF, INF, NAN, NAN, NAN, NAN, NAN]),
    "tgamma": ([1, 2, 0.0, -0.0, -3, INF, -INF, NAN, 36, -200.5, 1e-45, -1e-45, -1e30, 3e38, -41.5, -1],
               [1, 1, INF, -INF, NAN, INF, NAN, NAN, INF, -0.0, INF, -INF, NAN, INF, 0.0, NAN]),
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(apply, name):
    arguments, want = (np.array(each, np.float32) for each in SPECIAL[name])
    got = apply(name, [arguments], "float32")
    np.testing.assert_array_equal(got, want)
    known = ~np.isnan(want) & ~(
        (want == 0) & (arguments != 0) & np.array(name.startswith(("erfcinv", "norm")))
    )
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(want[known]))
