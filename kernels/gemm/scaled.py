"""Matmuls of scaled 8-bit matrices: one scale per matrix, per row and column, or per block."""

import tilewright as tw
import tilewright.language as tl

from .._arrays import dtype_name, strides
from .._calls import launch
from .._declaration import Array, Result, Sample, Scalar, declare
from . import reference
from .config import are_alone, choose
from .dense import activation_function, result_type, run_matmul
from .operands import ACTIVATION, CONFIG, OUT_DTYPE, TOLERANCE, TYPES, matrix, vector, with_fast_layout, work
from .tiles import rows_and_columns, store_with_epilogue

# Extent of the blocks that have one scale.
SCALE_BLOCK = 128


@tw.jit
def scales(ptr, tile, index, mask, stride, EXTENT: tl.constexpr, BLOCK: tl.constexpr):
    """Loads the scales of rows or columns `index` of a tile: a vector, or one number if EXTENT of them share it."""
    if EXTENT == 1:
        return tl.load(ptr + index * stride, mask=mask, other=0.0)
    else:
        return tl.load(ptr + tile * BLOCK // EXTENT * stride)


@tw.jit
def block_scaled_kernel(
    out_ptr,
    a_ptr,
    b_ptr,
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
    stride_bias,
    stride_sam,
    stride_sak,
    stride_sbk,
    stride_sbn,
    A_ROWS: tl.constexpr,
    B_COLUMNS: tl.constexpr,
    BIAS: tl.constexpr,
    ACTIVATION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """Each program computes one tile. A scale covers A_ROWS rows of a, or B_COLUMNS columns of b, and BLOCK_K of k."""
    pid_m, pid_n, m, first_n, n = rows_and_columns(M, N, BLOCK_M, BLOCK_N, GROUP_M)
    k = tl.arange(0, BLOCK_K)
    m_mask, n_mask = m < M, n < N
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn
    # The scales of a block are prefetched: the loads overlap with the dot of the block before.
    sa = scales(a_scale_ptr, pid_m, m, m_mask, stride_sam, A_ROWS, BLOCK_M)
    sb = scales(b_scale_ptr, pid_n, n, n_mask, stride_sbn, B_COLUMNS, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k_mask = start + k < K
        a = tl.load(a_ptrs, mask=m_mask[:, None] & k_mask[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=k_mask[:, None] & n_mask[None, :], other=0.0)
        # The last iteration loads its own scales again.
        block = tl.minimum(start + BLOCK_K, K - 1) // BLOCK_K
        next_sa = scales(a_scale_ptr + block * stride_sak, pid_m, m, m_mask, stride_sam, A_ROWS, BLOCK_M)
        next_sb = scales(b_scale_ptr + block * stride_sbk, pid_n, n, n_mask, stride_sbn, B_COLUMNS, BLOCK_N)
        x = tl.dot(a, b).to(tl.float32)
        if A_ROWS == 1 and B_COLUMNS == 1:
            acc += x * sa[:, None] * sb[None, :]
        elif A_ROWS == 1:
            acc += x * (sa * sb)[:, None]
        elif B_COLUMNS == 1:
            acc += x * (sa * sb)[None, :]
        else:
            acc += x * (sa * sb)
        sa, sb = next_sa, next_sb
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    # No alpha, no added matrix, no scales in the epilogue.
    none = (1.0, 1.0, (out_ptr, 0, 0), (bias_ptr, stride_bias), (a_scale_ptr, 0), (b_scale_ptr, 0), None)
    out = (out_ptr, stride_om, stride_on)
    store_with_epilogue(acc, m, first_n, M, N, out, none, 0, False, BIAS, "none", ACTIVATION, "")


def _scales(extent, rows):
    """Returns a function that makes scales of ``a`` (the dimension M, rows) or ``b`` (N, columns).

    ``extent``: how many rows or columns have one scale for each block of k; 0 for one scale of each row or column.
    """

    def make(rng, sizes):
        along, depth = sizes["M" if rows else "N"], tw.cdiv(sizes["K"], SCALE_BLOCK)
        shape = (tw.cdiv(along, extent), depth) if extent else (along, 1)
        return rng.uniform(0.01, 2, shape if rows else shape[::-1])

    return make


def _samples():
    one = {"a_scale": 0.5, "b_scale": 0.25}
    rows = {"a_scale": _scales(0, True), "b_scale": _scales(0, False)}
    blocks = {"a_scale": _scales(1, True), "b_scale": _scales(SCALE_BLOCK, False)}
    both = {"a_scale": _scales(SCALE_BLOCK, True), "b_scale": _scales(1, False)}
    for (M, N, K), scales, *optional in [
        ((70, 50, 300), one, "bias"),
        ((33, 129, 128), rows),
        ((130, 140, 300), blocks, "bias"),
        ((5, 128, 128), both),
        ((4, 5, 0), rows),
        ((0, 5, 3), one),
    ]:
        values = scales | {"activation": "relu" if optional else "none"}
        yield Sample({"M": M, "N": N, "K": K}, tuple(optional), values)


def _workload(size):
    scales = {"a_scale": _scales(0, True), "b_scale": _scales(0, False)}
    return Sample(dict.fromkeys("MNK", size), values=scales)


@declare(
    arguments={
        "a": Array("M K", dtypes=TYPES[3:]),
        "b": matrix("K N"),
        "a_scale": Array(None, dtypes=("float32",), number=True),
        "b_scale": Array(None, dtypes=("float32",), number=True),
        "bias": vector("N"),
        "activation": ACTIVATION,
        "out_dtype": OUT_DTYPE,
        "fast_accumulation": Scalar(bool),
        "config": CONFIG,
    },
    results={"out": Result("M N", result_type, dtypes="any", layout="any", apart=("a", "b"))},
    reference=reference.scaled_matmul,
    samples=_samples(),
    workloads={"cpu": (_workload(512), "int8"), "gpu": (_workload(4096), "float8_e4m3fn")},
    # The result is bfloat16.
    tolerance=dict.fromkeys(TYPES[3:], TOLERANCE["bfloat16"]),
    work=work(1),
)
def scaled_matmul(
    a,
    b,
    a_scale,
    b_scale,
    bias=None,
    activation="none",
    out=None,
    *,
    out_dtype="bfloat16",
    fast_accumulation=False,
    config=None,
):
    """Returns activation((a_scale * a) @ (b_scale * b) + bias) of 8-bit matrices, in float32.

    Args:
        a: array of shape (M, K): float8_e4m3fn, float8_e5m2 or int8; fastest contiguous along K.
        b: array of shape (K, N), ``a``'s type (the float8 types may be mixed); fastest contiguous along K.
        a_scale: a number, or a float32 array of one of these shapes. (1,) is one scale; (M,) or (M, 1) a
            scale per row; (M, K / 128) or (M / 128, K / 128), rounded up, a scale per block of 1 x 128 or
            128 x 128.
        b_scale: likewise: a number; (1,); (N,) or (1, N); (K / 128, N) or (K / 128, N / 128). Both operands
            have block scales, or neither has.
        bias: array of shape (N,), or None.
        activation: as for :func:`matmul`.
        out: array of shape (M, N) for the result; by default allocated with ``out_dtype``.
        fast_accumulation: accumulate float8 in the tensor cores, which keep some 14 bits. By default every
            128 elements of k are added in float32. Block scales always use float32.
        config: as for :func:`matmul`.

    Raises:
        TypeError: unsupported types. ValueError: shapes that do not match.

    Example: ``scaled_matmul(x8, w8.T, x_scale, w_scale, out_dtype="float16")``.
    """
    (M, K), N = a.shape, b.shape[1]
    function = activation_function(activation)
    kinds = [_kind("a_scale", a_scale, (M, K)), _kind("b_scale", b_scale, (N, K))]
    if kinds.count("blocks") == 1:
        raise ValueError("a_scale and b_scale must both be block scales, or neither")
    if K == 0:
        a_scale, b_scale, kinds = 1.0, 1.0, ["number", "number"]  # no element is scaled
    if kinds[0] == "blocks":
        _run_blocks(out, a, b, bias, a_scale, b_scale, function, config)
        return
    alpha = 1.0
    vectors = []
    for scale, kind in zip((a_scale, b_scale), kinds):
        alpha *= float(scale) if kind == "number" else 1.0
        vectors.append(None if kind == "number" else scale.reshape(-1))
    flags = {"HAS_ALPHA": alpha != 1, "BIAS": "none" if bias is None else "n", "ADD": "none"}
    exact = not fast_accumulation and dtype_name(a) != "int8"
    flags |= {"ACTIVATION": function, "INDICES": ""}
    run_matmul(out, a, b, bias, None, *vectors, alpha, 1.0, flags, "ieee", exact, config)


def _kind(name, scale, extents):
    """Returns the kind of ``scale``: "number", "vector" or "blocks".

    ``extents``: those of the matrix, k last. The shape of b's scale is reversed to match.
    """
    if isinstance(scale, (int, float)):
        return "number"
    extent, depth = extents
    shape = tuple(scale.shape) if name == "a_scale" else tuple(scale.shape)[::-1]
    if all(length == 1 for length in shape) or shape in ((extent,), (extent, 1)):
        return "vector"
    if shape in (
        (extent, tw.cdiv(depth, SCALE_BLOCK)),
        (tw.cdiv(extent, SCALE_BLOCK), tw.cdiv(depth, SCALE_BLOCK)),
    ):
        return "blocks"
    raise ValueError(
        f"{name} has shape {tuple(scale.shape)}, expected one scale, {extent}, or one for each "
        f"{SCALE_BLOCK} of k and 1 or {SCALE_BLOCK} of the {extent}"
    )


def _run_blocks(out, a, b, bias, a_scale, b_scale, function, config):
    (M, K), N = a.shape, b.shape[1]
    a, b = with_fast_layout(a, b, work=M * N * K, precision="ieee")
    # Scales per column need as many registers as a second accumulator.
    columns = b_scale.shape[1] == N and N > 1
    config = choose(
        a, b, 1, "ieee", True, config, accumulators=2 if columns else 1, whole=True, scale_block=SCALE_BLOCK
    )
    # A tile is part of one block of each scale.
    if config.block_k != SCALE_BLOCK or max(config.block_m, config.block_n) > SCALE_BLOCK:
        raise ValueError(
            f"block scales need block_k={SCALE_BLOCK}, block_m and block_n of at most {SCALE_BLOCK}, got {config}"
        )
    if config.split_k != 1 or config.swap:
        raise ValueError(f"block scales need split_k=1 and swap=False, got {config}")
    grid = (tw.cdiv(M, config.block_m) * tw.cdiv(N, config.block_n),)
    options = config.launch(are_alone(*grid, out))
    del options["SPLIT_K"]
    launch(
        block_scaled_kernel, grid, out, a, b, out if bias is None else bias, a_scale, b_scale, M, N, K,
        *strides(out), *strides(a), *strides(b), 0 if bias is None else strides(bias)[0],
        *strides(a_scale), *strides(b_scale),
        A_ROWS=1 if a_scale.shape[0] == M else SCALE_BLOCK,
        B_COLUMNS=1 if b_scale.shape[1] == N else SCALE_BLOCK,
        BIAS="none" if bias is None else "n", ACTIVATION=function, **options,
    )  # fmt: skip
