"""Loops whose dots depend on values that threads compute from earlier dots and also store."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def block(base, rows, columns, row, column, R: tl.constexpr, C: tl.constexpr, H: tl.constexpr = 1):
    return tl.make_block_ptr(base, (rows, columns), (H * columns, 1), (row, column), (R, C), (1, 0))


@tw.jit
def delta_states(
    k_ptr, v_ptr, w_ptr, states_ptr, new_ptr, final_ptr, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr
):
    """A state of two halves is updated by each chunk of 64 tokens.

    Each chunk stores the state before the update and the remaining values. With H heads TMA does not copy the blocks.
    """
    head = tl.program_id(0)
    k_ptr += head * K
    w_ptr += head * K
    v_ptr += head * V
    states_ptr += head * tl.cdiv(T, 64) * K * V
    new_ptr += head * T * V
    final_ptr += head * K * V
    first, second = tl.zeros((64, V), tl.float32), tl.zeros((64, V), tl.float32)
    for chunk in range(tl.cdiv(T, 64)):
        t = chunk * 64
        state = states_ptr + chunk * K * V
        tl.store(block(state, K, V, 0, 0, 64, V), first.to(tl.float16), boundary_check=(0, 1))
        tl.store(block(state, K, V, 64, 0, 64, V), second.to(tl.float16), boundary_check=(0, 1))
        w = tl.load(block(w_ptr, T, K, t, 0, 64, 64, H), boundary_check=(0, 1))
        left = tl.dot(w, first.to(tl.float16))
        w = tl.load(block(w_ptr, T, K, t, 64, 64, 64, H), boundary_check=(0, 1))
        left += tl.dot(w, second.to(tl.float16))
        left = tl.load(block(v_ptr, T, V, t, 0, 64, V, H), boundary_check=(0, 1)) - left
        tl.store(block(new_ptr, T, V, t, 0, 64, V), left.to(tl.float16), boundary_check=(0, 1))
        left = (left * 0.5).to(tl.float16)
        k = tl.load(
            tl.make_block_ptr(k_ptr, (K, T), (1, H * K), (0, t), (64, 64), (0, 1)), boundary_check=(0, 1)
        )
        first = first * 0.5 + tl.dot(k, left)
        k = tl.load(
            tl.make_block_ptr(k_ptr, (K, T), (1, H * K), (64, t), (64, 64), (0, 1)), boundary_check=(0, 1)
        )
        second = second * 0.5 + tl.dot(k, left)
    tl.store(block(final_ptr, K, V, 0, 0, 64, V), first)
    tl.store(block(final_ptr, K, V, 64, 0, 64, V), second)


@pytest.mark.parametrize("tokens", [30, 128, 400])
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("columns, stages", [(32, 3), (64, 2), (16, 4)])
def test_states(backend, rng, tokens, heads, columns, stages):
    k, w = (backend.array(rng.standard_normal((tokens, heads, 128)) * 0.1, "float16") for _ in range(2))
    v = backend.array(rng.standard_normal((tokens, heads, columns)), "float16")
    states = backend.poisoned((heads, -(-tokens // 64), 128, columns), "float16")
    new, final = (
        backend.poisoned((heads, tokens, columns), "float16"),
        backend.poisoned((heads, 128, columns), "float32"),
    )
    delta_states[heads,](
        k, v, w, states, new, final, tokens, heads, 128, columns, num_warps=4, num_stages=stages
    )
    keys, values, weights = (backend.numpy(x)[:, -1].astype(np.float64) for x in (k, v, w))
    state = np.zeros((128, columns))
    for chunk, before in enumerate(backend.numpy(states)[-1]):
        rows = slice(chunk * 64, chunk * 64 + 64)
        assert np.allclose(before, state, atol=2e-2)
        left = values[rows] - weights[rows] @ state
        assert np.allclose(backend.numpy(new)[-1, rows], left, atol=2e-2)
        state = state * 0.5 + keys[rows].T @ (left * 0.5)
    assert np.allclose(backend.numpy(final)[-1], state, atol=2e-2)


@tw.jit
def gated_states(k_ptr, v_ptr, g_ptr, states_ptr, T, H: tl.constexpr, C: tl.constexpr, BACK: tl.constexpr):
    """States of C x C between chunks of 64 tokens. BACK scales the keys; otherwise the values are scaled."""
    head = tl.program_id(0)
    t = tl.arange(0, 64)
    state = tl.zeros((C, C), tl.float32)
    for chunk in range(tl.cdiv(T, 64)):
        state_ptr = states_ptr + (chunk * H + head) * C * C
        tl.store(block(state_ptr, C, C, 0, 0, C, C), state.to(tl.float16), boundary_check=(0, 1))
        keys = tl.make_block_ptr(k_ptr + head * C, (C, T), (1, H * C), (0, chunk * 64), (C, 64), (0, 1))
        k = tl.load(keys, boundary_check=(0, 1))
        v = tl.load(block(v_ptr + head * C, T, C, chunk * 64, 0, 64, C, H), boundary_check=(0, 1))
        g = tl.load(g_ptr + (chunk * 64 + t) * H + head, mask=chunk * 64 + t < T, other=0.0)
        if BACK:
            k = (k * 0.5 * g[None, :]).to(k.dtype)
        else:
            v = (v * g[:, None]).to(v.dtype)
        state = state * 0.5 + tl.dot(k, v)


@pytest.mark.parametrize("tokens", [30, 128, 400])
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("columns, stages", [(64, 3), (64, 2), (32, 4)])
def test_gated_states(backend, rng, tokens, heads, back, columns, stages):
    k, v = (backend.array(rng.standard_normal((tokens, heads, columns)) * 0.3, "float16") for _ in range(2))
    g = backend.array(rng.random((tokens, heads)), "float32")
    states = backend.poisoned((-(-tokens // 64), heads, columns, columns), "float16")
    gated_states[heads,](k, v, g, states, tokens, heads, columns, back, num_warps=4, num_stages=stages)
    keys, values, gates = (backend.numpy(x)[:, -1].astype(np.float64) for x in (k, v, g))
    state = np.zeros((columns, columns))
    for chunk, before in enumerate(backend.numpy(states)[:, -1]):
        rows = slice(chunk * 64, chunk * 64 + 64)
        assert np.allclose(before, state, atol=2e-2)
        state = state * 0.5 + (keys[rows].T * gates[rows]) @ values[rows] * (0.5 if back else 1)


@tw.jit
def decode(
    q_ptr,
    keys_ptr,
    values_ptr,
    indices_ptr,
    out_ptr,
    N,
    D: tl.constexpr,
    BLOCK: tl.constexpr,
    SEPARATE: tl.constexpr,
):
    """Attention of 16 queries to keys that an index array lists; the values are the keys, or SEPARATE."""
    m, d = tl.arange(0, 16), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    most = tl.full((16,), -float("inf"), tl.float32)
    total, acc = tl.zeros((16,), tl.float32), tl.zeros((16, D), tl.float32)
    for start in range(0, N, BLOCK):
        n = start + tl.arange(0, BLOCK)
        index = tl.load(indices_ptr + n, mask=n < N, other=0)
        k = tl.load(keys_ptr + index[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        s = tl.where(n[None, :] < N, tl.dot(q, k), -float("inf"))
        now = tl.maximum(most, tl.max(s, 1))
        p, scale = tl.exp(s - now[:, None]), tl.exp(most - now)
        if SEPARATE:
            v = tl.load(values_ptr + index[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        else:
            v = tl.trans(k)
        acc = acc * scale[:, None] + tl.dot(p.to(k.dtype), v)
        total, most = total * scale + tl.sum(p, 1), now
    tl.store(out_ptr + m[:, None] * D + d[None, :], acc / total[:, None])


@pytest.mark.parametrize("dtype, tolerance", [("float16", 2e-3), ("bfloat16", 2e-2), ("float32", 2e-3)])
@pytest.mark.parametrize("d, block, num_warps", [(64, 32, 4), (128, 16, 4), (256, 32, 8), (64, 64, 2)])
def test_keys_that_are_values(backend, rng, dtype, tolerance, d, block, num_warps):
    n = 131
    q = backend.array(rng.standard_normal((16, d)) * 0.3, dtype)
    keys = backend.array(rng.standard_normal((200, d)), dtype)
    indices = backend.array(rng.permutation(200)[:n], "int32")
    out = backend.poisoned((16, d), "float32")
    decode[1,](q, keys, keys, indices, out, n, d, block, SEPARATE=False, num_warps=num_warps, num_stages=2)
    a, b = backend.numpy(q).astype(np.float64), backend.numpy(keys).astype(np.float64)[backend.numpy(indices)]
    p = np.exp(a @ b.T - (a @ b.T).max(1, keepdims=True))
    assert np.allclose(backend.numpy(out), p / p.sum(1, keepdims=True) @ b, atol=tolerance)


@pytest.mark.parametrize("n", [20, 64, 131])
@pytest.mark.parametrize("d, block, num_warps", [(512, 32, 4), (512, 32, 8), (256, 64, 4), (128, 32, 4)])
def test_separate_values(backend, rng, n, d, block, num_warps):
    """With two slots of the largest of these tiles, shared memory suffices for one CTA per SM."""
    q = backend.array(rng.standard_normal((16, d)) * 0.1, "float16")
    keys, values = (backend.array(rng.standard_normal((200, d)), "float16") for _ in range(2))
    indices = backend.array(rng.permutation(200)[:n], "int32")
    out = backend.poisoned((16, d), "float32")
    decode[1,](q, keys, values, indices, out, n, d, block, SEPARATE=True, num_warps=num_warps, num_stages=2)
    a, b, c = (backend.numpy(x).astype(np.float64) for x in (q, keys, values))
    b, c = b[backend.numpy(indices)], c[backend.numpy(indices)]
    p = np.exp(a @ b.T - (a @ b.T).max(1, keepdims=True))
    assert np.allclose(backend.numpy(out), p / p.sum(1, keepdims=True) @ c, atol=2e-3)


@tw.jit
def add_under_lock(lock_ptr, sums_ptr, count_ptr, BLOCK: tl.constexpr):
    """Each program adds to the same sums, under a lock."""
    i = tl.arange(0, BLOCK)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sums_ptr + i, tl.load(sums_ptr + i) + i + 1)
    tl.store(count_ptr, tl.load(count_ptr) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@pytest.mark.parametrize("block, num_warps", [(256, 1), (1024, 4), (2048, 8)])
def test_programs_take_a_lock(backend, block, num_warps):
    programs = 200
    lock, count = backend.array(np.zeros(1), "int32"), backend.array(np.zeros(1), "int32")
    sums = backend.array(np.zeros(block), "int32")
    add_under_lock[programs,](lock, sums, count, block, num_warps=num_warps)
    assert backend.numpy(count)[0] == programs
    np.testing.assert_array_equal(backend.numpy(sums), programs * (np.arange(block) + 1))
