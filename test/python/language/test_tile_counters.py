"""Programs that take the number of their next tile from a counter in memory, and atomics on flags before dots.

The producer warp receives the results of these atomics.
"""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def counted_tiles(
    a_ptr,
    b_ptr,
    c_ptr,
    counter_ptr,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    SEM: tl.constexpr,
):
    columns = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * columns
    t = tl.atomic_add(counter_ptr, 1, sem=SEM)
    while t < tiles:
        m = (t // columns) * BM + tl.arange(0, BM)
        n = (t % columns) * BN + tl.arange(0, BN)
        k = tl.arange(0, BK)
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, K, BK):
            inside = start + k < K
            a = tl.load(
                a_ptr + m[:, None] * K + (start + k)[None, :],
                mask=(m < M)[:, None] & inside[None, :],
                other=0.0,
            )
            b = tl.load(
                b_ptr + n[:, None] * K + (start + k)[None, :],
                mask=(n < N)[:, None] & inside[None, :],
                other=0.0,
            )
            acc = tl.dot(a, b.T, acc)
        tl.store(
            c_ptr + m[:, None] * N + n[None, :],
            acc.to(c_ptr.dtype.element_ty),
            mask=(m < M)[:, None] & (n < N)[None, :],
        )
        t = tl.atomic_add(counter_ptr, 1, sem=SEM)


@pytest.mark.parametrize("sem", ["relaxed", "acquire", "release", "acq_rel"])
@pytest.mark.parametrize("programs, block, num_warps", [(1, 64, 4), (3, 128, 8), (7, 64, 4)])
@pytest.mark.parametrize("counter_type", ["int32", "int64"])
def test_counted_tiles(backend, rng, programs, block, num_warps, sem, counter_type):
    for M, N, K in ((1, 8, 16), (200, 264, 136), (128, 320, 0)):
        a = backend.array(rng.standard_normal((M, K)), "float16")
        b = backend.array(rng.standard_normal((N, K)), "float16")
        c = backend.poisoned((M, N), "float16")
        counter = backend.array(np.zeros(1), counter_type)
        counted_tiles[(programs,)](a, b, c, counter, M, N, K, block, block, 64, sem, num_warps=num_warps)
        expected = backend.numpy(a).astype(np.float64) @ backend.numpy(b).astype(np.float64).T
        backend.check(c, expected, "float16")
        assert backend.numpy(counter)[0] == tw.cdiv(M, block) * tw.cdiv(N, block) + programs


@tw.jit
def counted_groups(
    a_ptr, b_ptr, c_ptr, counter_ptr, groups, K, B: tl.constexpr, BK: tl.constexpr, ROUNDS: tl.constexpr
):
    """One dot per round, of a block whose number a counter gives; some rounds find no block."""
    i, k = tl.arange(0, B), tl.arange(0, BK)
    for _ in range(ROUNDS):
        group = tl.atomic_add(counter_ptr, 1)
        if group < groups:
            acc = tl.zeros((B, B), tl.float32)
            for start in range(0, K, BK):
                a = tl.load(a_ptr + (group * B + i)[:, None] * K + (start + k)[None, :])
                b = tl.load(b_ptr + (group * B + i)[:, None] * K + (start + k)[None, :])
                acc = tl.dot(a, b.T, acc)
            tl.store(c_ptr + (group * B + i)[:, None] * B + i[None, :], acc)


@pytest.mark.parametrize("groups", [0, 1, 5, 12])
def test_counted_groups(backend, rng, groups):
    B, K = 64, 192
    a = backend.array(rng.standard_normal((max(groups, 1) * B, K)), "bfloat16")
    b = backend.array(rng.standard_normal((max(groups, 1) * B, K)), "bfloat16")
    c = backend.poisoned((max(groups, 1) * B, B), "float32")
    counter = backend.array(np.zeros(1), "int32")
    counted_groups[(4,)](a, b, c, counter, groups, K, B, 64, 4, num_warps=4)
    x, y = (backend.numpy(v).astype(np.float64).reshape(-1, B, K)[:groups] for v in (a, b))
    expected = backend.numpy(c).astype(np.float64)
    expected[: groups * B] = (x @ y.transpose(0, 2, 1)).reshape(groups * B, B)
    backend.check(c, expected, "float32")
    assert backend.numpy(counter)[0] == 16


@tw.jit
def last_reduces(a_ptr, b_ptr, part_ptr, c_ptr, arrived_ptr, K, B: tl.constexpr, BK: tl.constexpr):
    """Each program computes a part of a sum; the last to arrive adds them all, in order."""
    part, parts = tl.program_id(0), tl.num_programs(0)
    i, k = tl.arange(0, B), tl.arange(0, BK)
    at = i[:, None] * B + i[None, :]
    acc = tl.zeros((B, B), tl.float32)
    for start in range(part * BK, K, parts * BK):
        a = tl.load(a_ptr + i[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + i[:, None] * K + (start + k)[None, :])
        acc = tl.dot(a, b.T, acc)
    tl.store(part_ptr + part * B * B + at, acc)
    arrived = tl.atomic_add(arrived_ptr, 1)
    if arrived == parts - 1:
        total = tl.zeros((B, B), tl.float32)
        for other in range(parts):
            total += tl.load(part_ptr + other * B * B + at)
        tl.store(c_ptr + at, total)


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_last_reduces(backend, rng, parts):
    B, K = 64, 640
    a = backend.array(rng.standard_normal((B, K)), "float16")
    b = backend.array(rng.standard_normal((B, K)), "float16")
    scratch, c = backend.poisoned((parts, B, B), "float32"), backend.poisoned((B, B), "float32")
    arrived = backend.array(np.zeros(1), "int32")
    last_reduces[(parts,)](a, b, scratch, c, arrived, K, B, 64, num_warps=4)
    backend.check(c, backend.numpy(a).astype(np.float64) @ backend.numpy(b).astype(np.float64).T, "float32")
