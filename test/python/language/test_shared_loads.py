"""Loads of which neighbours share one place: bytes of two 4-bit numbers, scales of groups."""

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


@pytest.mark.parametrize(
    "block_k, block_n, group, num_warps", [(64, 64, 128, 4), (64, 16, 32, 2), (128, 8, 16, 4)]
)
def test_halves_of_bytes_and_scales_of_groups(backend, rng, block_k, block_n, group, num_warps):
    # The last program's rows are left out by the mask, and three columns of each.
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
