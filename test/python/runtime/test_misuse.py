"""Errors of the host functions for invalid arguments."""

import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

X = np.zeros(4, np.float32)

MISTAKES = {
    "an extent that is no int": (lambda: tw.empty(3.5), "the dimensions of an array are ints, got 3.5"),
    "extents that are no ints": (
        lambda: tw.zeros(("a", 2)),
        "the dimensions of an array are ints, got ('a', 2)",
    ),
    "no array": (lambda: tw.to_numpy(5), "to_numpy copies an array of Tilewright, got one of type 'int'"),
    "a float": (lambda: tw.next_power_of_2(2.5), "'float' object cannot be interpreted as an integer"),
    "no such dtype": (
        lambda: tw.empty((2,), "f33"),
        "no kernel takes elements of dtype 'f33'; there is bool, int8",
    ),
    "nothing of DLPack": (
        lambda: tw.from_dlpack(3),
        "from_dlpack takes what has __dlpack__, such as a tensor of torch, got 3",
    ),
    "no array in a descriptor": (
        lambda: tw.TensorDescriptor(None, [4], [1], [4]),
        "the base of a tensor descriptor is an array, got None",
    ),
    "too few arguments to bind": (
        lambda: tw.jit(launched.fn).bind(1),
        "kernel launched() is missing argument 'x'",
    ),
    "no functions": (
        lambda: tw.heuristics(3),
        "heuristics takes a dict of functions by the names of parameters, got 3",
    ),
    "no kernel": (lambda: tw.interpret(5), "interpret takes a kernel or a Python function, got 5"),
    "no shape": (
        lambda: tw.TensorDescriptor(X, None, [1], [4]),
        "shape of a tensor descriptor is a list of ints, got None",
    ),
    "strides of floats": (
        lambda: tw.TensorDescriptor(X, [2, 2], [2.5, 1], [2, 2]),
        "strides of a tensor descriptor is a list of ints, got [2.5, 1]",
    ),
    "a block of strings": (
        lambda: tw.TensorDescriptor(X, [4], [1], ["a"]),
        "block_shape of a tensor descriptor is a list of ints, got ['a']",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    call, message = MISTAKES[name]
    with pytest.raises(TypeError, match=re.escape(message)):
        call()


@pytest.mark.compiled
def test_long_arguments_are_cut():
    @tw.jit
    def kernel(x):
        pass

    with pytest.raises(TypeError, match=r"cannot pass .* of type 'list'") as caught:
        kernel[1](list(range(10000)))
    assert len(str(caught.value)) < 400


@tw.jit
def launched(x):
    pass


def test_kernels_have_no_elements():
    for kernel in (launched, tw.interpret(launched), tw.autotune([tw.Config({})], key=[])(launched)):
        with pytest.raises(TypeError, match="is not iterable"):
            list(kernel)
        with pytest.raises(TypeError, match=r"is not (iterable|a container)"):
            assert 3 in kernel


def test_loops_are_named_by_their_work():
    assert repr(tl.range(5)) == "tl.range(0, 5, 1)"
    assert repr(tl.static_range(1, 9, 2)) == "tl.static_range(1, 9, 2)"
