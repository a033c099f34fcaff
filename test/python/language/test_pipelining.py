"""Pipelined loops give the results of plain loops, for any number of stages and any trip count."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

pytestmark = pytest.mark.cuda


@tw.jit
def matmul_kernel_of_test(
    c_ptr,
    a_ptr,
    b_ptr,
    K,
    sa,
    sb,
    M: tl.constexpr,
    N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    TURNED: tl.constexpr,
):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        left = K - start
        a = tl.load(a_ptr + m[:, None] * sa + (start + k)[None, :], mask=k[None, :] < left, other=0.0)
        if TURNED:
            b = tl.load(b_ptr + n[:, None] * sb + (start + k)[None, :], mask=k[None, :] < left, other=0.0)
            acc = tl.dot(a, tl.trans(b), acc)
        else:
            b = tl.load(b_ptr + (start + k)[:, None] * sb + n[None, :], mask=k[:, None] < left, other=0.0)
            acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_dots(backend, rng, num_warps, dtype):
    M, N = 64, 128
    for _ in range(12):
        K = int(rng.integers(0, 300))
        block_k = int(rng.choice([16, 32, 64]))
        turned = bool(rng.integers(2))
        aligned = -(-K // 16) * 16 + int(rng.choice([16, 24, 17]))
        a = rng.standard_normal((M, aligned))
        b = rng.standard_normal((N, aligned) if turned else (aligned, N))
        a, b = backend.array(a, dtype), backend.array(b, dtype)
        out = backend.poisoned((M, N), "float32")
        stages = int(rng.integers(1, 6))
        sb = aligned if turned else N
        matmul_kernel_of_test[(1,)](
            out, a, b, K, aligned, sb, M, N, block_k, turned, num_warps=num_warps, num_stages=stages
        )
        x, y = backend.numpy(a).astype(np.float64), backend.numpy(b).astype(np.float64)
        expected = x[:, :K] @ (y[:, :K].T if turned else y[:K])
        backend.check(out, expected, "float32")


@tw.jit
def rows_kernel(c_ptr, a_ptr, b_ptr, rows, K, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """One dot for each of `rows` tiles of a: the ring restarts in each iteration of the outer loop."""
    i = tl.arange(0, BLOCK)
    for row in range(0, rows):
        acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
        for start in tl.range(0, K, BLOCK, num_stages=STAGES):
            a = tl.load(a_ptr + (row * BLOCK + i)[:, None] * K + (start + i)[None, :])
            b = tl.load(b_ptr + (start + i)[:, None] * BLOCK + i[None, :])
            acc = tl.dot(a, b, acc)
        tl.store(c_ptr + (row * BLOCK + i)[:, None] * BLOCK + i[None, :], acc)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_hint_in_an_outer_loop(backend, rng, stages):
    rows, block = 5, 64
    for K in (64, 128, 448):
        a = backend.array(rng.standard_normal((rows * block, K)), "float16")
        b = backend.array(rng.standard_normal((K, block)), "float16")
        out = backend.poisoned((rows * block, block), "float32")
        rows_kernel[(1,)](out, a, b, rows, K, block, stages)
        expected = backend.numpy(a).astype(np.float64) @ backend.numpy(b).astype(np.float64)
        backend.check(out, expected, "float32")


@tw.jit
def scaled_kernel(c_ptr, q_ptr, k_ptr, v_ptr, g_ptr, h_ptr, t_ptr, sg, D: tl.constexpr, BLOCK: tl.constexpr):
    """Chained dots, scaled and shifted by a number for each column; the loop carries the pointer to the scales.

    TMA does not load blocks whose extent is known only from memory.
    """
    T = tl.load(t_ptr)
    i, d = tl.arange(0, BLOCK), tl.arange(0, D)
    q = tl.load(q_ptr + i[:, None] * D + d[None, :])
    acc = tl.zeros((BLOCK, D), dtype=tl.float32)
    scales = g_ptr + i * sg
    for start in range(0, T, BLOCK):
        inside = i < T - start
        k = tl.load(k_ptr + (start + i)[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
        v = tl.load(v_ptr + (start + i)[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
        g = tl.load(scales, mask=inside, other=0.0)
        h = tl.load(h_ptr + start + i, mask=inside, other=0.0)
        p = tl.dot(q, tl.trans(k)) * g[None, :] - h[None, :]
        acc = tl.dot(p.to(v.dtype), v, acc)
        scales += BLOCK * sg
    tl.store(c_ptr + i[:, None] * D + d[None, :], acc)


@pytest.mark.parametrize("num_warps", [1, 4, 8])
def test_numbers_of_columns(backend, rng, num_warps):
    block = 64
    for _ in range(8):
        T, D = int(rng.integers(0, 500)), int(rng.choice([32, 64, 128]))
        step, stages = int(rng.choice([1, 3, 16])), int(rng.integers(1, 6))
        q = backend.array(rng.standard_normal((block, D)) / 8, "float16")
        k, v = (backend.array(rng.standard_normal((T + 1, D)) / 8, "float16") for _ in range(2))
        g = backend.array(rng.standard_normal((T + 1, step)), "float32")
        h = backend.array(rng.standard_normal(T + 1), "float32")
        t = backend.array(np.array([T]), "int32")
        out = backend.poisoned((block, D), "float32")
        scaled_kernel[(1,)](out, q, k, v, g, h, t, step, D, block, num_warps=num_warps, num_stages=stages)
        x, y, z, scales, moves = (backend.numpy(array).astype(np.float64) for array in (q, k, v, g, h))
        p = (x @ y[:T].T * scales[:T, 0] - moves[:T]).astype(np.float16).astype(np.float64)
        backend.check(out, p @ z[:T], "float16")
