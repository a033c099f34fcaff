"""Grouped matmul: each group of consecutive rows of one matrix times a matrix of its own."""

import numpy as np
import tilewright as tw
import tilewright.language as tl

from .._arrays import as_dtype, on_gpu, strides
from .._calls import depends_on_content, launch, new
from .._declaration import Array, Result, Sample, declare
from . import reference
from .config import are_alone, choose
from .dense import activation_function, check_out_dtype, result_type
from .operands import (
    ACTIVATION,
    CONFIG,
    OUT_DTYPE,
    PRECISION,
    TOLERANCE,
    TYPES,
    vector,
    with_fast_layout,
    work,
)
from .tiles import locate, multiply, store_tile, with_epilogue


@tw.jit
def schedule_kernel(
    table_ptr, ends_ptr, groups, rows, tiles, BLOCK_M: tl.constexpr, GROUPS: tl.constexpr, TILES: tl.constexpr
):
    """Computes, for TILES tiles of BLOCK_M rows per program, the group, the first row and the end row of the group.

    The table has a row for each of the three. A group starts at the end of the group before it. Tiles after those of
    the last group are empty.
    """
    tile = tl.program_id(0) * TILES + tl.arange(0, TILES)
    i = tl.arange(0, GROUPS)
    # Clamps: groups that end before they start, or after the array, must not cause stores out of bounds.
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
    """Each program computes one tile; its rows are in the table of schedule_kernel."""
    tile, pid_n = locate(tl.program_id(0), tiles, tl.cdiv(N, BLOCK_N), GROUP_M)
    # The maximum tells the compiler that the loaded value is not negative.
    group = tl.maximum(tl.load(table_ptr + tile), 0).to(tl.int64)
    first = tl.maximum(tl.load(table_ptr + tiles + tile), 0)
    end = tl.load(table_ptr + 2 * tiles + tile)
    m = (first + tl.arange(0, BLOCK_M)).to(tl.int64)
    first_n = (pid_n * BLOCK_N).to(tl.int64)
    n = first_n + tl.arange(0, BLOCK_N)
    # Where a group ends within the tile, rows of the next group are computed but not stored. Small groups lead to
    # many tiles without rows, which load nothing.
    acc = multiply(
        a_ptr, b_ptr + group * stride_bg, m, n, 0, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
        PRECISION, False, BLOCK_K, BLOCK_K, first < end,
    )  # fmt: skip
    bias = (bias_ptr + group * stride_bias_g, stride_bias)
    none = (1.0, 1.0, (out_ptr, 0, 0), bias, (bias_ptr, 0), (bias_ptr, 0), None)
    out = (out_ptr, stride_om, stride_on)
    TYPE: tl.constexpr = out_ptr.dtype.element_ty
    x = with_epilogue(acc, m, first_n, end, N, none, 0, False, BIAS, "none", ACTIVATION, "", TYPE)
    # Whole tiles are blocks of the result, which TMA stores.
    if first <= end - BLOCK_M:
        store_tile(x, m, first_n, M, N, out)
    else:
        store_tile(x, m, first_n, end, N, out)


def _ends(rng, sizes):
    """Returns the end rows of random groups; the last one ends at the last row."""
    ends = np.sort(rng.integers(0, sizes["rows"] + 1, sizes["groups"]))
    ends[-1:] = sizes["rows"]
    return ends


def _samples():
    for rows, groups, K, N, *optional in [
        (300, 4, 70, 90),
        (150, 3, 40, 130, "bias"),
        (20, 1, 8, 5),
        (64, 7, 0, 16, "bias"),
        (0, 2, 8, 8),
        (5, 2, 3, 0),
    ]:
        sizes = {"rows": rows, "groups": groups, "K": K, "N": N}
        yield Sample(sizes, tuple(optional), {"ends": _ends, "activation": "gelu" if optional else "none"})


def _workload(rows, groups, K, N):
    return Sample({"rows": rows, "groups": groups, "K": K, "N": N}, values={"ends": _ends})


