"""Tensor descriptors of arrays whose addresses and sizes only the kernel knows: on Hopper the device makes the maps."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.runtime.compiler import compile_kernel
from tilewright.runtime.options import Options

BLOCKS = {"BM": 128, "BN": 128, "BK": 64}


@tw.jit
def grouped(
    a_ptrs, b_ptrs, c_ptrs, sizes, strides, groups,
    PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """c[g] = a[g] @ b[g].T for each group, tile by tile over a fixed number of programs."""
    tile = tl.program_id(0)
    end = 0
    for g in range(groups):
        m, n, k = tl.load(sizes + g * 3), tl.load(sizes + g * 3 + 1), tl.load(sizes + g * 3 + 2)
        columns = tl.cdiv(n, BN)
        tiles = tl.cdiv(m, BM) * columns
        if tile >= end and tile < end + tiles:
            a_ptr = tl.load(a_ptrs + g).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(b_ptrs + g).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(c_ptrs + g).to(tl.pointer_type(tl.float16))
            lda, ldb, ldc = (
                tl.load(strides + g * 3),
                tl.load(strides + g * 3 + 1),
                tl.load(strides + g * 3 + 2),
            )
            a = tl.make_tensor_descriptor(a_ptr, [m, k], [lda, 1], [BM, BK])
            b = tl.make_tensor_descriptor(b_ptr, [n, k], [ldb, 1], [BN, BK])
            c = tl.make_tensor_descriptor(c_ptr, [m, n], [ldc, 1], [BM, BN])
            while tile >= end and tile < end + tiles:
                row, column = (tile - end) // columns * BM, (tile - end) % columns * BN
                sums = tl.zeros((BM, BN), tl.float32)
                for start in range(0, k, BK):
                    sums = tl.dot(a.load([row, start]), b.load([column, start]).T, sums)
                c.store([row, column], sums.to(tl.float16))
                tile += PROGRAMS
        end += tiles


TYPES = dict.fromkeys(("a_ptrs", "b_ptrs", "c_ptrs"), "*i64") | {
    "sizes": "*i32",
    "strides": "*i32",
    "groups": "i32",
}


def compiled_for(kernel, types, constants, stop="ptx", **options):
    aligned = {name: 16 for name, ty in types.items() if ty.startswith("*")}
    return compile_kernel(
        kernel.fn, types, constants, aligned, "sm_90a", Options(**{"num_warps": 8, **options}), stop
    )


def addresses(arrays):
    """Where the arrays start, as int64."""
    found = []
    for array in arrays:
        if isinstance(array, np.ndarray):
            found.append(array.ctypes.data)
        else:
            found.append(array.data_ptr())
    return np.array(found, np.int64)


def padded(backend, values, stride):
    """`values` in the first columns of rows of `stride` elements, and the array that holds them."""
    whole = np.full((values.shape[0], stride), 99, values.dtype)
    whole[:, : values.shape[1]] = values
    return backend.array(whole)


SHAPES = [(256, 128, 192), (100, 264, 64), (1, 8, 520), (384, 256, 40)]


def run_grouped(backend, rng, shapes, programs, debug=False):
    """Products of all shapes, twice, by so many programs."""
    a = [rng.integers(-3, 4, (m, k)).astype(np.float16) for m, n, k in shapes]
    b = [rng.integers(-3, 4, (n, k)).astype(np.float16) for m, n, k in shapes]
    rows = [[k + 8, k, n + 16] for m, n, k in shapes]
    held = [
        [padded(backend, x, stride) for x, (stride, _, _) in zip(a, rows, strict=True)],
        [padded(backend, x, stride) for x, (_, stride, _) in zip(b, rows, strict=True)],
        [
            backend.array(np.full((m, ld), 7, np.float16))
            for (m, _, _), (_, _, ld) in zip(shapes, rows, strict=True)
        ],
    ]
    tables = [backend.array(addresses(arrays)) for arrays in held]
    sizes, strides = backend.array(np.array(shapes, np.int32)), backend.array(np.array(rows, np.int32))
    for _ in range(2):
        grouped[programs,](*tables, sizes, strides, len(shapes), programs, **BLOCKS, num_warps=8, debug=debug)
    for x, y, result, (_, n, _) in zip(a, b, held[2], shapes, strict=True):
        got = backend.numpy(result)
        np.testing.assert_array_equal(
            got[:, :n], (x.astype(np.float32) @ y.astype(np.float32).T).astype(np.float16)
        )
        assert (got[:, n:] == 7).all()


@pytest.mark.compiled
@pytest.mark.parametrize("programs", [1, 3, 64])
@pytest.mark.parametrize("debug", [False, True])
def test_grouped_products(backend, rng, programs, debug):
    run_grouped(backend, rng, SHAPES, programs, debug)


@pytest.mark.compiled
def test_a_producer_makes_its_maps():
    made = compiled_for(grouped, TYPES, {"PROGRAMS": 4, **BLOCKS})
    warp, ptx = made.asm["warp"], made.asm["ptx"]
    assert warp.count("warp.make_tensor_map") == 3
    assert warp.count("warp.tma_load") == 2 and warp.count("warp.wgmma ") == 1
    assert ptx.count("tensormap.cp_fenceproxy") == 3
    assert "launch_recipe" not in made.metadata, "the host has nothing to do"


@pytest.mark.compiled
def test_assembles(assemble, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CHECK", "0")  # a message about arrays that are not aligned is a call
    made = assemble(grouped, TYPES, {"PROGRAMS": 4, **BLOCKS}, num_warps=8)
    assert made.spills == 0 and made.metadata["advice"] == []
