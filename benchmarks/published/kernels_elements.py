"""Gathers, optimisers, and code as compilers generate it; both compilers read this file."""

import triton
import triton.language as tl


@triton.jit
def embedding_gradient_kernel(dy_ptr, ids_ptr, dw_ptr, n, dim, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Adds rows of gradients to the rows of their words."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    ids = tl.load(ids_ptr + rows, mask=rows < n, other=0)
    mask = (rows[:, None] < n) & (cols[None, :] < dim)
    dy = tl.load(dy_ptr + rows[:, None] * dim + cols[None, :], mask=mask, other=0.0)
    tl.atomic_add(dw_ptr + ids[:, None] * dim + cols[None, :], dy.to(tl.float32), mask=mask, sem="relaxed")


@triton.jit
def embedding_kernel(w_ptr, ids_ptr, out_ptr, n, dim, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    ids = tl.load(ids_ptr + rows, mask=rows < n, other=0)
    mask = (rows[:, None] < n) & (cols[None, :] < dim)
    w = tl.load(w_ptr + ids[:, None] * dim + cols[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + rows[:, None] * dim + cols[None, :], w, mask=mask)


@triton.jit
def histogram_kernel(x_ptr, out_ptr, n, per_program, BINS: tl.constexpr, BLOCK: tl.constexpr):
    first = tl.program_id(0) * per_program
    counts = tl.zeros([BINS], dtype=tl.int32)
    for start in range(first, first + per_program, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n, other=0)
        counts += tl.histogram(x.to(tl.int32), BINS, mask=offs < n)
    tl.atomic_add(out_ptr + tl.arange(0, BINS), counts)


@triton.jit
def argmax_kernel(x_ptr, out_ptr, values_ptr, n_cols, BLOCK: tl.constexpr):
    """The index of the largest element of a row, the first of equals."""
    row = tl.program_id(0).to(tl.int64)
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    column = tl.zeros([BLOCK], tl.int32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=float("-inf")).to(tl.float32)
        column = tl.where(x > best, cols, column)
        best = tl.maximum(x, best)
    top, at = tl.max(best, 0, return_indices=True)
    tl.store(values_ptr + row, top)
    tl.store(out_ptr + row, tl.sum(tl.where(tl.arange(0, BLOCK) == at, column, 0), 0))


@triton.jit
def gating_kernel(
    logits_ptr, weights_ptr, ids_ptr, n, E: tl.constexpr, K: tl.constexpr, BLOCK_M: tl.constexpr
):
    """The K best of E experts for each token, and their weights."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    e = tl.arange(0, E)
    x = tl.load(logits_ptr + rows[:, None] * E + e[None, :], mask=rows[:, None] < n, other=-1e9).to(
        tl.float32
    )
    x = tl.exp(x - tl.max(x, 1)[:, None])
    p = x / tl.sum(x, 1)[:, None]
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    for k in tl.static_range(K):
        top = tl.max(p, 1)
        at = tl.argmax(p, 1)
        tl.store(weights_ptr + rows * K + k, top, mask=rows < n)
        tl.store(ids_ptr + rows * K + k, at, mask=rows < n)
        total += top
        p = tl.where(e[None, :] == at[:, None], -1.0, p)


@triton.jit
def adam_tables_kernel(
    p_table, g_table, m_table, v_table, sizes, chunk_tensor, chunk_start, lr, beta1, beta2, eps, decay, step,
    CHUNK: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Each program updates a chunk of one of many arrays; tables hold their addresses."""
    which = tl.load(chunk_tensor + tl.program_id(0))
    first = tl.load(chunk_start + tl.program_id(0))
    n = tl.load(sizes + which)
    p_ptr = tl.multiple_of(tl.load(p_table + which).to(tl.pointer_type(tl.float32)), 16)
    g_ptr = tl.multiple_of(tl.load(g_table + which).to(tl.pointer_type(tl.bfloat16)), 16)
    m_ptr = tl.multiple_of(tl.load(m_table + which).to(tl.pointer_type(tl.float32)), 16)
    v_ptr = tl.multiple_of(tl.load(v_table + which).to(tl.pointer_type(tl.float32)), 16)
    c1 = 1 - tl.exp2(step * tl.log2(beta1))
    c2 = 1 - tl.exp2(step * tl.log2(beta2))
    for start in range(0, CHUNK, BLOCK):
        offs = first + start + tl.arange(0, BLOCK)
        mask = offs < n
        g = tl.load(g_ptr + offs, mask=mask).to(tl.float32)
        p = tl.load(p_ptr + offs, mask=mask)
        m = beta1 * tl.load(m_ptr + offs, mask=mask) + (1 - beta1) * g
        v = beta2 * tl.load(v_ptr + offs, mask=mask) + (1 - beta2) * g * g
        p = p * (1 - lr * decay) - lr * (m / c1) / (tl.sqrt(v / c2) + eps)
        tl.store(p_ptr + offs, p, mask=mask)
        tl.store(m_ptr + offs, m, mask=mask)
        tl.store(v_ptr + offs, v, mask=mask)


@triton.jit
def gemv_kernel(a_ptr, x_ptr, y_ptr, M, K, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):
    """A matrix times a vector."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    acc = tl.zeros([BLOCK_M], dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        cols = k + tl.arange(0, BLOCK_K)
        a = tl.load(
            a_ptr + rows[:, None] * K + cols[None, :],
            mask=(rows[:, None] < M) & (cols[None, :] < K),
            other=0.0,
        )
        x = tl.load(x_ptr + cols, mask=cols < K, other=0.0)
        acc += tl.sum(a.to(tl.float32) * x.to(tl.float32)[None, :], axis=1)
    tl.store(y_ptr + rows, acc.to(y_ptr.dtype.element_ty), mask=rows < M)


@triton.jit
def gemv_transposed_kernel(x_ptr, w_ptr, y_ptr, K, N, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr):
    """Batches of a vector times a row-major matrix."""
    b = tl.program_id(1).to(tl.int64)
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_K, BLOCK_N], dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        rows = k + tl.arange(0, BLOCK_K)
        w = tl.load(w_ptr + (b * K + rows[:, None]) * N + cols[None, :], mask=cols[None, :] < N, other=0.0)
        x = tl.load(x_ptr + b * K + rows)
        acc += w.to(tl.float32) * x.to(tl.float32)[:, None]
    tl.store(y_ptr + b * N + cols, tl.sum(acc, 0).to(y_ptr.dtype.element_ty), mask=cols < N)


@triton.jit
def nf4_kernel(packed_ptr, absmax_ptr, table_ptr, out_ptr, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """Two 4-bit weights per byte, looked up in a table, times the scale of their group."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    packed = tl.load(packed_ptr + offs, mask=offs < n, other=0)
    high = tl.load(table_ptr + (packed >> 4))
    low = tl.load(table_ptr + (packed & 15))
    scale = tl.load(absmax_ptr + offs // (GROUP // 2), mask=offs < n, other=0.0)
    both = tl.interleave(high * scale, low * scale)
    offsets = tl.program_id(0) * BLOCK * 2 + tl.arange(0, BLOCK * 2)
    tl.store(out_ptr + offsets, both.to(out_ptr.dtype.element_ty), mask=offsets < 2 * n)


@triton.jit
def state_update_kernel(
    state_ptr, x_ptr, dt_ptr, dt_bias_ptr, a_ptr, b_ptr, c_ptr, d_ptr, z_ptr, out_ptr, heads, per_group,
    DIM: tl.constexpr, STATE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One step of a recurrence (decoding with Mamba 2)."""
    i_m, i_b, i_h = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    m = i_m * BLOCK + tl.arange(0, BLOCK)
    n = tl.arange(0, STATE)
    head = i_b * heads + i_h
    state_ptrs = state_ptr + head.to(tl.int64) * DIM * STATE + m[:, None] * STATE + n[None, :]
    state = tl.load(state_ptrs)
    x = tl.load(x_ptr + head * DIM + m).to(tl.float32)
    dt = tl.load(dt_ptr + head).to(tl.float32) + tl.load(dt_bias_ptr + i_h).to(tl.float32)
    dt = tl.where(dt <= 20.0, tl.log(1 + tl.exp(dt)), dt)
    decay = tl.exp(tl.load(a_ptr + i_h).to(tl.float32) * dt)
    group = i_b * (heads // per_group) + i_h // per_group
    b = tl.load(b_ptr + group * STATE + n).to(tl.float32)
    c = tl.load(c_ptr + group * STATE + n).to(tl.float32)
    state = state * decay + (b * dt)[None, :] * x[:, None]
    tl.store(state_ptrs, state)
    out = tl.sum(state * c[None, :], axis=1) + x * tl.load(d_ptr + i_h).to(tl.float32)
    z = tl.load(z_ptr + head * DIM + m).to(tl.float32)
    tl.store(out_ptr + head * DIM + m, out * z * tl.sigmoid(z))


@triton.jit
def combine_moments(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    weight = weight_1 + weight_2
    share = tl.where(weight == 0.0, 0.0, weight_2 / weight)
    return mean_1 + delta * share, m2_1 + m2_2 + delta * delta * weight_1 * share, weight


@triton.jit
def batch_norm_kernel(
    in_ptr0, out_ptr0, out_ptr1, out_ptr2, xnumel, rnumel, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr
):
    """Generated code: moments of channels of images, 28 x 28 pixels, 64 images."""
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rbase = tl.arange(0, RBLOCK)[None, :]
    x0 = xindex
    tmp_mean = tl.zeros([XBLOCK, RBLOCK], tl.float32)
    tmp_m2 = tl.zeros([XBLOCK, RBLOCK], tl.float32)
    tmp_weight = tl.zeros([XBLOCK, RBLOCK], tl.float32)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        r1 = rindex % 784
        r2 = rindex // 784
        tmp0 = tl.load(
            in_ptr0 + (r1 + 784 * x0 + 401408 * r2), rmask & xmask, eviction_policy="evict_first", other=0.0
        ).to(tl.float32)
        weight = tmp_weight + 1
        delta = tmp0 - tmp_mean
        mean = tmp_mean + delta / weight
        m2 = tmp_m2 + delta * (tmp0 - mean)
        tmp_mean = tl.where(rmask & xmask, mean, tmp_mean)
        tmp_m2 = tl.where(rmask & xmask, m2, tmp_m2)
        tmp_weight = tl.where(rmask & xmask, weight, tmp_weight)
    mean, m2, weight = tl.reduce((tmp_mean, tmp_m2, tmp_weight), 1, combine_moments)
    tmp3 = mean[:, None]
    tmp4 = m2[:, None]
    tl.store(out_ptr0 + (x0), tmp3, xmask)
    tl.store(out_ptr1 + (x0), tl.rsqrt(tmp4 / 50176.0 + 1e-05), xmask)
    tl.store(out_ptr2 + (x0), tmp4 * 1.0000199302441455, xmask)


@triton.jit
def generated_layer_norm_kernel(
    in_ptr0,
    in_ptr1,
    in_ptr2,
    in_ptr3,
    out_ptr0,
    out_ptr2,
    xnumel,
    rnumel,
    XBLOCK: tl.constexpr,
    RBLOCK: tl.constexpr,
):
    """Generated code: rows of 768 elements in registers, with a residual."""
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rindex = tl.arange(0, RBLOCK)[None, :]
    rmask = rindex < rnumel
    r1 = rindex
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r1 + 768 * x0), rmask & xmask, other=0.0).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (r1 + 768 * x0), rmask & xmask, other=0.0).to(tl.float32)
    tmp26 = tl.load(in_ptr2 + (r1), rmask, eviction_policy="evict_last", other=0.0).to(tl.float32)
    tmp29 = tl.load(in_ptr3 + (r1), rmask, eviction_policy="evict_last", other=0.0).to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp4 = tl.broadcast_to(tmp2, [XBLOCK, RBLOCK])
    tmp6 = tl.where(rmask & xmask, tmp4, 0)
    tmp9 = tl.sum(tmp6, 1)[:, None]
    tmp12 = tmp9 / 768.0
    tmp13 = tmp4 - tmp12
    tmp14 = tmp13 * tmp13
    tmp17 = tl.where(rmask & xmask, tmp14, 0)
    tmp18 = tl.sum(tmp17, 1)[:, None]
    tmp22 = tl.rsqrt(tmp18 / 768.0 + 1e-05)
    tmp27 = (tmp2 - tmp12) * tmp22 * tmp26 + tmp29
    tl.store(out_ptr0 + (r1 + 768 * x0), tmp2, rmask & xmask)
    tl.store(out_ptr2 + (r1 + 768 * x0), tmp27, rmask & xmask)


@triton.jit
def generated_pointwise_kernel(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    """Generated code: adds a bias, applies GELU and adds a residual with heads and tokens transposed."""
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    x0 = xindex % 128
    x1 = (xindex // 128) % 32
    x2 = xindex // 4096
    x3 = xindex % 4096
    x4 = xindex
    tmp0 = tl.load(in_ptr0 + (x4), None).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (x3), None, eviction_policy="evict_last").to(tl.float32)
    tmp9 = tl.load(in_ptr2 + (x0 + 128 * (x2 % 2048) + 262144 * x1 + 8388608 * (x2 // 2048)), None).to(
        tl.float32
    )
    tmp2 = tmp0 + tmp1
    tmp3 = 0.5
    tmp4 = tmp2 * tmp3
    tmp5 = 0.7071067811865476
    tmp6 = tmp2 * tmp5
    tmp7 = tl.erf(tmp6)
    tmp8 = tmp4 * (tmp7 + 1.0)
    tmp10 = tmp8 + tmp9
    tl.store(out_ptr0 + (x4), tmp10, None)


@triton.jit
def generated_permute_kernel(in_ptr0, out_ptr0, ynumel, xnumel, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    """Generated code: converts images from channels-first to channels-last."""
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[None, :]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    x2 = xindex
    y0 = yindex % 512
    y1 = yindex // 512
    y3 = yindex
    tmp0 = tl.load(in_ptr0 + (x2 + 784 * y3), xmask & ymask, eviction_policy="evict_last")
    tl.store(out_ptr0 + (y0 + 512 * x2 + 401408 * y1), tmp0, xmask & ymask)
