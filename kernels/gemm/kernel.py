"""The matrix product, plain or batched, whole or in parts along k, and the sum of the parts."""

import tilewright as tw
import tilewright.language as tl

from .tiles import finish, multiply, multiply_two, rows_and_columns


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
    PLACED: tl.constexpr,
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
    """One tile of one product a program; with SPLIT_K > 1 its sum over every SPLIT_K-th block of k.

    Programs along axis 0 are tiles, along axis 1 products, along axis 2 parts. The products form a
    matrix with `inner` columns; an array's BATCH_ has bit 0 set if it steps along the rows of that
    matrix, bit 1 if along the columns.
    """
    _, _, m, first_n, n = rows_and_columns(M, N, BLOCK_M, BLOCK_N, GROUP_M)
    part = tl.program_id(2)
    out_ptr = shift(out_ptr, inner, stride_o0, stride_o1, BATCH_O)
    a_ptr = shift(a_ptr, inner, stride_a0, stride_a1, BATCH_A)
    b_ptr = shift(b_ptr, inner, stride_b0, stride_b1, BATCH_B)
    c_ptr = shift(c_ptr, inner, stride_c0, stride_c1, BATCH_C)
    if SPLIT_K > 1:
        # The kernel that adds the parts gets ready while this one runs.
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
    # Beside exact sums registers hold those of a block, or the other part's; results of 32 bits take twice the registers.
    FEW: tl.constexpr = EXACT or out_ptr.dtype.element_ty.primitive_bitwidth == 32
    COLUMNS: tl.constexpr = 16 if FEW else 32
    FOLLOWS: tl.constexpr = (SCALED != 0 or HAS_ALPHA or BIAS != "none") or (
        ADD != "none" or ACTIVATION is not None
    )
    # Two parts of a tile: halves, one after the other, so that beside the exact sums of a wide tile, which reads its
    # operands from shared memory less often, there is room for those of a block; or powers of two of columns, by which
    # goes what follows, with one instruction for both.
    HALVES: tl.constexpr = EXACT and BLOCK_N > 192
    LEFT: tl.constexpr = BLOCK_N // 2 if HALVES else 1 << (BLOCK_N.bit_length() - 1)
    if HALVES or (BLOCK_N != LEFT and (EXACT or FOLLOWS)):
        left_n = first_n + tl.arange(0, LEFT)
        right_n = first_n + LEFT + tl.arange(0, BLOCK_N - LEFT)
        left, right = multiply_two(
            a_ptr, b_ptr, b_ptr, m, left_n, right_n, first_k, M, N, K,
            stride_am, stride_ak, stride_bk, stride_bn, stride_bk, stride_bn,
            PRECISION, EXACT, not HALVES, BLOCK_K, BLOCK_K * SPLIT_K,
        )  # fmt: skip
        # The narrower part first: as long as the sums of both stand in registers, what follows has few columns to load.
        for COLUMN, acc in ((LEFT, right), (0, left)):
            finish(
                acc, m, first_n + COLUMN, M, N, out, operands,
                SCALED, HAS_ALPHA, BIAS, ADD, ACTIVATION, PLACED, COLUMNS,
            )  # fmt: skip
    else:
        acc = multiply(
            a_ptr, b_ptr, m, n, first_k, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
            PRECISION, EXACT, BLOCK_K, BLOCK_K * SPLIT_K,
        )  # fmt: skip
        finish(
            acc, m, first_n, M, N, out, operands, SCALED, HAS_ALPHA, BIAS, ADD, ACTIVATION, PLACED, COLUMNS
        )


@tw.jit
def shift(ptr, inner, stride_0, stride_1, BATCH: tl.constexpr):
    """Where the array of this program's product starts."""
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
    PLACED: tl.constexpr,
    BATCH_O: tl.constexpr,
    BATCH_C: tl.constexpr,
    PARTS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """The sum of PARTS contiguous arrays of products, in order, and what follows a product."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    m = (tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    first_n = (tl.program_id(0) % tiles_n * BLOCK_N).to(tl.int64)
    n = first_n + tl.arange(0, BLOCK_N)
    mask = (m < M)[:, None] & (n < N)[None, :]
    ptrs = parts_ptr + tl.program_id(1).to(tl.int64) * M * N + m[:, None] * N + n[None, :]
    tl.extra.cuda.gdc_wait()
    sums = [tl.load(ptrs + i * stride_part, mask=mask, other=0.0) for i in range(PARTS)]
    acc = sums[0]
    for i in tl.static_range(1, PARTS):
        acc += sums[i]
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
    finish(acc, m, first_n, M, N, out, operands, SCALED, HAS_ALPHA, BIAS, ADD, ACTIVATION, PLACED)
