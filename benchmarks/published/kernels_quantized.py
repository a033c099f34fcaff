"""Quantized matmuls with scales; both compilers read this file."""

import triton
import triton.language as tl


@triton.jit
def tile_coordinates(pid, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Returns row and column of a tile; tiles are grouped by rows."""
    n_m = tl.cdiv(M, BLOCK_M)
    n_n = tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * n_n
    first = pid // in_group * GROUP_M
    size = min(n_m - first, GROUP_M)
    return first + (pid % in_group) % size, (pid % in_group) // size


@triton.jit
def block_scaled_kernel(
    a_ptr, b_ptr, c_ptr, as_ptr, bs_ptr, M, N, K, group_n, group_k, sam, sak, sbk, sbn, scm, scn,
    sas_m, sas_k, sbs_k, sbs_n,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    """8-bit floats; scales per 1 x 128 elements of a and per 128 x 128 elements of b."""
    pid_m, pid_n = tile_coordinates(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (m[:, None] * sam + k[None, :] * sak)
    b_ptrs = b_ptr + (k[:, None] * sbk + n[None, :] * sbn)
    as_ptrs = as_ptr + m * sas_m
    bs_ptrs = bs_ptr + n // group_n * sbs_n
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for i in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - i * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - i * BLOCK_K, other=0.0)
        scale_at = i * BLOCK_K // group_k
        a_s = tl.load(as_ptrs + scale_at * sas_k)
        b_s = tl.load(bs_ptrs + scale_at * sbs_k)
        acc += tl.dot(a, b) * a_s[:, None] * b_s[None, :]
        a_ptrs += BLOCK_K * sak
        b_ptrs += BLOCK_K * sbk
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + scm * m[:, None] + scn * n[None, :]
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def int8_kernel(
    a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, bias_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """int8; scales per row and column."""
    pid = tl.program_id(0)
    n_n = tl.cdiv(N, BLOCK_N)
    pid_m, pid_n = pid // n_n, pid % n_n
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)
    k = tl.arange(0, BLOCK_K).to(tl.int64)
    a_ptrs = a_ptr + sam * m[:, None] + sak * k[None, :]
    b_ptrs = b_ptr + sbk * k[:, None] + sbn * n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=(m < M)[:, None] & (k < K)[None, :])
        b = tl.load(b_ptrs, mask=(k < K)[:, None] & (n < N)[None, :])
        acc = tl.dot(a, b, acc, out_dtype=tl.int32)
        k += BLOCK_K
        a_ptrs += BLOCK_K * sak
        b_ptrs += BLOCK_K * sbk
    a_s = tl.load(a_scale_ptr + m, mask=m < M)
    b_s = tl.load(b_scale_ptr + n, mask=n < N)
    c = acc.to(tl.float32) * a_s[:, None] * b_s[None, :]
    c += tl.load(bias_ptr + n, mask=n < N).to(tl.float32)[None, :]
    c_ptrs = c_ptr + scm * m[:, None] + scn * n[None, :]
    tl.store(c_ptrs, c.to(c_ptr.dtype.element_ty), mask=(m < M)[:, None] & (n < N)[None, :])


@triton.jit
def weights8_kernel(
    x_ptr, w_ptr, s_ptr, c_ptr, M, N, K, sxm, swk, swn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    """8-bit weights, converted to the type of the activations before the dot; scales per column."""
    pid_m, pid_n = tile_coordinates(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + m[:, None] * sxm + k[None, :]
    w_ptrs = w_ptr + k[:, None] * swk + n[None, :] * swn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        x = tl.load(x_ptrs)
        w = tl.load(w_ptrs).to(x.dtype)
        acc = tl.dot(x, w, acc)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K * swk
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    acc *= tl.load(s_ptr + n, mask=n < N, other=0.0).to(tl.float32)[None, :]
    tl.store(
        c_ptr + m[:, None] * N + n[None, :],
        acc.to(c_ptr.dtype.element_ty),
        mask=(m[:, None] < M) & (n[None, :] < N),
    )


@triton.jit
def awq_kernel(
    a_ptr, b_ptr, c_ptr, zeros_ptr, scales_ptr, M, N, K, group_size,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT: tl.constexpr,
):  # fmt: skip
    """Eight 4-bit weights per word along n, interleaved; the host adds the split-K parts."""
    pid, part = tl.program_id(0), tl.program_id(1)
    n_n = tl.cdiv(N, BLOCK_N)
    pid_m, pid_n = pid // n_n, pid % n_n
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    order = ((tl.arange(0, 2) * 4)[None, :] + tl.arange(0, 4)[:, None]).reshape(8)
    shifts = tl.broadcast_to((order * 4)[None, :], (BLOCK_K * (BLOCK_N // 8), 8))
    shifts = tl.reshape(shifts, (BLOCK_K, BLOCK_N))
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n8 = pid_n * (BLOCK_N // 8) + tl.arange(0, BLOCK_N // 8)
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = part * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + K * m[:, None] + k[None, :]
    b_ptrs = b_ptr + (N // 8) * k[:, None] + n8[None, :]
    for i in range(0, tl.cdiv(K, BLOCK_K * SPLIT)):
        a = tl.load(a_ptrs, mask=(m < M)[:, None] & (k < K)[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=(k < K)[:, None] & (n8 < N // 8)[None, :], other=0.0)
        b = tl.interleave(b, b)
        b = tl.interleave(b, b)
        b = tl.interleave(b, b)
        group = (BLOCK_K * SPLIT * i + part * BLOCK_K) // group_size + tl.arange(0, 1)
        z_mask = (group < K // group_size)[:, None] & (n8 < N // 8)[None, :]
        z = tl.load(zeros_ptr + (N // 8) * group[:, None] + n8[None, :], mask=z_mask, other=0.0)
        z = tl.interleave(z, z)
        z = tl.interleave(z, z)
        z = tl.interleave(z, z)
        z = tl.broadcast_to(z, (BLOCK_K, BLOCK_N))
        s_mask = (group < K // group_size)[:, None] & (n < N)[None, :]
        s = tl.load(scales_ptr + N * group[:, None] + n[None, :], mask=s_mask, other=0.0)
        s = tl.broadcast_to(s, (BLOCK_K, BLOCK_N))
        b = (b >> shifts) & 0xF
        z = (z >> shifts) & 0xF
        b = ((b - z) * s).to(c_ptr.dtype.element_ty)
        acc = tl.dot(a, b, acc, out_dtype=tl.float32)
        k += BLOCK_K * SPLIT
        a_ptrs += BLOCK_K * SPLIT
        b_ptrs += BLOCK_K * SPLIT * (N // 8)
    c_ptrs = c_ptr + part * N * M + N * m[:, None] + n[None, :]
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(m < M)[:, None] & (n < N)[None, :])


@triton.jit
def packed_pairs_kernel(
    x_ptr, w_ptr, s_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """Two 4-bit weights per byte along k; bfloat16, scales per group."""
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    half = tl.arange(0, BLOCK_K // 2)
    x_ptrs = x_ptr + m[:, None] * K + k[None, :]
    w_ptrs = w_ptr + n[:, None] * (K // 2) + half[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for i in range(0, K // BLOCK_K):
        x = tl.load(x_ptrs, mask=m[:, None] < M, other=0.0)
        packed = tl.load(w_ptrs)
        low = (packed & 15).to(tl.int8) - 8
        high = (packed >> 4).to(tl.int8) - 8
        w = tl.join(low.to(x.dtype), high.to(x.dtype)).reshape(BLOCK_N, BLOCK_K)
        s = tl.load(s_ptr + n * (K // GROUP) + i * BLOCK_K // GROUP)
        w = w * s[:, None]
        acc = tl.dot(x, tl.trans(w), acc)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K // 2
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty), mask=m[:, None] < M)


@triton.jit
def microscaled_kernel(
    x_ptr, w_ptr, s_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """bfloat16 times 4-bit floats; the scale of each group of 32 is a power of two."""
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + m[:, None] * K + k[None, :]
    w_ptrs = w_ptr + n[None, :] * (K // 2) + tl.arange(0, BLOCK_K // 2)[:, None]
    s_ptrs = s_ptr + n[:, None] * (K // 32) + tl.arange(0, BLOCK_K // 32)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K // BLOCK_K):
        x = tl.load(x_ptrs)
        w = tl.load(w_ptrs)
        s = tl.load(s_ptrs)
        acc = tl.dot_scaled(x, None, "bf16", w, s, "e2m1", acc)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K // 2
        s_ptrs += BLOCK_K // 32
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty), mask=m[:, None] < M)
