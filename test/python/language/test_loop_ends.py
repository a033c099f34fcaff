"""Loops to the ends of their counter's type, and from below zero."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

INT, LONG = 2**31, 2**63
ENDS = [
    (INT - 10, INT - 1, 4), (0, INT - 1, 2**30), (-INT, INT - 1, 2**30), (-INT, INT - 1, INT - 1),
    (INT - 1, -INT, -(2**30)), (9 - INT, -INT, -4), (-INT, 4 - INT, 2**30), (LONG - 10, LONG - 1, 4),
    (LONG - 1, -LONG, -(2**62)), (-LONG, 4 - LONG, 2**62), (INT - 1, INT - 1, 7), (5, -INT, 3),
]  # fmt: skip


@tw.jit
def visit(out, start, stop, step):
    count, last = 0, tl.zeros((), tl.int64)
    for i in range(start, stop, step):
        count += 1
        last = i.to(tl.int64)
    tl.store(out, count)
    tl.store(out + 1, last)


@tw.jit
def visited(out, start, stop, step):
    visit(out, start, stop, step)


@tw.jit
def visited_by(out, start, stop, STEP: tl.constexpr):
    visit(out, start, stop, STEP)


def check(backend, kernel, start, stop, step):
    expected = range(start, stop, step)
    out = backend.array(np.zeros(2), "int64")
    kernel[1,](out, start, stop, step)
    assert backend.numpy(out).tolist() == [len(expected), expected[-1] if expected else 0]


@pytest.mark.parametrize("start, stop, step", ENDS)
def test_no_step_leads_around_the_type(backend, start, stop, step):
    check(backend, visited, start, stop, step)


@pytest.mark.parametrize("start, stop, step", ENDS)
def test_nor_does_a_constant_one(backend, start, stop, step):
    if backend.name == "cuda":
        pytest.skip("there the type has to hold a constant step beyond the end")
    check(backend, visited_by, start, stop, step)


@tw.jit
def leave(out, start, stop, step, most):
    count, last = 0, tl.zeros((), tl.int64)
    for i in range(start, stop, step):
        if count == most:
            break
        count += 1
        last = i.to(tl.int64)
    tl.store(out, count)
    tl.store(out + 1, last)


@tw.jit
def left(out, start, stop, step, most):
    leave(out, start, stop, step, most)


@tw.jit
def left_by(out, start, stop, STEP: tl.constexpr, most):
    leave(out, start, stop, STEP, most)


@pytest.mark.parametrize("kernel", [left, left_by])
@pytest.mark.parametrize("most", [1, 100])
@pytest.mark.parametrize("start, stop, step", ENDS)
def test_nor_where_the_loop_may_be_left(backend, start, stop, step, most, kernel):
    expected = range(start, stop, step)[:most]
    out = backend.array(np.zeros(2), "int64")
    kernel[1,](out, start, stop, step, most)
    assert backend.numpy(out).tolist() == [len(expected), expected[-1] if expected else 0]


@tw.jit
def first_above(start, stop, STEP: tl.constexpr, least):
    for i in range(start, stop, STEP):
        if i >= least:
            return i
    return start - 1


@tw.jit
def found(out, start, stop, least):
    tl.store(out, first_above(start, stop, 4, least))
    tl.store(out + 1, first_above(0, 2147483647, 1073741824, least))
    tl.store(out + 2, first_above(0, 9, 3, least))


def test_a_function_that_returns_from_its_loop(backend):
    for least in (INT - 5, INT - 1, 3):
        out = backend.array(np.zeros(3), "int32")
        found[1,](out, INT - 10, INT - 1, least)
        loops = [(INT - 10, INT - 1, 4), (0, INT - 1, 2**30), (0, 9, 3)]
        expected = [next((i for i in range(*loop) if i >= least), loop[0] - 1) for loop in loops]
        assert backend.numpy(out).tolist() == expected


@tw.jit
def summed(x, out, start, STOP: tl.constexpr, STEP: tl.constexpr, LEAVE: tl.constexpr):
    """Each iteration depends on the previous one, so that a skipped iteration shows."""
    total = tl.load(x)
    for i in range(start, STOP, STEP):
        total = total * 3 + i
        if LEAVE and total == 12345:
            break
        tl.debug_barrier()
        tl.store(x + 1, total)
    tl.store(out, total)


# `i + STEP < STEP` is `i > most - STEP` of unsigned numbers, which an assembler got wrong.
@pytest.mark.parametrize("leave", [False, True])
@pytest.mark.parametrize("start, step", [(-2, 1), (-1, 1), (-128, 64), (-3, 2), (0, 1), (1, 1), (-7, 7)])
def test_from_below_zero_up_to_the_step(backend, start, step, leave):
    total = 5
    for i in range(start, step, step):
        total = total * 3 + i
    out = backend.array(np.zeros(1), "int32")
    summed[1,](backend.array(np.array([5, 0]), "int32"), out, start, step, step, leave)
    assert backend.numpy(out).tolist() == [total]
