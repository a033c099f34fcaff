"""Division of float32: rounded to nearest for every pair of bits, or quick where that is asked for."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

N = 4096


@tw.jit
def divide(out, x, y, N: tl.constexpr, FAST: tl.constexpr):
    i = tl.arange(0, N)
    if FAST:
        q = tl.fdiv(tl.load(x + i), tl.load(y + i))
    else:
        q = tl.load(x + i) / tl.load(y + i)
    tl.store(out + i, q)


@tw.jit
def divide_beside_dot(out, x, y, product, a, N: tl.constexpr):
    """The division in a kernel that uses the tensor cores, which is lowered without calls."""
    rows = tl.arange(0, 64)[:, None]
    i = rows * 64 + tl.arange(0, 64)[None, :]
    tile = tl.load(a + i)
    tl.store(product + i, tl.dot(tile, tile))
    tl.store(out + i, tl.load(x + i) / tl.load(y + i))


def special_pairs(rng):
    """Random bits, random exponents around the edges, and all pairs of special values."""
    edges = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e-45, -3e-39, 2.0**-126, 3.4e38, -(2.0**127)]
    x, y = (v.ravel() for v in np.meshgrid(edges, edges))
    count = (N - len(x)) // 2
    bits = rng.integers(0, 2**32, (2, count), dtype=np.uint32).view(np.float32)
    near = rng.uniform(1, 2, (2, N - len(x) - count)) * 2.0 ** rng.integers(
        -149, 127, (2, N - len(x) - count)
    )
    edges = (e.astype(np.float32) for e in (x, y))
    return (np.concatenate([e, b, n.astype(np.float32)]) for e, b, n in zip(edges, bits, near, strict=True))


@pytest.mark.parametrize("beside_dot", [False, True])
def test_rounded_to_nearest(backend, rng, beside_dot):
    x, y = special_pairs(rng)
    out = backend.poisoned(N, "float32")
    if beside_dot:
        tile = backend.array(rng.standard_normal((64, 64)), "float16")
        product = backend.poisoned((64, 64), "float32")
        divide_beside_dot[1](out, backend.array(x), backend.array(y), product, tile, N)
        exact = backend.numpy(tile).astype(np.float64)
        backend.check(product, exact @ exact, "float32")
    else:
        divide[1](out, backend.array(x), backend.array(y), N, False)
    with np.errstate(all="ignore"):
        expected = x / y
    got = backend.numpy(out)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(got[numbers].view(np.uint32), expected[numbers].view(np.uint32))


def test_quick(backend, rng):
    x, y = (rng.uniform(1, 2, N) * 2.0 ** rng.integers(-50, 50, N) for _ in range(2))
    x, y = x.astype(np.float32), y.astype(np.float32)
    out = backend.poisoned(N, "float32")
    divide[1](out, backend.array(x), backend.array(y), N, True)
    exact = x.astype(np.float64) / y
    assert (np.abs(backend.numpy(out) - exact) <= 2.5 * 2.0**-23 * np.abs(exact)).all()
