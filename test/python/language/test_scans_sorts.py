"""Scans, sorts and joins of blocks, against NumPy on random blocks; every kernel also assembles for a GPU."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from scan_sort_kernels import (
    affine_kernel,
    cumprod_kernel,
    cumsum_kernel,
    least_kernel,
    load_block,
    random,
    run,
    scanned,
    sort_kernel,
    store_block,
    topk_kernel,
)


@tw.jit
def flip_kernel(x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    store_block(y, tl.flip(load_block(x, M, N), AXIS))


@tw.jit
def join_kernel(x, y, M: tl.constexpr, N: tl.constexpr, WHAT: tl.constexpr):
    value = load_block(x, M, N)
    if WHAT == "join":
        store_block(y, tl.join(value, value + 1).reshape(2 * M, N))
    elif WHAT == "interleave":
        store_block(y, tl.interleave(value, value + 1))
    elif WHAT == "cat":
        store_block(y, tl.cat(value, value + 1, can_reorder=True))
    else:
        left, right = tl.split(value.reshape(M, N // 2, 2))
        store_block(y, left - 2 * right)


SHAPES = [(1, 2), (8, 16), (4, 128), (64, 2), (16, 1)]
DTYPES = ["int8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_cumsum(backend, rng, dtype, shape, axis, reverse):
    x = random(rng, dtype, shape)
    wide = {"int8": "int32", "bfloat16": "float32"}.get(dtype, dtype)
    out = scanned(np.cumsum, x.astype(np.float64), axis, reverse).astype(wide)
    run(backend, cumsum_kernel, x, out, axis, reverse)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_cumprod(backend, rng, dtype, axis, reverse):
    x = rng.choice([-2, -1, 1, 1, 2], (8, 16)).astype(dtype)
    out = scanned(np.cumprod, x.astype(np.float64), axis, reverse).astype(dtype)
    run(backend, cumprod_kernel, x, out, axis, reverse)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_scan_of_a_function_that_does_not_commute(backend, rng, shape, axis, reverse):
    x = rng.integers(0, 99, shape).astype(np.int32)

    def scan(values, axis):
        values = np.moveaxis(values, axis, 0)
        factors, offsets = values.copy(), values + 1
        for i in range(1, len(values)):
            offsets[i] += offsets[i - 1] * values[i]
            factors[i] *= factors[i - 1]
        return np.moveaxis(factors ^ offsets, 0, axis)

    run(backend, affine_kernel, x, scanned(scan, x, axis, reverse), axis, reverse)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [*DTYPES, "uint8", "uint32"])
def test_sort(backend, rng, dtype, shape, descending):
    x = random(rng, dtype, shape)
    order = -1 if descending else 1
    run(backend, sort_kernel, x, np.ascontiguousarray(np.sort(x, axis=1)[:, ::order]), descending)


def test_sort_puts_nans_last(backend):
    x = np.array([[3, np.nan, -np.inf, 1, -np.nan, np.inf, -0.5, 2]], np.float32)
    run(backend, sort_kernel, x, np.sort(x, axis=1), False)


@pytest.mark.parametrize("k", [1, 5, 16])
@pytest.mark.parametrize("dtype", ["int8", "int32", "float16", "float32", "uint32", "int64"])
def test_the_least(backend, rng, dtype, k):
    x = random(rng, dtype, (4, 50))
    run(backend, least_kernel, x, np.ascontiguousarray(np.sort(x, axis=1)[:, :k]), k)


def test_the_least_are_no_nans(backend):
    x = np.array([[np.nan, 3, -np.nan, -np.inf]], np.float32)
    run(backend, least_kernel, x, np.array([[-np.inf, 3, np.nan]], np.float32), 3)


@pytest.mark.parametrize("k", [1, 4, 16])
@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "uint32"])
def test_topk(backend, rng, dtype, k):
    x = random(rng, dtype, (4, 64))
    run(backend, topk_kernel, x, np.ascontiguousarray(np.sort(x, axis=1)[:, ::-1][:, :k]), k)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64"])
def test_flip(backend, rng, dtype, axis):
    x = random(rng, dtype, (8, 16))
    run(backend, flip_kernel, x, np.ascontiguousarray(np.flip(x, axis)), axis)


JOINED = {
    "join": lambda x: np.stack([x, x + 1], -1).reshape(2 * x.shape[0], -1),
    "interleave": lambda x: np.stack([x, x + 1], -1).reshape(x.shape[0], -1),
    "cat": lambda x: np.concatenate([x, x + 1]),
    "split": lambda x: x[:, ::2] - 2 * x[:, 1::2],
}


@pytest.mark.parametrize("what", JOINED)
@pytest.mark.parametrize("dtype", ["int32", "float16", "float64"])
def test_join_and_split(backend, rng, dtype, what):
    x = random(rng, dtype, (8, 16))
    run(backend, join_kernel, x, np.ascontiguousarray(JOINED[what](x)), what)


@tw.jit
def cat_kernel(x, y, M: tl.constexpr, N: tl.constexpr, FIRST: tl.constexpr, AXIS: tl.constexpr):
    """Concatenates two parts of different sizes to the whole block, and also parts of conditions and pointers."""
    value = load_block(x, M, N)
    if AXIS == 0:
        whole = tl.cat(value[:FIRST, :], value[FIRST:, :], dim=0)
    else:
        whole = tl.cat(value[:, :FIRST], value[:, FIRST:], dim=1)
    column = tl.arange(0, N)
    pointers = tl.cat((y + column)[:1], (y + column)[1:])
    odd = tl.cat(column[:3] % 2 == 1, column[3:] % 2 == 1)
    store_block(y, tl.where(odd[None, :], whole, -whole))
    tl.store(pointers, tl.load(pointers) + 1)


@pytest.mark.parametrize("axis, first", [(0, 1), (0, 7), (1, 1), (1, 5), (1, 6)])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float64"])
def test_cat_of_different_sizes(backend, rng, dtype, axis, first):
    x = random(rng, dtype, (8, 12))
    out = np.where(np.arange(12) % 2 == 1, x, -x)
    out[0] += 1
    run(backend, cat_kernel, x, out.astype(x.dtype), first, axis)


GPU_KERNELS = [
    (cumsum_kernel, {"AXIS": 0, "REVERSE": False}), (cumsum_kernel, {"AXIS": 1, "REVERSE": True}),
    (cumprod_kernel, {"AXIS": 1, "REVERSE": False}), (sort_kernel, {"DESCENDING": False}),
    (topk_kernel, {"K": 8}), (flip_kernel, {"AXIS": 0}), (join_kernel, {"WHAT": "join"}),
    (join_kernel, {"WHAT": "interleave"}), (join_kernel, {"WHAT": "cat"}), (join_kernel, {"WHAT": "split"}),
    (cat_kernel, {"FIRST": 5, "AXIS": 1}),
]  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize("kernel, constants", GPU_KERNELS, ids=str)
@pytest.mark.parametrize("dtype", ["i8", "fp16", "fp32", "i64"])
def test_assembles_for_a_gpu(kernel, constants, dtype):
    from tilewright import _tilewright
    from tilewright.options import Options
    from tilewright.runtime.assemblers import assembler_paths
    from tilewright.runtime.compiler import compile_kernel

    if not _tilewright.assemblers(assembler_paths()):
        pytest.skip("no assembler of PTX on this machine")
    wide = {"i8": "i32"}.get(dtype, dtype) if "sum" in kernel.__name__ else dtype
    types = {"x": f"*{dtype}", "y": f"*{wide}"}
    constants = {"M": 16, "N": 64, **constants}
    compile_kernel(kernel.fn, types, constants, {}, "sm_90a", Options(num_warps=4))


@tw.jit
def later_of_equal(x, i, y, j):
    return tl.where(x > y, x, y), tl.where(x > y, i, j)


@tw.jit
def argmax_kernel(x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    """The indices are not loaded: they get the layout of the values that they are scanned with."""
    value = load_block(x, M, N)
    index = tl.arange(0, M)[:, None] if AXIS == 0 else tl.arange(0, N)[None, :]
    indices = tl.broadcast_to(index.to(tl.int64), (M, N))
    store_block(y, tl.associative_scan((value, indices), AXIS, later_of_equal, REVERSE)[1])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape, axis", [((8, 32), 1), ((1024, 2), 0), ((2, 1024), 1), ((30, 7), 0)], ids=str)
def test_scan_of_indices(backend, rng, shape, axis, reverse):
    x = rng.integers(0, 9, shape).astype(np.int32)

    def scan(values, axis):
        indices = np.zeros(values.shape, np.int64)
        for row, of_row in zip(values, indices, strict=True):
            for i in range(1, len(row)):
                of_row[i] = i if row[i] >= row[of_row[i - 1]] else of_row[i - 1]
        return indices

    indices = scanned(scan, x if axis else np.ascontiguousarray(x.T), 1, reverse)
    expected = np.ascontiguousarray(indices if axis else indices.T)
    run(
        backend,
        argmax_kernel,
        x,
        shape[axis] - 1 - expected if reverse else expected,
        axis,
        reverse,
    )


@pytest.mark.compiled
@pytest.mark.parametrize("rows, columns, axis", [(1024, 2, 0), (2, 1024, 1)])
def test_joined_blocks_are_spread_over_the_threads(rows, columns, axis):
    """Joined blocks that every thread holds as a whole assemble slowly: see benchmarks/notes/assembler-time.md."""
    from tilewright.options import Options
    from tilewright.runtime.compiler import compile_kernel

    constants = {"M": rows, "N": columns, "AXIS": axis, "REVERSE": False}
    types = {"x": "*fp32", "y": "*i64"}
    kernel = argmax_kernel.fn
    compiled = compile_kernel(kernel, types, constants, {}, "sm_90a", Options(), stop_after="ptx")
    assert len(compiled.asm["ptx"]) < 200_000
