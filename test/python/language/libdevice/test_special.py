"""Gamma, Bessel and error functions against mpmath."""

import numpy as np
import pytest
from optional_packages import needs

mp = needs("mpmath")
mp.mp.dps = 50
COUNT = 512

# name: (reference, ranges, errors allowed of float32 and float64: in ULP, or where the size of the result is
# below 1 in units of that of 1)
FUNCTIONS = {
    "cyl_bessel_i0": (lambda x: mp.besseli(0, x), [(-20, 20), (0, 700)], 1, 16),
    "cyl_bessel_i1": (lambda x: mp.besseli(1, x), [(-20, 20), (0, 700)], 1, 16),
    "erfcinv": (
        lambda p: -mp.erfinv(p - 1) if p > 0.4 else _erfcinv(p),
        [(0.001, 1.999), (1e-30, 1e-3)],
        4,
        8,
    ),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [(-5, 9), (9, 200)], 4, 64),
    "erfinv": (mp.erfinv, [(-0.999, 0.999), (-1e-6, 1e-6)], 2, 8),
    "j0": (lambda x: mp.besselj(0, x), [(-9, 9), (8, 300)], 1, 8),
    "j1": (lambda x: mp.besselj(1, x), [(-9, 9), (8, 300)], 1, 8),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), [(0.01, 12), (8, 1e5), (-9.9, -0.1)], 50, 8),
    "normcdf": (mp.ncdf, [(-5, 5), (-37, -3)], 5, 60),
    "normcdfinv": (lambda p: -mp.sqrt(2) * _erfcinv(2 * p), [(0.001, 0.4), (1e-30, 1e-3)], 5, 8),
    "tgamma": (mp.gamma, [(0.01, 30), (-9.9, 3), (30, 170)], 5, 8),
    "y0": (lambda x: mp.bessely(0, x), [(0.01, 9), (8, 300)], 1, 16),
    "y1": (lambda x: mp.bessely(1, x), [(0.01, 9), (8, 300)], 1, 16),
}


def _erfcinv(p):
    """The inverse of erfc for small arguments, by Newton's steps in many digits."""
    x = mp.sqrt(-mp.log(p))
    for _ in range(30):
        x += (mp.erfc(x) - p) * mp.sqrt(mp.pi) / 2 * mp.exp(x * x) if p > 1e-3 else (
            (mp.log(mp.erfc(x)) - mp.log(p)) * mp.erfc(x) * mp.sqrt(mp.pi) / 2 * mp.exp(x * x))  # fmt: skip
    return x


def worst(got, want, dtype, absolute):
    errors = []
    for found, exact in zip(got, want, strict=True):
        unit = float(np.spacing(np.dtype(dtype).type(abs(exact))))
        if absolute:
            unit = max(unit, float(np.finfo(dtype).eps))
        errors.append(float(abs(mp.mpf(float(found)) - exact)) / unit)
    return max(errors)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors(apply, rng, name, dtype):
    function, ranges, *limits = FUNCTIONS[name]
    for low, high in ranges:
        high = min(high, {"cyl_bessel_i0": 80, "cyl_bessel_i1": 80, "tgamma": 34}.get(name, high)) if (
            dtype == "float32") else high  # fmt: skip
        if low >= high:
            continue
        x = (
            np.exp(rng.uniform(np.log(low), np.log(high), COUNT))
            if low > 0
            else rng.uniform(low, high, COUNT)
        )
        if name == "normcdf" and dtype == "float32":
            x = np.maximum(x, -12)
        x = x.astype(dtype)
        want = [function(mp.mpf(float(v))) for v in x[:: COUNT // 64]]
        got = apply(name, [x], dtype)[:: COUNT // 64]
        absolute = name in ("j0", "j1", "y0", "y1", "lgamma")
        assert worst(got, want, dtype, absolute) <= limits[dtype == "float64"], (low, high)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["jn", "yn"])
def test_orders(apply, rng, name, dtype):
    reference = {"jn": mp.besselj, "yn": mp.bessely}[name]
    n = rng.integers(-9, 30, 64).astype(np.int32)
    x = rng.uniform(0.5, 40, 64).astype(dtype)
    if name == "jn":
        x[::4] *= -1
    want = [reference(int(order), mp.mpf(float(v))) for order, v in zip(n, x, strict=True)]
    assert worst(apply(name, [n, x], dtype), want, dtype, name == "jn") <= (2 if dtype == "float32" else 400)


def test_special_values(apply):
    inf, nan = np.inf, np.nan

    def check(name, arguments, results):
        np.testing.assert_allclose(apply(name, [np.array(arguments)], "float64"), results, rtol=1e-15)

    check("tgamma", [1, 2, 3, 5, 0.0, inf, 172.5, -1, -inf, nan, -200.5, 4, 6, 7, 1, 2],
          [1, 1, 2, 24, inf, inf, inf, nan, nan, nan, -0.0, 6, 120, 720, 1, 1])  # fmt: skip
    check("lgamma", [1, 2, 0.0, -3, inf, -inf, nan, -0.0], [0, 0, inf, inf, inf, inf, nan, inf])
    check("erfinv", [0, 1, -1, 2, nan, -0.0, 1, -1], [0, inf, -inf, nan, nan, 0, inf, -inf])
    check("erfcinv", [1, 0, 2, 3, nan, -1, 1, 1], [0, inf, -inf, nan, nan, nan, 0, 0])
    check("normcdf", [0, inf, -inf, nan], [0.5, 1, 0, nan])
    check("normcdfinv", [0.5, 1, 0, nan], [0, inf, -inf, nan])
    check("erfcx", [inf, 0, -inf, nan], [0, 1, inf, nan])
    check("j0", [0, inf, -inf, nan], [1, 0, 0, nan])
    check("j1", [0, inf, -inf, nan], [0, 0, 0, nan])
    check("y0", [0, inf, -1, nan], [-inf, 0, nan, nan])
    check("y1", [0, inf, -1, nan], [-inf, 0, nan, nan])
    check("cyl_bessel_i0", [0, inf, -inf, nan], [1, inf, inf, nan])
    check("cyl_bessel_i1", [0, inf, -inf, nan], [0, inf, -inf, nan])


def test_tables_are_those_of_the_functions():
    import chebyshev_tables
    from tilewright.language.extra.libdevice import tables

    for name, function in chebyshev_tables.TABLES.items():
        assert getattr(tables, name) == tuple(chebyshev_tables.coefficients(function)), name
