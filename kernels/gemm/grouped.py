"""Grouped products: runs of rows of one matrix, each multiplied by a matrix of its own."""

import numpy as np
import tilewright as tw
import tilewright.language as tl

from .._arrays import as_dtype, check_apart, check_same, dtype_name, library, on_gpu, strides
from .._calls import launch, new, repeatable, unrepeatable
from .config import are_alone, choose
from .operands import TYPES, prepared
from .product import PRECISIONS, activation_function, result_type
from .tiles import finished, locate, multiply, put


@tw.jit
def schedule_kernel(
    table_ptr, ends_ptr, groups, rows, tiles, BLOCK_M: tl.constexpr, GROUPS: tl.constexpr, TILES: tl.constexpr
):
    """For TILES tiles of BLOCK_M rows a program: the group, the first row and the row behind the group's last.

    The table has a row for each of the three. A group's rows start where those of the group before end;
    tiles behind the last group's are empty.
    """
    tile = tl.program_id(0) * TILES + tl.arange(0, TILES)
    i = tl.arange(0, GROUPS)
    # Groups that end before they start, or behind the array, must not make anyone write elsewhere.
    ends = tl.minimum(tl.load(ends_ptr + i, mask=i < groups, other=0).to(tl.int32), rows)
    starts = tl.load(ends_ptr + i - 1, mask=(i > 0) & (i < groups), other=0).to(tl.int32)
    starts = tl.minimum(tl.maximum(starts, 0), rows)
    counts = tl.where(i < groups, tl.cdiv(tl.maximum(ends - starts, 0), BLOCK_M), 0)
    before = tl.cumsum(counts, 0) - counts
    mine = (before[None, :] <= tile[:, None]) & (tile[:, None] < (before + counts)[None, :])
    group = tl.sum(tl.where(mine, i[None, :], 0), axis=1)
    first = tl.sum(tl.where(mine, (starts - before * BLOCK_M)[None, :] + tile[:, None] * BLOCK_M, 0), axis=1)
    end = tl.sum(tl.where(mine, ends[None, :], 0), axis=1)
    tl.store(table_ptr + tile, group, mask=tile < tiles)
    tl.store(table_ptr + tiles + tile, first, mask=tile < tiles)
    tl.store(table_ptr + 2 * tiles + tile, end, mask=tile < tiles)


