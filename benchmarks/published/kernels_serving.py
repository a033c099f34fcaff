"""Attention of servers and of generated code, and low-rank adapters; both compilers read this file."""

import triton
import triton.language as tl


@triton.jit
def which_sequence(starts_ptr, block, n_seqs, BLOCK_Q: tl.constexpr):
    """Finds the sequence of a block of queries by binary search."""
    left = 0
    right = n_seqs
    while left < right:
        middle = (left + right) // 2
        if tl.load(starts_ptr + middle) // BLOCK_Q + middle <= block:
            left = middle + 1
        else:
            right = middle
    return left - 1


@triton.jit
def unified_kernel(
    out_ptr, q_ptr, k_ptr, v_ptr, tables_ptr, lengths_ptr, starts_ptr, n_seqs, scale, k_scale, v_scale,
    stride_qt, stride_qh, stride_ks, stride_kp, stride_kh, stride_tb,
    PER_KV: tl.constexpr, PAGE: tl.constexpr, TILE: tl.constexpr, HEAD: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_M: tl.constexpr, WINDOW: tl.constexpr, SOFTCAP: tl.constexpr,
):  # fmt: skip
    """Prefill and decoding in one kernel: rows are queries times the heads that share keys; keys are paged."""
    block, kv_head = tl.program_id(0), tl.program_id(1)
    seq = which_sequence(starts_ptr, block, n_seqs, BLOCK_Q)
    first_block = tl.load(starts_ptr + seq) // BLOCK_Q + seq
    local = block - first_block
    start = tl.load(starts_ptr + seq)
    q_len = tl.load(starts_ptr + seq + 1) - start
    if local * BLOCK_Q >= q_len:
        return
    offs_m = tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, HEAD)
    offs_t = tl.arange(0, TILE)
    pos = local * BLOCK_Q + offs_m // PER_KV
    q_at = (start + pos) * stride_qt
    head = kv_head * PER_KV + offs_m % PER_KV
    q_offs = q_at[:, None] + head[:, None] * stride_qh + offs_d[None, :]
    q_mask = pos < q_len
    q = tl.load(q_ptr + q_offs, mask=q_mask[:, None], other=0.0)
    m = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    total = tl.full([BLOCK_M], 1.0, dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD], dtype=tl.float32)
    length = tl.load(lengths_ptr + seq)
    context = length - q_len
    last = context + local * BLOCK_Q + (BLOCK_M - 1) // PER_KV + 1
    last = tl.minimum(last, length)
    n_tiles = tl.cdiv(last, TILE)
    first_tile = 0
    if WINDOW > 0:
        first_tile = tl.maximum(0, (context + local * BLOCK_Q - WINDOW + 1) // TILE)
    for j in range(first_tile, n_tiles):
        t = j * TILE + offs_t
        t_mask = t < last
        page = tl.load(tables_ptr + seq * stride_tb + t // PAGE, mask=t_mask, other=0).to(tl.int64)
        at = page * stride_ks + kv_head * stride_kh + (t % PAGE) * stride_kp
        k = tl.load(k_ptr + at[None, :] + offs_d[:, None], mask=t_mask[None, :], other=0.0)
        v = tl.load(v_ptr + at[:, None] + offs_d[None, :], mask=t_mask[:, None], other=0.0)
        if k.dtype.is_fp8():
            k = (k.to(tl.float32) * tl.load(k_scale)).to(q.dtype)
            v = (v.to(tl.float32) * tl.load(v_scale)).to(q.dtype)
        seen = t[None, :] < context + pos[:, None] + 1
        s = scale * tl.dot(q, k)
        if SOFTCAP > 0:
            s = SOFTCAP * (2 * tl.sigmoid(2 * s / SOFTCAP) - 1)
        s = tl.where(q_mask[:, None] & seen, s, float("-inf"))
        if WINDOW > 0:
            s = tl.where(context + pos[:, None] - t[None, :] < WINDOW, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        m_new = tl.where(m_new > float("-inf"), m_new, 0.0)
        p = tl.exp(s - m_new[:, None])
        added = tl.sum(p, axis=1)
        alpha = tl.exp(m - m_new)
        acc = acc * alpha[:, None]
        total = total * alpha + added
        m = m_new
        acc += tl.dot(p.to(v.dtype), v)
    acc = acc / total[:, None]
    tl.store(out_ptr + q_offs, acc.to(out_ptr.dtype.element_ty), mask=q_mask[:, None])


@triton.jit
def grouped_decode_kernel(
    q_ptr, k_ptr, v_ptr, mid_ptr, lse_ptr, indptr, indices, scale, stride_qb, stride_kt, stride_vt, stride_mb,
    stride_mh, SPLITS: tl.constexpr, GROUP: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_R: tl.constexpr,
    BLOCK_V: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_N: tl.constexpr, HEADS: tl.constexpr,
):  # fmt: skip
    """Split decoding; an index locates the keys of each token. Latent keys have BLOCK_R more, rotated elements."""
    b, h_block, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    VALID: tl.constexpr = BLOCK_H if GROUP > BLOCK_H else GROUP
    kv_head = h_block // tl.cdiv(GROUP, BLOCK_H)
    heads = h_block * VALID + tl.arange(0, BLOCK_H)
    h_mask = (heads < (h_block + 1) * VALID) & (heads < HEADS)
    offs_d = tl.arange(0, BLOCK_D)
    offs_v = tl.arange(0, BLOCK_V)
    begin = tl.load(indptr + b)
    n = tl.load(indptr + b + 1) - begin
    q_at = b * stride_qb + heads[:, None] * (BLOCK_D + BLOCK_R) + offs_d[None, :]
    q = tl.load(q_ptr + q_at, mask=h_mask[:, None], other=0.0)
    if BLOCK_R > 0:
        offs_r = BLOCK_D + tl.arange(0, BLOCK_R)
        r_at = b * stride_qb + heads[:, None] * (BLOCK_D + BLOCK_R) + offs_r[None, :]
        q_r = tl.load(q_ptr + r_at, mask=h_mask[:, None], other=0.0)
    per_split = tl.cdiv(n, SPLITS)
    start = per_split * split
    end = tl.minimum(start + per_split, n)
    e_max = tl.zeros([BLOCK_H], dtype=tl.float32) - float("inf")
    e_sum = tl.zeros([BLOCK_H], dtype=tl.float32)
    acc = tl.zeros([BLOCK_H, BLOCK_V], dtype=tl.float32)
    if end > start:
        for start_n in range(start, end, BLOCK_N):
            offs_n = start_n + tl.arange(0, BLOCK_N)
            loc = tl.load(indices + begin + offs_n, mask=offs_n < end, other=0)
            k_at = loc[None, :] * stride_kt + kv_head * (BLOCK_D + BLOCK_R) + offs_d[:, None]
            k = tl.load(k_ptr + k_at, mask=offs_n[None, :] < end, other=0.0)
            qk = tl.dot(q, k.to(q.dtype))
            if BLOCK_R > 0:
                rest_at = loc[None, :] * stride_kt + kv_head * (BLOCK_D + BLOCK_R) + offs_r[:, None]
                k_r = tl.load(k_ptr + rest_at, mask=offs_n[None, :] < end, other=0.0)
                qk += tl.dot(q_r, k_r.to(q_r.dtype))
            qk *= scale
            qk = tl.where(h_mask[:, None] & (offs_n[None, :] < end), qk, float("-inf"))
            v_at = loc[:, None] * stride_vt + kv_head * (BLOCK_V + BLOCK_R) + offs_v[None, :]
            v = tl.load(v_ptr + v_at, mask=offs_n[:, None] < end, other=0.0)
            n_e_max = tl.maximum(tl.max(qk, 1), e_max)
            re_scale = tl.exp(e_max - n_e_max)
            p = tl.exp(qk - n_e_max[:, None])
            acc *= re_scale[:, None]
            acc += tl.dot(p.to(v.dtype), v)
            e_sum = e_sum * re_scale + tl.sum(p, 1)
            e_max = n_e_max
        mid = b * stride_mb + heads[:, None] * stride_mh + split * BLOCK_V + offs_v[None, :]
        tl.store(mid_ptr + mid, acc / e_sum[:, None], mask=h_mask[:, None])
        tl.store(lse_ptr + (b * HEADS + heads) * SPLITS + split, e_max + tl.log(e_sum), mask=h_mask)


@triton.jit
def int8_decode_kernel(
    q_ptr, k_ptr, v_ptr, k_scale_ptr, v_scale_ptr, tables_ptr, lengths_ptr, mid_ptr, lse_ptr, scale, stride_tb,
    KV_HEADS: tl.constexpr, PAGE: tl.constexpr, HEAD: tl.constexpr, GROUP: tl.constexpr, BLOCK_H: tl.constexpr,
    PAGES: tl.constexpr,
):  # fmt: skip
    """8-bit keys and values in pages, with a scale per token and head; a program has PAGES pages."""
    b, kv_head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    h = tl.arange(0, BLOCK_H)
    d = tl.arange(0, HEAD)
    p_offs = tl.arange(0, PAGE)
    q_at = (b * KV_HEADS * GROUP + kv_head * GROUP + h[:, None]) * HEAD + d[None, :]
    q = tl.load(q_ptr + q_at, mask=h[:, None] < GROUP, other=0.0)
    length = tl.load(lengths_ptr + b)
    m = tl.full([BLOCK_H], float("-inf"), dtype=tl.float32)
    total = tl.zeros([BLOCK_H], dtype=tl.float32)
    acc = tl.zeros([BLOCK_H, HEAD], dtype=tl.float32)
    for i in range(PAGES):
        number = split * PAGES + i
        page = tl.load(tables_ptr + b * stride_tb + number).to(tl.int64)
        valid = number * PAGE + p_offs < length
        at = (page * PAGE + p_offs) * KV_HEADS + kv_head
        k = tl.load(k_ptr + at[:, None] * HEAD + d[None, :], mask=valid[:, None], other=0)
        ks = tl.load(k_scale_ptr + at, mask=valid, other=0.0)
        s = tl.dot(q, tl.trans(k.to(q.dtype))) * (ks * scale)[None, :]
        s = tl.where(valid[None, :], s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m - m_new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + at[:, None] * HEAD + d[None, :], mask=valid[:, None], other=0)
        vs = tl.load(v_scale_ptr + at, mask=valid, other=0.0)
        acc = acc * alpha[:, None] + tl.dot((p * vs[None, :]).to(q.dtype), v.to(q.dtype))
        m = m_new
    row = (b * KV_HEADS + kv_head) * GROUP + h
    out = (row * tl.num_programs(2) + split)[:, None] * HEAD + d[None, :]
    tl.store(mid_ptr + out, acc / total[:, None], mask=h[:, None] < GROUP)
    tl.store(lse_ptr + row * tl.num_programs(2) + split, m + tl.log2(total), mask=h < GROUP)


@triton.jit
def flex_inner(
    q, k_base, v_base, acc, total, m, indices, n_blocks, offs_m, head, N, scale,
    SPARSE: tl.constexpr, BLOCK_N: tl.constexpr, HEAD: tl.constexpr, FULL: tl.constexpr,
):  # fmt: skip
    """Processes the blocks of keys in a list; some are masked."""
    start = tl.load(indices) * SPARSE
    k_ptr = tl.make_block_ptr(k_base, (HEAD, N), (1, HEAD), (0, start), (HEAD, BLOCK_N), (0, 1))
    v_ptr = tl.make_block_ptr(v_base, (N, HEAD), (HEAD, 1), (start, 0), (BLOCK_N, HEAD), (1, 0))
    offs_n = start + tl.arange(0, BLOCK_N)
    MULTIPLE: tl.constexpr = SPARSE // BLOCK_N
    for i in range(0, n_blocks * MULTIPLE):
        k = tl.load(k_ptr)
        s = tl.dot(q, k) * scale
        post = s + tl.exp2(-(head + 1) * 0.5) * (offs_n[None, :] - offs_m[:, None])
        if not FULL:
            post = tl.where(offs_m[:, None] >= offs_n[None, :], post, float("-inf"))
        post *= 1.44269504
        m_new = tl.maximum(m, tl.max(post, 1))
        m_masked = tl.where(m_new == float("-inf"), 0, m_new)
        alpha = tl.math.exp2(m - m_masked)
        p = tl.math.exp2(post - m_masked[:, None])
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_ptr)
        acc = tl.dot(p.to(v.dtype), v, acc)
        m = m_new
        current = i // MULTIPLE
        value = tl.load(indices + current, eviction_policy="evict_last")
        following = tl.load(
            indices + current + 1, eviction_policy="evict_last", mask=current + 1 < n_blocks, other=0
        )
        jump = (following - value) * SPARSE - SPARSE + BLOCK_N
        step = jump if (i + 1) % MULTIPLE == 0 else BLOCK_N
        k_ptr = tl.advance(k_ptr, (0, step))
        v_ptr = tl.advance(v_ptr, (step, 0))
        offs_n = offs_n + step
    return acc, total, m


@triton.jit
def flex_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, counts_ptr, indices_ptr, full_counts_ptr, full_indices_ptr, heads, N,
    scale, SPARSE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, HEAD: tl.constexpr,
):  # fmt: skip
    """Attention with modified scores (a slope per head) and a block mask."""
    row, bh = tl.program_id(0), tl.program_id(1)
    base = bh.to(tl.int64) * N * HEAD
    q_block = tl.make_block_ptr(
        q_ptr + base, (N, HEAD), (HEAD, 1), (row * BLOCK_M, 0), (BLOCK_M, HEAD), (1, 0)
    )
    q = tl.load(q_block)
    m = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD], dtype=tl.float32)
    offs_m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    mask_row = row * BLOCK_M // SPARSE
    width = N // SPARSE
    head = bh % heads
    acc, total, m = flex_inner(
        q, k_ptr + base, v_ptr + base, acc, total, m, indices_ptr + mask_row * width, tl.load(counts_ptr + mask_row),
        offs_m, head, N, scale, SPARSE, BLOCK_N, HEAD, False,
    )  # fmt: skip
    acc, total, m = flex_inner(
        q, k_ptr + base, v_ptr + base, acc, total, m, full_indices_ptr + mask_row * width,
        tl.load(full_counts_ptr + mask_row), offs_m, head, N, scale, SPARSE, BLOCK_N, HEAD, True,
    )  # fmt: skip
    total = tl.where(total == 0.0, 1, total)
    acc = acc / total[:, None]
    o_block = tl.make_block_ptr(
        out_ptr + base, (N, HEAD), (HEAD, 1), (row * BLOCK_M, 0), (BLOCK_M, HEAD), (1, 0)
    )
    tl.store(o_block, acc.to(out_ptr.dtype.element_ty))
    tl.store(lse_ptr + bh * N + offs_m, m + tl.math.log2(total))


