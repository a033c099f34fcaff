"""Kernels as people write them for Triton, importing `triton`."""

import tilewright.compat

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.language.extra import cuda  # noqa: E402, F401


@triton.jit
def softmax_kernel(
    out_ptr, x_ptr, x_stride, out_stride, n_rows, n_cols, BLOCK: tl.constexpr, STAGES: tl.constexpr
):
    start, step = tl.program_id(0), tl.num_programs(0)
    for row in tl.range(start, n_rows, step, num_stages=STAGES):
        cols = tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.autotune(
    configs=[
        triton.Config({"BM": 32, "BN": 64, "BK": 32, "GROUP": 4}, num_stages=3, num_warps=4),
        triton.Config({"BM": 64, "BN": 32, "BK": 32, "GROUP": 4}, num_stages=2, num_warps=2),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(axis=0)
    num_m, num_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * num_n
    first_m = (pid // in_group) * GROUP
    size_m = min(num_m - first_m, GROUP)
    pid_m = first_m + ((pid % in_group) % size_m)
    pid_n = (pid % in_group) // size_m
    tl.assume(pid_m >= 0)
    offs_m = (pid_m * BM + tl.arange(0, BM)) % M
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = a_ptr + (offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BK, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    if ACTIVATION == "leaky_relu":
        acc = leaky_relu(acc)
    c = acc.to(c_ptr.dtype.element_ty)
    offs_cm = pid_m * BM + tl.arange(0, BM)
    offs_cn = pid_n * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, c, mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    keep = tl.rand(seed, offsets) > p
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


@triton.jit
def layer_norm_forward(x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    y_ptr += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        total += x * x
    rstd = 1 / tl.sqrt(tl.sum(total, axis=0) / N + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        mask = cols < N
        w, b = tl.load(w_ptr + cols, mask=mask), tl.load(b_ptr + cols, mask=mask)
        x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + cols, (x - mean) * rstd * w + b, mask=mask)


@triton.jit
def layer_norm_backward(
    dx_ptr, dy_ptr, dw_ptr, db_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, lock_ptr, stride, N,
    GROUP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x_ptr += row * stride
    dy_ptr += row * stride
    dx_ptr += row * stride
    lock_id = row % GROUP
    lock_ptr += lock_id
    count_ptr = lock_ptr + GROUP
    dw_ptr = dw_ptr + lock_id * N + cols
    db_ptr = db_ptr + lock_id * N + cols
    x = tl.load(x_ptr + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(dy_ptr + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask).to(tl.float32)
    mean, rstd = tl.load(mean_ptr + row), tl.load(rstd_ptr + row)
    xhat = tl.where(mask, (x - mean) * rstd, 0.0)
    wdy = tl.where(mask, w * dy, 0.0)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    tl.store(dx_ptr + cols, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    partial_dw = (dy * xhat).to(w.dtype)
    partial_db = dy.to(w.dtype)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    count = tl.load(count_ptr)
    if count == 0:
        tl.atomic_xchg(count_ptr, 1)
    else:
        partial_dw += tl.load(dw_ptr, mask=mask)
        partial_db += tl.load(db_ptr, mask=mask)
    tl.store(dw_ptr, partial_dw, mask=mask)
    tl.store(db_ptr, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def _attention_inner(
    acc, l_i, m_i, q, desc_k, desc_v, offset_y, start_m, qk_scale,
    BM: tl.constexpr, HEAD: tl.constexpr, BN: tl.constexpr, STAGE: tl.constexpr,
    offs_m: tl.constexpr, offs_n: tl.constexpr, N_CTX: tl.constexpr,
):  # fmt: skip
    if STAGE == 1:
        lo, hi = 0, start_m * BM
    elif STAGE == 2:
        lo, hi = start_m * BM, (start_m + 1) * BM
        lo = tl.multiple_of(lo, BM)
    else:
        lo, hi = 0, N_CTX
    offset_k = offset_y + lo
    offset_v = offset_y + lo
    for start_n in tl.range(lo, hi, BN, warp_specialize=False):
        start_n = tl.multiple_of(start_n, BN)
        k = desc_k.load([offset_k, 0]).T
        qk = tl.dot(q, k)
        if STAGE == 2:
            mask = offs_m[:, None] >= (start_n + offs_n[None, :])
            qk = qk * qk_scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        alpha = tl.math.exp2(m_i - m_ij)
        l_ij = tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = desc_v.load([offset_v, 0])
        acc = tl.dot(p.to(v.dtype), v, acc)
        l_i = l_i * alpha + l_ij
        m_i = m_ij
        offset_k += BN
        offset_v += BN
    return acc, l_i, m_i


@triton.jit
def _descriptor(desc_or_ptr, shape, strides, block_shape):
    if isinstance(desc_or_ptr, tl.tensor_descriptor):
        return desc_or_ptr
    else:
        return tl.make_tensor_descriptor(desc_or_ptr, shape, strides, block_shape)


@triton.jit
def attention_kernel(
    sm_scale, M, Z, H, desc_q, desc_k, desc_v, desc_o, N_CTX,
    HEAD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, STAGE: tl.constexpr,
):  # fmt: skip
    tl.static_assert(BN <= HEAD)
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    off_z = off_hz // H
    off_h = off_hz % H
    y_dim = Z * H * N_CTX
    desc_q = _descriptor(desc_q, shape=[y_dim, HEAD], strides=[HEAD, 1], block_shape=[BM, HEAD])
    desc_k = _descriptor(desc_k, shape=[y_dim, HEAD], strides=[HEAD, 1], block_shape=[BN, HEAD])
    desc_v = _descriptor(desc_v, shape=[y_dim, HEAD], strides=[HEAD, 1], block_shape=[BN, HEAD])
    desc_o = _descriptor(desc_o, shape=[y_dim, HEAD], strides=[HEAD, 1], block_shape=[BM, HEAD])
    offset_y = off_z * (N_CTX * H) + off_h * N_CTX
    qo_offset_y = offset_y + start_m * BM
    offs_m = start_m * BM + tl.arange(0, BM)
    offs_n = tl.arange(0, BN)
    m_i = tl.zeros([BM], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BM], dtype=tl.float32) + 1.0
    acc = tl.zeros([BM, HEAD], dtype=tl.float32)
    qk_scale = sm_scale
    qk_scale *= 1.44269504
    q = desc_q.load([qo_offset_y, 0])
    if STAGE & 1:
        acc, l_i, m_i = _attention_inner(
            acc, l_i, m_i, q, desc_k, desc_v, offset_y, start_m, qk_scale,
            BM, HEAD, BN, 4 - STAGE, offs_m, offs_n, N_CTX,
        )  # fmt: skip
    if STAGE & 2:
        acc, l_i, m_i = _attention_inner(
            acc, l_i, m_i, q, desc_k, desc_v, offset_y, start_m, qk_scale,
            BM, HEAD, BN, 2, offs_m, offs_n, N_CTX,
        )  # fmt: skip
    m_i += tl.math.log2(l_i)
    acc = acc / l_i[:, None]
    tl.store(M + off_hz * N_CTX + offs_m, m_i)
    desc_o.store([qo_offset_y, 0], acc.to(tl.float16))


@triton.jit
def grouped_matmul_kernel(
    a_ptrs, b_ptrs, c_ptrs, sizes_ptr, strides_ptr, group_size, NUM_SM: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0)
    last = 0
    for g in range(group_size):
        gm = tl.load(sizes_ptr + g * 3)
        gn = tl.load(sizes_ptr + g * 3 + 1)
        gk = tl.load(sizes_ptr + g * 3 + 2)
        num_m, num_n = tl.cdiv(gm, BM), tl.cdiv(gn, BN)
        num_tiles = num_m * num_n
        while tile >= last and tile < last + num_tiles:
            lda, ldb, ldc = (
                tl.load(strides_ptr + g * 3),
                tl.load(strides_ptr + g * 3 + 1),
                tl.load(strides_ptr + g * 3 + 2),
            )
            a_ptr = tl.load(a_ptrs + g).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(b_ptrs + g).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(c_ptrs + g).to(tl.pointer_type(tl.float16))
            index = tile - last
            m, n = index // num_n, index % num_n
            offs_m, offs_n, offs_k = m * BM + tl.arange(0, BM), n * BN + tl.arange(0, BN), tl.arange(0, BK)
            pa = a_ptr + offs_m[:, None] * lda + offs_k[None, :]
            pb = b_ptr + offs_k[:, None] * ldb + offs_n[None, :]
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for _ in range(0, tl.cdiv(gk, BK)):
                tl.multiple_of(pa, [16, 16])
                tl.multiple_of(pb, [16, 16])
                acc += tl.dot(tl.load(pa), tl.load(pb))
                pa += BK
                pb += BK * ldb
            tl.store(c_ptr + offs_m[:, None] * ldc + offs_n[None, :], acc.to(tl.float16))
            tile += NUM_SM
        last = last + num_tiles


@triton.jit
def _tile_coords(tile, in_group, num_m, GROUP: tl.constexpr):
    group = tile // in_group
    first = group * GROUP
    size = min(num_m - first, GROUP)
    return first + (tile % size), (tile % in_group) // size


@triton.jit
def persistent_matmul_kernel(
    a_desc, b_desc, c_desc, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, NUM_SMS: tl.constexpr,
    EPILOGUE_SUBTILE: tl.constexpr, WARP_SPECIALIZE: tl.constexpr,
):  # fmt: skip
    dtype = tl.float16
    start = tl.program_id(axis=0)
    num_m, num_n, k_tiles = tl.cdiv(M, BM), tl.cdiv(N, BN), tl.cdiv(K, BK)
    num_tiles = num_m * num_n
    tile_c = start - NUM_SMS
    in_group = GROUP * num_n
    for tile in tl.range(start, num_tiles, NUM_SMS, flatten=True, warp_specialize=WARP_SPECIALIZE):
        m, n = _tile_coords(tile, in_group, num_m, GROUP)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for ki in range(k_tiles):
            a = a_desc.load([m * BM, ki * BK])
            b = b_desc.load([n * BN, ki * BK])
            acc = tl.dot(a, b.T, acc)
        tile_c += NUM_SMS
        m, n = _tile_coords(tile_c, in_group, num_m, GROUP)
        if EPILOGUE_SUBTILE:
            acc = tl.reshape(acc, (BM, 2, BN // 2))
            acc = tl.permute(acc, (0, 2, 1))
            acc0, acc1 = tl.split(acc)
            c_desc.store([m * BM, n * BN], acc0.to(dtype))
            c_desc.store([m * BM, n * BN + BN // 2], acc1.to(dtype))
        else:
            c_desc.store([m * BM, n * BN], acc.to(dtype))


@triton.jit
def rotary_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, n_heads, stride_t, stride_h, HALF: tl.constexpr):
    token, head = tl.program_id(0), tl.program_id(1)
    base = token * stride_t + head * stride_h
    d = tl.arange(0, HALF)
    cos, sin = tl.load(cos_ptr + token * HALF + d), tl.load(sin_ptr + token * HALF + d)
    first = tl.load(x_ptr + base + d).to(tl.float32)
    second = tl.load(x_ptr + base + HALF + d).to(tl.float32)
    tl.store(out_ptr + base + d, first * cos - second * sin)
    tl.store(out_ptr + base + HALF + d, second * cos + first * sin)


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n_cols"])})
@triton.jit
def cross_entropy_kernel(
    loss_ptr, lse_ptr, logits_ptr, labels_ptr, stride, n_cols, IGNORE: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    logits_ptr = logits_ptr + row * stride.to(tl.int64)
    cols = tl.arange(0, BLOCK)
    label = tl.load(labels_ptr + row)
    logits = tl.load(logits_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    top = tl.max(logits, 0)
    lse = tl.log(tl.sum(tl.exp(logits - top), 0)) + top
    tl.store(lse_ptr + row, lse)
    if label == IGNORE:
        loss = 0.0
    else:
        loss = lse - tl.load(logits_ptr + label).to(tl.float32)
    tl.store(loss_ptr + row, loss)


@triton.jit
def ordering_kernel(
    x_ptr, sorted_ptr, top_ptr, sums_ptr, counts_ptr, K: tl.constexpr, BINS: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * BLOCK + tl.arange(0, BLOCK))
    tl.store(sorted_ptr + row * BLOCK + tl.arange(0, BLOCK), tl.sort(x, descending=False))
    tl.store(top_ptr + row * K + tl.arange(0, K), tl.topk(x, K))
    tl.store(sums_ptr + row * BLOCK + tl.arange(0, BLOCK), tl.cumsum(x, axis=0))
    tl.store(counts_ptr + row * BINS + tl.arange(0, BINS), tl.histogram(x, BINS))
