"""Operands of dots that are assembled from loads: packed 4-bit weights, and complex numbers with alternating parts."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def packed_rows(
    x_ptr,
    w_ptr,
    scale_ptr,
    zero_ptr,
    out_ptr,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    """4-bit weights: a byte holds two adjacent rows, and each group of rows has a scale and a zero point."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k, pair = tl.arange(0, BK), tl.arange(0, BK // 2)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(x_ptr + m[:, None] * K + start + k[None, :], mask=m[:, None] < M, other=0.0)
        q = tl.load(w_ptr + (start // 2 + pair)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0)
        low, high = (q & 15).to(tl.float16), (q >> 4).to(tl.float16)
        w = tl.join(low, high).permute(0, 2, 1).reshape(BK, BN)
        group = start // GROUP
        scale = tl.load(scale_ptr + group * N + n, mask=n < N, other=0.0)
        zero = tl.load(zero_ptr + group * N + n, mask=n < N, other=0.0)
        acc = tl.dot(x, (w - zero[None, :]) * scale[None, :], acc)
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("bm, num_warps", [(16, 4), (64, 4), (128, 8)])
@pytest.mark.parametrize("M, N, K", [(130, 256, 256), (5, 176, 64)])
def test_packed_rows(backend, rng, bm, num_warps, M, N, K):
    group = 64
    x = backend.array(rng.standard_normal((M, K)), "float16")
    q = rng.integers(0, 256, (K // 2, N)).astype(np.uint8)
    scale = backend.array(rng.uniform(0.01, 0.1, (K // group, N)), "float16")
    zero = backend.array(rng.integers(0, 16, (K // group, N)), "float16")
    out = backend.poisoned((M, N), "float32")
    grid = (tw.cdiv(M, bm), tw.cdiv(N, 64))
    packed_rows[grid](x, backend.array(q), scale, zero, out, M, N, K, bm, 64, 64, group, num_warps=num_warps)
    w = np.stack([q & 15, q >> 4], 1).reshape(K, N).astype(np.float16)
    each = [np.repeat(backend.numpy(v).astype(np.float16), group, 0) for v in (zero, scale)]
    w = ((w - each[0]) * each[1]).astype(np.float64)
    backend.check(out, backend.numpy(x).astype(np.float64) @ w, "float32")


@pytest.mark.compiled
@pytest.mark.parametrize(
    "bm, bn, num_warps, threads", [(128, 128, 8, 256), (64, 64, 4, 128), (128, 256, 8, 384)]
)
def test_no_producer_warp_where_a_second_cta_fits(bm, bn, num_warps, threads):
    """256 columns leave no registers for a second CTA."""
    types = {"x_ptr": "*fp16", "w_ptr": "*u8", "scale_ptr": "*fp16", "zero_ptr": "*fp16", "out_ptr": "*fp32"}
    types |= dict.fromkeys("MNK", "i32")
    tiles = {"BM": bm, "BN": bn, "BK": 64, "GROUP": 64}
    options = Options(num_warps=num_warps)
    kernel = compile_kernel(packed_rows.fn, types, tiles, dict.fromkeys(types, 16), "sm_90a", options, "ptx")
    assert kernel.metadata["num_threads"] == threads


@tw.jit
def packed_columns(
    x_ptr,
    w_ptr,
    out_ptr,
    M,
    N,
    K,
    pitch,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    STRIDED: tl.constexpr,
):
    """Signed 4-bit weights: a byte holds two neighbours of a row."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k, pair = tl.arange(0, BK), tl.arange(0, BK // 2)
    if not STRIDED:
        pitch = K // 2
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(x_ptr + m[:, None] * K + start + k[None, :], mask=m[:, None] < M, other=0.0)
        q = tl.load(w_ptr + n[:, None] * pitch + start // 2 + pair[None, :], mask=n[:, None] < N, other=0)
        w = tl.interleave(((q << 4) >> 4).to(tl.bfloat16), (q >> 4).to(tl.bfloat16))
        acc = tl.dot(x, w.T, acc)
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("bm, num_warps", [(16, 4), (64, 4), (128, 8)])
def test_packed_columns(backend, rng, bm, num_warps, strided):
    M, N, K = 130, 96, 192
    x = backend.array(rng.standard_normal((M, K)), "bfloat16")
    q = rng.integers(-128, 128, (N, K // 2)).astype(np.int8)
    out = backend.poisoned((M, N), "float32")
    grid = (tw.cdiv(M, bm), tw.cdiv(N, 64))
    packed_columns[grid](x, backend.array(q), out, M, N, K, K // 2, bm, 64, 64, strided, num_warps=num_warps)
    w = np.stack([(q << 4).astype(np.int8) >> 4, q >> 4], 2).reshape(N, K).astype(np.float64)
    backend.check(out, backend.numpy(x).astype(np.float64) @ w.T, "float32")


@tw.jit
def packed_words(
    x_ptr,
    w_ptr,
    scale_ptr,
    out_ptr,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    """4-bit weights: a word holds eight adjacent rows, and each row loads it again; the loop carries the pointers."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    x_ptrs = x_ptr + m[:, None] * K + k[None, :]
    w_ptrs = w_ptr + (k[:, None] // 8) * N + n[None, :]
    shift = (k % 8) * 4
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        x = tl.load(x_ptrs, mask=m[:, None] < M, other=0.0)
        q = tl.load(w_ptrs, mask=n[None, :] < N, other=0)
        scale = tl.load(scale_ptr + (i * BK // GROUP) * N + n, mask=n < N, other=0.0)
        w = (((q >> shift[:, None]) & 15) - 8).to(tl.float16) * scale[None, :]
        acc = tl.dot(x, w, acc)
        x_ptrs += BK
        w_ptrs += BK // 8 * N
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("bm, num_warps", [(16, 1), (16, 4), (64, 4), (128, 8)])
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("M, N, K", [(130, 256, 256), (5, 176, 64)])
def test_packed_words(backend, rng, bm, num_warps, stages, M, N, K):
    group = 64
    x = backend.array(rng.standard_normal((M, K)), "float16")
    q = rng.integers(-(2**31), 2**31, (K // 8, N)).astype(np.int32)
    scale = backend.array(rng.uniform(0.01, 0.1, (K // group, N)), "float16")
    out = backend.poisoned((M, N), "float32")
    grid = (tw.cdiv(M, bm), tw.cdiv(N, 64))
    packed_words[grid](
        x, backend.array(q), scale, out, M, N, K, bm, 64, 64, group, num_warps=num_warps, num_stages=stages
    )
    w = (np.repeat(q, 8, 0) >> (np.arange(K) % 8 * 4)[:, None] & 15) - 8
    w = w.astype(np.float16) * np.repeat(backend.numpy(scale).astype(np.float16), group, 0)
    backend.check(out, backend.numpy(x).astype(np.float64) @ w.astype(np.float64), "float32")


@tw.jit
def packed_zeros(
    x_ptr,
    w_ptr,
    zero_ptr,
    scale_ptr,
    out_ptr,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    """4-bit weights and zero points: a word holds eight adjacent columns, which tl.interleave spreads."""
    m, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BK)
    n, word = tl.program_id(1) * BN + tl.arange(0, BN), tl.program_id(1) * (BN // 8) + tl.arange(0, BN // 8)
    shift = tl.broadcast_to((tl.arange(0, BN) % 8 * 4)[None, :], (BK, BN))
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(x_ptr + m[:, None] * K + start + k[None, :])
        q = tl.load(w_ptr + (start + k)[:, None] * (N // 8) + word[None, :])
        row = start // GROUP + tl.arange(0, 1)
        z = tl.load(zero_ptr + row[:, None] * (N // 8) + word[None, :])
        for i in tl.static_range(3):
            q, z = tl.interleave(q, q), tl.interleave(z, z)
        z = tl.broadcast_to(z, (BK, BN))
        scale = tl.load(scale_ptr + row[:, None] * N + n[None, :])
        w = ((q >> shift & 15) - (z >> shift & 15)) * tl.broadcast_to(scale, (BK, BN))
        acc = tl.dot(x, w.to(tl.float16), acc)
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc)


@pytest.mark.parametrize("bn, num_warps", [(32, 4), (64, 4), (8, 2)])
def test_packed_zeros(backend, rng, bn, num_warps):
    M, N, K, group, each = 32, 64, 128, 32, 4 * np.arange(8)
    w, z = (rng.integers(0, 16, (rows, N)) for rows in (K, K // group))
    words = [(v.reshape(len(v), -1, 8) << each).sum(2).astype(np.uint32).view(np.int32) for v in (w, z)]
    x, scale = rng.standard_normal((M, K)), rng.uniform(0.01, 0.1, (K // group, N))
    x, scale = backend.array(x, "float16"), backend.array(scale, "float16")
    out = backend.poisoned((M, N), "float32")
    packed_zeros[M // 16, N // bn](
        x, *(backend.array(v) for v in words), scale, out, N, K, 16, bn, 32, group, num_warps=num_warps
    )
    wide = [np.repeat(v, group, 0) for v in (z, backend.numpy(scale))]
    w = ((w - wide[0]).astype(np.float16) * wide[1].astype(np.float16)).astype(np.float64)
    backend.check(out, backend.numpy(x).astype(np.float64) @ w, "float32", factor=200)


@pytest.mark.compiled
@pytest.mark.parametrize("bn", [8, 16, 32, 64])
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_packed_zeros_compile(bn, target):
    """A row of four words is smaller than the unit of a swizzle."""
    types = {
        name: "*i32" if name in ("w_ptr", "zero_ptr") else "*fp16" for name in packed_zeros.arg_names[:4]
    }
    types |= {"out_ptr": "*fp32", "N": "i32", "K": "i32"}
    tiles = {"BM": 32, "BN": bn, "BK": 32, "GROUP": 32}
    compiled = compile_kernel(
        packed_zeros.fn, types, tiles, dict.fromkeys(types, 16), target, Options(num_warps=4), "ptx"
    )
    assert "mma" in compiled.asm["ptx"]


@tw.jit
def complex_dot(a_ptr, b_ptr, out_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n2 = tl.program_id(1) * 2 * BN + tl.arange(0, 2 * BN)
    k, k2 = tl.arange(0, BK), tl.arange(0, 2 * BK)
    real, imaginary = tl.zeros((BM, BN), tl.float32), tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * (2 * K) + 2 * start + k2[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * (2 * N) + n2[None, :])
        ar, ai = tl.split(a.reshape(BM, BK, 2))
        br, bi = tl.split(b.reshape(BK, BN, 2))
        real = tl.dot(ai, -bi, tl.dot(ar, br, real))
        imaginary = tl.dot(ai, br, tl.dot(ar, bi, imaginary))
    out = tl.join(real, imaginary).reshape(BM, 2 * BN)
    tl.store(out_ptr + m[:, None] * (2 * N) + n2[None, :], out)


@pytest.mark.parametrize("bm, num_warps", [(16, 2), (64, 4), (128, 8)])
def test_complex_dot(backend, rng, bm, num_warps):
    M, N, K = 128, 128, 160
    a = backend.array(rng.standard_normal((M, 2 * K)), "float16")
    b = backend.array(rng.standard_normal((K, 2 * N)), "float16")
    out = backend.poisoned((M, 2 * N), "float32")
    complex_dot[(M // bm, N // 64)](a, b, out, M, N, K, bm, 64, 32, num_warps=num_warps)
    x, y = (backend.numpy(v).astype(np.float64) for v in (a, b))
    expected = (x[:, ::2] + 1j * x[:, 1::2]) @ (y[:, ::2] + 1j * y[:, 1::2])
    backend.check(out, np.stack([expected.real, expected.imag], 2).reshape(M, 2 * N), "float32")


@pytest.mark.compiled
@pytest.mark.parametrize(
    "kernel, target", [(packed_rows, "sm_80"), (packed_rows, "sm_90a"), (packed_words, "sm_90a")]
)
def test_few_rows_are_prefetched(kernel, target):
    """Activations and packed weights share one ring; a word that eight rows share is copied once."""
    tiles = {"BM": 16, "BN": 64, "BK": 64, "GROUP": 64}
    pointers = {name: "*fp16" for name in kernel.arg_names if name.endswith("_ptr")}
    pointers |= {"w_ptr": "*i32" if kernel is packed_words else "*i8", "out_ptr": "*fp32"}
    types = pointers | dict.fromkeys("MNK", "i32")
    compiled = compile_kernel(
        kernel.fn, types, tiles, dict.fromkeys(types, 16), target, Options(num_warps=4, num_stages=3), "ptx"
    )
    assert ("8x64xi32" if kernel is packed_words else "32x64xi8") in compiled.asm["warp"].split("warp.ring ")[
        1
    ]
    assert "cp.async.cg" in compiled.asm["ptx"]


@tw.jit
def scaled_groups(
    x_ptr, w_ptr, scale_ptr, out_ptr, N, K: tl.constexpr, BM: tl.constexpr, GROUP: tl.constexpr
):
    """4-bit weights with a scale for each `GROUP` rows of a column, in a loop of constant length."""
    m, n = tl.arange(0, BM), tl.program_id(0) * 64 + tl.arange(0, 64)
    acc = tl.zeros((BM, 64), tl.float32)
    for start in range(0, K, 64):
        k = start + tl.arange(0, 64)
        x = tl.load(x_ptr + m[:, None] * K + k[None, :])
        q = tl.load(w_ptr + (k // 2)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0)
        q = (q >> ((k % 2) * 4)[:, None]) & 15
        scale = tl.load(scale_ptr + (k // GROUP)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
        acc = tl.dot(x, (q.to(tl.float16) - 8) * scale, acc)
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc, mask=n[None, :] < N)


@pytest.mark.parametrize("group", [32, 8])
@pytest.mark.parametrize("K", [64, 128, 384])
@pytest.mark.parametrize("bm", [16, 64])
def test_scales_of_groups(backend, rng, bm, K, group):
    N = 96
    x = backend.array(rng.integers(-3, 4, (bm, K)), "float16")
    w = rng.integers(0, 256, (K // 2, N)).astype(np.uint8)
    scale = backend.array(2.0 ** rng.integers(-2, 2, (K // group, N)), "float16")
    out = backend.poisoned((bm, N), "float32")
    scaled_groups[(2,)](x, backend.array(w), scale, out, N, K, bm, group)
    q = np.stack([w & 15, w >> 4], 1).reshape(K, N) - 8.0
    expected = backend.numpy(x).astype(float) @ (q * np.repeat(backend.numpy(scale).astype(float), group, 0))
    np.testing.assert_array_equal(backend.numpy(out), expected)


@pytest.mark.compiled
@pytest.mark.parametrize("group", [32, 8])
@pytest.mark.parametrize("K", [64, 128, 384])
@pytest.mark.parametrize("bm", [16, 64])
def test_scales_of_groups_compile_for_a_gpu(bm, K, group):
    types = {"x_ptr": "*fp16", "w_ptr": "*u8", "scale_ptr": "*fp16", "out_ptr": "*fp32", "N": "i32"}
    tiles = {"K": K, "BM": bm, "GROUP": group}
    compile_kernel(
        scaled_groups.fn, types, tiles, dict.fromkeys(types, 16), "sm_90a", Options(num_stages=4), "ptx"
    )


@tw.jit
def weights_of_bytes(x, w, scale, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """8-bit weights are converted to f16, with column scales from a matrix of one row.

    Loop-carried indices along k mask the columns of one operand and the rows of the other.
    """
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        a = tl.load(x + m[:, None] * K + k[None, :], mask=(m < M)[:, None] & (k < K)[None, :], other=0.0)
        q = tl.load(w + k[:, None] * N + n[None, :], mask=(k < K)[:, None] & (n < N)[None, :], other=0)
        s = tl.load(scale + i * N + n[None, :], mask=(n < N)[None, :], other=0.0)
        acc = tl.dot(a, q.to(a.dtype) * tl.broadcast_to(s, (BK, BN)), acc)
        k += BK
    tl.store(out + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("bm, num_warps", [(16, 4), (64, 4), (128, 8)])
@pytest.mark.parametrize("M, N, K", [(130, 256, 224), (5, 176, 64), (64, 64, 32)])
def test_weights_of_bytes(backend, rng, bm, num_warps, M, N, K):
    x = backend.array(rng.standard_normal((M, K)), "float16")
    w = rng.integers(-128, 128, (K, N)).astype(np.int8)
    scale = backend.array(rng.uniform(0.01, 0.1, (tw.cdiv(K, 64), N)), "float16")
    out = backend.poisoned((M, N), "float32")
    grid = (tw.cdiv(M, bm), tw.cdiv(N, 64))
    weights_of_bytes[grid](x, backend.array(w), scale, out, M, N, K, bm, 64, 64, num_warps=num_warps)
    each = np.repeat(backend.numpy(scale).astype(np.float16), 64, 0)[:K]
    operand = (w.astype(np.float16) * each).astype(np.float64)
    backend.check(out, backend.numpy(x).astype(np.float64) @ operand, "float32")
