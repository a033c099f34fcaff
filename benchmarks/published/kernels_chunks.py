"""Linear attention and state spaces in chunks; both compilers read this file."""

import triton
import triton.language as tl


@triton.jit
def delta_states_kernel(
    k, v, w, g, v_new, h, final, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
    BT: tl.constexpr, BV: tl.constexpr,
):  # fmt: skip
    """The states between the chunks of a gated delta rule; K is 128, in two blocks."""
    i_v, i_bh = tl.program_id(0), tl.program_id(1)
    i_b, i_h = i_bh // H, i_bh % H
    NT = tl.cdiv(T, BT)
    b_h1 = tl.zeros([64, BV], dtype=tl.float32)
    b_h2 = tl.zeros([64, BV], dtype=tl.float32)
    v += (i_b * T * H + i_h) * V
    k += (i_b * T * H + i_h) * K
    w += (i_b * T * H + i_h) * K
    v_new += (i_b * T * H + i_h) * V
    h += (i_b * NT * H + i_h).to(tl.int64) * K * V
    for i_t in range(NT):
        p_h1 = tl.make_block_ptr(h + i_t * H * K * V, (K, V), (V, 1), (0, i_v * BV), (64, BV), (1, 0))
        tl.store(p_h1, b_h1.to(p_h1.dtype.element_ty), boundary_check=(0, 1))
        p_h2 = tl.make_block_ptr(h + i_t * H * K * V, (K, V), (V, 1), (64, i_v * BV), (64, BV), (1, 0))
        tl.store(p_h2, b_h2.to(p_h2.dtype.element_ty), boundary_check=(0, 1))
        p_w = tl.make_block_ptr(w, (T, K), (H * K, 1), (i_t * BT, 0), (BT, 64), (1, 0))
        b_w = tl.load(p_w, boundary_check=(0, 1))
        b_v = tl.dot(b_w, b_h1.to(b_w.dtype))
        p_w = tl.make_block_ptr(w, (T, K), (H * K, 1), (i_t * BT, 64), (BT, 64), (1, 0))
        b_w = tl.load(p_w, boundary_check=(0, 1))
        b_v += tl.dot(b_w, b_h2.to(b_w.dtype))
        p_v = tl.make_block_ptr(v, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        b_v = tl.load(p_v, boundary_check=(0, 1)) - b_v
        p_n = tl.make_block_ptr(v_new, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        tl.store(p_n, b_v.to(p_n.dtype.element_ty), boundary_check=(0, 1))
        last = min((i_t + 1) * BT, T) - 1
        b_g_last = tl.load(g + i_b * T * H + last * H + i_h)
        p_g = tl.make_block_ptr(g + i_b * T * H + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
        b_g = tl.load(p_g, boundary_check=(0,))
        inside = (i_t * BT + tl.arange(0, BT)) < T
        b_v = b_v * tl.where(inside, tl.exp(b_g_last - b_g), 0)[:, None]
        b_g_last = tl.exp(b_g_last)
        b_h1 *= b_g_last
        b_h2 *= b_g_last
        b_v = b_v.to(k.dtype.element_ty)
        p_k = tl.make_block_ptr(k, (K, T), (1, H * K), (0, i_t * BT), (64, BT), (0, 1))
        b_h1 += tl.dot(tl.load(p_k, boundary_check=(0, 1)), b_v)
        p_k = tl.make_block_ptr(k, (K, T), (1, H * K), (64, i_t * BT), (64, BT), (0, 1))
        b_h2 += tl.dot(tl.load(p_k, boundary_check=(0, 1)), b_v)
    p_f = tl.make_block_ptr(final + i_bh * K * V, (K, V), (V, 1), (0, i_v * BV), (64, BV), (1, 0))
    tl.store(p_f, b_h1, boundary_check=(0, 1))
    p_f = tl.make_block_ptr(final + i_bh * K * V, (K, V), (V, 1), (64, i_v * BV), (64, BV), (1, 0))
    tl.store(p_f, b_h2, boundary_check=(0, 1))


@triton.jit
def chunk_output_kernel(
    q, k, v, h, g, o, scale, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
    BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr,
):  # fmt: skip
    """The output of the queries of a chunk, from the state before it and from the chunk itself."""
    i_v, i_t, i_bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    i_b, i_h = i_bh // H, i_bh % H
    i_tg = i_b * tl.cdiv(T, BT) + i_t
    q += (i_b * T * H + i_h) * K
    k += (i_b * T * H + i_h) * K
    v += (i_b * T * H + i_h) * V
    o += (i_b * T * H + i_h) * V
    h += (i_tg * H + i_h).to(tl.int64) * K * V
    b_o = tl.zeros([BT, BV], dtype=tl.float32)
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        p_q = tl.make_block_ptr(q, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_k = tl.make_block_ptr(k, (K, T), (1, H * K), (i_k * BK, i_t * BT), (BK, BT), (0, 1))
        p_h = tl.make_block_ptr(h, (K, V), (V, 1), (i_k * BK, i_v * BV), (BK, BV), (1, 0))
        b_q = tl.load(p_q, boundary_check=(0, 1))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_h = tl.load(p_h, boundary_check=(0, 1))
        b_o += tl.dot(b_q, b_h)
        b_A += tl.dot(b_q, b_k)
    g += i_b * T * H + i_h
    p_g = tl.make_block_ptr(g, (T,), (H,), (i_t * BT,), (BT,), (0,))
    b_g = tl.load(p_g, boundary_check=(0,))
    b_o = b_o * tl.exp(b_g)[:, None]
    b_A = b_A * tl.exp(b_g[:, None] - b_g[None, :])
    o_t = i_t * BT + tl.arange(0, BT)
    inside = o_t < T
    b_A = tl.where((o_t[:, None] >= o_t[None, :]) & (inside[:, None] & inside), b_A, 0)
    p_v = tl.make_block_ptr(v, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    p_o = tl.make_block_ptr(o, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    b_v = tl.load(p_v, boundary_check=(0, 1))
    b_o = b_o * scale + tl.dot(b_A.to(b_v.dtype), b_v) * scale
    tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def keys_of_chunk_kernel(
    k, g, beta, A, T, H: tl.constexpr, K: tl.constexpr, BT: tl.constexpr, BK: tl.constexpr
):
    """Dots of the keys of a chunk with each other, below the diagonal."""
    i_t, i_bh = tl.program_id(0), tl.program_id(1)
    i_b, i_h = i_bh // H, i_bh % H
    o_t = i_t * BT + tl.arange(0, BT)
    p_beta = tl.make_block_ptr(beta + i_b * T * H + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    b_beta = tl.load(p_beta, boundary_check=(0,))
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        p_k = tl.make_block_ptr(
            k + (i_b * T * H + i_h) * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0)
        )
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_kb = b_k * b_beta[:, None]
        b_A += tl.dot(b_kb.to(b_k.dtype), tl.trans(b_k))
    p_g = tl.make_block_ptr(g + i_b * T * H + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    b_g = tl.load(p_g, boundary_check=(0,))
    b_A *= tl.exp(b_g[:, None] - b_g[None, :])
    b_A = tl.where((o_t[:, None] > o_t[None, :]) & (o_t[:, None] < T), b_A, 0)
    p_A = tl.make_block_ptr(
        A + (i_b * T * H + i_h) * BT, (T, BT), (BT * H, 1), (i_t * BT, 0), (BT, BT), (1, 0)
    )
    tl.store(p_A, b_A.to(p_A.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def inverse_kernel(A, Ai, T, H: tl.constexpr, BT: tl.constexpr):
    """Inverses of unit lower triangles of 16 x 16, row by row."""
    i_t, i_bh = tl.program_id(0), tl.program_id(1)
    i_b, i_h = i_bh // H, i_bh % H
    o = tl.arange(0, 16)
    lower = o[:, None] > o[None, :]
    A += (i_b * T * H + i_h) * BT
    Ai += (i_b * T * H + i_h) * 16
    offset = (i_t * 16) % BT
    p_A = tl.make_block_ptr(A, (T, BT), (H * BT, 1), (i_t * 16, offset), (16, 16), (1, 0))
    b_A = tl.load(p_A, boundary_check=(0, 1)).to(tl.float32)
    b_A = -tl.where(lower, b_A, 0)
    for i in range(2, min(16, T - i_t * 16)):
        b_a = -tl.load(A + (i_t * 16 + i) * H * BT + o + offset)
        b_a = tl.where(o < i, b_a, 0.0)
        b_a = b_a + tl.sum(b_a[:, None] * b_A, 0)
        b_A = tl.where((o == i)[:, None], b_a, b_A)
    b_A += o[:, None] == o[None, :]
    p_Ai = tl.make_block_ptr(Ai, (T, 16), (H * 16, 1), (i_t * 16, 0), (16, 16), (1, 0))
    tl.store(p_Ai, b_A.to(p_Ai.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def recompute_kernel(
    k, v, beta, w, u, A, g, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
    BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr,
):  # fmt: skip
    """w and u of the delta rule from the inverse of a chunk."""
    i_t, i_bh = tl.program_id(0), tl.program_id(1)
    i_b, i_h = i_bh // H, i_bh % H
    p_beta = tl.make_block_ptr(beta + i_b * T * H + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    b_beta = tl.load(p_beta, boundary_check=(0,))
    p_A = tl.make_block_ptr(
        A + (i_b * T * H + i_h) * BT, (T, BT), (H * BT, 1), (i_t * BT, 0), (BT, BT), (1, 0)
    )
    b_A = tl.load(p_A, boundary_check=(0, 1))
    p_g = tl.make_block_ptr(g + i_b * T * H + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    b_g = tl.exp(tl.load(p_g, boundary_check=(0,)))
    for i_v in range(tl.cdiv(V, BV)):
        at = (i_b * T * H + i_h) * V
        p_v = tl.make_block_ptr(v + at, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_u = tl.make_block_ptr(u + at, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_u = tl.dot(b_A, (b_v * b_beta[:, None]).to(b_v.dtype), allow_tf32=False)
        tl.store(p_u, b_u.to(p_u.dtype.element_ty), boundary_check=(0, 1))
    for i_k in range(tl.cdiv(K, BK)):
        at = (i_b * T * H + i_h) * K
        p_k = tl.make_block_ptr(k + at, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_w = tl.make_block_ptr(w + at, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_w = tl.dot(b_A, (b_k * (b_beta * b_g)[:, None]).to(b_k.dtype))
        tl.store(p_w, b_w.to(p_w.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def recurrent_delta_kernel(
    q, k, v, g, beta, o, h0, ht, scale, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
    BK: tl.constexpr, BV: tl.constexpr,
):  # fmt: skip
    """The recurrence step by step, with the state of a head in registers."""
    i_v, i_bh = tl.program_id(0), tl.program_id(1)
    i_b, i_h = i_bh // H, i_bh % H
    o_k = tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    p_q = q + (i_b * T * H + i_h) * K + o_k
    p_k = k + (i_b * T * H + i_h) * K + o_k
    p_v = v + (i_b * T * H + i_h) * V + o_v
    p_o = o + (i_b * T * H + i_h) * V + o_v
    p_g = g + i_b * T * H + i_h
    p_beta = beta + i_b * T * H + i_h
    p_h = h0 + i_bh * K * V + o_k[:, None] * V + o_v[None, :]
    b_h = tl.load(p_h).to(tl.float32)
    for _ in range(0, T):
        b_q = tl.load(p_q).to(tl.float32)
        b_k = tl.load(p_k).to(tl.float32)
        b_v = tl.load(p_v).to(tl.float32)
        b_q = b_q / tl.sqrt(tl.sum(b_q * b_q) + 1e-6) * scale
        b_k = b_k / tl.sqrt(tl.sum(b_k * b_k) + 1e-6)
        b_h *= tl.exp(tl.load(p_g).to(tl.float32))
        b_v = tl.load(p_beta).to(tl.float32) * (b_v - tl.sum(b_h * b_k[:, None], 0))
        b_h += b_k[:, None] * b_v[None, :]
        tl.store(p_o, tl.sum(b_h * b_q[:, None], 0).to(p_o.dtype.element_ty))
        p_q += H * K
        p_k += H * K
        p_v += H * V
        p_o += H * V
        p_g += H
        p_beta += H
    p_h = ht + i_bh * K * V + o_k[:, None] * V + o_v[None, :]
    tl.store(p_h, b_h)


@triton.jit
def chunk_scan_kernel(
    cb, x, dt, da, c, states, d, out, L, H, HEAD, STATE_SIZE, ratio,
    STATE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """The outputs of a chunk of L steps (Mamba 2), from the state before it and from the chunk itself."""
    pid, chunk, head = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.program_id(2)
    n_blocks = tl.cdiv(HEAD, BLOCK_N)
    pid_m, pid_n = pid // n_blocks, pid % n_blocks
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    s = tl.arange(0, STATE)
    group = head // ratio
    groups = H // ratio
    da += (chunk * H + head) * L
    dt += (chunk * H + head) * L
    da_m = tl.load(da + m, mask=m < L, other=0.0)
    c_block = tl.load(
        c + ((chunk * L + m[:, None]) * groups + group) * STATE_SIZE + s[None, :],
        mask=(m[:, None] < L) & (s[None, :] < STATE_SIZE), other=0.0,
    )  # fmt: skip
    before = tl.load(
        states + ((chunk * H + head) * HEAD + n[None, :]) * STATE_SIZE + s[:, None],
        mask=(s[:, None] < STATE_SIZE) & (n[None, :] < HEAD), other=0.0,
    )  # fmt: skip
    acc = tl.dot(c_block, before.to(c_block.dtype)) * tl.exp(da_m)[:, None]
    cb_ptrs = cb + (chunk * groups + group) * L * L + m[:, None] * L + k[None, :]
    x_ptrs = x + ((chunk * L + k[:, None]) * H + head) * HEAD + n[None, :]
    last = min((pid_m + 1) * BLOCK_M, L)
    for start in range(0, last, BLOCK_K):
        cb_block = tl.load(cb_ptrs, mask=(m[:, None] < L) & (k[None, :] < L - start), other=0.0).to(
            tl.float32
        )
        da_k = tl.load(da + start + k, mask=k < L - start, other=0.0)
        cb_block *= tl.exp(tl.minimum(da_m[:, None] - da_k[None, :], 0.0))
        cb_block *= tl.load(dt + start + k, mask=k < L - start, other=0.0)[None, :]
        cb_block = tl.where(m[:, None] >= start + k[None, :], cb_block, 0.0).to(x.dtype.element_ty)
        x_block = tl.load(x_ptrs, mask=(k[:, None] < L - start) & (n[None, :] < HEAD), other=0.0)
        acc += tl.dot(cb_block, x_block)
        cb_ptrs += BLOCK_K
        x_ptrs += BLOCK_K * H * HEAD
    at = ((chunk * L + m[:, None]) * H + head) * HEAD + n[None, :]
    mask = (m[:, None] < L) & (n[None, :] < HEAD)
    acc += tl.load(x + at, mask=mask, other=0.0).to(tl.float32) * tl.load(d + head)
    tl.store(out + at, acc.to(out.dtype.element_ty), mask=mask)


@triton.jit
def chunk_gradients_kernel(
    q, k, v, h, do, dh, dq, dk, g, scale, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
    BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr,
):  # fmt: skip
    """Gradients of queries and keys of a chunk."""
    i_k, i_t, i_bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    i_b, i_h = i_bh // H, i_bh % H
    i_tg = i_b * tl.cdiv(T, BT) + i_t
    row, col = (i_b * T * H + i_h) * K, (i_b * T * H + i_h) * V
    h += (i_tg * H + i_h).to(tl.int64) * K * V
    dh += (i_tg * H + i_h).to(tl.int64) * K * V
    b_dq = tl.zeros([BT, BK], dtype=tl.float32)
    b_dk = tl.zeros([BT, BK], dtype=tl.float32)
    b_ds = tl.zeros([BT, BT], dtype=tl.float32)
    for i_v in range(tl.cdiv(V, BV)):
        p_v = tl.make_block_ptr(v + col, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_do = tl.make_block_ptr(do + col, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_h = tl.make_block_ptr(h, (V, K), (1, V), (i_v * BV, i_k * BK), (BV, BK), (0, 1))
        p_dh = tl.make_block_ptr(dh, (V, K), (1, V), (i_v * BV, i_k * BK), (BV, BK), (0, 1))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_do = tl.load(p_do, boundary_check=(0, 1))
        b_h = tl.load(p_h, boundary_check=(0, 1))
        b_dh = tl.load(p_dh, boundary_check=(0, 1))
        b_ds += tl.dot(b_do, tl.trans(b_v))
        b_dq += tl.dot(b_do, b_h.to(b_do.dtype))
        b_dk += tl.dot(b_v, b_dh.to(b_v.dtype))
    p_g = tl.make_block_ptr(g + i_b * T * H + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    b_g = tl.load(p_g, boundary_check=(0,))
    last = tl.load(g + i_b * T * H + (min(i_t * BT + BT, T) - 1) * H + i_h)
    p_q = tl.make_block_ptr(q + row, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
    p_k = tl.make_block_ptr(k + row, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
    b_q = tl.load(p_q, boundary_check=(0, 1))
    b_k = tl.load(p_k, boundary_check=(0, 1))
    b_dq = b_dq * tl.exp(b_g)[:, None] * scale
    b_dk = b_dk * tl.exp(last - b_g)[:, None]
    o_t = i_t * BT + tl.arange(0, BT)
    b_ds = tl.where(o_t[:, None] >= o_t[None, :], b_ds * tl.exp(b_g[:, None] - b_g[None, :]), 0) * scale
    b_ds = b_ds.to(b_k.dtype)
    b_dq += tl.dot(b_ds, b_k)
    b_dk += tl.dot(tl.trans(b_ds), b_q)
    p_dq = tl.make_block_ptr(dq + row, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
    p_dk = tl.make_block_ptr(dk + row, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
    tl.store(p_dq, b_dq.to(p_dq.dtype.element_ty), boundary_check=(0, 1))
    tl.store(p_dk, b_dk.to(p_dk.dtype.element_ty), boundary_check=(0, 1))
