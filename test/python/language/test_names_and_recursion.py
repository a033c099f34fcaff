"""Calls of Python's builtins on values of the kernel, starred names, and recursion, on every back end."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def ask(x, out):
    value = tl.load(x)
    known = hasattr(value, "dtype") and hasattr(x, "type") and not hasattr(value, "colour")
    tl.store(out, 1 if known else 0)
    tl.store(out + 1, 1 if hasattr(tl, "scatter") else 0)


def test_hasattr(backend):
    out = backend.poisoned((2,), "int32")
    ask[1,](backend.array([3], "int32"), out)
    assert backend.numpy(out).tolist() == [1, 1]


@tw.jit
def rest(out, n):
    first, *others = (n, 2, 3)
    *start, last = others
    one, *none = (n,)
    (a, *b), c = (n, 5, 6), n
    tl.store(out, first + len(others))
    tl.store(out + 1, start[0] * last + one + len(none))
    tl.store(out + 2, a + b[1] + c)


def test_starred_names(backend):
    out = backend.poisoned((3,), "int32")
    rest[1,](out, 10)
    assert backend.numpy(out).tolist() == [12, 16, 26]


@tw.jit
def too_few(out):
    first, second, *others = (1,)  # noqa: F841
    tl.store(out, first)


@tw.jit
def countdown(value, N: tl.constexpr):
    if N == 0:
        return value
    return countdown(value + N, N - 1)


@tw.jit
def endless(value):
    return endless(value - 1) + 1


@tw.jit
def count_kernel(out):
    tl.store(out, countdown(tl.load(out), 5))


@tw.jit
def endless_kernel(out):
    tl.store(out, endless(tl.load(out)))


def test_recursion_over_a_constant(backend):
    out = backend.array([1], "int32")
    count_kernel[1,](out)
    assert backend.numpy(out).tolist() == [16]


def test_endless_recursion(backend):
    with pytest.raises(
        Exception, match=r"calls are nested more than 64 deep: does endless\(\) call itself\?"
    ) as caught:
        endless_kernel[1,](backend.array([1], "int32"))
    assert len(str(caught.value).splitlines()) < 12


def test_too_few_values_for_starred_names(backend):
    with pytest.raises(Exception, match="not enough values to unpack"):
        too_few[1,](backend.array(np.zeros(1), "int32"))


@pytest.mark.compiled
def test_errors_of_calls_show_types_as_users_write_them(backend):
    @tw.jit
    def kernel(out):
        tl.store(out, countdown(1, 2, 3))

    with pytest.raises(
        tw.CompilationError, match=r"hint: it is called as countdown\(value, N: tl\.constexpr\)"
    ):
        kernel[1,](backend.array([1], "int32"))
