"""Blocks that are scanned and sorted in loops, and the size of their code."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from scan_sort_kernels import (
    affine_kernel,
    cumsum_kernel,
    load_block,
    random,
    run,
    scanned,
    sort_kernel,
    store_block,
    topk_kernel,
)

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
    """256 KB of numbers: most exchanges within a run are between registers and lanes of one warp."""
    from tilewright.options import Options
    from tilewright.runtime.compiler import compile_kernel

    constants, types, attrs = {"M": 1, "N": 32768, "K": 64}, {"x": "*u64", "y": "*u64"}, {"x": 16, "y": 16}
    options = Options(num_warps=num_warps)
    compiled = compile_kernel(topk_kernel.fn, types, constants, attrs, "sm_90a", options, stop_after="ptx")
    assert compiled.metadata["shared"] <= 65536


@pytest.mark.compiled
def test_topk_of_as_many_numbers_as_registers_hold():
    """Half of the registers hold numbers. One half of these is finished before the other one starts.

    With both at the same time the assembler spills: see benchmarks/notes/assembler-time.md.
    """
    from tilewright import _tilewright
    from tilewright.options import Options
    from tilewright.runtime.assemblers import assembler_paths
    from tilewright.runtime.compiler import compile_kernel

    if not _tilewright.assemblers(assembler_paths()):
        pytest.skip("no assembler of PTX on this machine")
    constants, types, attrs = {"M": 1, "N": 8192, "K": 64}, {"x": "*u64", "y": "*u64"}, {"x": 16, "y": 16}
    compiled = compile_kernel(topk_kernel.fn, types, constants, attrs, "sm_90a", Options(num_warps=4))
    assert compiled.spills == 0


@pytest.mark.compiled
@pytest.mark.parametrize(
    "kernel, constants, shuffles, barriers",
    [
        # A thread has four rows and four columns: two steps between lanes, and the prefix before each lane.
        (cumsum_kernel, {"M": 64, "N": 32, "AXIS": 0, "REVERSE": False}, 12, 1),
        (affine_kernel, {"M": 64, "N": 32, "AXIS": 0, "REVERSE": True}, 24, 1),
        (cumsum_kernel, {"M": 64, "N": 32, "AXIS": 1, "REVERSE": False}, 16, 0),
    ],
    ids=str,
)
def test_threads_exchange_totals_alone(kernel, constants, shuffles, barriers):
    from tilewright.options import Options
    from tilewright.runtime.compiler import compile_kernel

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
    """The time of the assembler grows faster than the code: see benchmarks/notes/assembler-time.md."""
    from tilewright.options import Options
    from tilewright.runtime.compiler import compile_kernel

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
    """A step is one loop on a CPU, for any block size.

    A scan has its own steps, and applies its function fewer than 3n times. The steps of a sort share a few loops.
    """
    from tilewright.options import Options
    from tilewright.runtime.compiler import compile_kernel

    constants = {"M": 1, "N": 32768, **constants}
    types = {"x": "*i32", "y": "*i32"}
    compiled = compile_kernel(kernel.fn, types, constants, {}, "cpu", Options(), stop_after="tile")
    assert compiled.asm["tile"].count("scf.for") == loops
    assert compiled.asm["tile"].count("tile.reduce") < 80


def test_sums_of_a_large_block_have_the_bits_of_the_interpreter(backend, rng):
    if backend.name == "cuda":
        pytest.skip("a GPU adds large blocks in another order")
    x = rng.standard_normal((2, 10000)).astype(np.float32)
    expected = np.zeros_like(x)
    tw.interpret(cumsum_kernel)[1,](x, expected, *x.shape, 1, False)
    run(backend, cumsum_kernel, x, expected, 1, False)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "kernel, constants", [(sort_kernel, {"DESCENDING": False}), (topk_kernel, {"K": 8})], ids=str
)
def test_blocks_too_large_are_refused_early(kernel, constants):
    import time

    from tilewright.options import Options
    from tilewright.runtime.compiler import compile_kernel

    constants = {"M": 1, "N": 1 << 17, **constants}
    types = {"x": "*fp32", "y": "*fp32"}
    start = time.process_time()
    with pytest.raises(tw.CompilationError, match=r"bytes of shared memory.*use smaller tiles") as caught:
        compile_kernel(kernel.fn, types, constants, {}, "sm_90a", Options(), stop_after="ptx")
    assert time.process_time() - start < 1
    line = kernel.fn.__code__.co_firstlineno + 2
    assert any(f"(line {line}: store_block(y, tl." in note for note in caught.value.notes)
