"""Gradient loops of attention: one dot result is also an operand of the next dot, transposed.

Another result is added to memory through loop-carried pointers.
"""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def gradients(
    q_ptr,
    k_ptr,
    o_ptr,
    dq_ptr,
    dv_ptr,
    M,
    N,
    row,
    sum_row,
    HEAD: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
):
    """dv = (q k^T / 8)^T o of N rows, BN rows per program, and dq += (q k^T / 8) k of M rows."""
    m, n, d = tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, HEAD)
    k = tl.load(k_ptr + n[:, None] * row + d[None, :], mask=n[:, None] < N, other=0.0)
    q_ptrs = q_ptr + m[:, None] * row + d[None, :]
    o_ptrs = o_ptr + m[:, None] * row + d[None, :]
    dq_ptrs = dq_ptr + m[:, None] * sum_row + d[None, :]
    dv = tl.zeros((BN, HEAD), tl.float32)
    for start in range(0, M, BM):
        inside = start + m[:, None] < M
        q = tl.load(q_ptrs, mask=inside, other=0.0)
        p = tl.dot(q, tl.trans(k)) * 0.125
        o = tl.load(o_ptrs, mask=inside, other=0.0)
        dv += tl.dot(tl.trans(p.to(tl.float16)), o)
        dq = tl.load(dq_ptrs, mask=inside, other=0.0)
        dq += tl.dot((p * 1.0).to(tl.float16), k)
        tl.store(dq_ptrs, dq, mask=inside)
        q_ptrs += BM * row
        o_ptrs += BM * row
        dq_ptrs += BM * sum_row
    tl.store(dv_ptr + n[:, None] * row + d[None, :], dv.to(tl.float16), mask=n[:, None] < N)


@pytest.mark.parametrize("rows, block, warps", [(256, 128, 8), (200, 128, 8), (256, 64, 4), (100, 128, 4)])
@pytest.mark.parametrize("head", [64, 32])
def test_gradients(backend, rng, rows, block, warps, head):
    columns = block - 5
    q, o = (backend.array(rng.standard_normal((rows, head)), "float16") for _ in range(2))
    k = backend.array(rng.standard_normal((columns, head)), "float16")
    first = rng.standard_normal((rows, head + 4))
    dq, dv = backend.array(first, "float32"), backend.poisoned((columns, head), "float16")
    gradients[1,](
        q, k, o, dq, dv, rows, columns, head, head + 4, head, block, block, num_warps=warps, num_stages=1
    )
    q, k, o = (backend.numpy(x).astype(np.float64) for x in (q, k, o))
    p = q @ k.T / 8
    first = first.astype(np.float32).astype(np.float64)
    expected = first.copy()
    expected[:, :head] += p @ k
    assert relative(backend.numpy(dq), expected) < 1e-3
    assert np.array_equal(backend.numpy(dq)[:, head:], first[:, head:])
    assert relative(backend.numpy(dv), p.T @ o) < 1e-3


def relative(x, reference):
    return np.linalg.norm(x - reference) / np.linalg.norm(reference)
