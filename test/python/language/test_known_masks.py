"""Stores under masks that are known at compile time leave adjacent elements unchanged."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

N = 16


@tw.jit
def narrow_kernel(x, out, FIRST: tl.constexpr, COUNT: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i).to(out.dtype.element_ty)
    tl.store(out + i, value, mask=(i >= FIRST) & (i < FIRST + COUNT))


@pytest.mark.parametrize("first, count", [(0, 1), (3, 1), (15, 1), (0, 2), (5, 7), (0, 0)])
@pytest.mark.parametrize(
    "source, dtype",
    [
        ("int32", "int8"),
        ("int32", "int16"),
        ("int64", "int32"),
        ("float32", "bfloat16"),
        ("float32", "float16"),
    ],
)
def test_neighbours_stay(backend, source, dtype, first, count):
    x = np.arange(1, N + 1)
    out = backend.array(np.full(2 * N, 77), dtype)
    narrow_kernel[1,](backend.array(x, source), out, first, count, N)
    expected = np.full(2 * N, 77.0)
    expected[first : first + count] = x[first : first + count]
    np.testing.assert_array_equal(backend.numpy(out).astype(np.float64), expected)
