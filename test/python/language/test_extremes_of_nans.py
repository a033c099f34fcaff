"""Indices of the largest and the smallest element where some elements are NaN, in every order."""

import itertools

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def extremes(x, values, indices, LENGTH: tl.constexpr, LINES: tl.constexpr, TIE: tl.constexpr):
    lines = tl.arange(0, LINES)
    block = tl.load(x + tl.arange(0, LENGTH)[:, None] * LINES + lines[None, :])
    largest, at = tl.max(block, 0, return_indices=True, return_indices_tie_break_left=TIE)
    tl.store(values + lines, largest.to(tl.float32))
    tl.store(indices + lines, at)
    smallest, at = tl.min(block, 0, return_indices=True, return_indices_tie_break_left=TIE)
    tl.store(values + LINES + lines, smallest.to(tl.float32))
    tl.store(indices + LINES + lines, at)
    tl.store(indices + 2 * LINES + lines, tl.argmax(tl.trans(block), 1, tie_break_left=TIE))
    tl.store(indices + 3 * LINES + lines, tl.argmin(tl.trans(block), 1, tie_break_left=TIE))


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_nans_are_left_out(backend, dtype, tie):
    orders = np.array(list(itertools.product([np.nan, -np.inf, 1.0, 2.0], repeat=4)), dtype).T.copy()
    length, lines = orders.shape
    values = backend.array(np.zeros((2, lines)), "float32")
    indices = backend.array(np.zeros((4, lines)), "int32")
    extremes[1,](backend.array(orders, dtype), values, indices, LENGTH=length, LINES=lines, TIE=tie)
    values, indices = backend.numpy(values), backend.numpy(indices)
    for line, column in enumerate(orders.T):
        number = column[~np.isnan(column)]
        for row, best in enumerate([number.max(), number.min()] if number.size else [np.nan, np.nan]):
            np.testing.assert_equal(values[row, line], np.float32(best))
            for index in indices[row::2, line]:
                np.testing.assert_equal(column[index], best)
                if tie:
                    assert index == (np.argmax(column == best) if number.size else 0)
