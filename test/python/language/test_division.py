"""Division of float32: rounded to nearest for all operands, or fast on request.

Kernels that use tensor cores also lower square roots and 64-bit integer divisions without calls.
"""

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
def divide_with_dot(out, x, y, dot_out, a, N: tl.constexpr):
    """A kernel with tensor cores lowers the division without calls."""
    rows = tl.arange(0, 64)[:, None]
    i = rows * 64 + tl.arange(0, 64)[None, :]
    tile = tl.load(a + i)
    tl.store(dot_out + i, tl.dot(tile, tile))
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


@pytest.mark.parametrize("with_dot", [False, True])
def test_rounded_to_nearest(backend, rng, with_dot):
    x, y = special_pairs(rng)
    out = backend.poisoned(N, "float32")
    if with_dot:
        tile = backend.array(rng.standard_normal((64, 64)), "float16")
        dot_out = backend.poisoned((64, 64), "float32")
        divide_with_dot[1](out, backend.array(x), backend.array(y), dot_out, tile, N)
        exact = backend.numpy(tile).astype(np.float64)
        backend.check(dot_out, exact @ exact, "float32")
    else:
        divide[1](out, backend.array(x), backend.array(y), N, False)
    with np.errstate(all="ignore"):
        expected = x / y
    got = backend.numpy(out)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(got[numbers].view(np.uint32), expected[numbers].view(np.uint32))


def test_fast(backend, rng):
    x, y = (rng.uniform(1, 2, N) * 2.0 ** rng.integers(-50, 50, N) for _ in range(2))
    x, y = x.astype(np.float32), y.astype(np.float32)
    out = backend.poisoned(N, "float32")
    divide[1](out, backend.array(x), backend.array(y), N, True)
    exact = x.astype(np.float64) / y
    assert (np.abs(backend.numpy(out) - exact) <= 2.5 * 2.0**-23 * np.abs(exact)).all()


@tw.jit
def integers_kernel(x, y, quotients, remainders, n, N: tl.constexpr):
    i = tl.arange(0, N)
    inside = i < n
    dividend, divisor = tl.load(x + i), tl.load(y + i, mask=inside, other=0)
    quotient = tl.where(divisor == 0, 7, dividend // divisor)
    tl.store(quotients + i, quotient)
    tl.store(remainders + i, dividend % divisor, mask=inside)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_undefined_divisions_do_not_trap(backend, dtype):
    least = 0 if dtype[0] == "u" else np.iinfo(dtype).min
    x, y = np.array([20, least, least, 9], dtype), np.array([6, 2, -1, 0]).astype(dtype)
    outs = [backend.array(np.zeros(4, dtype)) for _ in range(2)]
    integers_kernel[1,](backend.array(x), backend.array(y), *outs, 3, N=4)
    quotients, remainders = map(backend.numpy, outs)
    assert quotients.tolist() == [3, least // 2, least, 7]
    assert remainders.tolist() == [2, 0, 0, 0]


@tw.jit
def scalars_kernel(out, divisor):
    if divisor != 0:
        tl.store(out, 12 // divisor)
    tl.store(out + 1, tl.where(divisor == 0, 5, 12 % divisor))


def test_undefined_scalar_divisions_do_not_trap(backend):
    out = backend.array(np.zeros(2, np.int32))
    scalars_kernel[1,](out, 0)
    assert backend.numpy(out).tolist() == [0, 5]


@tw.jit
def roots_with_dot(out, x, dot_out, a):
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tile = tl.load(a + i)
    tl.store(dot_out + i, tl.dot(tile, tile))
    tl.store(out + i, tl.sqrt(tl.load(x + i)))


def test_roots_with_dot(backend, rng):
    x = np.concatenate([v.astype(np.float32) for v in special_pairs(rng)])[:N]
    x[N // 2 :] = np.abs(x[N // 2 :])
    out, dot_out = backend.poisoned(N, "float32"), backend.poisoned((64, 64), "float32")
    tile = backend.array(rng.standard_normal((64, 64)), "float16")
    roots_with_dot[1](out, backend.array(x), dot_out, tile)
    with np.errstate(all="ignore"):
        expected = np.sqrt(x)
    got = backend.numpy(out)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(got[numbers].view(np.uint32), expected[numbers].view(np.uint32))


@tw.jit
def integers_with_dot(quotients, remainders, x, y, dot_out, a):
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tile = tl.load(a + i)
    tl.store(dot_out + i, tl.dot(tile, tile))
    dividend, divisor = tl.load(x + i), tl.load(y + i)
    tl.store(quotients + i, dividend // divisor)
    tl.store(remainders + i, dividend % divisor)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_wide_integers_with_dot(backend, rng, dtype):
    info = np.iinfo(dtype)
    x, y = (
        rng.integers(info.min, info.max, N, dtype, endpoint=True) >> rng.integers(0, 64, N).astype(dtype)
        for _ in range(2)
    )
    y[y == 0] = 1
    x[:4], y[:4] = info.max, (1, 2, info.max, info.max - 1)
    x[4:7], y[4:7] = info.min, (1, 3, info.max)
    x[7:500] = x[7:500] // y[7:500] * y[7:500]  # no remainder
    quotients, remainders = (backend.array(np.zeros(N, dtype)) for _ in range(2))
    tile, dot_out = backend.array(np.eye(64), "float16"), backend.poisoned((64, 64), "float32")
    integers_with_dot[1](quotients, remainders, backend.array(x), backend.array(y), dot_out, tile)
    expected = [
        int(a) // int(b) if (a < 0) == (b < 0) else -(-int(a) // int(b)) for a, b in zip(x, y, strict=True)
    ]
    assert backend.numpy(quotients).tolist() == expected
    rest = [int(a) - q * int(b) for a, q, b in zip(x, expected, y, strict=True)]
    assert backend.numpy(remainders).tolist() == rest
