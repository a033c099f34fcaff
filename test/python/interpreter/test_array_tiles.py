"""Block pointers and tensor descriptors against slices of arrays."""

import numpy as np
import pytest
import tilewright.language as tl
from tilewright.interpreter import interpret


def padded_block(array, row, column, shape, fill=0):
    """The block of `array` at an offset, with `fill` where it lies outside."""
    result = np.full(shape, fill, array.dtype)
    for i in range(shape[0]):
        for j in range(shape[1]):
            if 0 <= row + i < array.shape[0] and 0 <= column + j < array.shape[1]:
                result[i, j] = array[row + i, column + j]
    return result


@pytest.mark.parametrize("row, column", [(0, 0), (3, 2), (5, 6), (-2, -3), (20, 0)])
@pytest.mark.parametrize("option, fill", [("zero", 0), ("nan", np.nan)])
def test_block_pointer_with_bounds(row, column, option, fill):
    def kernel(x, out, rows, columns, row, column, OPTION: tl.constexpr):
        source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (row, column), (4, 8), (1, 0))
        block = tl.load(source, boundary_check=(0, 1), padding_option=OPTION)
        tl.store(tl.make_block_ptr(out, (4, 8), (8, 1), (0, 0), (4, 8), (1, 0)), block)

    x = np.arange(63, dtype=np.float32).reshape(7, 9)
    out = np.zeros((4, 8), np.float32)
    interpret(kernel)[1,](x, out, 7, 9, row, column, OPTION=option)
    np.testing.assert_array_equal(out, padded_block(x, row, column, (4, 8), fill))


def test_block_pointer_moves_through_a_loop():
    def kernel(x, out, rows, columns):
        block = tl.make_block_ptr(x, (rows, columns), (1, rows), (0, 0), (8, 4), (0, 1))
        total = tl.zeros((8, 4), tl.float32)
        for _ in range(0, columns, 4):
            total += tl.load(block, boundary_check=(0, 1), padding_option="zero")
            block = tl.advance(block, (0, 4))
        tl.store(out + tl.arange(0, 8), tl.sum(total, 1))

    x = np.arange(60, dtype=np.float32).reshape(10, 6)  # columns of the transposed array
    out = np.zeros(8, np.float32)
    interpret(kernel)[1,](x, out, 6, 10)
    np.testing.assert_array_equal(out, [*x.sum(0), 0, 0])


def test_unchecked_axes_are_read_as_they_are():
    def kernel(x, out):
        block = tl.make_block_ptr(x, (2, 8), (8, 1), (0, 4), (2, 8), (1, 0))
        tl.store(
            tl.make_block_ptr(out, (2, 8), (8, 1), (0, 0), (2, 8), (1, 0)),
            tl.load(block, boundary_check=(0,)),
        )

    x = np.arange(24, dtype=np.int32)
    out = np.zeros((2, 8), np.int32)
    interpret(kernel)[1,](x, out)
    np.testing.assert_array_equal(out, [np.arange(4, 12), np.arange(12, 20)])


@pytest.mark.parametrize("row, column", [(0, 0), (5, 6), (-2, -3)])
def test_descriptor_loads_stores_and_adds(row, column):
    def kernel(x, out, sums, rows, columns, row, column):
        source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [4, 8])
        block = source.load([row, column])
        target = tl.make_tensor_descriptor(out, [rows, columns], [columns, 1], block.shape)
        target.store([row, column], block * 2)
        tl.make_tensor_descriptor(sums, [rows, columns], [columns, 1], [4, 8]).atomic_add(
            [row, column], block
        )

    x = np.arange(63, dtype=np.float32).reshape(7, 9)
    out, sums = np.zeros_like(x), np.ones_like(x)
    interpret(kernel)[1,](x, out, sums, 7, 9, row, column)
    inside = np.zeros_like(x)
    r, c = max(row, 0), max(column, 0)
    inside[r : row + 4, c : column + 8] = x[r : row + 4, c : column + 8]
    np.testing.assert_array_equal(out, 2 * inside)
    np.testing.assert_array_equal(sums, 1 + inside)


def test_descriptor_with_nan_padding():
    def kernel(x, out):
        d = tl.make_tensor_descriptor(x, [3], [1], [4], padding_option="nan")
        tl.store(out + tl.arange(0, 4), tl.load_tensor_descriptor(d, [1]))

    out = np.zeros(4, np.float32)
    interpret(kernel)[1,](np.arange(3, dtype=np.float32), out)
    np.testing.assert_array_equal(out, [1, 2, np.nan, np.nan])
