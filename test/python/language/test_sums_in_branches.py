"""Integer reductions of a warp in branches. The assembler replaces short branches by predicates."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def branch_sums(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    total = tl.sum(tl.load(x_ptr + i)) % 1000
    for step in range(n):
        total = tl.sum(tl.where(i < 20, total, 0)) % 1000
        if (total + step) % 3 != 0:
            total = tl.max(tl.where(i < 10, total + i, step), 0)
        else:
            total = tl.min(tl.where(i > 10, total + i, 999), 0)
    tl.store(out_ptr, total)


@tw.jit
def sums_of_sums(out_ptr, n, B: tl.constexpr):
    state = tl.program_id(0) + n
    for step in tl.range(n % 4, num_stages=2):
        sums = tl.cumsum((tl.arange(0, B) * 7919 + (state & 1023)) % 1009, 0)
        state += tl.maximum(tl.sum(sums * (tl.arange(0, B) % 7 + 1)), state)
        if (step + state) % 3 == 0:
            continue
        state = tl.sum(tl.broadcast_to(state, (20,)), 0)
    tl.store(out_ptr + tl.program_id(0), state)


@pytest.mark.parametrize("num_warps", [1, 2, 4])
def test_reductions_in_branches(backend, num_warps):
    x = np.random.default_rng(num_warps).integers(0, 100, 32).astype(np.int32)
    out = backend.poisoned((1,), "int32")
    branch_sums[1,](backend.array(x), out, 13, 32, num_warps=num_warps)
    total = int(x.sum()) % 1000
    for step in range(13):
        total = 20 * total % 1000
        total = max(total + 9, step) if (total + step) % 3 else min(total + 11, 999)
    assert backend.numpy(out).tolist() == [total]


@pytest.mark.parametrize("n", [5, 7])
def test_sums_under_many_predicates(backend, n):
    out = backend.poisoned((3,), "int32")
    sums_of_sums[3,](out, n, 3000, num_warps=2)
    i, expected = np.arange(3000), []
    for state in range(n, n + 3):
        state = np.int64(state)
        for step in range(n % 4):
            sums = np.cumsum((i * 7919 + (state & 1023)) % 1009)
            state = (state + max((sums * (i % 7 + 1)).sum().astype(np.int32), state)).astype(np.int32)
            if np.fmod(step + state, 3) != 0:
                state = (20 * state.astype(np.int64)).astype(np.int32)
            state = state.astype(np.int64)
        expected.append(int(state))
    assert backend.numpy(out).tolist() == expected