@triton.jit
def biased_attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    bias_ptr,
    out_ptr,
    N,
    scale,
    HEAD: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Adds a matrix of biases per head to the scores; pointers."""
    start, bh = tl.program_id(0), tl.program_id(1)
    m_offs = start * BLOCK_M + tl.arange(0, BLOCK_M)
    n_offs = tl.arange(0, BLOCK_N)
    d = tl.arange(0, HEAD)
    base = bh.to(tl.int64) * N * HEAD
    q = tl.load(q_ptr + base + m_offs[:, None] * HEAD + d[None, :])
    k_ptrs = k_ptr + base + n_offs[:, None] * HEAD + d[None, :]
    v_ptrs = v_ptr + base + n_offs[:, None] * HEAD + d[None, :]
    bias_ptrs = bias_ptr + bh.to(tl.int64) * N * N + m_offs[:, None] * N + n_offs[None, :]
    m = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD], dtype=tl.float32)
    for _ in range(0, N, BLOCK_N):
        k = tl.load(k_ptrs)
        s = tl.dot(q, tl.trans(k)) * scale
        s += tl.load(bias_ptrs).to(tl.float32) * 1.44269504
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m - m_new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptrs)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = m_new
        k_ptrs += BLOCK_N * HEAD
        v_ptrs += BLOCK_N * HEAD
        bias_ptrs += BLOCK_N
    out = acc / total[:, None]
    tl.store(out_ptr + base + m_offs[:, None] * HEAD + d[None, :], out.to(out_ptr.dtype.element_ty))


@triton.jit
def shrink_kernel(
    x_ptr, a_ptr, out_ptr, order_ptr, counts_ptr, starts_ptr, ids_ptr, M, N, K, stride_xm, stride_al, stride_an,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT: tl.constexpr,
):  # fmt: skip
    """Tokens sorted by adapter times the narrow matrix of their adapter; split-K parts are added atomically."""
    pid, slot = tl.program_id(0), tl.program_id(1)
    pid_k, pid_m = pid % SPLIT, pid // SPLIT
    lora = tl.load(ids_ptr + slot)
    count = tl.load(counts_ptr + slot)
    if pid_m * BLOCK_M >= count:
        return
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    token = tl.load(order_ptr + tl.load(starts_ptr + slot) + rows, mask=rows < count, other=0)
    n = tl.arange(0, BLOCK_N)
    k = pid_k * BLOCK_K + tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + token[:, None] * stride_xm + k[None, :]
    a_ptrs = a_ptr + lora * stride_al + n[None, :] * stride_an + k[:, None]
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K * SPLIT)):
        acc += tl.dot(tl.load(x_ptrs), tl.load(a_ptrs))
        x_ptrs += BLOCK_K * SPLIT
        a_ptrs += BLOCK_K * SPLIT
    mask = (rows[:, None] < count) & (n[None, :] < N)
    tl.atomic_add(out_ptr + token[:, None] * N + n[None, :], acc, mask=mask, sem="relaxed")
