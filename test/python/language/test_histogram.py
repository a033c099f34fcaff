"""tl.histogram against NumPy."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def count(x, y, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(y + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, N)), BINS))


@tw.jit
def count_masked(x, y, n, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + tl.arange(0, BINS), tl.load(x + i).histogram(BINS, mask=i < n))


@tw.jit
def count_rows(x, y, M: tl.constexpr, N: tl.constexpr, BINS: tl.constexpr):
    """All elements of a computed block with two axes, counted in a loop; the mask broadcasts."""
    total = tl.zeros((BINS,), tl.int32)
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    for step in range(3):
        value = tl.load(x + offsets) + step
        total += tl.histogram(value.T, BINS, mask=(tl.arange(0, M) != 1)[None, :])
    tl.store(y + tl.arange(0, BINS), total)


def expected(x, bins):
    x = x.astype(np.float64).ravel()
    return np.bincount(x[(x >= 0) & (x < bins)].astype(np.int64), minlength=bins).astype(np.int32)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("size, bins", [(1024, 256), (32, 1024), (2048, 2), (1, 1)])
def test_counts(backend, rng, dtype, size, bins):
    limits = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    x = rng.integers(0, min(bins, limits[1] + 1), size).astype(dtype)
    x[rng.random(size) > 0.8] = limits[1]
    x[: size // 16] = limits[0]
    y = backend.poisoned((bins,), "int32")
    count[1,](backend.array(x), y, size, bins)
    np.testing.assert_array_equal(backend.numpy(y), expected(x, bins))


def test_64_bits_do_not_wrap_around(backend):
    x = np.array([2**32 + 3, -(2**32) + 1, 3, 1], np.int64)
    y = backend.poisoned((4,), "int32")
    count[1,](backend.array(x), y, 4, 4)
    np.testing.assert_array_equal(backend.numpy(y), [0, 1, 0, 1])


@pytest.mark.parametrize("n", [0, 1, 100, 128])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_mask(backend, rng, dtype, n):
    x = rng.integers(-2, 10, 128).astype(dtype)
    y = backend.poisoned((8,), "int32")
    count_masked[1,](backend.array(x), y, n, 128, 8)
    np.testing.assert_array_equal(backend.numpy(y), expected(x[:n], 8))


def test_two_axes_in_a_loop(backend, rng):
    x = rng.integers(0, 60, (16, 32)).astype(np.int32)
    y = backend.poisoned((64,), "int32")
    count_rows[1,](backend.array(x), y, *x.shape, 64)
    kept = np.delete(x, 1, 0)
    np.testing.assert_array_equal(backend.numpy(y), sum(expected(kept + step, 64) for step in range(3)))


@pytest.mark.compiled
@pytest.mark.parametrize("size, bins", [(1024, 256), (16, 2048), (4096, 2)])
@pytest.mark.parametrize("dtype", ["u8", "i32", "i64"])
def test_assembles_for_a_gpu(assemble, dtype, size, bins):
    types = {"x": f"*{dtype}", "y": "*i32", "n": "i32"}
    assemble(count_masked, types, {"N": size, "BINS": bins})
