"""Places in arrays with gaps between rows, whose length is an argument: the index divided by it, and what is left."""

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
