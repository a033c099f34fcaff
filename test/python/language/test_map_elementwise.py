"""tl.map_elementwise: functions of single elements with their own control flow, on every back end."""

import math

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def selu_of_one(x, alpha):
    if x > 0:
        return x
    else:
        return alpha * (tl.exp(x) - 1.0)


@tw.jit
def selu(x, out, alpha, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.map_elementwise(selu_of_one, tl.load(x + i), alpha))


@tw.jit
def steps_of_one(n):
    """Returns the number of Collatz steps to 1, and the greatest number on the way."""
    count = 0
    top = n
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        top = max(top, n)
        count += 1
    return count, top.to(tl.int64)


@tw.jit
def steps(x, count, top, M: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    found = tl.map_elementwise(steps_of_one, tl.load(x + offsets))
    tl.store(count + offsets, found[0])
    tl.store(top + offsets, found[1])


@tw.jit
def pair_of_two(a, b, c, d):
    """Two elements of each argument; two of each of two results."""
    return a + c, b + d, a > c, b > d


@tw.jit
def packed(x, y, total, greater, N: tl.constexpr):
    i = tl.arange(0, N)
    added, more = tl.map_elementwise(pair_of_two, tl.load(x + i), tl.load(y + i), pack=2)
    tl.store(total + i, added)
    tl.store(greater + i, more)


@tw.jit
def half_of_one(x):
    return (x.to(tl.float32) * 0.5).to(x.dtype)


@tw.jit
def halved(x, out, N: tl.constexpr):
    """An element type without arithmetic, in a loaded block and in a computed block."""
    i = tl.arange(0, N)
    value = tl.map_elementwise(half_of_one, tl.load(x + i))
    tl.store(out + i, tl.map_elementwise(half_of_one, value))


@tw.jit
def scalars(out):
    tl.store(out, tl.map_elementwise(selu_of_one, -1.0, 2.0))


@pytest.mark.parametrize("size", [1, 16, 1024])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_branch(backend, rng, dtype, size):
    x = rng.standard_normal(size).astype(dtype)
    out = backend.poisoned((size,), dtype)
    selu[1,](backend.array(x), out, 1.5, size)
    backend.check(out, np.where(x > 0, x, 1.5 * np.expm1(x.astype(np.float64))), dtype, factor=2)


def collatz(n):
    count, top = 0, n
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count, top = count + 1, max(top, n)
    return count, top


def test_a_loop_and_two_results(backend, rng):
    x = rng.integers(1, 1000, (8, 16)).astype(np.int32)
    count, top = backend.poisoned((8, 16), "int32"), backend.poisoned((8, 16), "int64")
    steps[1,](backend.array(x), count, top, 8, 16)
    want = np.array([collatz(int(n)) for n in x.ravel()])
    np.testing.assert_array_equal(backend.numpy(count).ravel(), want[:, 0])
    np.testing.assert_array_equal(backend.numpy(top).ravel(), want[:, 1])


@pytest.mark.parametrize("size", [2, 64, 512])
def test_packed(backend, rng, size):
    x, y = (rng.integers(-9, 9, size).astype(np.int32) for _ in range(2))
    total, greater = backend.poisoned((size,), "int32"), backend.poisoned((size,), "bool")
    packed[1,](backend.array(x), backend.array(y), total, greater, size)
    np.testing.assert_array_equal(backend.numpy(total), x + y)
    np.testing.assert_array_equal(backend.numpy(greater), x > y)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e5m2", "float64"])
def test_narrow_types(backend, rng, dtype):
    x = backend.array(rng.integers(-8, 8, 128) * 4.0, dtype)
    out = backend.poisoned((128,), dtype)
    halved[1,](x, out, 128)
    np.testing.assert_array_equal(backend.numpy(out), backend.numpy(x) / 4)


def test_scalars(backend):
    out = backend.poisoned((1,), "float32")
    scalars[1,](out)
    assert math.isclose(backend.numpy(out)[0], 2 * math.expm1(-1), rel_tol=1e-6)


ASSEMBLED = [
    (selu, {"x": "*fp32", "out": "*fp32", "alpha": "fp32"}, {"N": 1024}),
    (steps, {"x": "*i32", "count": "*i32", "top": "*i64"}, {"M": 8, "N": 16}),
    (packed, {"x": "*i32", "y": "*i32", "total": "*i32", "greater": "*i1"}, {"N": 512}),
    (packed, {"x": "*i32", "y": "*i32", "total": "*i32", "greater": "*i1"}, {"N": 64}),
    (halved, {"x": "*fp8e4nv", "out": "*fp8e4nv"}, {"N": 512}),
    (scalars, {"out": "*fp32"}, {}),
]


@pytest.mark.compiled
@pytest.mark.parametrize("kernel, types, constants", ASSEMBLED)
def test_assembles_for_a_gpu(assemble, kernel, types, constants):
    assemble(kernel, types, constants)
