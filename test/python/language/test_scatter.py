"""tl.scatter against NumPy, with repeated and out-of-range indices, and its mistakes."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def load_block(x, M: tl.constexpr, N: tl.constexpr):
    return tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@tw.jit
def scatter_2d(
    x, index, new, y,
    M: tl.constexpr, N: tl.constexpr, P: tl.constexpr, Q: tl.constexpr, AXIS: tl.constexpr,
):  # fmt: skip
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    result = tl.scatter(load_block(x, M, N), load_block(index, P, Q), load_block(new, P, Q), AXIS)
    tl.store(y + offsets, result)


@tw.jit
def scatter_1d(x, index, new, y, N: tl.constexpr, Q: tl.constexpr):
    offsets = tl.arange(0, Q)
    result = tl.load(x + tl.arange(0, N)).scatter(tl.load(index + offsets), tl.load(new + offsets), 0)
    tl.store(y + tl.arange(0, N), result)


@tw.jit
def scatter_3d(x, index, y, N: tl.constexpr):
    offsets = tl.arange(0, 2 * 5 * N)
    value = tl.load(x + offsets).reshape(2, 5, N)
    picked = tl.load(index + tl.arange(0, 2 * 3 * N)).reshape(2, 3, N)
    tl.store(y + offsets, tl.scatter(value, picked, -1, 1).ravel())


@tw.jit
def scatter_others(x, index, y, N: tl.constexpr):
    """Scatters pointers, booleans and a loop-carried block."""
    i = tl.arange(0, N)
    at = tl.load(index + i)
    pointers = tl.scatter(x + i, at, x + 2 * i, 0)
    tl.store(y + i, tl.load(pointers))
    odd = tl.scatter(i < 0, at, i % 2 == 1, 0)
    tl.store(y + N + i, odd.to(tl.int32))
    value = i
    for k in range(3):
        value = tl.scatter(value, at, value + k, 0)
    tl.store(y + 2 * N + i, value)


DTYPES = ["int8", "uint16", "int32", "int64", "float16", "bfloat16", "float8_e5m2", "float32", "float64"]
SHAPES = [(0, (8, 32), (16, 32)), (1, (8, 32), (8, 4)), (0, (1, 16), (8, 16)), (1, (5, 24), (5, 7)),
          (0, (100, 2), (300, 2)), (1, (3, 1), (3, 5)), (1, (1, 9), (1, 1))]  # fmt: skip


def values(rng, shape, dtype):
    return rng.integers(-9, 9, shape).astype(getattr(ml_dtypes, dtype, None) or dtype)


def scattered(x, index, new, axis):
    """Returns `x` with `new` scattered into it, element by element."""
    x = x.copy()
    for source in np.ndindex(index.shape):
        target = list(source)
        target[axis] = index[source]
        if 0 <= target[axis] < x.shape[axis]:
            x[tuple(target)] = new[source]
    return x


@pytest.mark.parametrize("axis, shape, count", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_scatter(backend, rng, dtype, axis, shape, count):
    """Most positions are written more than once or never, and some indices are out of range."""
    x, new = values(rng, shape, dtype), values(rng, count, dtype)
    index = rng.integers(-2, shape[axis] + 2, count).astype(np.int32)
    y = backend.poisoned(shape, dtype)
    scatter_2d[1,](*map(backend.array, (x, index, new)), y, *shape, *count, axis)
    expected = scattered(x, index, new, axis)
    np.testing.assert_array_equal(backend.numpy(y), backend.numpy(backend.array(expected)))


@pytest.mark.parametrize("size, count", [(1, 1), (7, 3), (64, 64), (1000, 700), (16, 4096), (4096, 16)])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64"])
def test_index_types(backend, rng, dtype, size, count):
    x, new = values(rng, size, "float32"), values(rng, count, "float32")
    index = rng.integers(0, min(size, 128), count).astype(dtype)
    if dtype == "int64":
        index[::3] += 1 << 40
    y = backend.poisoned((size,), "float32")
    scatter_1d[1,](*map(backend.array, (x, index, new)), y, size, count)
    np.testing.assert_array_equal(backend.numpy(y), scattered(x, index, new, 0))


def test_three_axes_and_a_number(backend, rng):
    x = values(rng, (2, 5, 8), "int32")
    index = rng.integers(0, 5, (2, 3, 8)).astype(np.int32)
    y = backend.poisoned((2, 5, 8), "int32")
    scatter_3d[1,](backend.array(x), backend.array(index), y, 8)
    np.testing.assert_array_equal(backend.numpy(y), scattered(x, index, np.full_like(index, -1), 1))


def test_pointers_booleans_and_loops(backend, rng):
    n = 20
    x, index = rng.permutation(2 * n).astype(np.int32), rng.integers(0, n, n).astype(np.int32)
    y = backend.poisoned((3 * n,), "int32")
    scatter_others[1,](backend.array(x), backend.array(index), y, n)
    i = np.arange(n)
    value = i
    for k in range(3):
        value = scattered(value, index, value + k, 0)
    expected = [x[scattered(i, index, 2 * i, 0)], scattered(i * 0, index, i % 2, 0), value]
    np.testing.assert_array_equal(backend.numpy(y), np.concatenate(expected))


MISTAKES = [
    ("tl.scatter(3, i, i, 0)", r"the destination of tl.scatter is a block, got 3 of type int"),
    ("tl.scatter(i, 3, i, 0)", r"the index of tl.scatter is a block, got 3 of type int"),
    ("tl.scatter(i, i < 2, i, 0)", r"the index of tl.scatter is made of integers, got <\[8\], int1>"),
    ("tl.scatter(i[None, :], i, i, 0)", r"have the same rank, got \[1, 8\] and \[8\]"),
    (
        "tl.scatter(i[None, :], i[:, None], i, 0)",
        r"dimension 1 of tl.scatter along axis 0 is 8 in the destination and 1",
    ),
    (
        "tl.scatter(i, i, i[None, :], 0)",
        r"elements and the index of tl.scatter have one shape, got \[1, 8\] and \[8\]",
    ),
    ("tl.scatter(i, i, x + i, 0)", r"tl.scatter cannot put .* into a block of int32"),
    ("tl.scatter(i, i, i, 1)", r"axis"),
]


@pytest.mark.parametrize("text, message", MISTAKES, ids=lambda entry: entry)
def test_mistakes(backend, text, message):
    header = "import tilewright as tw, tilewright.language as tl\n@tw.jit\ndef kernel(x):\n"
    source = f"{header}    i = tl.arange(0, 8)\n    tl.store(x + i, {text})\n"
    namespace = {}
    exec(source, namespace)
    with pytest.raises(Exception, match=message):
        namespace["kernel"][1,](backend.poisoned((8,), "int32"))


@pytest.mark.compiled
@pytest.mark.parametrize("dtype", ["i8", "fp32"])
def test_assembles_for_a_gpu(assemble, dtype):
    types = {"x": f"*{dtype}", "index": "*i32", "new": f"*{dtype}", "y": f"*{dtype}"}
    assemble(scatter_2d, types, {"M": 5, "N": 24, "P": 5, "Q": 32, "AXIS": 1})
    assemble(scatter_1d, types, {"N": 4096, "Q": 4096})
