"""Kernels that apply one function to arrays."""

import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def apply1(x, out, N: tl.constexpr, F: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i)))


@tw.jit
def apply2(x, y, out, N: tl.constexpr, F: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i), tl.load(y + i)))


@tw.jit
def apply3(x, y, z, out, N: tl.constexpr, F: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i), tl.load(y + i), tl.load(z + i)))


@tw.jit
def apply4(x, y, z, w, out, N: tl.constexpr, F: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i), tl.load(y + i), tl.load(z + i), tl.load(w + i)))


@pytest.fixture
def kernels():
    """The kernels by the number of arguments."""
    return {1: apply1, 2: apply2, 3: apply3, 4: apply4}


@pytest.fixture
def apply(backend, kernels):
    """`apply("hypot", [x, y], "float32")`: the results for NumPy arrays of a power of two elements."""

    def run(name, arrays, result):
        function = getattr(tl.extra.libdevice, name)
        out = backend.poisoned(arrays[0].shape, result)
        kernels[len(arrays)][1,](*map(backend.array, arrays), out, arrays[0].size, function)
        return backend.numpy(out)

    return run
