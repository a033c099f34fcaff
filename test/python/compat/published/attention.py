"""Attention as serving and training systems compute it."""

import triton
import triton.language as tl


@triton.jit
def paged_decode_kernel(
    out_ptr, q_ptr, k_cache_ptr, v_cache_ptr, block_tables_ptr, seq_lens_ptr, scale,
    stride_qb, stride_qh, stride_kb, stride_kp, stride_kh, stride_tb,
    HEAD: tl.constexpr, PAGE: tl.constexpr, GROUP: tl.constexpr, GROUP_PADDED: tl.constexpr,
):  # fmt: skip
    """One new token per sequence; a table maps keys and values to pages. One program per head of keys."""
    seq, kv_head = tl.program_id(0), tl.program_id(1)
    length = tl.load(seq_lens_ptr + seq)
    offs_g = tl.arange(0, GROUP_PADDED)
    offs_d = tl.arange(0, HEAD)
    offs_p = tl.arange(0, PAGE)
    heads = kv_head * GROUP + offs_g
    in_group = offs_g < GROUP
    q_ptrs = q_ptr + seq * stride_qb + heads[:, None] * stride_qh + offs_d[None, :]
    q = tl.load(q_ptrs, mask=in_group[:, None], other=0.0)
    m_i = tl.full([GROUP_PADDED], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([GROUP_PADDED], dtype=tl.float32)
    acc = tl.zeros([GROUP_PADDED, HEAD], dtype=tl.float32)
    for page in range(0, tl.cdiv(length, PAGE)):
        block = tl.load(block_tables_ptr + seq * stride_tb + page).to(tl.int64)
        offsets = block * stride_kb + offs_p[:, None] * stride_kp + kv_head * stride_kh + offs_d[None, :]
        valid = page * PAGE + offs_p < length
        k = tl.load(k_cache_ptr + offsets, mask=valid[:, None], other=0.0)
        qk = tl.dot(q, tl.trans(k)) * scale
        qk = tl.where(valid[None, :], qk, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_cache_ptr + offsets, mask=valid[:, None], other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m_i = m_new
    acc /= l_i[:, None]
    tl.store(
        out_ptr + seq * stride_qb + heads[:, None] * stride_qh + offs_d[None, :],
        acc.to(out_ptr.dtype.element_ty), mask=in_group[:, None],
    )  # fmt: skip


@triton.jit
def split_kv_kernel(
    q, k, v, mid_o, mid_lse, n_ctx, sm_scale, stride_kn, stride_ob, stride_os,
    HEAD: tl.constexpr, BLOCK_N: tl.constexpr, SPLITS: tl.constexpr,
):  # fmt: skip
    """Flash decoding, first stage: one program per part of the keys of a head."""
    head = tl.program_id(0)
    split = tl.program_id(1)
    per_split = tl.cdiv(n_ctx, SPLITS)
    start = per_split * split
    end = tl.minimum(start + per_split, n_ctx)
    offs_d = tl.arange(0, HEAD)
    query = tl.load(q + head * HEAD + offs_d).to(tl.float32)
    e_max = -float("inf")
    e_sum = 0.0
    acc = tl.zeros([HEAD], dtype=tl.float32)
    if end > start:
        for start_n in range(start, end, BLOCK_N):
            offs_n = start_n + tl.arange(0, BLOCK_N)
            mask_n = offs_n < end
            offs = (head * n_ctx + offs_n[:, None]) * stride_kn + offs_d[None, :]
            keys = tl.load(k + offs, mask=mask_n[:, None], other=0.0)
            qk = tl.sum(query[None, :] * keys, 1) * sm_scale
            qk = tl.where(mask_n, qk, float("-inf"))
            values = tl.load(v + offs, mask=mask_n[:, None], other=0.0)
            n_e_max = tl.maximum(tl.max(qk, 0), e_max)
            re_scale = tl.exp(e_max - n_e_max)
            p = tl.exp(qk - n_e_max)
            acc *= re_scale
            acc += tl.sum(p[:, None] * values, 0)
            e_sum = e_sum * re_scale + tl.sum(p, 0)
            e_max = n_e_max
        tl.store(mid_o + head * stride_ob + split * stride_os + offs_d, acc / e_sum)
        tl.store(mid_lse + head * SPLITS + split, e_max + tl.log(e_sum))
    else:
        tl.store(mid_lse + head * SPLITS + split, -float("inf"))


@triton.jit
def combine_splits_kernel(
    mid_o, mid_lse, out, stride_ob, stride_os, HEAD: tl.constexpr, SPLITS: tl.constexpr
):
    """Flash decoding, second stage."""
    head = tl.program_id(0)
    offs_d = tl.arange(0, HEAD)
    e_sum = 0.0
    e_max = -float("inf")
    acc = tl.zeros([HEAD], dtype=tl.float32)
    for split in range(0, SPLITS):
        lse = tl.load(mid_lse + head * SPLITS + split)
        if lse != -float("inf"):
            tv = tl.load(mid_o + head * stride_ob + split * stride_os + offs_d)
            n_e_max = tl.maximum(lse, e_max)
            old_scale = tl.exp(e_max - n_e_max)
            acc *= old_scale
            exp_logic = tl.exp(lse - n_e_max)
            acc += exp_logic * tv
            e_sum = e_sum * old_scale + exp_logic
            e_max = n_e_max
    tl.store(out + head * HEAD + offs_d, acc / e_sum)


@triton.jit
def rotate(x0, x1, cos, sin, CONJUGATE: tl.constexpr):
    if CONJUGATE:
        sin = -sin
    return x0 * cos - x1 * sin, x0 * sin + x1 * cos


@triton.heuristics({"BLOCK_D": lambda args: triton.next_power_of_2(args["rotary_dim"] // 2)})
@triton.jit
def rope_kernel(
    x_ptr, cos_ptr, sin_ptr, positions_ptr, n_tokens, n_heads, rotary_dim, stride_t, stride_h,
    BLOCK_T: tl.constexpr, INTERLEAVED: tl.constexpr, CONJUGATE: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    """Rotary embedding in place: pairs are neighbours or lie in opposite halves; positions may be None."""
    pid_t = tl.program_id(axis=0)
    head = tl.program_id(axis=1)
    half = rotary_dim // 2
    rt = pid_t * BLOCK_T + tl.arange(0, BLOCK_T)
    rd = tl.arange(0, BLOCK_D)
    mask = (rt[:, None] < n_tokens) & (rd[None, :] < half)
    if positions_ptr is not None:
        position = tl.load(positions_ptr + rt, mask=rt < n_tokens, other=0)
    else:
        position = rt
    cos = tl.load(cos_ptr + position[:, None] * half + rd[None, :], mask=mask, other=1.0).to(tl.float32)
    sin = tl.load(sin_ptr + position[:, None] * half + rd[None, :], mask=mask, other=0.0).to(tl.float32)
    base = x_ptr + rt[:, None] * stride_t + head * stride_h
    if not INTERLEAVED:
        p0, p1 = base + rd[None, :], base + half + rd[None, :]
        x0 = tl.load(p0, mask=mask, other=0.0).to(tl.float32)
        x1 = tl.load(p1, mask=mask, other=0.0).to(tl.float32)
        o0, o1 = rotate(x0, x1, cos, sin, CONJUGATE)
        tl.store(p0, o0, mask=mask)
        tl.store(p1, o1, mask=mask)
    else:
        r2 = tl.arange(0, 2 * BLOCK_D)
        wide = (rt[:, None] < n_tokens) & (r2[None, :] < rotary_dim)
        x = tl.load(base + r2[None, :], mask=wide, other=0.0).to(tl.float32)
        x0, x1 = tl.split(tl.reshape(x, (BLOCK_T, BLOCK_D, 2)))
        o0, o1 = rotate(x0, x1, cos, sin, CONJUGATE)
        tl.store(base + r2[None, :], tl.interleave(o0, o1), mask=wide)


@triton.jit
def write_cache_kernel(
    key_ptr, value_ptr, key_cache_ptr, value_cache_ptr, slot_mapping_ptr, key_stride, value_stride,
    n_elements, PAGE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Writes new keys and values to the slots of a paged cache; a slot below 0 is padding."""
    token = tl.program_id(0)
    slot = tl.load(slot_mapping_ptr + token).to(tl.int64)
    if slot < 0:
        return
    page, in_page = slot // PAGE, slot % PAGE
    for start in tl.range(0, n_elements, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        mask = offs < n_elements
        target = (page * PAGE + in_page) * n_elements + offs
        tl.store(key_cache_ptr + target, tl.load(key_ptr + token * key_stride + offs, mask=mask), mask=mask)
        tl.store(
            value_cache_ptr + target, tl.load(value_ptr + token * value_stride + offs, mask=mask), mask=mask
        )


@triton.jit
def jagged_softmax_kernel(values_ptr, offsets_ptr, out_ptr, D: tl.constexpr, BLOCK_L: tl.constexpr):
    """Softmax over the rows of each sequence of a jagged batch."""
    seq = tl.program_id(0)
    start = tl.load(offsets_ptr + seq)
    end = tl.load(offsets_ptr + seq + 1)
    cols = tl.arange(0, D)
    highest = tl.full((D,), value=float("-inf"), dtype=tl.float32)
    total = tl.zeros((D,), dtype=tl.float32)
    row = start
    while row < end:
        rows = row + tl.arange(0, BLOCK_L)
        mask = (rows < end)[:, None]
        x = tl.load(values_ptr + rows[:, None] * D + cols[None, :], mask=mask, other=-float("inf"))
        new = tl.maximum(highest, tl.max(x, axis=0))
        total = total * tl.exp(highest - new) + tl.sum(tl.exp(x - new[None, :]), axis=0)
        highest = new
        row += BLOCK_L
    row = start
    while row < end:
        rows = row + tl.arange(0, BLOCK_L)
        mask = (rows < end)[:, None]
        x = tl.load(values_ptr + rows[:, None] * D + cols[None, :], mask=mask)
        tl.store(out_ptr + rows[:, None] * D + cols[None, :], tl.exp(x - highest) / total, mask=mask)
        row += BLOCK_L


@triton.jit
def linear_attention_kernel(
    q, k, v, o, decay, h_out, T, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr, BV: tl.constexpr,
    STORE_STATE: tl.constexpr,
):  # fmt: skip
    """Retention-like attention: chunks carry a state, and dots within a chunk are masked."""
    i_v, i_bh = tl.program_id(0), tl.program_id(1)
    b_decay = tl.load(decay + i_bh)
    o_i = tl.arange(0, BT)
    d_b = tl.math.exp2(BT * b_decay)
    d_o = tl.math.exp2((o_i + 1) * b_decay)
    d_h = tl.math.exp2((BT - o_i - 1) * b_decay)
    m_s = o_i[:, None] >= o_i[None, :]
    d_s = tl.where(m_s, tl.math.exp2((o_i[:, None] - o_i[None, :]) * b_decay), 0)
    b_h = tl.zeros([K, BV], dtype=tl.float32)
    for i_t in range(0, tl.cdiv(T, BT)):
        p_q = tl.make_block_ptr(q + i_bh * T * K, (T, K), (K, 1), (i_t * BT, 0), (BT, K), (1, 0))
        p_k = tl.make_block_ptr(k + i_bh * T * K, (K, T), (1, K), (0, i_t * BT), (K, BT), (0, 1))
        p_v = tl.make_block_ptr(v + i_bh * T * V, (T, V), (V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_o = tl.make_block_ptr(o + i_bh * T * V, (T, V), (V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        b_q = tl.load(p_q, boundary_check=(0, 1))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_s = tl.dot(b_q, b_k, allow_tf32=False) * d_s
        b_o = tl.dot(b_s.to(b_q.dtype), b_v, allow_tf32=False)
        b_o += tl.dot(b_q, b_h.to(b_q.dtype), allow_tf32=False) * d_o[:, None]
        if i_t == tl.cdiv(T, BT) - 1 and (T % BT) != 0:
            d_b = tl.math.exp2((T % BT) * b_decay)
            d_h = tl.math.exp2(((T % BT) - o_i - 1) * b_decay)
        b_h = d_b * b_h + tl.dot(b_k, (b_v * d_h[:, None]).to(b_k.dtype), allow_tf32=False)
        tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))
    if STORE_STATE:
        p_h = tl.make_block_ptr(h_out + i_bh * K * V, (K, V), (V, 1), (0, i_v * BV), (K, BV), (1, 0))
        tl.store(p_h, b_h.to(p_h.dtype.element_ty), boundary_check=(0, 1))
