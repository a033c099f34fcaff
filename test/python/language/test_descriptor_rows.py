"""Rows of a matrix, read and written through a tensor descriptor by their numbers."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def gather_rows(x, rows, out, M, N, column, COUNT: tl.constexpr, WIDTH: tl.constexpr, PADDING: tl.constexpr):
    desc = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, WIDTH], padding_option=PADDING)
    value = desc.gather(tl.load(rows + tl.arange(0, COUNT)), column)
    tl.store(out + tl.arange(0, COUNT)[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :], value)


@tw.jit
def scatter_rows(x, rows, value, M, N, column, COUNT: tl.constexpr, WIDTH: tl.constexpr):
    desc = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, WIDTH])
    block = tl.load(value + tl.arange(0, COUNT)[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :])
    desc.scatter(block, tl.load(rows + tl.arange(0, COUNT)), column)


@pytest.mark.parametrize("index", ["int32", "int64", "int16"])
@pytest.mark.parametrize("padding", ["zero", "nan"])
@pytest.mark.parametrize("column", [0, 20, -3])
def test_gather(backend, rng, index, padding, column):
    M, N, count, width = 40, 30, 16, 16
    x = rng.standard_normal((M, N)).astype(np.float32)
    rows = rng.integers(-5, 45, count).astype(index)
    out = backend.poisoned((count, width), "float32")
    gather_rows[1,](backend.array(x), backend.array(rows), out, M, N, column, count, width, padding)
    want = np.full((count, width), 0.0 if padding == "zero" else np.nan, np.float32)
    for i, row in enumerate(rows):
        for j in range(width):
            if 0 <= row < M and 0 <= column + j < N:
                want[i, j] = x[row, column + j]
    np.testing.assert_array_equal(backend.numpy(out), want)


@pytest.mark.parametrize("column", [0, 20, -3])
@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_scatter(backend, rng, dtype, column):
    M, N, count, width = 40, 30, 16, 16
    value = rng.integers(1, 99, (count, width)).astype(dtype)
    rows = rng.permutation(50)[:count].astype(np.int32) - 5
    x = backend.array(np.zeros((M, N), dtype))
    scatter_rows[1,](x, backend.array(rows), backend.array(value), M, N, column, count, width)
    want = np.zeros((M, N), dtype)
    for i, row in enumerate(rows):
        for j in range(width):
            if 0 <= row < M and 0 <= column + j < N:
                want[row, column + j] = value[i, j]
    np.testing.assert_array_equal(backend.numpy(x), want)


@pytest.mark.compiled
def test_assembles_for_a_gpu(assemble):
    types = {"x": "*fp16", "rows": "*i32", "out": "*fp16", "M": "i32", "N": "i32", "column": "i32"}
    assemble(gather_rows, types, {"COUNT": 32, "WIDTH": 64, "PADDING": "zero"})
