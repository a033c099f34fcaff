"""Kernels that choose elements by index, in Triton's style, against NumPy."""

from itertools import pairwise

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

from .published import sparse as kernels

TOP_K, EXPERTS, BLOCK_M = 2, 8, 16


def aligned(backend, ids):
    """Tokens sorted by expert, computed by the kernel."""
    most = (ids.size + EXPERTS * (BLOCK_M - 1)) // BLOCK_M * BLOCK_M
    sorted_ids = backend.array(np.full(most, ids.size), "int32")
    experts, total = backend.poisoned((most // BLOCK_M,), "int32"), backend.poisoned((1,), "int32")
    kernels.moe_align_kernel[(1,)](
        backend.array(ids.ravel(), "int32"), sorted_ids, experts, total, ids.size, most // BLOCK_M,
        EXPERTS=EXPERTS, BLOCK_M=BLOCK_M, BLOCK=64,
    )  # fmt: skip
    return sorted_ids, experts, total


def test_moe_align(backend, rng):
    ids = rng.integers(0, EXPERTS, (75, TOP_K))
    sorted_ids, experts, total = map(backend.numpy, aligned(backend, ids))
    first = 0
    for expert in range(EXPERTS):
        mine = np.flatnonzero(ids.ravel() == expert)
        np.testing.assert_array_equal(sorted_ids[first : first + mine.size], mine)
        size = -(-mine.size // BLOCK_M) * BLOCK_M
        assert (sorted_ids[first + mine.size : first + size] == ids.size).all()
        assert (experts[first // BLOCK_M : (first + size) // BLOCK_M] == expert).all()
        first += size
    assert total[0] == first


def test_fused_moe(backend, rng):
    tokens, N, K = 40, 48, 72
    ids = rng.integers(0, EXPERTS, (tokens, TOP_K))
    a = backend.array(rng.standard_normal((tokens, K)), "float16")
    w = backend.array(rng.standard_normal((EXPERTS, N, K)), "float16")
    weights = rng.random((tokens, TOP_K)).astype(np.float32)
    out = backend.array(np.zeros((tokens * TOP_K, N)), "float16")
    sorted_ids, experts, total = aligned(backend, ids)
    most = sorted_ids.shape[0]
    kernels.fused_moe_kernel[lambda meta: (most // meta["BLOCK_M"] * tw.cdiv(N, meta["BLOCK_N"]),)](
        a, w, out, backend.array(weights.ravel()), sorted_ids, experts, total, N, K, ids.size,
        K, 1, N * K, 1, K, N, 1, MUL_WEIGHT=True, TOP_K=TOP_K, compute_type=tl.float16,
        BLOCK_M=BLOCK_M, BLOCK_N=32, BLOCK_K=32, GROUP_M=2,
    )  # fmt: skip
    a, w = (backend.numpy(x).astype(np.float64) for x in (a, w))
    expected = np.einsum("tk,tsnk->tsn", a, w[ids]) * weights[..., None]
    backend.check(out, expected.reshape(-1, N), "float16")


@pytest.mark.parametrize("split_k", [1, 2])
def test_int4_matmul(backend, rng, split_k):
    M, N, K, group = 20, 64, 256, 128
    weights = rng.integers(0, 16, (K, N))
    zeros = rng.integers(0, 16, (K // group, N))
    scales = (rng.random((K // group, N)) * 0.1).astype(np.float16)
    a = backend.array(rng.standard_normal((M, K)), "float16")
    shifts = 4 * np.arange(8)
    packed = (weights.reshape(K // 8, 8, N).astype(np.uint32) << shifts[:, None].astype(np.uint32)).sum(1)
    packed_zeros = (zeros.reshape(-1, N // 8, 8).astype(np.uint32) << shifts.astype(np.uint32)).sum(2)
    c = backend.array(np.zeros((M, N)), "float32")
    kernels.int4_matmul_kernel[
        lambda meta: (tw.cdiv(M, meta["BLOCK_M"]) * tw.cdiv(N, meta["BLOCK_N"]), split_k)
    ](
        a, backend.array(packed.astype(np.uint32).view(np.int32)), c, backend.array(scales),
        backend.array(packed_zeros.astype(np.uint32).view(np.int32)), M, N, K, K, N, N, N, N // 8,
        group_size=group, SPLIT_K=split_k,
    )  # fmt: skip
    w = (weights - np.repeat(zeros, group, 0)) * np.repeat(scales.astype(np.float64), group, 0)
    backend.check(c, backend.numpy(a).astype(np.float64) @ w, "float16")


@pytest.mark.parametrize("dtype, largest", [("int8", 127.0), ("float8_e4m3fn", 448.0)])
def test_quantize_rows(backend, rng, dtype, largest):
    rows, cols = 7, 100
    x = backend.array(rng.standard_normal((rows, cols)) * 3, "float16")
    q, scale = backend.array(np.zeros((rows, cols)), dtype), backend.poisoned((rows,), "float32")
    kernels.quantize_rows_kernel[(rows,)](
        x, q, scale, cols, 1e-10, QMAX=largest, BLOCK=128, IS_INT=dtype == "int8"
    )
    out = backend.poisoned((rows, cols), "float16")
    kernels.dequantize_kernel[(tw.cdiv(rows * cols, 256),)](q, scale, out, cols, rows * cols, BLOCK=256)
    exact = backend.numpy(x).astype(np.float64)
    np.testing.assert_allclose(backend.numpy(scale), np.abs(exact).max(1) / largest, rtol=1e-6)
    step = (
        np.abs(exact).max(1, keepdims=True) / largest * 0.51 if dtype == "int8" else np.abs(exact) / 15 + 0.02
    )
    assert (np.abs(backend.numpy(out) - exact) <= step + np.abs(exact) * 1e-3).all()


def test_sample(backend, rng):
    rows, vocab, k = 16, 200, 8
    logits = rng.standard_normal((rows, vocab)) * 2
    uniform = rng.random(rows)
    out = backend.poisoned((rows,), "int32")
    kernels.sample_kernel[(rows,)](
        backend.array(logits, "float32"), backend.array(uniform, "float32"), out, 0.7, 0.8, vocab,
        TOP_K=k, BLOCK=256,
    )  # fmt: skip
    for row in range(rows):
        scaled = logits[row].astype(np.float32).astype(np.float64) / 0.7
        top = np.argsort(-scaled)[:k]
        p = np.exp(scaled[top] - scaled[top[0]])
        p /= p.sum()
        p[np.cumsum(p) - p >= 0.8] = 0
        p /= p.sum()
        assert backend.numpy(out)[row] == top[min(int((np.cumsum(p) <= uniform[row]).sum()), k - 1)]


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("weighted", [False, True])
def test_embedding_bag(backend, rng, mode, weighted):
    table = rng.standard_normal((50, 40))
    offsets = np.array([0, 3, 3, 10])
    indices, weights = rng.integers(0, 50, 10), rng.random(10)
    out = backend.poisoned((3, 40), "float32")
    kernels.embedding_bag_kernel[(3, 2)](
        backend.array(table, "float32"), backend.array(indices, "int64"), backend.array(offsets, "int32"),
        backend.array(weights, "float32") if weighted else None, out, 40,
        MODE=mode, HAS_WEIGHTS=weighted, BLOCK=32,
    )  # fmt: skip
    expected = np.zeros((3, 40))
    for bag, (a, b) in enumerate(pairwise(offsets)):
        rows = table[indices[a:b]] * (weights[a:b, None] if weighted else 1)
        if b > a:
            expected[bag] = getattr(rows, mode)(0)
    backend.check(out, expected, "float32", 2)


def test_segment_sum(backend, rng):
    segments = np.sort(rng.integers(0, 20, 500))
    values = rng.standard_normal(500)
    out = backend.array(np.zeros(20), "float32")
    kernels.segment_sum_kernel[(tw.cdiv(500, 128),)](
        backend.array(values, "float32"), backend.array(segments, "int32"), out, 500, BLOCK=128
    )
    np.testing.assert_allclose(backend.numpy(out), np.bincount(segments, values, 20), rtol=1e-5, atol=1e-5)


def test_compact(backend, rng):
    x = rng.standard_normal(1000).astype(np.float32)
    programs = tw.cdiv(1000, 128)
    out, count = backend.array(np.zeros(1000, np.float32)), backend.poisoned((1,), "int32")
    flags, sums = (backend.array(np.zeros(programs), "int32") for _ in range(2))
    kernels.compact_kernel[(programs,)](backend.array(x), out, count, flags, sums, 1000, BLOCK=128)
    kept = x[x > 0]
    assert backend.numpy(count)[0] == kept.size
    np.testing.assert_array_equal(backend.numpy(out)[: kept.size], kept)
