"""Loops whose products wait for what threads make of those before, and store it on the way."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def delta_states(
    k_ptr, v_ptr, w_ptr, states_ptr, new_ptr, final_ptr, CHUNKS, K: tl.constexpr, V: tl.constexpr
):
    """A state of two halves, changed by each chunk of 64 tokens: stored as it was, and so are the values it leaves."""
    t, d, v = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, V)
    first, second = tl.zeros((64, V), tl.float32), tl.zeros((64, V), tl.float32)
    for chunk in range(CHUNKS):
        rows = (chunk * 64 + t)[:, None]
        state = states_ptr + chunk * K * V + d[:, None] * V + v[None, :]
        tl.store(state, first.to(tl.float16))
        tl.store(state + 64 * V, second.to(tl.float16))
        left = tl.dot(tl.load(w_ptr + rows * K + d[None, :]), first.to(tl.float16))
        left += tl.dot(tl.load(w_ptr + rows * K + 64 + d[None, :]), second.to(tl.float16))
        left = tl.load(v_ptr + rows * V + v[None, :]) - left
        tl.store(new_ptr + rows * V + v[None, :], left.to(tl.float16))
        left = (left * 0.5).to(tl.float16)
        columns = (chunk * 64 + t)[None, :] * K
        first = first * 0.5 + tl.dot(tl.load(k_ptr + columns + d[:, None]), left)
        second = second * 0.5 + tl.dot(tl.load(k_ptr + columns + 64 + d[:, None]), left)
    tl.store(final_ptr + d[:, None] * V + v[None, :], first)
    tl.store(final_ptr + (64 + d)[:, None] * V + v[None, :], second)


@pytest.mark.parametrize("chunks", [1, 2, 7])
@pytest.mark.parametrize("columns, stages", [(32, 3), (64, 2), (16, 4)])
def test_states(backend, rng, chunks, columns, stages):
    k, w = (backend.array(rng.standard_normal((chunks * 64, 128)) * 0.1, "float16") for _ in range(2))
    v = backend.array(rng.standard_normal((chunks * 64, columns)), "float16")
    states, new = backend.poisoned((chunks, 128, columns), "float16"), backend.poisoned(v.shape, "float16")
    final = backend.poisoned((128, columns), "float32")
    delta_states[1,](k, v, w, states, new, final, chunks, 128, columns, num_warps=4, num_stages=stages)
    keys, values, weights = (backend.numpy(x).astype(np.float64) for x in (k, v, w))
    state = np.zeros((128, columns))
    for chunk in range(chunks):
        rows = slice(chunk * 64, chunk * 64 + 64)
        assert np.allclose(backend.numpy(states)[chunk], state, atol=2e-2)
        left = values[rows] - weights[rows] @ state
        assert np.allclose(backend.numpy(new)[rows], left, atol=2e-2)
        state = state * 0.5 + keys[rows].T @ (left * 0.5)
    assert np.allclose(backend.numpy(final), state, atol=2e-2)


@tw.jit
def decode(q_ptr, keys_ptr, places_ptr, out_ptr, N, D: tl.constexpr, BLOCK: tl.constexpr):
    """Attention of 16 queries to keys found through places; the values are the keys."""
    m, d = tl.arange(0, 16), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    most = tl.full((16,), -float("inf"), tl.float32)
    total, acc = tl.zeros((16,), tl.float32), tl.zeros((16, D), tl.float32)
    for start in range(0, N, BLOCK):
        n = start + tl.arange(0, BLOCK)
        place = tl.load(places_ptr + n, mask=n < N, other=0)
        k = tl.load(keys_ptr + place[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        s = tl.where(n[None, :] < N, tl.dot(q, k), -float("inf"))
        now = tl.maximum(most, tl.max(s, 1))
        p, scale = tl.exp(s - now[:, None]), tl.exp(most - now)
        acc = acc * scale[:, None] + tl.dot(p.to(k.dtype), tl.trans(k))
        total, most = total * scale + tl.sum(p, 1), now
    tl.store(out_ptr + m[:, None] * D + d[None, :], acc / total[:, None])


@pytest.mark.parametrize("dtype, tolerance", [("float16", 2e-3), ("bfloat16", 2e-2), ("float32", 2e-3)])
@pytest.mark.parametrize("d, block, num_warps", [(64, 32, 4), (128, 16, 4), (256, 32, 8), (64, 64, 2)])
def test_keys_that_are_values(backend, rng, dtype, tolerance, d, block, num_warps):
    n = 131
    q = backend.array(rng.standard_normal((16, d)) * 0.3, dtype)
    keys = backend.array(rng.standard_normal((200, d)), dtype)
    places = backend.array(rng.permutation(200)[:n], "int32")
    out = backend.poisoned((16, d), "float32")
    decode[1,](q, keys, places, out, n, d, block, num_warps=num_warps, num_stages=2)
    a, b = backend.numpy(q).astype(np.float64), backend.numpy(keys).astype(np.float64)[backend.numpy(places)]
    p = np.exp(a @ b.T - (a @ b.T).max(1, keepdims=True))
    assert np.allclose(backend.numpy(out), p / p.sum(1, keepdims=True) @ b, atol=tolerance)


@tw.jit
def add_in_turn(lock_ptr, sums_ptr, count_ptr, BLOCK: tl.constexpr):
    """Each program adds to the same sums, under a lock."""
    i = tl.arange(0, BLOCK)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sums_ptr + i, tl.load(sums_ptr + i) + i + 1)
    tl.store(count_ptr, tl.load(count_ptr) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@pytest.mark.parametrize("block, num_warps", [(256, 1), (1024, 4), (2048, 8)])
def test_programs_take_a_lock_in_turn(backend, block, num_warps):
    programs = 200
    lock, count = backend.array(np.zeros(1), "int32"), backend.array(np.zeros(1), "int32")
    sums = backend.array(np.zeros(block), "int32")
    add_in_turn[programs,](lock, sums, count, block, num_warps=num_warps)
    assert backend.numpy(count)[0] == programs
    np.testing.assert_array_equal(backend.numpy(sums), programs * (np.arange(block) + 1))
