"""Tensor descriptors of arrays that only the kernel knows: on Hopper the device makes the tensor maps."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel

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
                acc = tl.zeros((BM, BN), tl.float32)
                for start in range(0, k, BK):
                    acc = tl.dot(a.load([row, start]), b.load([column, start]).T, acc)
                c.store([row, column], acc.to(tl.float16))
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
    """Returns the addresses of the arrays as int64."""
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
    """Computes the matmuls of all shapes twice with the given number of programs."""
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
def test_grouped_matmuls(backend, rng, programs, debug):
    run_grouped(backend, rng, SHAPES, programs, debug)


@pytest.mark.compiled
def test_a_producer_makes_its_maps():
    compiled = compiled_for(grouped, TYPES, {"PROGRAMS": 4, **BLOCKS})
    warp, ptx = compiled.asm["warp"], compiled.asm["ptx"]
    assert warp.count("warp.make_tensor_map") == 3
    assert warp.count("warp.tma_load") == 2 and warp.count("warp.wgmma ") == 2
    assert ptx.count("tensormap.cp_fenceproxy") == 3
    assert "launch_recipe" not in compiled.metadata, "the host has nothing to do"


@pytest.mark.compiled
def test_a_producer_that_makes_maps_has_registers_for_it():
    compiled = compiled_for(grouped, TYPES, {"PROGRAMS": 4, **BLOCKS, "BN": 256}, stop="warp")
    assert "warp.specialize warps [8, 4] registers [232, 40]" in compiled.asm["warp"]


@pytest.mark.compiled
def test_assembles(assemble, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CHECK", "0")  # the message about unaligned arrays is a call
    compiled = assemble(grouped, TYPES, {"PROGRAMS": 4, **BLOCKS}, num_warps=8)
    assert compiled.spills == 0 and compiled.metadata["advice"] == []


@tw.jit
def described(
    a_ptrs, b_ptrs, c_ptrs, sizes, ELEMENT: tl.constexpr, RESULT: tl.constexpr,
    DEEP: tl.constexpr, TRANSPOSED: tl.constexpr, ADD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """c[g] = or += a[g] @ b[g].T in program g; `a` has two or five dimensions."""
    g = tl.program_id(0)
    a_ptr = tl.load(a_ptrs + g).to(tl.pointer_type(ELEMENT))
    b_ptr = tl.load(b_ptrs + g).to(tl.pointer_type(ELEMENT))
    c_ptr = tl.load(c_ptrs + g).to(tl.pointer_type(RESULT))
    m, n, k = tl.load(sizes + g * 3), tl.load(sizes + g * 3 + 1), tl.load(sizes + g * 3 + 2)
    if DEEP:
        a = tl.make_tensor_descriptor(
            a_ptr, [1, 1, 2, m, k], [2 * m * k, 2 * m * k, m * k, k, 1], [1, 1, 1, BM, BK]
        )
    else:
        a = tl.make_tensor_descriptor(a_ptr, [m, k], [k, 1], [BM, BK])
    if TRANSPOSED:
        b = tl.make_tensor_descriptor(b_ptr, [k, n], [n, 1], [BK, BN])
    else:
        b = tl.make_tensor_descriptor(b_ptr, [n, k], [k, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [m, n], [n, 1], [BM, BN])
    for row in range(0, m, BM):
        for column in range(0, n, BN):
            acc = tl.zeros((BM, BN), tl.int32 if ELEMENT == tl.int8 else tl.float32)
            for start in range(0, k, BK):
                if DEEP:
                    left = a.load([0, 0, 1, row, start]).reshape(BM, BK)
                else:
                    left = a.load([row, start])
                right = b.load([start, column]) if TRANSPOSED else b.load([column, start]).T
                acc = tl.dot(left, right, acc, input_precision="tf32")
            if ADD:
                c.atomic_add([row, column], acc.to(RESULT))
            else:
                c.store([row, column], acc.to(RESULT))


# Element type, result type, block size along k: swizzles of 128, 64 and 32 bytes.
ELEMENTS = [
    ("float16", "float32", 64),
    ("float16", "float16", 32),
    ("bfloat16", "bfloat16", 16),
    ("float32", "float32", 32),
    ("int8", "int32", 128),
    ("float8_e4m3fn", "float32", 64),
    ("float8_e5m2", "float16", 32),
]
NAMES = {"float8_e4m3fn": "float8e4nv", "float8_e5m2": "float8e5"}


def constants_of(element, result, depth, deep=False, transposed=False, add=False):
    """The constants of `described`."""
    kinds = {"ELEMENT": getattr(tl, NAMES.get(element, element)), "RESULT": getattr(tl, result)}
    return {**kinds, "DEEP": deep, "TRANSPOSED": transposed, "ADD": add, "BM": 64, "BN": 64, "BK": depth}


def run_described(backend, rng, element, result, depth, sizes, **how):
    deep, transposed, add = (how.get(name, False) for name in ("deep", "transposed", "add"))
    a = [rng.integers(-2, 3, (m, k)).astype(np.float32) for m, n, k in sizes]
    b = [rng.integers(-2, 3, (n, k)).astype(np.float32) for m, n, k in sizes]
    before = [np.full((m, n), 3 if add else 77, np.float32) for m, n, k in sizes]
    arrays = []
    for x, y, z in zip(a, b, before, strict=True):
        x = np.stack([np.full_like(x, 1), x]) if deep else x
        arrays += [
            backend.array(x, element),
            backend.array(np.ascontiguousarray(y.T) if transposed else y, element),
            backend.array(z, result),
        ]
    tables = [backend.array(addresses(arrays[kind::3])) for kind in range(3)]
    lengths = backend.array(np.array(sizes, np.int32))
    described[len(sizes),](
        *tables, lengths, *constants_of(element, result, depth, deep, transposed, add).values()
    )
    for x, y, c in zip(a, b, arrays[2::3], strict=True):
        got = backend.numpy(c).astype(np.float32)
        np.testing.assert_array_equal(got, x @ y.T + (3 if add else 0))


SIZES = [(64, 64, 128), (160, 208, 192), (16, 16, 16), (48, 80, 400)]


@pytest.mark.compiled
@pytest.mark.parametrize("element, result, depth", ELEMENTS)
def test_elements(backend, rng, element, result, depth):
    run_described(backend, rng, element, result, depth, SIZES)


@pytest.mark.compiled
@pytest.mark.parametrize("element", ["float16", "int8"])
def test_five_dimensions(backend, rng, element):
    result = "int32" if element == "int8" else "float32"
    run_described(backend, rng, element, result, 64, SIZES, deep=True)


@pytest.mark.compiled
@pytest.mark.parametrize("element", ["float16", "bfloat16"])
def test_transposed_operand(backend, rng, element):
    run_described(backend, rng, element, "float32", 64, SIZES, transposed=True)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "element, result", [("float16", "float32"), ("float16", "float16"), ("int8", "int32")]
)
def test_added(backend, rng, element, result):
    run_described(backend, rng, element, result, 64, SIZES, add=True)


@pytest.mark.compiled
def test_arrays_without_elements(backend, rng):
    """They are neither read nor written, and a dot with an empty K is 0."""
    run_described(
        backend, rng, "float16", "float32", 64, [(64, 64, 0), (0, 64, 64), (64, 0, 64), (64, 64, 64)]
    )


@pytest.mark.compiled
@pytest.mark.parametrize("element, result, depth", ELEMENTS)
@pytest.mark.parametrize("add", [False, True])
def test_the_device_makes_all_maps(element, result, depth, add):
    constants = constants_of(element, result, depth, add=add)
    compiled = compiled_for(
        described,
        {name: TYPES[name] for name in ("a_ptrs", "b_ptrs", "c_ptrs", "sizes")},
        constants,
        num_warps=4,
    )
    assert compiled.asm["warp"].count("warp.make_tensor_map") == 3


@tw.jit
def rows_of_roles(x_ptrs, y_ptrs, z_ptrs, N, INSIDE: tl.constexpr):
    """y[g] = x[g] and z[g] = x[g] + 1, arrays of rows of 64 elements, by two roles."""
    x = tl.load(x_ptrs + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    y = tl.load(y_ptrs + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    z = tl.load(z_ptrs + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    outer_y = tl.make_tensor_descriptor(y, [N, 64], [64, 1], [16, 64])
    outer_z = tl.make_tensor_descriptor(z, [N, 64], [64, 1], [16, 64])
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 64)[None, :]

    def copy():
        inner = tl.make_tensor_descriptor(y, [N, 64], [64, 1], [16, 64]) if INSIDE else outer_y
        for row in range(0, N, 16):
            inner.store([row, 0], tl.load(x + (row + i) * 64 + j))

    def add():
        inner = tl.make_tensor_descriptor(z, [N, 64], [64, 1], [16, 64]) if INSIDE else outer_z
        for row in range(0, N, 16):
            inner.store([row, 0], tl.load(x + (row + i) * 64 + j) + 1)

    warp.specialize(warp.role(copy, warps=1), warp.role(add, warps=1))


@pytest.mark.compiled
@pytest.mark.parametrize("inside", [False, True])
def test_roles_of_a_kernel(backend, rng, inside):
    """Two roles of one warp make maps at the same time, of their own descriptors or of those of the kernel."""
    types = {"x_ptrs": "*i64", "y_ptrs": "*i64", "z_ptrs": "*i64", "N": "i32"}
    compiled = compiled_for(rows_of_roles, types, {"INSIDE": inside})
    assert compiled.asm["warp"].count("warp.make_tensor_map") == 2
    if backend.name == "cpu":
        return  # it has no warps
    x = [rng.integers(-9, 9, (128, 64)).astype(np.float32) for _ in range(3)]
    held = [
        [backend.array(value) for value in x],
        *([backend.poisoned((128, 64), "float32") for _ in range(3)] for _ in range(2)),
    ]
    rows_of_roles[3](*(backend.array(addresses(arrays)) for arrays in held), 128, inside)
    for value, y, z in zip(x, *held[1:], strict=True):
        np.testing.assert_array_equal(backend.numpy(y), value)
        np.testing.assert_array_equal(backend.numpy(z), value + 1)
