"""Mixtures of experts, quantised matmuls, sampling, and other kernels that choose elements by index."""

import triton
import triton.language as tl


@triton.jit
def moe_align_kernel(
    topk_ids_ptr, sorted_ids_ptr, expert_ids_ptr, total_ptr, n_ids, n_blocks,
    EXPERTS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Sorts tokens by expert, each expert's count padded to a multiple of BLOCK_M. One program does it all."""
    experts = tl.arange(0, EXPERTS)
    counts = tl.zeros([EXPERTS], dtype=tl.int32)
    for start in range(0, n_ids, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        ids = tl.load(topk_ids_ptr + offs, mask=offs < n_ids, other=0)
        counts += tl.histogram(ids, EXPERTS, mask=offs < n_ids)
    padded = tl.cdiv(counts, BLOCK_M) * BLOCK_M
    ends = tl.cumsum(padded, 0)
    starts = ends - padded
    tl.store(total_ptr, tl.sum(padded, 0))
    for block in range(0, n_blocks):
        expert = tl.sum((ends <= block * BLOCK_M).to(tl.int32), 0)
        tl.store(expert_ids_ptr + block, expert)
    # A token's slot: the start of its expert plus the number of earlier tokens of that expert.
    for start in range(0, n_ids, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        mask = offs < n_ids
        ids = tl.load(topk_ids_ptr + offs, mask=mask, other=EXPERTS)
        is_mine = (ids[:, None] == experts[None, :]).to(tl.int32)
        before = tl.cumsum(is_mine, 0) - is_mine
        slot = tl.sum(is_mine * (before + starts[None, :]), 1)
        tl.store(sorted_ids_ptr + slot, offs, mask=mask)
        starts += tl.sum(is_mine, 0)


@triton.jit
def fused_moe_kernel(
    a_ptr, b_ptr, c_ptr, weights_ptr, sorted_ids_ptr, expert_ids_ptr, total_ptr, N, K, n_valid,
    stride_am, stride_ak, stride_be, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
    MUL_WEIGHT: tl.constexpr, TOP_K: tl.constexpr, compute_type: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(axis=0)
    total = tl.load(total_ptr)
    num_pid_m = tl.cdiv(total, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * num_pid_n
    group = pid // in_group
    first = group * GROUP_M
    size = min(num_pid_m - first, GROUP_M)
    if pid >= num_pid_m * num_pid_n:
        return
    pid_m = first + ((pid % in_group) % size)
    pid_n = (pid % in_group) // size
    if pid_m * BLOCK_M >= total:
        return
    token_offs = tl.load(sorted_ids_ptr + pid_m * BLOCK_M + tl.arange(0, BLOCK_M))
    token_mask = token_offs < n_valid
    expert = tl.load(expert_ids_ptr + pid_m).to(tl.int64)
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (token_offs[:, None] // TOP_K * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + expert * stride_be + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=token_mask[:, None] & (offs_k[None, :] < K - k * BLOCK_K), other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        accumulator += tl.dot(a, b)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if MUL_WEIGHT:
        weight = tl.load(weights_ptr + token_offs, mask=token_mask, other=0)
        accumulator = accumulator * weight[:, None]
    accumulator = accumulator.to(compute_type)
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * token_offs[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, accumulator, mask=token_mask[:, None] & (offs_cn[None, :] < N))


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 64}, num_stages=2, num_warps=4),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32}, num_stages=3, num_warps=4),
    ],
    key=["M", "N", "K"],
    reset_to_zero=["c_ptr"],
)
@triton.jit
def int4_matmul_kernel(
    a_ptr, b_ptr, c_ptr, scales_ptr, zeros_ptr, M, N, K, stride_am, stride_bk, stride_cm, stride_sg, stride_zg,
    group_size: tl.constexpr, SPLIT_K: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """a @ dequantised b; eight weights of 4 bits are an int32 along K, zeros are packed along N."""
    pid = tl.program_id(0)
    pid_z = tl.program_id(1)
    num_n = tl.cdiv(N, BLOCK_N)
    pid_m, pid_n = pid // num_n, pid % num_n
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = pid_z * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_m[:, None] * stride_am + offs_k[None, :])
    a_mask = offs_m[:, None] < M
    b_ptrs = b_ptr + ((offs_k[:, None] // 8) * stride_bk + offs_n[None, :])
    shifter = (offs_k % 8) * 4
    zeros_shifter = (offs_n % 8) * 4
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        a = tl.load(a_ptrs, mask=a_mask, other=0.0)
        b = tl.load(b_ptrs)
        g = (k * SPLIT_K + pid_z) * BLOCK_K // group_size
        scales = tl.load(scales_ptr + g * stride_sg + offs_n)
        zeros = tl.load(zeros_ptr + g * stride_zg + offs_n // 8)
        zeros = (zeros >> zeros_shifter) & 0xF
        b = (b >> shifter[:, None]) & 0xF
        b = ((b - zeros[None, :]) * scales[None, :]).to(a.dtype)
        acc += tl.dot(a, b)
        a_ptrs += BLOCK_K * SPLIT_K
        b_ptrs += (BLOCK_K * SPLIT_K // 8) * stride_bk
    c_ptrs = c_ptr + stride_cm * offs_m[:, None] + offs_n[None, :]
    mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    if SPLIT_K == 1:
        tl.store(c_ptrs, acc, mask=mask)
    else:
        tl.atomic_add(c_ptrs, acc, mask=mask, sem="relaxed")


@triton.jit
def round_away(x):
    return tl.where(x >= 0, tl.floor(x + 0.5), tl.ceil(x - 0.5))


@triton.jit
def quantize_rows_kernel(
    x_ptr, q_ptr, scale_ptr, n_cols, eps, QMAX: tl.constexpr, BLOCK: tl.constexpr, IS_INT: tl.constexpr
):
    """Quantises each row with a scale of its own, to int8 or the element type of the pointer."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    absmax = tl.maximum(tl.max(tl.abs(x)), eps)
    scale = absmax / QMAX
    q = x * (1.0 / scale)
    if IS_INT:
        q = round_away(q)
    q = tl.clamp(q, -QMAX, QMAX).to(q_ptr.dtype.element_ty)
    tl.store(q_ptr + row * n_cols + cols, q, mask=mask)
    tl.store(scale_ptr + row, scale)


@triton.jit
def dequantize_kernel(q_ptr, scale_ptr, out_ptr, n_cols, total, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < total
    scale = tl.load(scale_ptr + offs // n_cols, mask=mask)
    x = tl.load(q_ptr + offs, mask=mask).to(tl.float32) * scale
    tl.store(out_ptr + offs, x, mask=mask)


@triton.jit
def sample_kernel(
    logits_ptr, uniform_ptr, out_ptr, temperature, top_p, n_vocab, TOP_K: tl.constexpr, BLOCK: tl.constexpr
):
    """Samples one of the TOP_K likeliest tokens, restricted to a cumulative probability of top_p."""
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    logits = tl.load(logits_ptr + row * n_vocab + offs, mask=offs < n_vocab, other=-float("inf")).to(
        tl.float32
    )
    logits = logits / temperature
    # Order-preserving integers with the index in the low half, so that one sort gives both.
    bits = logits.to(tl.uint32, bitcast=True)
    key = tl.where((bits >> 31) != 0, ~bits, bits | 0x80000000).to(tl.uint64)
    packed = (key << 32) | (BLOCK - 1 - offs).to(tl.uint64)
    top = tl.topk(packed, TOP_K)
    index = BLOCK - 1 - (top & 0xFFFFFFFF).to(tl.int32)
    high = (top >> 32).to(tl.uint32)
    value = tl.where((high >> 31) != 0, high ^ 0x80000000, ~high).to(tl.float32, bitcast=True)
    p = tl.exp(value - tl.max(value, 0))
    p = p / tl.sum(p, 0)
    before = tl.cumsum(p, 0) - p
    p = tl.where(before < top_p, p, 0.0)
    p = p / tl.sum(p, 0)
    u = tl.load(uniform_ptr + row)
    chosen = tl.sum((tl.cumsum(p, 0) <= u).to(tl.int32), 0)
    chosen = tl.minimum(chosen, TOP_K - 1)
    tl.store(out_ptr + row, tl.sum(tl.where(tl.arange(0, TOP_K) == chosen, index, 0), 0))


@triton.jit
def embedding_bag_kernel(
    table_ptr, indices_ptr, offsets_ptr, weights_ptr, out_ptr, dim,
    MODE: tl.constexpr, HAS_WEIGHTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    bag = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < dim
    start, end = tl.load(offsets_ptr + bag), tl.load(offsets_ptr + bag + 1)
    acc = tl.zeros([BLOCK], tl.float32)
    if MODE == "max":
        acc += float("-inf")
    for i in range(start, end):
        index = tl.load(indices_ptr + i).to(tl.int64)
        row = tl.load(table_ptr + index * dim + cols, mask=mask, other=0.0).to(tl.float32)
        if HAS_WEIGHTS:
            row *= tl.load(weights_ptr + i)
        if MODE == "max":
            acc = tl.maximum(acc, row)
        else:
            acc += row
    if MODE == "mean":
        acc = acc / tl.maximum(end - start, 1).to(tl.float32)
    if MODE == "max":
        acc = tl.where(end > start, acc, 0.0)
    tl.store(out_ptr + bag * dim + cols, acc, mask=mask)


@triton.jit
def _segmented(left_value, left_flag, right_value, right_flag):
    return tl.where(right_flag != 0, right_value, left_value + right_value), left_flag | right_flag


@triton.jit
def segment_sum_kernel(values_ptr, segments_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Sums of runs of equal, ascending segments: a segmented scan, and an atomic for the last of each run."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    segment = tl.load(segments_ptr + offs, mask=mask, other=-1)
    before = tl.load(segments_ptr + offs - 1, mask=mask & (offs > 0), other=-2)
    after = tl.load(segments_ptr + offs + 1, mask=offs + 1 < n, other=-3)
    value = tl.load(values_ptr + offs, mask=mask, other=0.0)
    first = (segment != before).to(tl.int32)
    total, _ = tl.associative_scan((value, first), 0, _segmented)
    last = (segment != after) | (tl.arange(0, BLOCK) == BLOCK - 1)
    tl.atomic_add(out_ptr + segment, total, mask=mask & last, sem="relaxed", scope="gpu")


@triton.jit
def compact_kernel(x_ptr, out_ptr, count_ptr, flags_ptr, sums_ptr, n, BLOCK: tl.constexpr):
    """Compacts positive elements in order by a decoupled look-back scan: each program waits for the previous one."""
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    keep = x > 0
    counted = tl.cumsum(keep.to(tl.int32), 0)
    total = tl.max(counted, 0)
    base = 0
    if pid > 0:
        while tl.atomic_add(flags_ptr + pid - 1, 0, sem="acquire") == 0:
            pass
        base = tl.atomic_add(sums_ptr + pid - 1, 0)
    tl.atomic_xchg(sums_ptr + pid, base + total)
    tl.debug_barrier()
    tl.atomic_xchg(flags_ptr + pid, 1, sem="release")
    tl.store(out_ptr + base + counted - 1, x, mask=keep)
    if pid == tl.num_programs(0) - 1:
        tl.store(count_ptr, base + total)
