"""Python features in kernels: attributes by name, functions with any number of arguments, lists."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def by_name_kernel(x_ptr, out_ptr, NAME: tl.constexpr, NANS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, getattr(tl, NAME)(x, 2, propagate_nan=getattr(tl.PropagateNan, NANS)))
    tl.store(out_ptr + N, getattr(x, "numel", 0))
    tl.store(out_ptr + N + 1, getattr(tl, "nothing", 5))


@pytest.mark.parametrize("name, expected", [("maximum", [2, 2, 2, 3]), ("minimum", [0, 1, 2, 2])])
def test_getattr(backend, name, expected):
    out = backend.array(np.zeros(6), "float32")
    by_name_kernel[1,](backend.array(np.arange(4), "float32"), out, name, "ALL", 4)
    assert backend.numpy(out).tolist() == [*expected, 4, 5]


@tw.jit
def total(first, *others, SCALE: tl.constexpr = 1):
    for value in tl.static_range(len(others)):
        first += others[value]
    return first * SCALE


@tw.jit
def totals_kernel(out_ptr, terms):
    tl.store(out_ptr, total(1))
    tl.store(out_ptr + 1, total(1, 2, SCALE=3))
    tl.store(out_ptr + 2, total(*terms))
    tl.store(out_ptr + 3, total(tl.program_id(0), 2, *terms, SCALE=2))


def test_any_number_of_arguments(backend):
    out = backend.array(np.zeros(4), "int32")
    totals_kernel[1,](out, (5, 6, 7))
    assert backend.numpy(out).tolist() == [1, 9, 18, 40]


def no_name(x):
    getattr(tl, x)  # !


def no_such_name(x):
    NAME: tl.constexpr = "maxmum"
    getattr(tl, NAME)  # !


def private_name(x):
    NAME: tl.constexpr = "_no"
    getattr(x, NAME)  # !


@pytest.mark.parametrize(
    "fn, message",
    [
        (no_name, "the name of an attribute is a constant string, got a scalar of type int32"),
        (no_such_name, "has no attribute 'maxmum'"),
        (private_name, "has no attribute '_no'"),
    ],
    ids=lambda entry: getattr(entry, "__name__", ""),
)
def test_mistakes(fn, message, rejects):
    rejects(fn, message, x="i32")


@tw.jit
def shapes_kernel(out_ptr):
    i = tl.arange(0, 8)
    tl.static_assert(i.shape == [8])
    tl.static_assert(i.reshape([2, 4]).shape == [tl.constexpr(2), 4])
    tl.store(out_ptr + i, i.reshape([2, 4]).permute([1, 0]).reshape([8]))


def test_lists_are_tuples(backend):
    out = backend.array(np.zeros(8), "int32")
    shapes_kernel[1,](out)
    assert backend.numpy(out).tolist() == [0, 4, 1, 5, 2, 6, 3, 7]


@tw.jit
def last_of_constants_kernel(out_ptr):
    tl.store(out_ptr, True and 7)
    tl.store(out_ptr + 1, 3 and 4 and 5)
    tl.store(out_ptr + 2, 0 or False or 6)
    tl.store(out_ptr + 3, 2 if (0 or ()) == () else 1)


def test_and_and_or_give_the_operand_that_decides(backend):
    out = backend.array(np.zeros(4), "int32")
    last_of_constants_kernel[1,](out)
    assert backend.numpy(out).tolist() == [7, 5, 6, 2]
