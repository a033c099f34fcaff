"""tl.gather against NumPy, its checks, and its mistakes."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def gather_2d(
    x, index, y, M: tl.constexpr, N: tl.constexpr, P: tl.constexpr, Q: tl.constexpr, AXIS: tl.constexpr
):
    source = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    offsets = tl.arange(0, P)[:, None] * Q + tl.arange(0, Q)[None, :]
    tl.store(y + offsets, tl.gather(source, tl.load(index + offsets), AXIS))


@tw.jit
def gather_1d(x, index, y, N: tl.constexpr, Q: tl.constexpr):
    offsets = tl.arange(0, Q)
    tl.store(y + offsets, tl.load(x + tl.arange(0, N)).gather(tl.load(index + offsets), 0))


@tw.jit
def gather_3d(x, index, y, N: tl.constexpr):
    source = tl.load(x + tl.arange(0, 2 * 4 * N)).reshape(2, 4, N)
    picked = tl.gather(source, tl.load(index + tl.arange(0, 2 * 8 * N)).reshape(2, 8, N), 1)
    tl.store(y + tl.arange(0, 2 * 8 * N), picked.ravel())


@tw.jit
def bubble(x, y, N: tl.constexpr):
    """A loop-carried block: each iteration adds the block rotated by one element."""
    value = tl.load(x + tl.arange(0, N))
    index = (tl.arange(0, N) + 1) % N
    for _ in range(5):
        value = tl.gather(value, index, 0) + value
    tl.store(y + tl.arange(0, N), value)


@tw.jit
def gather_conditions(x, index, y, N: tl.constexpr):
    """Gathers booleans of a transposed block that is never in memory."""
    value = tl.load(x + tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :])
    offsets = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    picked = tl.gather((value > 0).T, tl.load(index + offsets), 1)
    tl.store(y + offsets, picked.to(tl.int32))


@tw.jit
def gather_pointers(x, index, y, N: tl.constexpr):
    pointers = x + 2 * tl.arange(0, N)
    offsets = tl.arange(0, N)
    tl.store(y + offsets, tl.load(tl.gather(pointers, tl.load(index + offsets), 0)))


DTYPES = ["int8", "uint16", "int32", "int64", "float16", "bfloat16", "float8_e5m2", "float32", "float64"]
SHAPES = [(0, (8, 32), (16, 32)), (1, (8, 32), (8, 4)), (0, (1, 16), (8, 16)), (1, (64, 64), (64, 64)),
          (0, (128, 2), (4, 2))]  # fmt: skip


def values(rng, shape, dtype):
    return rng.integers(-9, 9, shape).astype(getattr(ml_dtypes, dtype, None) or dtype)


@pytest.mark.parametrize("axis, source, result", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_gather(backend, rng, dtype, axis, source, result):
    x = values(rng, source, dtype)
    index = rng.integers(0, source[axis], result).astype(np.int32)
    y = backend.poisoned(result, dtype)
    gather_2d[1,](backend.array(x), backend.array(index), y, *source, *result, axis)
    expected = np.take_along_axis(x, index, axis)
    np.testing.assert_array_equal(backend.numpy(y), backend.numpy(backend.array(expected)))


@pytest.mark.parametrize("index_dtype", ["int8", "uint8", "int16", "int64"])
@pytest.mark.parametrize("size, count", [(128, 16), (16, 1024), (1, 64)])
def test_index_types(backend, rng, index_dtype, size, count):
    x = values(rng, size, "float32")
    index = rng.integers(0, min(size, 128), count).astype(index_dtype)
    y = backend.poisoned((count,), "float32")
    gather_1d[1,](backend.array(x), backend.array(index), y, size, count)
    np.testing.assert_array_equal(backend.numpy(y), x[index.astype(np.int64)])


def test_unsigned_bytes_reach_past_127(backend, rng):
    x = values(rng, 256, "float32")
    index = np.arange(255, -1, -1).astype(np.uint8)
    y = backend.poisoned((256,), "float32")
    gather_1d[1,](backend.array(x), backend.array(index), y, 256, 256)
    np.testing.assert_array_equal(backend.numpy(y), x[::-1])


def test_three_axes(backend, rng):
    x = values(rng, (2, 4, 16), "int32")
    index = rng.integers(0, 4, (2, 8, 16)).astype(np.int32)
    y = backend.poisoned((2, 8, 16), "int32")
    gather_3d[1,](backend.array(x), backend.array(index), y, 16)
    np.testing.assert_array_equal(backend.numpy(y), np.take_along_axis(x, index, 1))


def test_of_a_loop_carried_block(backend, rng):
    x = values(rng, 64, "int32")
    y = backend.poisoned((64,), "int32")
    bubble[1,](backend.array(x), y, 64)
    for _ in range(5):
        x = np.roll(x, -1) + x
    np.testing.assert_array_equal(backend.numpy(y), x)


def test_of_computed_booleans(backend, rng):
    x = values(rng, (32, 32), "float32")
    index = rng.integers(0, 32, (32, 32)).astype(np.int32)
    y = backend.poisoned((32, 32), "int32")
    gather_conditions[1,](backend.array(x), backend.array(index), y, 32)
    np.testing.assert_array_equal(backend.numpy(y), np.take_along_axis((x > 0).T, index, 1))


def test_of_pointers(backend, rng):
    x = values(rng, 64, "float32")
    index = rng.permutation(32).astype(np.int32)
    y = backend.poisoned((32,), "float32")
    gather_pointers[1,](backend.array(x), backend.array(index), y, 32)
    np.testing.assert_array_equal(backend.numpy(y), x[::2][index])


@pytest.mark.compiled
def test_an_index_out_of_range_stays_inside(backend, rng):
    """The result is unspecified, but it is an element of the source."""
    x = values(rng, 16, "float32")
    index = np.array([-1, 16, 2**31 - 1, -(2**31)] * 16, np.int32)
    y = backend.poisoned((64,), "float32")
    gather_1d[1,](backend.array(x), backend.array(index), y, 16, 64)
    assert np.isin(backend.numpy(y), x).all()


def test_debug_names_an_index_out_of_range(tile):
    text = tile(gather_1d, "*fp32", "*i32", "*fp32", N=16, Q=64, options={"debug": True})
    assert "an index of tl.gather is outside of [0, 16)" in text


def test_interpreter_stops_at_an_index_out_of_range():
    index = np.array([0, 16], np.int32)
    with pytest.raises(AssertionError, match=r"an index of tl\.gather is outside of \[0, 16\)"):
        tw.interpret(gather_1d)[1,](np.zeros(16, np.float32), index, np.zeros(2, np.float32), 16, 2)


@pytest.mark.compiled
@pytest.mark.parametrize("axis, source, result", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["i1", "i8", "bf16", "fp32", "fp64"])
def test_assembles_for_a_gpu(assemble, dtype, axis, source, result):
    sizes = dict(zip("MNPQ", (*source, *result), strict=True))
    assemble(gather_2d, {"x": f"*{dtype}", "index": "*i64", "y": f"*{dtype}"}, {**sizes, "AXIS": axis})
