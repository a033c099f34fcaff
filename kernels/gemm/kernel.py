"""The matmul kernel, plain or batched, with optional split along k, and the kernel that adds the parts."""

import tilewright as tw
import tilewright.language as tl

from .tiles import multiply, multiply_two, rows_and_columns, store_with_epilogue


@tw.jit
def matmul_kernel(
    out_ptr,
    a_ptr,
    b_ptr,
    c_ptr,
    bias_ptr,
    a_scale_ptr,
    b_scale_ptr,
    M,
    N,
    K,
    stride_om,
    stride_on,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    stride_bias,
    stride_sa,
    stride_sb,
    alpha,
    beta,
    inner,
    stride_o0,
    stride_o1,
    stride_a0,
    stride_a1,
    stride_b0,
    stride_b1,
    stride_c0,
    stride_c1,
    stride_part,
    extra,
    SCALED: tl.constexpr,
    HAS_ALPHA: tl.constexpr,
    BIAS: tl.constexpr,
    ADD: tl.constexpr,
    ACTIVATION: tl.constexpr,
    INDICES: tl.constexpr,
    PRECISION: tl.constexpr,
    EXACT: tl.constexpr,
    BATCH_O: tl.constexpr,
    BATCH_A: tl.constexpr,
    BATCH_B: tl.constexpr,
    BATCH_C: tl.constexpr,
    SPLIT_K: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """Each program computes one tile of one matmul; with SPLIT_K > 1 over every SPLIT_K-th block of k.

    Programs along axis 0 are tiles, along axis 1 matmuls of the batch, along axis 2 parts of k. The batch is a
    matrix with `inner` columns. BATCH_O, _A, _B and _C say how an array steps through the batch: bit 0 along its
    rows, bit 1 along its columns.
    """
    _, _, m, first_n, n = rows_and_columns(M, N, BLOCK_M, BLOCK_N, GROUP_M)
    part = tl.program_id(2)
    out_ptr = shift(out_ptr, inner, stride_o0, stride_o1, BATCH_O)
    a_ptr = shift(a_ptr, inner, stride_a0, stride_a1, BATCH_A)
    b_ptr = shift(b_ptr, inner, stride_b0, stride_b1, BATCH_B)
    c_ptr = shift(c_ptr, inner, stride_c0, stride_c1, BATCH_C)
    if SPLIT_K > 1:
        # The prologue of the kernel that adds the parts overlaps with this kernel.
        tl.extra.cuda.gdc_launch_dependents()
        out_ptr += part.to(tl.int64) * stride_part
        first_k = part * BLOCK_K
    else:
        first_k = 0
    operands = (
        alpha,
        beta,
        (c_ptr, stride_cm, stride_cn),
        (bias_ptr, stride_bias),
        (a_scale_ptr, stride_sa),
        (b_scale_ptr, stride_sb),
        extra,
    )
    out = (out_ptr, stride_om, stride_on)
    # Columns per chunk of the epilogue. Exact accumulation keeps a second accumulator live, and 32-bit results take twice
    # the registers of 16-bit ones.
    SMALL_CHUNKS: tl.constexpr = EXACT or out_ptr.dtype.element_ty.primitive_bitwidth == 32
    CHUNK_N: tl.constexpr = 16 if SMALL_CHUNKS else 32
    HAS_EPILOGUE: tl.constexpr = (SCALED != 0 or HAS_ALPHA or BIAS != "none") or (
        ADD != "none" or ACTIVATION is not None
    )
    # Computes a tile in two parts in these cases:
    # 1. A wide exact tile: registers hold the accumulator of a block for half of the columns only. Wide tiles read
    #    operands from shared memory less often.
    # 2. A width that is not a power of two, with exact accumulation or an epilogue, which needs powers of two. One
    #    instruction still computes both parts.
    HALF_TILES: tl.constexpr = EXACT and BLOCK_N > 192
    LEFT: tl.constexpr = BLOCK_N // 2 if HALF_TILES else 1 << (BLOCK_N.bit_length() - 1)
    if HALF_TILES or (BLOCK_N != LEFT and (EXACT or HAS_EPILOGUE)):
        left_n = first_n + tl.arange(0, LEFT)
        right_n = first_n + LEFT + tl.arange(0, BLOCK_N - LEFT)
        left, right = multiply_two(
            a_ptr, b_ptr, b_ptr, m, left_n, right_n, first_k, M, N, K,
            stride_am, stride_ak, stride_bk, stride_bn, stride_bk, stride_bn,
            PRECISION, EXACT, not HALF_TILES, BLOCK_K, BLOCK_K * SPLIT_K,
        )  # fmt: skip
        # The narrower part first: its epilogue loads few columns while both accumulators are live.
        for COLUMN, acc in ((LEFT, right), (0, left)):
            store_with_epilogue(
                acc, m, first_n + COLUMN, M, N, out, operands,
                SCALED, HAS_ALPHA, BIAS, ADD, ACTIVATION, INDICES, CHUNK_N,
            )  # fmt: skip
    else:
        acc = multiply(
            a_ptr, b_ptr, m, n, first_k, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
            PRECISION, EXACT, BLOCK_K, BLOCK_K * SPLIT_K,
        )  # fmt: skip
        store_with_epilogue(
            acc, m, first_n, M, N, out, operands, SCALED, HAS_ALPHA, BIAS, ADD, ACTIVATION, INDICES, CHUNK_N
        )


@tw.jit
def shift(ptr, inner, stride_0, stride_1, BATCH: tl.constexpr):
    """Returns the start of the array of this program's matmul in the batch."""
    if BATCH & 1:
        ptr += (tl.program_id(1) // inner).to(tl.int64) * stride_0
    if BATCH & 2:
        ptr += (tl.program_id(1) % inner).to(tl.int64) * stride_1
    return ptr


@tw.jit
def reduce_kernel(
    out_ptr,
    parts_ptr,
    c_ptr,
    bias_ptr,
    a_scale_ptr,
    b_scale_ptr,
    M,
    N,
    stride_om,
    stride_on,
    stride_cm,
    stride_cn,
    stride_bias,
    stride_sa,
    stride_sb,
    alpha,
    beta,
    inner,
    stride_o0,
    stride_o1,
    stride_c0,
    stride_c1,
    stride_part,
    extra,
    SCALED: tl.constexpr,
    HAS_ALPHA: tl.constexpr,
    BIAS: tl.constexpr,
    ADD: tl.constexpr,
    ACTIVATION: tl.constexpr,
    INDICES: tl.constexpr,
    BATCH_O: tl.constexpr,
    BATCH_C: tl.constexpr,
    PARTS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Adds PARTS contiguous arrays of partial results in order, then applies the epilogue."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    m = (tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    first_n = (tl.program_id(0) % tiles_n * BLOCK_N).to(tl.int64)
    n = first_n + tl.arange(0, BLOCK_N)
    mask = (m < M)[:, None] & (n < N)[None, :]
    ptrs = parts_ptr + tl.program_id(1).to(tl.int64) * M * N + m[:, None] * N + n[None, :]
    tl.extra.cuda.gdc_wait()
    partials = [tl.load(ptrs + i * stride_part, mask=mask, other=0.0) for i in range(PARTS)]
    acc = partials[0]
    for i in tl.static_range(1, PARTS):
        acc += partials[i]
    out_ptr = shift(out_ptr, inner, stride_o0, stride_o1, BATCH_O)
    c_ptr = shift(c_ptr, inner, stride_c0, stride_c1, BATCH_C)
    operands = (
        alpha,
        beta,
        (c_ptr, stride_cm, stride_cn),
        (bias_ptr, stride_bias),
        (a_scale_ptr, stride_sa),
        (b_scale_ptr, stride_sb),
        extra,
    )
    out = (out_ptr, stride_om, stride_on)
    store_with_epilogue(
        acc, m, first_n, M, N, out, operands, SCALED, HAS_ALPHA, BIAS, ADD, ACTIVATION, INDICES
    )