@declare(
    arguments={
        "a": Array("rows K", dtypes=TYPES),
        "b": Array("groups K N", dtypes=TYPES, like="a"),
        "ends": Array("groups", dtypes=("int32", "int64"), layout="contiguous"),
        "bias": vector("groups N"),
        "activation": ACTIVATION,
        "precision": PRECISION,
        "out_dtype": OUT_DTYPE,
        "config": CONFIG,
    },
    results={"out": Result("rows N", result_type, dtypes="any", layout="any", apart=("a", "b"))},
    reference=reference.grouped_matmul,
    samples=_samples(),
    workloads={
        "cpu": (_workload(1024, 4, 512, 512), "float32"),
        "gpu": (_workload(16384, 8, 4096, 2048), "bfloat16"),
    },
    tolerance=TOLERANCE,
    work=work(1),
)
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
    """Computes activation(a[i:j] @ b[g] + bias[g]) for each group g of rows.

    Rows i to j - 1 are those of group g: i = ends[g - 1] (0 for the first group), j = ends[g].

    Args:
        a: array of shape (T, K): the rows of all groups, one after the other.
        b: array of shape (G, K, N), any strides, ``a``'s type.
        ends: contiguous int32 or int64 array of shape (G,) on the device of ``a``: the end row of each group.
            Groups may be empty. No row may be in two groups. A GPU does not check that, but accesses
            nothing out of bounds.
        bias: array of shape (G, N), or None.
        activation: as for :func:`matmul`.
        out: array of shape (T, N) for the result; allocated by default. Rows after the last group are not
            written.
        precision, out_dtype, config: as for :func:`matmul`; split_k and swap are not supported.

    Raises:
        TypeError: unsupported types. ValueError: shapes that do not match; on the CPU also ends that decrease
            or are out of bounds.

    Example: ``grouped_matmul(tokens, experts, counts.cumsum(0))``.
    """
    _check_ends(a, ends)
    function = activation_function(activation)
    check_out_dtype(out, out_dtype)
    (M, K), (groups, _, N) = a.shape, b.shape
    if groups == 0:
        return
    a, b = with_fast_layout(a, b, work=M * N * K, precision=precision)
    config = choose(a, b, groups, precision, False, config, whole=True, rows=tw.cdiv(M, groups))
    if config.split_k != 1 or config.swap:
        raise ValueError(f"grouped_matmul needs split_k=1 and swap=False, got {config}")
    # The maximum number of tiles for any ends.
    tiles = M // config.block_m + min(groups, M)
    table = new((3, tiles), a, as_dtype("int32", a))
    block = tw.next_power_of_2(groups)
    tiles_per_program = max(4096 // block, 1)
    launch(
        schedule_kernel,
        (tw.cdiv(tiles, tiles_per_program),),
        table,
        ends,
        groups,
        M,
        tiles,
        BLOCK_M=config.block_m,
        GROUPS=block,
        TILES=tiles_per_program,
    )
    grid = (tiles * tw.cdiv(N, config.block_n),)
    options = config.launch(are_alone(*grid, out))
    del options["SPLIT_K"]
    launch(
        grouped_kernel, grid, out, a, b, out if bias is None else bias, table, M, N, K, tiles,
        *strides(out), *strides(a), *strides(b), *((0, 0) if bias is None else strides(bias)),
        BIAS="none" if bias is None else "n", ACTIVATION=function, PRECISION=precision, **options,
    )  # fmt: skip


def _check_ends(a, ends):
    """Raises ValueError for wrong ends on the CPU."""
    if not on_gpu(a) and ends.shape[0]:
        depends_on_content()
        numbers = np.asarray(ends)
        if numbers[0] < 0 or numbers[-1] > a.shape[0] or (np.diff(numbers) < 0).any():
            raise ValueError(f"ends must rise from 0 to at most {a.shape[0]}, the rows of a, got {numbers}")
