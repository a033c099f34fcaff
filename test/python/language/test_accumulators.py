"""Accumulators of dots that come from, pass through and go to other ops on blocks."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def load_square(p, B: tl.constexpr):
    i = tl.arange(0, B)
    return tl.load(p + i[:, None] * B + i[None, :])


@tw.jit
def store_square(p, value, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i[:, None] * B + i[None, :], value)


@tw.jit
def three_accumulators(x_ptr, y_ptr, out_ptr, STEPS, B: tl.constexpr):
    """x @ y, x.T @ y and x @ x.T: one operand, read along both axes, and three accumulators with one start."""
    direct = tl.zeros((B, B), tl.float32)
    transposed = tl.zeros((B, B), tl.float32)
    gram = tl.zeros((B, B), tl.float32)
    for step in range(STEPS):
        x, y = load_square(x_ptr + step * B * B, B), load_square(y_ptr + step * B * B, B)
        direct = tl.dot(x, y, direct)
        transposed = tl.dot(x.T, y, transposed)
        gram = tl.dot(x, x.T, gram)
    store_square(out_ptr, direct, B)
    store_square(out_ptr + B * B, transposed, B)
    store_square(out_ptr + 2 * B * B, gram, B)


KINDS = [("float32", 32, 4), ("float32", 64, 8), ("float16", 32, 2), ("bfloat16", 64, 4), ("float16", 128, 8)]


@pytest.mark.parametrize("dtype, size, num_warps", KINDS)
def test_accumulators_with_one_start(backend, rng, dtype, size, num_warps):
    steps = 5
    x, y = (backend.array(rng.standard_normal((steps, size, size)), dtype) for _ in range(2))
    out = backend.poisoned((3, size, size), "float32")
    three_accumulators[1,](x, y, out, steps, size, num_warps=num_warps)
    a, b = backend.numpy(x).astype(np.float64), backend.numpy(y).astype(np.float64)
    expected = [(a @ b).sum(0), (a.swapaxes(1, 2) @ b).sum(0), (a @ a.swapaxes(1, 2)).sum(0)]
    assert np.allclose(backend.numpy(out), expected, rtol=1e-4, atol=1e-3)


@tw.jit
def from_reduction(x_ptr, parts_ptr, out_ptr, PARTS: tl.constexpr, B: tl.constexpr):
    i, part = tl.arange(0, B), tl.arange(0, PARTS)[:, None, None]
    parts = tl.load(parts_ptr + (part * B + i[None, :, None]) * B + i[None, None, :])
    x = load_square(x_ptr, B)
    store_square(out_ptr, tl.dot(x, x, tl.sum(parts, 0)), B)


@pytest.mark.parametrize("dtype, size, num_warps", KINDS)
def test_accumulator_starts_from_a_reduction(backend, rng, dtype, size, num_warps):
    x = backend.array(rng.standard_normal((size, size)), dtype)
    parts = backend.array(rng.standard_normal((4, size, size)), "float32")
    out = backend.poisoned((size, size), "float32")
    from_reduction[1,](x, parts, out, 4, size, num_warps=num_warps)
    a, start = backend.numpy(x).astype(np.float64), backend.numpy(parts).sum(0, dtype=np.float64)
    assert np.allclose(backend.numpy(out), a @ a + start, rtol=1e-4, atol=1e-3)


@tw.jit
def chained_loops(x_ptr, y_ptr, out_ptr, STEPS, B: tl.constexpr):
    """The accumulator of one loop is the start of the next loop, whose operands are transposed."""
    acc = tl.zeros((B, B), tl.float32)
    for step in range(STEPS):
        acc = tl.dot(load_square(x_ptr + step * B * B, B), load_square(y_ptr + step * B * B, B), acc)
    for step in range(STEPS):
        acc = tl.dot(load_square(x_ptr + step * B * B, B).T, load_square(y_ptr + step * B * B, B).T, acc)
    store_square(out_ptr, tl.dot(acc, acc.T, acc), B)


@pytest.mark.parametrize("dtype, size, num_warps", KINDS)
def test_accumulator_passes_through_loops(backend, rng, dtype, size, num_warps):
    steps = 3
    x, y = (backend.array(rng.standard_normal((steps, size, size)) / size, dtype) for _ in range(2))
    out = backend.poisoned((size, size), "float32")
    chained_loops[1,](x, y, out, steps, size, num_warps=num_warps)
    a, b = backend.numpy(x).astype(np.float64), backend.numpy(y).astype(np.float64)
    acc = (a @ b + a.swapaxes(1, 2) @ b.swapaxes(1, 2)).sum(0)
    assert np.allclose(backend.numpy(out), acc @ acc.T + acc, rtol=1e-4, atol=1e-5)


@tw.jit
def small_accumulator(a_ptr, b_ptr, c_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + n[None, :] * K + k[:, None])
    c = tl.load(c_ptr + m[:, None] * N + n[None, :])
    tl.store(out_ptr + m[:, None] * N + n[None, :], tl.dot(a, b, c, out_dtype=c.dtype))


@pytest.mark.parametrize("shape, num_warps", [((16, 8, 128), 1), ((16, 16, 64), 1), ((16, 32, 256), 4)])
@pytest.mark.parametrize(
    "dtype, acc_dtype", [("float16", "float32"), ("bfloat16", "float32"), ("int8", "int32")]
)
def test_small_accumulators_of_many_steps(backend, rng, shape, num_warps, dtype, acc_dtype):
    """Accumulators that are split into parts; the numbers are small enough for exact sums."""
    M, N, K = shape
    a, b, c = (rng.integers(-4, 5, s) for s in ((M, K), (N, K), (M, N)))
    out = backend.poisoned((M, N), acc_dtype)
    given = backend.array(a, dtype), backend.array(b, dtype), backend.array(c, acc_dtype)
    small_accumulator[1,](*given, out, M, N, K, num_warps=num_warps)
    np.testing.assert_array_equal(backend.numpy(out), a @ b.T + c)
