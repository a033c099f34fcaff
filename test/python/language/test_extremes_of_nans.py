"""The places of the largest and the smallest element where some are NaN, in every order."""

import itertools

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def extremes(x, values, places, SIDE: tl.constexpr, LINES: tl.constexpr, TIE: tl.constexpr):
    lines = tl.arange(0, LINES)
    block = tl.load(x + tl.arange(0, SIDE)[:, None] * LINES + lines[None, :])
    largest, at = tl.max(block, 0, return_indices=True, return_indices_tie_break_left=TIE)
    tl.store(values + lines, largest.to(tl.float32))
    tl.store(places + lines, at)
    smallest, at = tl.min(block, 0, return_indices=True, return_indices_tie_break_left=TIE)
    tl.store(values + LINES + lines, smallest.to(tl.float32))
    tl.store(places + LINES + lines, at)
    tl.store(places + 2 * LINES + lines, tl.argmax(tl.trans(block), 1, tie_break_left=TIE))
    tl.store(places + 3 * LINES + lines, tl.argmin(tl.trans(block), 1, tie_break_left=TIE))


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_nans_are_left_out(backend, dtype, tie):
    orders = np.array(list(itertools.product([np.nan, -np.inf, 1.0, 2.0], repeat=4)), dtype).T.copy()
    side, lines = orders.shape
    values = backend.array(np.zeros((2, lines)), "float32")
    places = backend.array(np.zeros((4, lines)), "int32")
    extremes[1,](backend.array(orders, dtype), values, places, SIDE=side, LINES=lines, TIE=tie)
    values, places = backend.numpy(values), backend.numpy(places)
    for line, column in enumerate(orders.T):
        number = column[~np.isnan(column)]
        for row, best in enumerate([number.max(), number.min()] if number.size else [np.nan, np.nan]):
            np.testing.assert_equal(values[row, line], np.float32(best))
            for place in places[row::2, line]:
                np.testing.assert_equal(column[place], best)
                if tie:
                    assert place == (np.argmax(column == best) if number.size else 0)
