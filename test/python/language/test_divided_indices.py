"""Offsets into arrays with gaps between rows: quotients and remainders of an index by a runtime row length."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

BLOCK = 1024


@tw.jit
def copy_rows(x_ptr, out_ptr, width, pitch, first, count, BLOCK: tl.constexpr):
    i = first + tl.arange(0, BLOCK)
    at = i // width * pitch + i % width
    value = tl.load(x_ptr + at, mask=i < count, other=0)
    tl.store(out_ptr + at, value + 1, mask=i < count)


@pytest.mark.parametrize("width", [1, 7, 8, 20, 24, 56, 64])
@pytest.mark.parametrize("pitch", [64, 72, 65])
@pytest.mark.parametrize("first, count", [(0, 1000), (8, 1016), (3, 900)])
@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_rows_with_gaps(backend, rng, width, pitch, first, count, dtype):
    x = rng.integers(0, 100, (BLOCK * 80,)).astype(dtype)
    out = backend.array(np.full_like(x, -1))
    copy_rows[1,](backend.array(x), out, width, pitch, first, count, BLOCK)
    i = np.arange(first, min(first + BLOCK, count))
    at = i // width * pitch + i % width
    expected = np.full_like(x, -1)
    expected[at] = x[at] + 1
    np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def divide_offsets(quotients, rests, first, width, DTYPE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x, d = (first + i).to(DTYPE), width.to(DTYPE)
    tl.store(quotients + i, x // d)
    tl.store(rests + i, x % d)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("width", [7, 8, 48, 56, 2048])
@pytest.mark.parametrize("first", [0, 1 << 20, 3, -64])
def test_quotients_and_rests(backend, dtype, width, first):
    x = (first + np.arange(BLOCK)).astype(dtype)
    quotients, rests = backend.poisoned((BLOCK,), dtype), backend.poisoned((BLOCK,), dtype)
    divide_offsets[1,](quotients, rests, first, width, getattr(tl, dtype), BLOCK)
    expected = np.fmod(x, np.array(width, dtype))  # the sign of the dividend
    np.testing.assert_array_equal(backend.numpy(rests), expected)
    np.testing.assert_array_equal(backend.numpy(quotients), (x - expected) // np.array(width, dtype))


@tw.jit
def roll_rows(x_ptr, out_ptr, count, width, shift, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK).to(tl.int64)
    from_column = (i % width - shift + width) % width
    value = tl.load(x_ptr + i // width * width + from_column, mask=i < count)
    tl.store(out_ptr + i, value, mask=i < count)


@pytest.mark.parametrize("width, shift", [(16, 3), (48, 47), (64, 16), (50, 20), (5, 1)])
def test_rolled_rows(backend, rng, width, shift):
    x = rng.standard_normal((30, width)).astype(np.float32)
    out = backend.poisoned(x.shape, "float32")
    roll_rows[tw.cdiv(x.size, 512),](backend.array(x), out, x.size, width, shift, 512)
    np.testing.assert_array_equal(backend.numpy(out), np.roll(x, shift, axis=1))
