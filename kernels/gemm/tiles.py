"""Functions that the kernels of this folder share: tile coordinates, the loop over k, and the epilogue."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def locate(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Returns row and column of the `tile`-th of tiles_m x tiles_n tiles.

    The order goes down GROUP_M rows before the next column, so that a wave of tiles shares operands in L2.
    """
    group = tile // (GROUP_M * tiles_n)
    first_m = group * GROUP_M
    rows = tl.minimum(tiles_m - first_m, GROUP_M)
    within = tile % (GROUP_M * tiles_n)
    return first_m + within % rows, within // rows


@tw.jit
def rows_and_columns(M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Returns the tile of this program: row and column of tiles, rows, first column, columns.

    Consecutive programs share the operand of the longer dimension: tall tiles follow each other along a row, wide
    tiles along a column.
    """
    if BLOCK_M > BLOCK_N:
        pid_n, pid_m = locate(tl.program_id(0), tl.cdiv(N, BLOCK_N), tl.cdiv(M, BLOCK_M), GROUP_M)
    else:
        pid_m, pid_n = locate(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    first_n = (pid_n * BLOCK_N).to(tl.int64)
    return pid_m, pid_n, m, first_n, first_n + tl.arange(0, BLOCK_N)


@tw.jit
def multiply(
    a_ptr,
    b_ptr,
    m,
    n,
    first_k,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    PRECISION: tl.constexpr,
    EXACT: tl.constexpr,
    BLOCK_K: tl.constexpr,
    STEP_K: tl.constexpr,
    wanted=True,
):
    """Returns rows `m` of a times columns `n` of b over the blocks of k at first_k + i * STEP_K.

    If not `wanted`, it loads nothing and returns zeros. The accumulator is int32 for int8, else float32. EXACT adds
    the result of each block to it in float32 registers, since tensor cores accumulate 8-bit floats with fewer bits.
    """
    k = first_k + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn
    m_mask = (m < M)[:, None]
    n_mask = (n < N)[None, :]
    ACC_TYPE: tl.constexpr = tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32
    acc = tl.zeros((m.shape[0], n.shape[0]), dtype=ACC_TYPE)
    for start in range(0, K if wanted else 0, STEP_K):
        k_mask = start + k < K
        a = tl.load(a_ptrs, mask=m_mask & k_mask[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=k_mask[:, None] & n_mask, other=0.0)
        if EXACT:
            acc = acc + tl.dot(a, b)
        else:
            acc = tl.dot(a, b, acc, input_precision=PRECISION)
        a_ptrs += STEP_K * stride_ak
        b_ptrs += STEP_K * stride_bk
    return acc


@tw.jit
def multiply_two(
    a_ptr,
    left_ptr,
    right_ptr,
    m,
    left_n,
    right_n,
    first_k,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_lk,
    stride_ln,
    stride_rk,
    stride_rn,
    PRECISION: tl.constexpr,
    EXACT: tl.constexpr,
    TOGETHER: tl.constexpr,
    BLOCK_K: tl.constexpr,
    STEP_K: tl.constexpr,
):
    """As `multiply`, with two right operands: columns `left_n` of one matrix and `right_n` of another.

    Both dots read the same block of a. With EXACT and TOGETHER both dots of a block are issued before the results are
    added; with EXACT alone each result is added after its own dot.
    """
    k = first_k + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    left_ptrs = left_ptr + k[:, None] * stride_lk + left_n[None, :] * stride_ln
    right_ptrs = right_ptr + k[:, None] * stride_rk + right_n[None, :] * stride_rn
    m_mask = (m < M)[:, None]
    left_mask, right_mask = (left_n < N)[None, :], (right_n < N)[None, :]
    ACC_TYPE: tl.constexpr = tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32
    left = tl.zeros((m.shape[0], left_n.shape[0]), dtype=ACC_TYPE)
    right = tl.zeros((m.shape[0], right_n.shape[0]), dtype=ACC_TYPE)
    for start in range(0, K, STEP_K):
        k_mask = start + k < K
        a = tl.load(a_ptrs, mask=m_mask & k_mask[None, :], other=0.0)
        left_b = tl.load(left_ptrs, mask=k_mask[:, None] & left_mask, other=0.0)
        right_b = tl.load(right_ptrs, mask=k_mask[:, None] & right_mask, other=0.0)
        if EXACT and TOGETHER:
            left_block, right_block = tl.dot(a, left_b), tl.dot(a, right_b)
            left = left + left_block
            right = right + right_block
        elif EXACT:
            left = left + tl.dot(a, left_b)
            right = right + tl.dot(a, right_b)
        else:
            left = tl.dot(a, left_b, left, input_precision=PRECISION)
            right = tl.dot(a, right_b, right, input_precision=PRECISION)
        a_ptrs += STEP_K * stride_ak
        left_ptrs += STEP_K * stride_lk
        right_ptrs += STEP_K * stride_rk
    return left, right


@tw.jit
def columns_from(first_n, N, BLOCK_N: tl.constexpr):
    """Returns the offsets of BLOCK_N columns from first_n, and the mask of those below N.

    Addresses of small offsets from one large base need the fewest registers.
    """
    j = tl.arange(0, BLOCK_N)
    return j.to(tl.int64), j < (N - first_n).to(tl.int32)


@tw.jit
def along(vector, m, first_n, M, N, AXIS: tl.constexpr, BLOCK_N: tl.constexpr):
    """Loads a vector, (pointer, stride), as float32: a value for each row (AXIS "m") or column ("n") of a tile."""
    ptr, stride = vector
    if AXIS == "m":
        return tl.load(ptr + m * stride, mask=m < M, other=0.0).to(tl.float32)[:, None]
    else:
        j, mask = columns_from(first_n, N, BLOCK_N)
        return tl.load(ptr + first_n * stride + j * stride, mask=mask, other=0.0).to(tl.float32)[None, :]


@tw.jit
def added(c, beta, m, first_n, M, N, BLOCK_N: tl.constexpr):
    """Returns beta times the tile of c, (pointer, stride of rows, stride of columns), in float32."""
    ptr, stride_m, stride_n = c
    j, mask = columns_from(first_n, N, BLOCK_N)
    ptrs = (ptr + m * stride_m + first_n * stride_n)[:, None] + (j * stride_n)[None, :]
    return beta * tl.load(ptrs, mask=(m < M)[:, None] & mask[None, :], other=0.0).to(tl.float32)


@tw.jit
def epilogue(
    x,
    m,
    first_n,
    M,
    N,
    operands,
    SCALED: tl.constexpr,
    HAS_ALPHA: tl.constexpr,
    BIAS: tl.constexpr,
    ADD: tl.constexpr,
    ACTIVATION: tl.constexpr,
    INDICES: tl.constexpr,
    TYPE: tl.constexpr,
    PARTS: tl.constexpr,
):
    """Applies the epilogue to the accumulator of rows m and columns n, and converts to TYPE.

    In float32: activation(alpha * scales * x + bias + beta * c), or with ADD "after" activation(...) + beta * c.

    SCALED: bit 0 for a scale per row, bit 1 per column; bit 2 for one scale of all rows, bit 3 of all columns.
    BIAS: "none", or the axis of the bias, "m" or "n".
    ACTIVATION: None, or a function of a float32 block.
    INDICES: if not empty, ACTIVATION also takes row indices, column indices and operands; "mn", or "nm" if the
    tile is transposed.
    """
    if PARTS > 1:
        half: tl.constexpr = x.shape[1] // 2
        x0, x1 = x.reshape(x.shape[0], 2, half).permute(0, 2, 1).split()
        y0 = epilogue(
            x0,
            m,
            first_n,
            M,
            N,
            operands,
            SCALED,
            HAS_ALPHA,
            BIAS,
            ADD,
            ACTIVATION,
            INDICES,
            TYPE,
            PARTS // 2,
        )
        y1 = epilogue(
            x1,
            m,
            first_n + half,
            M,
            N,
            operands,
            SCALED,
            HAS_ALPHA,
            BIAS,
            ADD,
            ACTIVATION,
            INDICES,
            TYPE,
            PARTS // 2,
        )
        return tl.join(y0, y1).permute(0, 2, 1).reshape(x.shape[0], x.shape[1])
    else:
        alpha, beta, c, bias, a_scale, b_scale, extra = operands
        COLUMNS: tl.constexpr = x.shape[1]
        n = first_n + tl.arange(0, COLUMNS)
        x = x.to(tl.float32)
        if SCALED & 1:
            x = x * along(a_scale, m, first_n, M, N, "m", COLUMNS)
        if SCALED & 4:
            x = x * tl.load(a_scale[0])
        if SCALED & 2:
            x = x * along(b_scale, m, first_n, M, N, "n", COLUMNS)
        if SCALED & 8:
            x = x * tl.load(b_scale[0])
        if HAS_ALPHA:
            x = x * alpha
        if BIAS != "none":
            x = x + along(bias, m, first_n, M, N, BIAS, COLUMNS)
        if ADD == "before":
            x = x + added(c, beta, m, first_n, M, N, COLUMNS)
        if INDICES == "mn":
            x = ACTIVATION(x, m[:, None], n[None, :], extra)
        elif INDICES == "nm":
            x = ACTIVATION(x, n[None, :], m[:, None], extra)
        elif ACTIVATION is not None:
            x = ACTIVATION(x)
        if ADD == "after":
            x = x + added(c, beta, m, first_n, M, N, COLUMNS)
        return x.to(TYPE)


@tw.jit
def with_epilogue(
    acc,
    m,
    first_n,
    M,
    N,
    operands,
    SCALED: tl.constexpr,
    HAS_ALPHA: tl.constexpr,
    BIAS: tl.constexpr,
    ADD: tl.constexpr,
    ACTIVATION: tl.constexpr,
    INDICES: tl.constexpr,
    TYPE: tl.constexpr,
    COLUMNS: tl.constexpr = 32,
):
    """Returns the accumulator after the epilogue, as TYPE; COLUMNS at once."""
    if (SCALED != 0 or HAS_ALPHA or BIAS != "none") or (ADD != "none" or ACTIVATION is not None):
        # Part by part, so that few intermediate values are live together with the accumulator.
        PARTS: tl.constexpr = max(acc.shape[1] // COLUMNS, 1)
        x = epilogue(
            acc,
            m,
            first_n,
            M,
            N,
            operands,
            SCALED,
            HAS_ALPHA,
            BIAS,
            ADD,
            ACTIVATION,
            INDICES,
            TYPE,
            PARTS,
        )
    else:
        x = acc.to(TYPE)
    return x


@tw.jit
def store_tile(x, m, first_n, M, N, out):
    """Stores the in-bounds part of a tile of results to out, (pointer, stride of rows, stride of columns)."""
    ptr, stride_m, stride_n = out
    n = first_n + tl.arange(0, x.shape[1])
    mask = (m < M)[:, None] & (n < N)[None, :]
    tl.store(ptr + m[:, None] * stride_m + n[None, :] * stride_n, x, mask=mask)


@tw.jit
def store_with_epilogue(
    acc,
    m,
    first_n,
    M,
    N,
    out,
    operands,
    SCALED: tl.constexpr,
    HAS_ALPHA: tl.constexpr,
    BIAS: tl.constexpr,
    ADD: tl.constexpr,
    ACTIVATION: tl.constexpr,
    INDICES: tl.constexpr,
    COLUMNS: tl.constexpr = 32,
):
    """Applies the epilogue to the accumulator, COLUMNS at once, and stores the tile."""
    TYPE: tl.constexpr = out[0].dtype.element_ty
    x = with_epilogue(
        acc, m, first_n, M, N, operands, SCALED, HAS_ALPHA, BIAS, ADD, ACTIVATION, INDICES, TYPE, COLUMNS
    )
    store_tile(x, m, first_n, M, N, out)
