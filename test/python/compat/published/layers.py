"""Layers, optimisers, state-space models, convolutions and sorting by hand."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def group_norm_kernel(
    x_ptr, y_ptr, weight_ptr, bias_ptr, channels, group_channels, spatial, eps,
    ACTIVATION: tl.constexpr, BLOCK_C: tl.constexpr, BLOCK_S: tl.constexpr,
):  # fmt: skip
    """One program per group; Welford's algorithm over blocks of the spatial dimensions."""
    group, batch = tl.program_id(0), tl.program_id(1)
    rows = tl.arange(0, BLOCK_C)
    channel = group * group_channels + rows
    row_mask = rows < group_channels
    base = batch * channels * spatial + channel[:, None] * spatial
    mean = tl.zeros([BLOCK_C, BLOCK_S], tl.float32)
    m2 = tl.zeros([BLOCK_C, BLOCK_S], tl.float32)
    weight = tl.zeros([BLOCK_C, BLOCK_S], tl.float32)
    for start in range(0, spatial, BLOCK_S):
        cols = start + tl.arange(0, BLOCK_S)
        mask = row_mask[:, None] & (cols[None, :] < spatial)
        x = tl.load(x_ptr + base + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        weight_new = weight + mask.to(tl.float32)
        delta = x - mean
        mean_new = tl.where(mask, mean + delta / tl.maximum(weight_new, 1.0), mean)
        m2 = tl.where(mask, m2 + delta * (x - mean_new), m2)
        mean, weight = mean_new, weight_new
    flat: tl.constexpr = BLOCK_C * BLOCK_S
    mean, m2, weight = tl.reduce(
        (tl.reshape(mean, [flat]), tl.reshape(m2, [flat]), tl.reshape(weight, [flat])), 0, welford
    )
    rstd = tl.rsqrt(m2 / weight + eps)
    w = tl.load(weight_ptr + channel, mask=row_mask).to(tl.float32)[:, None]
    b = tl.load(bias_ptr + channel, mask=row_mask).to(tl.float32)[:, None]
    for start in range(0, spatial, BLOCK_S):
        cols = start + tl.arange(0, BLOCK_S)
        mask = row_mask[:, None] & (cols[None, :] < spatial)
        x = tl.load(x_ptr + base + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        y = (x - mean) * rstd * w + b
        if ACTIVATION == "silu":
            y = y * tl.sigmoid(y)
        tl.store(y_ptr + base + cols[None, :], y, mask=mask)


@triton.jit
def welford(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    weight = weight_1 + weight_2
    share = tl.where(weight == 0.0, 0.0, weight_2 / weight)
    return mean_1 + delta * share, m2_1 + m2_2 + delta * delta * weight_1 * share, weight


@triton.heuristics(
    {
        "HAS_BIAS": lambda args: args["B"] is not None,
        "HAS_Z": lambda args: args["Z"] is not None,
    }
)
@triton.jit
def gated_norm_kernel(
    X, Y, W, B, Z, Mean, Rstd, stride_x_row, stride_y_row, stride_z_row, M, N, eps,
    BLOCK_N: tl.constexpr, HAS_BIAS: tl.constexpr, HAS_Z: tl.constexpr,
    NORM_BEFORE_GATE: tl.constexpr, IS_RMS_NORM: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    group = tl.program_id(1)
    X += row * stride_x_row + group * N
    Y += row * stride_y_row + group * N
    if HAS_Z:
        Z += row * stride_z_row + group * N
    if not IS_RMS_NORM:
        Mean += group * M
    Rstd += group * M
    W += group * N
    if HAS_BIAS:
        B += group * N
    cols = tl.arange(0, BLOCK_N)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    if HAS_Z and not NORM_BEFORE_GATE:
        z = tl.load(Z + cols, mask=cols < N).to(tl.float32)
        x *= z * tl.sigmoid(z)
    if not IS_RMS_NORM:
        mean = tl.sum(x, axis=0) / N
        tl.store(Mean + row, mean)
        xbar = tl.where(cols < N, x - mean, 0.0)
        var = tl.sum(xbar * xbar, axis=0) / N
    else:
        xbar = tl.where(cols < N, x, 0.0)
        var = tl.sum(xbar * xbar, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Rstd + row, rstd)
    mask = cols < N
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    if HAS_BIAS:
        b = tl.load(B + cols, mask=mask).to(tl.float32)
    x_hat = (x - mean) * rstd if not IS_RMS_NORM else x * rstd
    y = x_hat * w + b if HAS_BIAS else x_hat * w
    if HAS_Z and NORM_BEFORE_GATE:
        z = tl.load(Z + cols, mask=mask).to(tl.float32)
        y *= z * tl.sigmoid(z)
    tl.store(Y + cols, y, mask=mask)


@triton.jit
def adam_kernel(
    param_ptr, grad_ptr, exp_avg_ptr, exp_avg_sq_ptr, lr, beta1, beta2, eps, weight_decay, step, n,
    ADAMW: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    p = tl.load(param_ptr + offs, mask=mask)
    g = tl.load(grad_ptr + offs, mask=mask).to(tl.float32)
    m = tl.load(exp_avg_ptr + offs, mask=mask)
    v = tl.load(exp_avg_sq_ptr + offs, mask=mask)
    if ADAMW:
        p *= 1 - lr * weight_decay
    else:
        g += weight_decay * p
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    correction1 = 1 - libdevice.pow(beta1, step.to(tl.float32))
    correction2 = 1 - libdevice.pow(beta2, step.to(tl.float32))
    denominator = tl.sqrt(v) / tl.sqrt(correction2) + eps
    p -= (lr / correction1) * m / denominator
    tl.store(param_ptr + offs, p, mask=mask)
    tl.store(exp_avg_ptr + offs, m, mask=mask)
    tl.store(exp_avg_sq_ptr + offs, v, mask=mask)


@triton.jit
def softplus(x):
    return tl.where(x <= 20.0, tl.math.log(tl.math.exp(x) + 1), x)


@triton.jit
def selective_scan_kernel(
    u_ptr, dt_ptr, A_ptr, B_ptr, C_ptr, D_ptr, dt_bias_ptr, out_ptr, state_ptr, length, dim,
    DSTATE: tl.constexpr, BLOCK_D: tl.constexpr, HAS_BIAS: tl.constexpr, SOFTPLUS: tl.constexpr,
):  # fmt: skip
    """Mamba's recurrence, step by step: the state of BLOCK_D channels stays in registers."""
    pid_d, batch = tl.program_id(0), tl.program_id(1)
    offs_d = pid_d * BLOCK_D + tl.arange(0, BLOCK_D)
    offs_n = tl.arange(0, DSTATE)
    mask_d = offs_d < dim
    A = tl.load(A_ptr + offs_d[:, None] * DSTATE + offs_n[None, :], mask=mask_d[:, None], other=0.0)
    D = tl.load(D_ptr + offs_d, mask=mask_d, other=0.0)
    if HAS_BIAS:
        bias = tl.load(dt_bias_ptr + offs_d, mask=mask_d, other=0.0)
    state = tl.zeros([BLOCK_D, DSTATE], tl.float32)
    for t in range(length):
        at = (batch * length + t) * dim + offs_d
        dt = tl.load(dt_ptr + at, mask=mask_d, other=0.0).to(tl.float32)
        if HAS_BIAS:
            dt += bias
        if SOFTPLUS:
            dt = softplus(dt)
        u = tl.load(u_ptr + at, mask=mask_d, other=0.0).to(tl.float32)
        B = tl.load(B_ptr + (batch * length + t) * DSTATE + offs_n)[None, :]
        C = tl.load(C_ptr + (batch * length + t) * DSTATE + offs_n)[None, :]
        state = state * tl.exp(A * dt[:, None]) + B * dt[:, None] * u[:, None]
        out = tl.sum(state * C, axis=1) + u * D
        tl.store(out_ptr + at, out, mask=mask_d)
    pointers = state_ptr + (batch * dim + offs_d[:, None]) * DSTATE + offs_n[None, :]
    tl.store(pointers, state, mask=mask_d[:, None])


@triton.jit
def first_order(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def scan_chunks_kernel(a_ptr, b_ptr, h_ptr, length, dim, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr):
    """h[t] = a[t] * h[t - 1] + b[t] by associative scans of chunks, whose last row goes to the next one."""
    pid = tl.program_id(0)
    cols = pid * BLOCK_D + tl.arange(0, BLOCK_D)
    carry = tl.zeros([BLOCK_D], tl.float32)
    for start in range(0, length, BLOCK_T):
        rows = start + tl.arange(0, BLOCK_T)
        offs = rows[:, None] * dim + cols[None, :]
        mask = (rows[:, None] < length) & (cols[None, :] < dim)
        a = tl.load(a_ptr + offs, mask=mask, other=1.0)
        b = tl.load(b_ptr + offs, mask=mask, other=0.0)
        decay, h = tl.associative_scan((a, b), 0, first_order)
        h += decay * carry[None, :]
        tl.store(h_ptr + offs, h, mask=mask)
        is_last = tl.arange(0, BLOCK_T) == BLOCK_T - 1
        carry = tl.sum(tl.where(is_last[:, None], h, 0.0), axis=0)


@triton.jit
def chunk_state_kernel(
    x_ptr, b_ptr, dt_ptr, da_cumsum_ptr, states_ptr, chunk, headdim, dstate,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Mamba 2: the state that a chunk adds, sum over k of x[k] b[k] dt[k] exp(da_last - da[k])."""
    pid_c = tl.program_id(1)
    num_n = tl.cdiv(dstate, BLOCK_N)
    pid_m = tl.program_id(0) // num_n
    pid_n = tl.program_id(0) % num_n
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + pid_c * chunk * headdim + (offs_m[:, None] + offs_k[None, :] * headdim)
    b_ptrs = b_ptr + pid_c * chunk * dstate + (offs_k[:, None] * dstate + offs_n[None, :])
    da_last = tl.load(da_cumsum_ptr + pid_c * chunk + chunk - 1).to(tl.float32)
    da_ptrs = da_cumsum_ptr + pid_c * chunk + offs_k
    dt_ptrs = dt_ptr + pid_c * chunk + offs_k
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, chunk, BLOCK_K):
        left = chunk - k
        x = tl.load(x_ptrs, mask=(offs_m[:, None] < headdim) & (offs_k[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < left) & (offs_n[None, :] < dstate), other=0.0).to(
            tl.float32
        )
        da = tl.load(da_ptrs, mask=offs_k < left, other=0.0).to(tl.float32)
        dt = tl.load(dt_ptrs, mask=offs_k < left, other=0.0).to(tl.float32)
        scale = tl.exp(da_last - da) * dt
        b *= scale[:, None]
        acc += tl.dot(x, b.to(x_ptr.dtype.element_ty))
        x_ptrs += BLOCK_K * headdim
        b_ptrs += BLOCK_K * dstate
        da_ptrs += BLOCK_K
        dt_ptrs += BLOCK_K
    out = states_ptr + pid_c * headdim * dstate + offs_m[:, None] * dstate + offs_n[None, :]
    mask = (offs_m[:, None] < headdim) & (offs_n[None, :] < dstate)
    tl.store(out, acc.to(states_ptr.dtype.element_ty), mask=mask)


@triton.jit
def conv2d_kernel(
    x_ptr, w_ptr, bias_ptr, y_ptr, N, C, H, W, OC, OH, OW, stride, padding,
    KH: tl.constexpr, KW: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Implicit GEMM: rows are output positions, columns are output channels, and k runs over channels and taps."""
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ow = offs_m % OW
    oh = (offs_m // OW) % OH
    n = offs_m // (OH * OW)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for tap in tl.static_range(KH * KW):
        ih = oh * stride - padding + tap // KW
        iw = ow * stride - padding + tap % KW
        inside = (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W) & (n < N)
        for c in range(0, C, BLOCK_K):
            channel = c + tl.arange(0, BLOCK_K)
            x = tl.load(
                x_ptr + ((n * C)[:, None] + channel[None, :]) * H * W + (ih * W + iw)[:, None],
                mask=inside[:, None] & (channel < C)[None, :], other=0.0,
            )  # fmt: skip
            w = tl.load(
                w_ptr + (offs_n[None, :] * C + channel[:, None]) * KH * KW + tap,
                mask=(channel < C)[:, None] & (offs_n < OC)[None, :], other=0.0,
            )  # fmt: skip
            acc = tl.dot(x, w, acc=acc, input_precision="ieee")
    if bias_ptr:
        acc += tl.load(bias_ptr + offs_n, mask=offs_n < OC, other=0.0)[None, :]
    y_ptrs = y_ptr + (n[:, None] * OC + offs_n[None, :]) * OH * OW + (oh * OW + ow)[:, None]
    tl.store(y_ptrs, acc, mask=(n < N)[:, None] & (offs_n < OC)[None, :])


@triton.jit
def linear_cross_entropy_kernel(
    x_ptr, w_ptr, labels_ptr, loss_ptr, lse_ptr, V, D, ignore_index: tl.constexpr, softcap,
    HAS_SOFTCAP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_V: tl.constexpr, BLOCK_D: tl.constexpr, M,
):  # fmt: skip
    """Cross-entropy of x @ w.T whose logits are never stored: an online softmax over blocks of the vocabulary."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    row_mask = rows < M
    labels = tl.load(labels_ptr + rows, mask=row_mask, other=ignore_index)
    highest = tl.full((BLOCK_M,), -1e30, tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    picked = tl.zeros((BLOCK_M,), tl.float32)
    for v in range(0, V, BLOCK_V):
        cols = v + tl.arange(0, BLOCK_V)
        logits = tl.zeros((BLOCK_M, BLOCK_V), tl.float32)
        for d in range(0, D, BLOCK_D):
            ks = d + tl.arange(0, BLOCK_D)
            x = tl.load(x_ptr + rows[:, None] * D + ks, mask=row_mask[:, None] & (ks < D)[None, :], other=0.0)
            w = tl.load(
                w_ptr + cols[:, None] * D + ks, mask=(cols < V)[:, None] & (ks < D)[None, :], other=0.0
            )
            logits = tl.dot(x, w.T, logits)
        if HAS_SOFTCAP:
            logits = softcap * libdevice.tanh(logits / softcap)
        logits = tl.where((cols < V)[None, :], logits, -1e30)
        new = tl.maximum(highest, tl.max(logits, 1))
        total = total * tl.exp(highest - new) + tl.sum(tl.exp(logits - new[:, None]), 1)
        highest = new
        picked += tl.sum(tl.where(cols[None, :] == labels[:, None], logits, 0.0), 1)
    lse = highest + tl.log(total)
    tl.store(lse_ptr + rows, lse, mask=row_mask)
    loss = tl.where(labels == ignore_index, 0.0, lse - picked)
    tl.store(loss_ptr + rows, loss, mask=row_mask)


@triton.jit
def compare_and_swap(x, flip, i: tl.constexpr, n_dims: tl.constexpr):
    n_outer: tl.constexpr = x.numel >> n_dims
    shape: tl.constexpr = [n_outer * 2**i, 2, 2 ** (n_dims - i - 1)]
    y = tl.reshape(x, shape)
    mask = tl.arange(0, 2)[None, :, None]
    left = tl.broadcast_to(tl.sum(y * (1 - mask), 1)[:, None, :], shape).to(y.dtype)
    right = tl.broadcast_to(tl.sum(y * mask, 1)[:, None, :], shape).to(y.dtype)
    left = tl.reshape(left, x.shape)
    right = tl.reshape(right, x.shape)
    idtype = tl.core.get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True)
    ileft = left.to(idtype, bitcast=True)
    iright = right.to(idtype, bitcast=True)
    ix = x.to(idtype, bitcast=True)
    swapped = ix ^ tl.where((left > right) != flip, ileft ^ iright, tl.zeros_like(ix))
    return swapped.to(x.dtype, bitcast=True)


@triton.jit
def bitonic_stage(x, stage: tl.constexpr, order: tl.constexpr, n_dims: tl.constexpr):
    n_outer: tl.constexpr = x.numel >> n_dims
    tl.static_assert(stage <= n_dims)
    if order == 2:
        shape: tl.constexpr = [n_outer * 2 ** (n_dims - 1 - stage), 2, 2**stage]
        flip = tl.reshape(tl.broadcast_to(tl.arange(0, 2)[None, :, None], shape), x.shape)
    else:
        flip = order
    for i in tl.static_range(stage):
        x = compare_and_swap(x, flip, i + (n_dims - stage), n_dims)
    return x


@triton.jit
def sort_rows_kernel(x_ptr, out_ptr, DESCENDING: tl.constexpr, LOG2: tl.constexpr):
    """A bitonic network written out, as it was before `tl.sort`."""
    N: tl.constexpr = 2**LOG2
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * N + tl.arange(0, N))
    for i in tl.static_range(1, LOG2 + 1):
        x = bitonic_stage(x, i, 2 if i < LOG2 else DESCENDING, LOG2)
    tl.store(out_ptr + row * N + tl.arange(0, N), x)
