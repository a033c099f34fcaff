"""What the kernels of this folder share: the place of a tile, its product, and what follows it."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def locate(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Row and column of the `tile`-th of tiles_m x tiles_n tiles.

    Tiles are taken down GROUP_M rows before the next column, so that a wave of them shares its
    operands in cache.
    """
    group = tile // (GROUP_M * tiles_n)
    first_m = group * GROUP_M
    rows = tl.minimum(tiles_m - first_m, GROUP_M)
    within = tile % (GROUP_M * tiles_n)
    return first_m + within % rows, within // rows


@tw.jit
def rows_and_columns(M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """The tile of this program: its row and column of tiles, its rows, its first column and its columns.

    Neighbours share the longer side of their tiles: high ones lie beside each other, wide ones below.
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
    """The product of rows `m` of a and columns `n` of b over the blocks of k at first_k + i * STEP_K; zeros, for
    which nothing is loaded, where it is not `wanted`.

    Sums are int32 of int8, else float32. EXACT adds the sum of each block in float32 outside of the
    tensor cores, which keep fewer digits of 8-bit floats.
    """
    k = first_k + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn
    m_mask = (m < M)[:, None]
    n_mask = (n < N)[None, :]
    SUM: tl.constexpr = tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32
    acc = tl.zeros((m.shape[0], n.shape[0]), dtype=SUM)
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
    """As `multiply`, the products of rows `m` of a and of two sets of columns, `left_n` and `right_n`, each of a
    matrix of its own: both read the rows from one place. EXACT adds the sums of a block when there are both, if they
    are taken TOGETHER, else each when it is there.
    """
    k = first_k + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    left_ptrs = left_ptr + k[:, None] * stride_lk + left_n[None, :] * stride_ln
    right_ptrs = right_ptr + k[:, None] * stride_rk + right_n[None, :] * stride_rn
    m_mask = (m < M)[:, None]
    left_mask, right_mask = (left_n < N)[None, :], (right_n < N)[None, :]
    SUM: tl.constexpr = tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32
    left = tl.zeros((m.shape[0], left_n.shape[0]), dtype=SUM)
    right = tl.zeros((m.shape[0], right_n.shape[0]), dtype=SUM)
    for start in range(0, K, STEP_K):
        k_mask = start + k < K
        a = tl.load(a_ptrs, mask=m_mask & k_mask[None, :], other=0.0)
        left_b = tl.load(left_ptrs, mask=k_mask[:, None] & left_mask, other=0.0)
        right_b = tl.load(right_ptrs, mask=k_mask[:, None] & right_mask, other=0.0)
        if EXACT and TOGETHER:
            left_sum, right_sum = tl.dot(a, left_b), tl.dot(a, right_b)
            left = left + left_sum
            right = right + right_sum
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
def columns_behind(first_n, N, BLOCK_N: tl.constexpr):
    """The first BLOCK_N columns from first_n on, counted from there, and which of them there are.

    Places in small numbers behind one large one are what addresses are computed from with the fewest registers.
    """
    j = tl.arange(0, BLOCK_N)
    return j.to(tl.int64), j < (N - first_n).to(tl.int32)


@tw.jit
def along(vector, m, first_n, M, N, AXIS: tl.constexpr, BLOCK_N: tl.constexpr):
    """A vector, (pointer, stride), in float32: a value for each row (AXIS "m") or column ("n") of a tile."""
    ptr, stride = vector
    if AXIS == "m":
        return tl.load(ptr + m * stride, mask=m < M, other=0.0).to(tl.float32)[:, None]
    else:
        j, mask = columns_behind(first_n, N, BLOCK_N)
        return tl.load(ptr + first_n * stride + j * stride, mask=mask, other=0.0).to(tl.float32)[None, :]


@tw.jit
def added(c, beta, m, first_n, M, N, BLOCK_N: tl.constexpr):
    """beta times the tile of c, (pointer, stride of rows, stride of columns), in float32."""
    ptr, stride_m, stride_n = c
    j, mask = columns_behind(first_n, N, BLOCK_N)
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
    PLACED: tl.constexpr,
    TYPE: tl.constexpr,
    PARTS: tl.constexpr,
):
    """What becomes of the sums of rows m and columns n, as TYPE.

    In float32: activation(alpha * scales * x + bias + beta * c), or with ADD "after" activation(...) + beta * c.
    Bit 0 of SCALED says that rows have scales, bit 1 that columns have, bits 2 and 3 that all of them have one;
    BIAS is "none", or the side that the bias goes along, "m" or "n"; ACTIVATION is a function of a float32 block or
    None, or, where PLACED says which of its rows and columns m and n are, of them and of operands, too.
    """
    if PARTS > 1:
        half: tl.constexpr = x.shape[1] // 2
        x0, x1 = x.reshape(x.shape[0], 2, half).permute(0, 2, 1).split()
        y0 = epilogue(
            x0, m, first_n, M, N, operands, SCALED, HAS_ALPHA, BIAS, ADD, ACTIVATION, PLACED, TYPE, PARTS // 2
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
            PLACED,
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
        if PLACED == "mn":
            x = ACTIVATION(x, m[:, None], n[None, :], extra)
        elif PLACED == "nm":
            x = ACTIVATION(x, n[None, :], m[:, None], extra)
        elif ACTIVATION is not None:
            x = ACTIVATION(x)
        if ADD == "after":
            x = x + added(c, beta, m, first_n, M, N, COLUMNS)
        return x.to(TYPE)


@tw.jit
def finished(
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
    PLACED: tl.constexpr,
    TYPE: tl.constexpr,
    COLUMNS: tl.constexpr = 32,
):
    """A tile of sums as the epilogue makes them, of TYPE, COLUMNS at once."""
    if (SCALED != 0 or HAS_ALPHA or BIAS != "none") or (ADD != "none" or ACTIVATION is not None):
        # Part by part, so that few intermediate values stand in registers beside the sums.
        PARTS: tl.constexpr = max(acc.shape[1] // COLUMNS, 1)
        x = epilogue(
            acc, m, first_n, M, N, operands, SCALED, HAS_ALPHA, BIAS, ADD, ACTIVATION, PLACED, TYPE, PARTS
        )
    else:
        x = acc.to(TYPE)
    return x


@tw.jit
def put(x, m, first_n, M, N, out):
    """Store a tile of results in (pointer, stride of rows, stride of columns), as far as it has rows and columns."""
    ptr, stride_m, stride_n = out
    n = first_n + tl.arange(0, x.shape[1])
    mask = (m < M)[:, None] & (n < N)[None, :]
    tl.store(ptr + m[:, None] * stride_m + n[None, :] * stride_n, x, mask=mask)


@tw.jit
def finish(
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
    PLACED: tl.constexpr,
    COLUMNS: tl.constexpr = 32,
):
    """Store a tile of sums, as the epilogue makes them COLUMNS at once."""
    TYPE: tl.constexpr = out[0].dtype.element_ty
    x = finished(
        acc, m, first_n, M, N, operands, SCALED, HAS_ALPHA, BIAS, ADD, ACTIVATION, PLACED, TYPE, COLUMNS
    )
    put(x, m, first_n, M, N, out)
