"""Rows and elements of layers, losses and optimisers; both compilers read this file."""

import triton
import triton.language as tl


@triton.jit
def add_rms_norm_kernel(x_ptr, residual_ptr, w_ptr, stride, n_cols, eps, BLOCK: tl.constexpr):
    """residual += x; x = norm of residual. Both in place."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0)
    r = tl.load(residual_ptr + row * stride + cols, mask=mask, other=0.0)
    s = x.to(tl.float32) + r.to(tl.float32)
    tl.store(residual_ptr + row * stride + cols, s.to(r.dtype), mask=mask)
    rstd = tl.rsqrt(tl.sum(s * s, axis=0) / n_cols + eps)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(x_ptr + row * stride + cols, (s * rstd * w).to(x.dtype), mask=mask)


@triton.jit
def rms_norm_backward_kernel(
    dy_ptr, dx_ptr, x_ptr, w_ptr, rstd_ptr, dw_ptr, stride, n_rows, n_cols, rows_per_program, BLOCK: tl.constexpr
):  # fmt: skip
    """Several rows per program; the gradient of the weight accumulates in registers."""
    pid = tl.program_id(0).to(tl.int64)
    first = pid * rows_per_program
    last = min((pid + 1) * rows_per_program, n_rows)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    for row in range(first, last):
        dy = tl.load(dy_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
        x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
        rstd = tl.load(rstd_ptr + row)
        m = dy * w
        dx = rstd * m
        dx += rstd * (-(1 / n_cols) * rstd * rstd * tl.sum(m * x, axis=0) * x)
        dw += dy * (x * rstd)
        tl.store(dx_ptr + row * stride + cols, dx.to(dx_ptr.dtype.element_ty), mask=mask)
    tl.store(dw_ptr + pid * n_cols + cols, dw, mask=mask)


@triton.jit
def softmax_backward_kernel(dy_ptr, y_ptr, dx_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    dx = y * (dy - tl.sum(y * dy, axis=0))
    tl.store(dx_ptr + row * stride + cols, dx.to(dx_ptr.dtype.element_ty), mask=mask)


@triton.jit
def log_softmax_kernel(x_ptr, y_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Several rows per program; one pass for the maximum and the sum, one for the result."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    m = tl.full([BLOCK_M, BLOCK_N], value=float("-inf"), dtype=tl.float32)
    z = tl.full([BLOCK_M, BLOCK_N], value=0.0, dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(x_ptr + rows[:, None] * N + cols[None, :], mask=mask, other=float("-inf")).to(tl.float32)
        m_new = tl.maximum(x, m)
        neither = m_new == float("-inf")
        z = tl.where(neither, z, z * tl.exp(m - m_new) + tl.exp(x - m_new))
        m = m_new
    top = tl.max(m, 1)
    z = tl.sum(z * tl.exp(m - top[:, None]), 1)
    for start in range(0, N, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        at = rows[:, None] * N + cols[None, :]
        x = tl.load(x_ptr + at, mask=mask, other=float("-inf")).to(tl.float32)
        tl.store(y_ptr + at, x - top[:, None] - tl.log(z[:, None]), mask=mask)


@triton.jit
def jsd_kernel(
    x_ptr, stride_x, y_ptr, stride_y, loss_ptr, dx_ptr, stride_dx, beta, n_non_ignore, n_cols, BLOCK: tl.constexpr
):  # fmt: skip
    """Jensen-Shannon divergence of log-probabilities, and its gradient."""
    row = tl.program_id(0).to(tl.int64)
    for i in range(0, n_cols, BLOCK):
        offs = i + tl.arange(0, BLOCK)
        mask = offs < n_cols
        x = tl.load(x_ptr + row * stride_x + offs, mask=mask, other=float("-inf")).to(tl.float32)
        y = tl.load(y_ptr + row * stride_y + offs, mask=mask, other=float("-inf")).to(tl.float32)
        x_max, y_max = tl.max(x, axis=0), tl.max(y, axis=0)
        top = tl.maximum(x_max, y_max)
        q = tl.exp(x - top) * tl.exp(top)
        p = tl.exp(y - top) * tl.exp(top)
        beta_p, rest_q = beta * p, (1 - beta) * q
        m = beta_p + rest_q
        log_m = tl.log(m)
        loss = beta_p * y + rest_q * x - m * log_m
        scale = 1.0 / n_non_ignore
        tl.store(loss_ptr + row * n_cols + offs, loss * scale, mask=mask)
        dx = rest_q * (x - log_m) * scale
        tl.store(dx_ptr + row * stride_dx + offs, dx.to(dx_ptr.dtype.element_ty), mask=mask)


@triton.jit
def entropy_with_gradient_kernel(
    x_ptr, stride_x, y_ptr, stride_y, loss_ptr, n_cols, n_non_ignore, ignore_index, BLOCK: tl.constexpr
):
    """Cross-entropy of a row; its gradient replaces the logits."""
    row = tl.program_id(0).to(tl.int64)
    y = tl.load(y_ptr + row * stride_y)
    x_ptr += row * stride_x
    if y == ignore_index:
        for i in range(0, n_cols, BLOCK):
            offs = i + tl.arange(0, BLOCK)
            tl.store(x_ptr + offs, 0.0, mask=offs < n_cols)
        return
    m = float("-inf")
    d = 0.0
    at_y = tl.load(x_ptr + y).cast(tl.float32)
    for i in range(0, n_cols, BLOCK):
        offs = i + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n_cols, other=float("-inf")).cast(tl.float32)
        m_new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
    for i in range(0, n_cols, BLOCK):
        offs = i + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n_cols, other=float("-inf")).cast(tl.float32)
        x = tl.exp(x - m) / d
        x = tl.where(offs != y, x / n_non_ignore, (x - 1.0) / n_non_ignore)
        tl.store(x_ptr + offs, x, mask=offs < n_cols)
    tl.debug_barrier()
    tl.store(loss_ptr + row, (m + tl.log(d) - at_y) / n_non_ignore)


@triton.jit
def silu_and_mul_kernel(x_ptr, out_ptr, d, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < d
    gate = tl.load(x_ptr + row * 2 * d + cols, mask=mask).to(tl.float32)
    up = tl.load(x_ptr + row * 2 * d + d + cols, mask=mask).to(tl.float32)
    tl.store(out_ptr + row * d + cols, (gate * tl.sigmoid(gate) * up).to(out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def swiglu_backward_kernel(dc_ptr, a_ptr, b_ptr, stride, n_cols: tl.constexpr, BLOCK: tl.constexpr):
    """The gradients replace a and b."""
    row = tl.program_id(0).to(tl.int64)
    dc_ptr += row * stride
    a_ptr += row * stride
    b_ptr += row * stride
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    dc = tl.load(dc_ptr + cols, mask=mask, other=0)
    a = tl.load(a_ptr + cols, mask=mask, other=0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0)
    sig = tl.sigmoid(a)
    silu = a * sig
    db = dc * silu
    da = dc * (silu * (1 - sig) + sig) * b
    tl.store(a_ptr + cols, da, mask=mask)
    tl.store(b_ptr + cols, db, mask=mask)


@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def geglu_kernel(a_ptr, b_ptr, c_ptr, stride, n_cols: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    a = tl.load(a_ptr + row * stride + cols, mask=mask, other=0).to(tl.float32)
    b = tl.load(b_ptr + row * stride + cols, mask=mask, other=0)
    inner = 0.7978845608028654 * (a + 0.044715 * a * a * a)
    gelu = 0.5 * a * (1 + tanh(inner))
    tl.store(c_ptr + row * stride + cols, gelu.cast(b.dtype) * b, mask=mask)


@triton.jit
def quantize_groups_kernel(x_ptr, q_ptr, s_ptr, groups_per_row, x_stride, eps, limit, GROUP: tl.constexpr):
    """Each program quantizes one group of a row to 8-bit floats."""
    g = tl.program_id(0)
    row, group = g // groups_per_row, g % groups_per_row
    cols = tl.arange(0, GROUP)
    x = tl.load(x_ptr + row.to(tl.int64) * x_stride + group * GROUP + cols).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x)), eps) / limit
    q = tl.clamp(x / scale, -limit, limit).to(q_ptr.dtype.element_ty)
    tl.store(q_ptr + g.to(tl.int64) * GROUP + cols, q)
    tl.store(s_ptr + g, scale)


@triton.jit
def silu_mul_quantize_kernel(
    x_ptr, q_ptr, s_ptr, rows, d, limit, GROUP: tl.constexpr, BLOCK: tl.constexpr, STAGES: tl.constexpr
):
    """Quantizes groups of SiLU(left half of a row) * right half, as experts need them."""
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first, step = tl.program_id(1), tl.num_programs(1)
    for row in tl.range(first, rows, step, num_stages=STAGES):
        at = row.to(tl.int64) * 2 * d + cols
        gate = tl.load(x_ptr + at, mask=cols < d, other=0.0).to(tl.float32)
        up = tl.load(x_ptr + at + d, mask=cols < d, other=0.0).to(tl.float32)
        y = tl.reshape(gate / (1 + tl.exp(-gate)) * up, (BLOCK // GROUP, GROUP))
        scale = tl.maximum(tl.max(tl.abs(y), 1), 1e-10) / limit
        q = tl.clamp(y / scale[:, None], -limit, limit).to(q_ptr.dtype.element_ty)
        tl.store(q_ptr + row.to(tl.int64) * d + cols, tl.reshape(q, (BLOCK,)), mask=cols < d)
        groups = tl.program_id(0) * (BLOCK // GROUP) + tl.arange(0, BLOCK // GROUP)
        tl.store(s_ptr + row * (d // GROUP) + groups, scale, mask=groups * GROUP < d)


@triton.jit
def norm_rope_kernel(
    q_ptr, w_ptr, cos_ptr, sin_ptr, heads, stride_t, eps, HEAD: tl.constexpr, HEADS: tl.constexpr
):
    """Normalises and rotates each head of a token, in place."""
    token = tl.program_id(0).to(tl.int64)
    half: tl.constexpr = HEAD // 2
    h = tl.arange(0, HEADS)
    d = tl.arange(0, half)
    at = token * stride_t + h[:, None] * HEAD + d[None, :]
    mask = h[:, None] < heads
    x0 = tl.load(q_ptr + at, mask=mask, other=0.0).to(tl.float32)
    x1 = tl.load(q_ptr + at + half, mask=mask, other=0.0).to(tl.float32)
    rstd = tl.rsqrt((tl.sum(x0 * x0, 1) + tl.sum(x1 * x1, 1)) / HEAD + eps)
    x0 = x0 * rstd[:, None] * tl.load(w_ptr + d)[None, :]
    x1 = x1 * rstd[:, None] * tl.load(w_ptr + half + d)[None, :]
    cos = tl.load(cos_ptr + token * half + d)[None, :]
    sin = tl.load(sin_ptr + token * half + d)[None, :]
    tl.store(q_ptr + at, x0 * cos - x1 * sin, mask=mask)
    tl.store(q_ptr + at + half, x1 * cos + x0 * sin, mask=mask)


@triton.jit
def cumsum_rows_kernel(x_ptr, y_ptr, n_cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.arange(0, BLOCK_N)
    at = rows[:, None] * n_cols + cols[None, :]
    x = tl.load(x_ptr + at, mask=cols[None, :] < n_cols, other=0.0).to(tl.float32)
    tl.store(y_ptr + at, tl.cumsum(x, axis=1), mask=cols[None, :] < n_cols)


@triton.jit
def causal_conv_kernel(x_ptr, w_ptr, b_ptr, y_ptr, T, D, W: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr):
    """Depthwise causal convolution over W steps, then SiLU."""
    i_d, i_t, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    d = i_d * BD + tl.arange(0, BD)
    t = i_t * BT + tl.arange(0, BT)
    acc = tl.zeros([BT, BD], dtype=tl.float32)
    for i in tl.static_range(-W + 1, 1):
        p = tl.make_block_ptr(x_ptr + i_b * T * D, (T, D), (D, 1), (i_t * BT + i, i_d * BD), (BT, BD), (1, 0))
        x = tl.load(p, boundary_check=(0, 1)).to(tl.float32)
        w = tl.load(w_ptr + d * W + (i + W - 1), mask=d < D, other=0).to(tl.float32)
        acc += x * w[None, :]
    acc += tl.load(b_ptr + d, mask=d < D, other=0).to(tl.float32)[None, :]
    acc = acc * tl.sigmoid(acc)
    at = (i_b * T + t[:, None]) * D + d[None, :]
    tl.store(y_ptr + at, acc.to(y_ptr.dtype.element_ty), mask=(t[:, None] < T) & (d[None, :] < D))


@triton.jit
def transpose_kernel(x_ptr, y_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    x = tl.load(x_ptr + rows[:, None] * N + cols[None, :], mask=(rows[:, None] < M) & (cols[None, :] < N))
    y_mask = (cols[:, None] < N) & (rows[None, :] < M)
    tl.store(y_ptr + cols[:, None] * M + rows[None, :], tl.trans(x), mask=y_mask)
