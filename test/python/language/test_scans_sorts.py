"""Scans, sorts and what joins blocks, against NumPy on random blocks; every kernel assembles for a GPU, too."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def load_block(p, M: tl.constexpr, N: tl.constexpr):
    return tl.load(p + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@tw.jit
def store_block(p, value):
    M: tl.constexpr = value.shape[0]
    N: tl.constexpr = value.shape[1]
    tl.store(p + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], value)


@tw.jit
def cumsum_kernel(x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    store_block(y, tl.cumsum(load_block(x, M, N), AXIS, REVERSE))


@tw.jit
def cumprod_kernel(x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    store_block(y, tl.cumprod(load_block(x, M, N), AXIS, REVERSE))


@tw.jit
def compose(a, b, c, d):
    """x -> a x + b, and then x -> c x + d; not commutative."""
    return a * c, b * c + d


@tw.jit
def affine_kernel(x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    value = load_block(x, M, N)
    factor, offset = tl.associative_scan((value, value + 1), AXIS, compose, reverse=REVERSE)
    store_block(y, factor ^ offset)


@tw.jit
def sort_kernel(x, y, M: tl.constexpr, N: tl.constexpr, DESCENDING: tl.constexpr):
    store_block(y, tl.sort(load_block(x, M, N), descending=DESCENDING))


@tw.jit
def topk_kernel(x, y, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    store_block(y, tl.topk(load_block(x, M, N), K))


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


def random(rng, dtype, shape):
    kind = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    return rng.integers(-9, 9, shape).astype(kind)


def run(backend, kernel, x, out, *constants):
    y = backend.poisoned(out.shape, out.dtype.name)
    kernel[1,](backend.array(x), y, *x.shape, *constants)
    np.testing.assert_array_equal(backend.numpy(y), backend.numpy(backend.array(out)))


def scanned(function, x, axis, reverse):
    x = np.flip(x, axis) if reverse else x
    y = function(x, axis)
    return np.ascontiguousarray(np.flip(y, axis) if reverse else y)


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
    """What two parts of different sides make together is the whole; conditions and pointers go the same way."""
    value = load_block(x, M, N)
    if AXIS == 0:
        whole = tl.cat(value[:FIRST, :], value[FIRST:, :], dim=0)
    else:
        whole = tl.cat(value[:, :FIRST], value[:, FIRST:], dim=1)
    place = tl.arange(0, N)
    pointers = tl.cat((y + place)[:1], (y + place)[1:])
    odd = tl.cat(place[:3] % 2 == 1, place[3:] % 2 == 1)
    store_block(y, tl.where(odd[None, :], whole, -whole))
    tl.store(pointers, tl.load(pointers) + 1)


@pytest.mark.parametrize("axis, first", [(0, 1), (0, 7), (1, 1), (1, 5), (1, 6)])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float64"])
def test_cat_of_different_sides(backend, rng, dtype, axis, first):
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
    from tilewright.runtime.assemblers import assembler_paths
    from tilewright.runtime.compiler import compile_kernel
    from tilewright.runtime.options import Options

    if not _tilewright.assemblers(assembler_paths()):
        pytest.skip("no assembler of PTX on this machine")
    wide = {"i8": "i32"}.get(dtype, dtype) if "sum" in kernel.__name__ else dtype
    types = {"x": f"*{dtype}", "y": f"*{wide}"}
    constants = {"M": 16, "N": 64, **constants}
    compile_kernel(kernel.fn, types, constants, {}, "sm_90a", Options(num_warps=4))


# -- blocks that are scanned and sorted in loops ------------------------------------

LARGE = [(1, 16384), (128, 128), (3, 5000), (16384, 1)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape, axis", [(LARGE[0], 1), (LARGE[1], 0), (LARGE[2], 1), (LARGE[3], 0)], ids=str)
def test_cumsum_of_large_blocks(backend, rng, shape, axis, reverse):
    x = random(rng, "int32", shape)
    out = scanned(np.cumsum, x, axis, reverse).astype(np.int32)
    run(backend, cumsum_kernel, x, out, axis, reverse)


@pytest.mark.parametrize("reverse", [False, True])
def test_large_scan_of_a_function_that_does_not_commute(backend, rng, reverse):
    x = rng.integers(0, 99, (64, 128)).astype(np.int32)  # two blocks of it

    def scan(values, axis):
        factors, offsets = values.copy(), values + 1
        for i in range(1, values.shape[1]):
            offsets[:, i] += offsets[:, i - 1] * values[:, i]
            factors[:, i] *= factors[:, i - 1]
        return factors ^ offsets

    with np.errstate(over="ignore"):
        run(backend, affine_kernel, x, scanned(scan, x, 1, reverse), 1, reverse)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape", [*LARGE, (2048, 4), (512, 16)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_sort_of_large_blocks(backend, rng, dtype, shape, descending):
    x = random(rng, dtype, shape)
    order = -1 if descending else 1
    run(backend, sort_kernel, x, np.ascontiguousarray(np.sort(x, axis=1)[:, ::order]), descending)


@pytest.mark.parametrize("k", [1, 5, 64])
@pytest.mark.parametrize("shape", [(1, 16384), (64, 100), (3, 3000)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_topk_of_large_blocks(backend, rng, dtype, shape, k):
    x = (1e6 * rng.standard_normal(shape)).astype(dtype)
    run(backend, topk_kernel, x, np.ascontiguousarray(np.sort(x, axis=1)[:, ::-1][:, :k]), k)


@pytest.mark.compiled
@pytest.mark.parametrize("num_warps", [8, 16])
def test_topk_of_more_than_shared_memory_holds(num_warps):
    """256 KB of numbers: most of what a run has to exchange stands in registers and lanes of one warp."""
    from tilewright.runtime.compiler import compile_kernel
    from tilewright.runtime.options import Options

    constants, types, attrs = {"M": 1, "N": 32768, "K": 64}, {"x": "*u64", "y": "*u64"}, {"x": 16, "y": 16}
    options = Options(num_warps=num_warps)
    compiled = compile_kernel(topk_kernel.fn, types, constants, attrs, "sm_90a", options, stop_after="ptx")
    assert compiled.metadata["shared"] <= 65536


@pytest.mark.compiled
def test_topk_of_as_many_numbers_as_registers_hold():
    """Half of the registers hold numbers, and one half of these is done with before the other one begins: with both
    side by side the assembler has to spill, and takes minutes for twice as many."""
    from tilewright import _tilewright
    from tilewright.runtime.assemblers import assembler_paths
    from tilewright.runtime.compiler import compile_kernel
    from tilewright.runtime.options import Options

    if not _tilewright.assemblers(assembler_paths()):
        pytest.skip("no assembler of PTX on this machine")
    constants, types, attrs = {"M": 1, "N": 8192, "K": 64}, {"x": "*u64", "y": "*u64"}, {"x": 16, "y": 16}
    compiled = compile_kernel(topk_kernel.fn, types, constants, attrs, "sm_90a", Options(num_warps=4))
    assert compiled.spills == 0


@pytest.mark.compiled
@pytest.mark.parametrize(
    "kernel, constants, shuffles, barriers",
    [
        # A thread has four rows and four columns: two steps between lanes, and what stands before a lane's.
        (cumsum_kernel, {"M": 64, "N": 32, "AXIS": 0, "REVERSE": False}, 12, 1),
        (affine_kernel, {"M": 64, "N": 32, "AXIS": 0, "REVERSE": True}, 24, 1),
        (cumsum_kernel, {"M": 64, "N": 32, "AXIS": 1, "REVERSE": False}, 16, 0),
    ],
    ids=str,
)
def test_threads_exchange_totals_alone(kernel, constants, shuffles, barriers):
    from tilewright.runtime.compiler import compile_kernel
    from tilewright.runtime.options import Options

    attrs = {"x": 16, "y": 16}
    compiled = compile_kernel(
        kernel.fn,
        {"x": "*i32", "y": "*i32"},
        constants,
        attrs,
        "sm_90a",
        Options(num_warps=4),
        stop_after="ptx",
    )
    ptx = compiled.asm["ptx"]
    assert ptx.count("shfl.sync") == shuffles and ptx.count("bar.sync") == barriers


@tw.jit
def merge_kernel(x, y, M: tl.constexpr, N: tl.constexpr):
    store_block(y, tl.bitonic_merge(load_block(x, M, N)))


def test_merge_of_a_large_block(backend, rng):
    x = np.sort(rng.standard_normal((2, 4096)).astype(np.float32), axis=1)
    x[:, 2048:] = x[:, :2047:-1]
    run(backend, merge_kernel, x, np.sort(x, axis=1))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "kernel, constants, kilobytes",
    [
        (cumsum_kernel, {"AXIS": 1, "REVERSE": False}, 350),
        (affine_kernel, {"AXIS": 1, "REVERSE": True}, 850),
        (sort_kernel, {"DESCENDING": True}, 600),
        (topk_kernel, {"K": 16}, 900),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_the_code_of_large_blocks_is_small(kernel, constants, kilobytes):
    """What the assembler takes grows faster than the code: ten times as much took a minute."""
    from tilewright.runtime.compiler import compile_kernel
    from tilewright.runtime.options import Options

    constants = {"M": 1, "N": 32768, **constants}
    types = {"x": "*i32", "y": "*i32"}
    compiled = compile_kernel(kernel.fn, types, constants, {}, "sm_90a", Options(), stop_after="ptx")
    assert len(compiled.asm["ptx"]) < 1000 * kilobytes


@pytest.mark.compiled
@pytest.mark.parametrize(
    "kernel, constants, loops",
    [(cumsum_kernel, {"AXIS": 1, "REVERSE": False}, 0), (sort_kernel, {"DESCENDING": 1}, 2)],
)
def test_code_of_large_blocks_for_a_cpu(kernel, constants, loops):
    """A step is one loop there, however large the block: scans apply the function fewer than 3n times, in steps of
    their own, while the many steps of a sort stay a few, which compile in a fraction of a second."""
    from tilewright.runtime.compiler import compile_kernel
    from tilewright.runtime.options import Options

    constants = {"M": 1, "N": 32768, **constants}
    types = {"x": "*i32", "y": "*i32"}
    compiled = compile_kernel(kernel.fn, types, constants, {}, "cpu", Options(), stop_after="tile")
    assert compiled.asm["tile"].count("scf.for") == loops
    assert compiled.asm["tile"].count("tile.reduce") < 80


@tw.jit
def later_of_equal(x, i, y, j):
    return tl.where(x > y, x, y), tl.where(x > y, i, j)


@tw.jit
def place_of_maximum_kernel(
    x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr
):
    """Places come from no memory: what is made of them finds its layout by what it is scanned with."""
    value = load_block(x, M, N)
    place = tl.arange(0, M)[:, None] if AXIS == 0 else tl.arange(0, N)[None, :]
    places = tl.broadcast_to(place.to(tl.int64), (M, N))
    store_block(y, tl.associative_scan((value, places), AXIS, later_of_equal, REVERSE)[1])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape, axis", [((8, 32), 1), ((1024, 2), 0), ((2, 1024), 1), ((30, 7), 0)], ids=str)
def test_scan_of_places(backend, rng, shape, axis, reverse):
    x = rng.integers(0, 9, shape).astype(np.int32)

    def scan(values, axis):
        places = np.zeros(values.shape, np.int64)
        for row, of_row in zip(values, places, strict=True):
            for i in range(1, len(row)):
                of_row[i] = i if row[i] >= row[of_row[i - 1]] else of_row[i - 1]
        return places

    places = scanned(scan, x if axis else np.ascontiguousarray(x.T), 1, reverse)
    expected = np.ascontiguousarray(places if axis else places.T)
    run(
        backend,
        place_of_maximum_kernel,
        x,
        shape[axis] - 1 - expected if reverse else expected,
        axis,
        reverse,
    )


@pytest.mark.compiled
@pytest.mark.parametrize("rows, columns, axis", [(1024, 2, 0), (2, 1024, 1)])
def test_joined_blocks_are_spread_over_the_threads(rows, columns, axis):
    """Held by each thread as a whole, they took minutes to assemble."""
    from tilewright.runtime.compiler import compile_kernel
    from tilewright.runtime.options import Options

    constants = {"M": rows, "N": columns, "AXIS": axis, "REVERSE": False}
    types = {"x": "*fp32", "y": "*i64"}
    kernel = place_of_maximum_kernel.fn
    compiled = compile_kernel(kernel, types, constants, {}, "sm_90a", Options(), stop_after="ptx")
    assert len(compiled.asm["ptx"]) < 200_000


def test_sums_of_a_large_block_have_the_bits_of_the_interpreter(backend, rng):
    if backend.name == "cuda":
        pytest.skip("a GPU adds large blocks in another order")
    x = rng.standard_normal((2, 10000)).astype(np.float32)
    expected = np.zeros_like(x)
    tw.interpret(cumsum_kernel)[1,](x, expected, *x.shape, 1, False)
    run(backend, cumsum_kernel, x, expected, 1, False)


@pytest.mark.compiled
@pytest.mark.parametrize("kernel, constants", GPU_KERNELS[3:5], ids=str)
def test_blocks_too_large_are_refused_early(kernel, constants):
    import time

    from tilewright.runtime.compiler import compile_kernel
    from tilewright.runtime.options import Options

    constants = {"M": 1, "N": 1 << 17, **constants}
    types = {"x": "*fp32", "y": "*fp32"}
    start = time.process_time()
    with pytest.raises(tw.CompilationError, match=r"bytes of shared memory.*use smaller tiles") as caught:
        compile_kernel(kernel.fn, types, constants, {}, "sm_90a", Options(), stop_after="ptx")
    assert time.process_time() - start < 1
    place = kernel.fn.__code__.co_firstlineno + 2
    assert any(f"(line {place}: store_block(y, tl." in note for note in caught.value.notes)