@tw.jit
def grouped_kernel(
    out_ptr,
    a_ptr,
    b_ptr,
    bias_ptr,
    table_ptr,
    M,
    N,
    K,
    tiles,
    stride_om,
    stride_on,
    stride_am,
    stride_ak,
    stride_bg,
    stride_bk,
    stride_bn,
    stride_bias_g,
    stride_bias,
    BIAS: tl.constexpr,
    ACTIVATION: tl.constexpr,
    PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """One tile a program, of the rows that the table of schedule_kernel names."""
    tile, pid_n = locate(tl.program_id(0), tiles, tl.cdiv(N, BLOCK_N), GROUP_M)
    # What is loaded is known not to be negative only when it is said.
    group = tl.maximum(tl.load(table_ptr + tile), 0).to(tl.int64)
    first = tl.maximum(tl.load(table_ptr + tiles + tile), 0)
    end = tl.load(table_ptr + 2 * tiles + tile)
    m = (first + tl.arange(0, BLOCK_M)).to(tl.int64)
    first_n = (pid_n * BLOCK_N).to(tl.int64)
    n = first_n + tl.arange(0, BLOCK_N)
    # Rows of the next group come along where a group ends within the tile; they are not stored. Tiles without
    # rows are many where groups are small.
    acc = multiply(
        a_ptr, b_ptr + group * stride_bg, m, n, 0, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
        PRECISION, False, BLOCK_K, BLOCK_K, first < end,
    )  # fmt: skip
    bias = (bias_ptr + group * stride_bias_g, stride_bias)
    none = (1.0, 1.0, (out_ptr, 0, 0), bias, (bias_ptr, 0), (bias_ptr, 0), None)
    out = (out_ptr, stride_om, stride_on)
    TYPE: tl.constexpr = out_ptr.dtype.element_ty
    x = finished(acc, m, first_n, end, N, none, 0, False, BIAS, "none", ACTIVATION, "", TYPE)
    # Whole tiles are blocks of the result, which the hardware copies at once.
    if first <= end - BLOCK_M:
        put(x, m, first_n, M, N, out)
    else:
        put(x, m, first_n, end, N, out)


@repeatable
def grouped_matmul(
    a,
    b,
    ends,
    bias=None,
    activation="none",
    out=None,
    *,
    precision="ieee",
    out_dtype=None,
    config=None,
):
    """activation(a[i:j] @ b[g] + bias[g]) for each group g of rows, from i = ends[g - 1] (0 for the first) to
    j = ends[g].

    Args:
        a: array of shape (T, K): the rows of all groups, one after the other.
        b: array of shape (G, K, N), any strides, ``a``'s type.
        ends: contiguous int32 or int64 array of shape (G,), where ``a`` is: the row behind each group's last.
            Groups may be empty. No row may be in two groups; a GPU does not check that, but reads and
            writes nothing outside of the arrays.
        bias: array of shape (G, N), or None.
        activation: as for :func:`matmul`.
        out: array of shape (T, N) for the result; made where not given. Rows behind the last group are
            left as they are.
        precision, out_dtype, config: as for :func:`matmul`; k is not split, and nothing is swapped.

    Raises:
        TypeError: other types. ValueError: shapes that do not fit, on the CPU also ends that fall or lie
            behind ``a``.

    Example: ``grouped_matmul(tokens, experts, counts.cumsum(0))``.
    """
    _check(a, b, ends)
    function = activation_function(activation)
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    (M, K), (groups, _, N) = a.shape, b.shape
    type_ = result_type(a, out, out_dtype, False)
    out = new((M, N), a, type_) if out is None else out
    check_same("out", (M, N), out, a)
    check_apart(out, a=a, b=b)
    if bias is not None:
        check_same("bias", (groups, N), bias, a)
    if M == 0 or N == 0 or groups == 0:
        return out
    a, b = prepared(a, b, work=M * N * K, precision=precision)
    config = choose(a, b, groups, precision, False, config, whole=True, rows=tw.cdiv(M, groups))
    if config.split_k != 1 or config.swap:
        raise ValueError(f"grouped products need split_k=1 and no swap, got {config}")
    # No more tiles than this, wherever groups end.
    tiles = M // config.block_m + min(groups, M)
    table = new((3, tiles), a, as_dtype("int32", a))
    block = tw.next_power_of_2(groups)
    lot = max(4096 // block, 1)
    launch(
        schedule_kernel,
        (tw.cdiv(tiles, lot),),
        table,
        ends,
        groups,
        M,
        tiles,
        BLOCK_M=config.block_m,
        GROUPS=block,
        TILES=lot,
    )
    grid = (tiles * tw.cdiv(N, config.block_n),)
    options = config.launch(are_alone(*grid, out))
    del options["SPLIT_K"]
    launch(
        grouped_kernel, grid, out, a, b, out if bias is None else bias, table, M, N, K, tiles,
        *strides(out), *strides(a), *strides(b), *((0, 0) if bias is None else strides(bias)),
        BIAS="none" if bias is None else "n", ACTIVATION=function, PRECISION=precision, **options,
    )  # fmt: skip
    return out


def _check(a, b, ends):
    if a.ndim != 2 or b.ndim != 3 or a.shape[1] != b.shape[1]:
        raise ValueError(f"expected shapes (T, K) and (G, K, N), got {tuple(a.shape)} and {tuple(b.shape)}")
    if library(a) is not library(b) or dtype_name(a) != dtype_name(b):
        raise TypeError(
            f"a is {dtype_name(a)} of {library(a).__name__}, b {dtype_name(b)} of {library(b).__name__}"
        )
    if dtype_name(a) not in TYPES:
        raise TypeError(f"a and b are {dtype_name(a)}, expected one of {', '.join(TYPES)}")
    check_same("ends", b.shape[:1], ends, a)
    if dtype_name(ends) not in ("int32", "int64") or (ends.shape[0] > 1 and strides(ends)[0] != 1):
        raise TypeError(
            f"ends is {dtype_name(ends)} of stride {strides(ends)}, expected contiguous int32 or int64"
        )
    if not on_gpu(a) and ends.shape[0]:
        unrepeatable()
        numbers = np.asarray(ends)
        if numbers[0] < 0 or numbers[-1] > a.shape[0] or (np.diff(numbers) < 0).any():
            raise ValueError(f"ends rise from 0 to at most {a.shape[0]}, the rows of a, got {numbers}")
