"""Dots in loops with early exits, in while loops, and with wrapped indices before atomic adds.

Tiles that are prefetched but not needed never change the result.
"""

import itertools

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def until_marked(
    column_ptr, v_ptr, d_ptr, out_ptr, N, most, B: tl.constexpr, BN: tl.constexpr, STAGES: tl.constexpr
):
    """Blocks of a row times the listed blocks of a dense matrix, up to a negative list entry.

    The loop carries the pointers to the former.
    """
    row = tl.program_id(0)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    i = tl.arange(0, B)
    acc = tl.zeros((B, BN), tl.float32)
    v_ptrs = v_ptr + row * most * B * B + i[:, None] * B + i[None, :]
    for j in tl.range(most, num_stages=STAGES):
        column = tl.load(column_ptr + row * most + j)
        if column < 0:
            break
        v = tl.load(v_ptrs)
        d = tl.load(d_ptr + (column * B + i)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
        acc = tl.dot(v, d, acc)
        v_ptrs += B * B
    tl.store(out_ptr + (row * B + i)[:, None] * N + n[None, :], acc, mask=n[None, :] < N)


@pytest.mark.parametrize("block, num_warps", [(16, 1), (64, 4), (128, 8)])
@pytest.mark.parametrize("stages", [1, 3])
def test_until_marked(backend, rng, block, num_warps, stages):
    rows, columns, most, n = 4, 5, 6, 136
    lengths = [0, 1, 3, most]
    listed = np.full((rows, most), -1, np.int32)
    for row, length in enumerate(lengths):
        listed[row, :length] = rng.integers(0, columns, length)
    v = rng.standard_normal((rows, most, block, block)).astype(np.float16)
    v[listed < 0] = np.nan  # blocks after the mark must not reach the result
    d = rng.standard_normal((columns, block, n)).astype(np.float16)
    out = backend.poisoned((rows * block, n), "float32")
    until_marked[(rows, tw.cdiv(n, 64))](
        backend.array(listed), backend.array(v), backend.array(d.reshape(-1, n)), out, n, most, block, 64, stages,
        num_warps=num_warps,
    )  # fmt: skip
    expected = [
        sum((v[row, j].astype(np.float64) @ d[listed[row, j]] for j in range(length)), np.zeros((block, n)))
        for row, length in enumerate(lengths)
    ]
    backend.check(out, np.concatenate(expected), "float32")


@tw.jit
def while_listed(first_ptr, v_ptr, d_ptr, out_ptr, N, B: tl.constexpr, BN: tl.constexpr):
    """A sum of dots of blocks over a range of a list."""
    row = tl.program_id(0)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    i = tl.arange(0, B)
    acc = tl.zeros((B, BN), tl.float32)
    at = tl.load(first_ptr + row)
    end = tl.load(first_ptr + row + 1)
    while at < end:
        v = tl.load(v_ptr + at * B * B + i[:, None] * B + i[None, :])
        d = tl.load(d_ptr + (at * B + i)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
        acc = tl.dot(v, d, acc)
        at += 1
    tl.store(out_ptr + (row * B + i)[:, None] * N + n[None, :], acc, mask=n[None, :] < N)


@pytest.mark.parametrize("block, num_warps", [(32, 4), (64, 4), (128, 8)])
def test_while_listed(backend, rng, block, num_warps):
    first, n = [0, 0, 1, 5, 7], 136
    v = rng.standard_normal((first[-1], block, block)).astype(np.float16)
    d = rng.standard_normal((first[-1], block, n)).astype(np.float16)
    out = backend.poisoned(((len(first) - 1) * block, n), "float32")
    while_listed[(len(first) - 1, tw.cdiv(n, 64))](
        backend.array(first, "int32"), backend.array(v), backend.array(d.reshape(-1, n)), out, n, block, 64,
        num_warps=num_warps,
    )  # fmt: skip
    expected = [
        sum((v[j].astype(np.float64) @ d[j] for j in range(a, b)), np.zeros((block, n)))
        for a, b in itertools.pairwise(first)
    ]
    backend.check(out, np.concatenate(expected), "float32")


@tw.jit
def added_parts(
    a_ptr, b_ptr, c_ptr, M, N, K, PARTS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """A split-K matmul with atomic adds to memory; rows and columns wrap around."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.program_id(2) * BK + tl.arange(0, BK)
    a_ptrs = a_ptr + (m % M)[:, None] * K + k[None, :]
    b_ptrs = b_ptr + (n % N)[None, :] * K + k[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(tl.cdiv(K, BK * PARTS)):
        left = K - i * BK * PARTS
        a = tl.load(a_ptrs, mask=k[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < left, other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BK * PARTS
        b_ptrs += BK * PARTS
    tl.atomic_add(
        c_ptr + m[:, None] * N + n[None, :], acc, mask=(m < M)[:, None] & (n < N)[None, :], sem="relaxed"
    )


@pytest.mark.parametrize("M, N, K", [(128, 128, 256), (72, 200, 176), (136, 8, 64)])
def test_added_parts(backend, rng, M, N, K):
    a, b = (rng.standard_normal((rows, K)).astype(np.float16) for rows in (M, N))
    out = backend.array(np.zeros((M, N)), "float32")
    added_parts[(tw.cdiv(M, 64), tw.cdiv(N, 64), 3)](
        backend.array(a), backend.array(b), out, M, N, K, 3, 64, 64, 32, num_warps=4
    )
    backend.check(out, a.astype(np.float64) @ b.astype(np.float64).T, "float32")


@tw.jit
def scaled_blocks(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    c_ptr,
    M,
    N,
    K,
    GROUP: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """A matmul with scales for `GROUP` elements of a row of a, and for square blocks of b.

    The offsets of the scales of b are quotients of columns that wrap around.
    """
    m = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    n = (tl.program_id(1) * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    groups = tl.cdiv(K, GROUP)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    b_ptrs = b_ptr + n[None, :] * K + k[:, None]
    a_scales = a_scale_ptr + m * groups
    b_scales = b_scale_ptr + (n // GROUP) * groups
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - i * BK, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - i * BK, other=0.0)
        group = i * BK // GROUP
        acc += tl.dot(a, b) * tl.load(a_scales + group)[:, None] * tl.load(b_scales + group)[None, :]
        a_ptrs += BK
        b_ptrs += BK
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("M, N, K", [(64, 128, 128), (72, 200, 176), (130, 24, 64)])
def test_scaled_blocks(backend, rng, M, N, K):
    group = 64
    groups = -(-K // group)
    a, b = (rng.standard_normal((rows, K)).astype(np.float16) for rows in (M, N))
    a_scale = rng.uniform(0.5, 2, (M, groups)).astype(np.float32)
    b_scale = rng.uniform(0.5, 2, (-(-N // group), groups)).astype(np.float32)
    out = backend.poisoned((M, N), "float32")
    scaled_blocks[(tw.cdiv(M, 64), tw.cdiv(N, 64))](
        *map(backend.array, (a, b, a_scale, b_scale)), out, M, N, K, group, 64, 64, 64, num_warps=4
    )
    wide = [
        np.repeat(s, group, 1)[:, :K].astype(np.float64) for s in (a_scale, np.repeat(b_scale, group, 0)[:N])
    ]
    backend.check(out, (a * wide[0]) @ (b * wide[1]).T, "float32")


POINTERS = dict.fromkeys(("v_ptr", "d_ptr", "a_ptr", "b_ptr"), "*fp16")
NUMBERS = dict.fromkeys(("column_ptr", "first_ptr"), "*i32")
TILES = {"BM": 128, "BN": 128, "BK": 64, "B": 64, "STAGES": 3, "GROUP": 128, "PARTS": 4}


@pytest.mark.compiled
@pytest.mark.parametrize(
    "kernel", [until_marked, while_listed, added_parts, scaled_blocks], ids=lambda k: k.fn.__name__
)
def test_operands_use_tma(kernel):
    """On Hopper a producer loads both operands of each kernel by TMA."""
    names = kernel.arg_names
    constants = {name: value for name, value in TILES.items() if name in names}
    known = POINTERS | NUMBERS
    types = {
        name: known.get(name, "*fp32" if name.endswith("_ptr") else "i32")
        for name in names
        if name not in constants
    }
    compiled = compile_kernel(
        kernel.fn, types, constants, dict.fromkeys(types, 16), "sm_90a", Options(num_warps=4), "ptx"
    )
    assert compiled.asm["warp"].count("warp.tma_load") == 2
    assert "wgmma.mma_async" in compiled.asm["ptx"]
    assert ("cp.reduce.async.bulk.tensor" in compiled.asm["ptx"]) == (kernel is added_parts)
