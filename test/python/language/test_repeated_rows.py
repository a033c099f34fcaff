"""Rows and columns that loops load by tiles of one row or column, and repeat along a matrix."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def times_vector(a, x, out, n, m, N: tl.constexpr, M: tl.constexpr):
    row, column = tl.program_id(0) * N + tl.arange(0, N)[:, None], tl.arange(0, M)[None, :]
    at, x_at = a + row * m + column, x + column
    acc = tl.zeros((N, M), tl.float32)
    for start in range(0, m, M):
        inside = start + column < m
        acc += tl.load(at, mask=(row < n) & inside, other=0.0) * tl.load(x_at, mask=inside, other=0.0)
        at += M
        x_at += M
    tl.store(out + row, tl.sum(acc, axis=1)[:, None], mask=row < n)


@tw.jit
def times_scales(a, scales, out, n, m, N: tl.constexpr, M: tl.constexpr):
    row, column = tl.program_id(0) * N + tl.arange(0, N)[:, None], tl.arange(0, M)[None, :]
    scale_at = scales + row
    acc = tl.zeros((N, M), tl.float32)
    for i in range(0, 3):
        value = tl.load(a + row * m + column, mask=(row < n) & (column < m), other=0.0)
        acc += value * tl.load(scale_at, mask=row < n, other=0.0)
        scale_at += n
    tl.store(out + row * m + column, acc, mask=(row < n) & (column < m))


@pytest.mark.parametrize("rows, columns", [(64, 256), (37, 300), (5, 16)])
@pytest.mark.parametrize("block", [(1, 128), (8, 64), (32, 32)])
def test_matrix_times_vector(backend, rng, rows, columns, block):
    a = rng.integers(-4, 5, (rows, columns)).astype(np.float32)
    x = rng.integers(-4, 5, columns).astype(np.float32)
    out = backend.poisoned((rows,), "float32")
    times_vector[tw.cdiv(rows, block[0]),](backend.array(a), backend.array(x), out, rows, columns, *block)
    np.testing.assert_array_equal(backend.numpy(out), a @ x)


@pytest.mark.parametrize("rows, columns", [(64, 32), (37, 30)])
def test_scales_of_rows(backend, rng, rows, columns):
    a = rng.integers(-4, 5, (rows, columns)).astype(np.float32)
    scales = rng.integers(-4, 5, (3, rows)).astype(np.float32)
    out = backend.poisoned((rows, columns), "float32")
    times_scales[tw.cdiv(rows, 16),](backend.array(a), backend.array(scales), out, rows, columns, 16, 32)
    np.testing.assert_array_equal(backend.numpy(out), a * scales.sum(axis=0)[:, None])
