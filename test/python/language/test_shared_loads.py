"""Loads whose neighbours share one element: bytes with two 4-bit numbers, scales of groups."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def dequantize(
    q_ptr, scale_ptr, out_ptr, K, N, GROUP: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr
):
    k = tl.program_id(0) * BLOCK_K + tl.arange(0, BLOCK_K)
    n = tl.arange(0, BLOCK_N)
    inside = (k < K)[:, None] & (n < N)[None, :]
    byte = tl.load(q_ptr + n[None, :] * (K // 2) + (k // 2)[:, None], mask=inside, other=0)
    number = (byte.to(tl.int32) >> ((k % 2) * 4)[:, None]) & 15
    other = (k[:, None] + n[None, :]).to(tl.float32)
    scale = tl.load(scale_ptr + n[None, :] * (K // GROUP) + (k // GROUP)[:, None], mask=inside, other=other)
    tl.store(out_ptr + k[:, None] * BLOCK_N + n[None, :], number.to(tl.float32) * scale + other)


@tw.jit
def dequantize_on(q_ptr, out_ptr, K, N, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr):
    """The pointers advance in each iteration."""
    i = tl.arange(0, BLOCK_K)
    n = tl.arange(0, BLOCK_N)
    at = q_ptr + (i[:, None] // 2) + n[None, :] * (K // 2)
    for start in range(0, K, BLOCK_K):
        byte = tl.load(at, mask=(n < N)[None, :], other=0)
        number = (byte.to(tl.int32) >> (i[:, None] % 2 * 4)) & 15
        tl.store(out_ptr + n[None, :] * K + start + i[:, None], number, mask=(n < N)[None, :])
        at += BLOCK_K // 2


@pytest.mark.parametrize("block_k, block_n, num_warps", [(64, 64, 4), (64, 16, 2), (16, 8, 4)])
def test_nibbles_in_a_loop(backend, rng, block_k, block_n, num_warps):
    K, N = 4 * block_k, block_n - 3
    q = rng.integers(0, 256, (N, K // 2))
    out = backend.poisoned((N, K), "int32")
    dequantize_on[(1,)](backend.array(q, "uint8"), out, K, N, block_k, block_n, num_warps=num_warps)
    k = np.arange(K)
    assert np.array_equal(backend.numpy(out), (q[:, k // 2] >> (k % 2 * 4)) & 15)


@pytest.mark.parametrize(
    "block_k, block_n, group, num_warps", [(64, 64, 128, 4), (64, 16, 32, 2), (128, 8, 16, 4)]
)
def test_nibbles_and_scales_of_groups(backend, rng, block_k, block_n, group, num_warps):
    # The mask excludes the last program, and three columns of each row.
    K, N = 4 * max(block_k, group), block_n - 3
    blocks = K // block_k + 1
    q = rng.integers(0, 256, (N, K // 2))
    scale = rng.integers(-9, 10, (N, K // group))
    out = backend.poisoned((blocks * block_k, block_n), "float32")
    dequantize[(blocks,)](
        backend.array(q, "uint8"),
        backend.array(scale, "float32"),
        out,
        K,
        N,
        group,
        block_k,
        block_n,
        num_warps=num_warps,
    )
    k, n = np.arange(blocks * block_k)[:, None], np.arange(block_n)[None, :]
    inside = (k < K) & (n < N)
    row, column = np.minimum(n, N - 1), np.minimum(k, K - 1)
    number = (q[row, column // 2] >> (column % 2 * 4)) & 15
    expected = np.where(inside, number * scale[row, column // group], 0) + k + n
    assert np.array_equal(backend.numpy(out), expected)
