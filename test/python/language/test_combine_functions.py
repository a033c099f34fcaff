"""Combine functions of reductions and scans with branches and loops for each element, on every back end."""

import math

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def larger(a, b):
    if a > b:
        return a
    return b


@tw.jit
def larger_of_expression(a, b):
    return a if a > b else b


@tw.jit
def divisor(a, b):
    """The greatest common divisor."""
    while b != 0:
        rest = a % b
        a = b
        b = rest
    return a


@tw.jit
def by_call(a, b):
    return larger(a, b)


@tw.jit
def larger_of_known_type(a, b):
    """Computes a tile only for its type."""
    if (a + tl.zeros((1,), tl.int1)).dtype.is_int_signed():
        return tl.maximum(a, b)
    return a


@tw.jit
def first_greatest(a, index, b, other):
    if a > b:
        return a, index
    elif a == b:
        return a, tl.minimum(index, other)
    else:
        return b, other


@tw.jit
def load_block(x, M: tl.constexpr, N: tl.constexpr):
    return tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@tw.jit
def reduce_kernel(x, out, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, function: tl.constexpr):
    value = tl.reduce(load_block(x, M, N), AXIS, function)
    tl.store(out + tl.arange(0, value.shape[0]), value)


@tw.jit
def scan_kernel(
    x,
    out,
    M: tl.constexpr,
    N: tl.constexpr,
    AXIS: tl.constexpr,
    REVERSE: tl.constexpr,
    function: tl.constexpr,
):
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + offsets, tl.associative_scan(load_block(x, M, N), AXIS, function, reverse=REVERSE))


FUNCTIONS = [
    (larger, max),
    (larger_of_expression, max),
    (larger_of_known_type, max),
    (by_call, max),
    (divisor, math.gcd),
]
SHAPES = [(4, 8), (5, 7), (1, 1), (1, 13), (3, 100)]


def folded(function, x, axis):
    """Returns the result of `function` for each prefix along `axis`."""
    return np.frompyfunc(function, 2, 1).accumulate(x.astype(object), axis).astype(x.dtype)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("function, plain", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_reduce(backend, rng, function, plain, shape, axis):
    x = rng.integers(1, 60, shape).astype(np.int32)
    out = backend.poisoned((shape[1 - axis],), "int32")
    reduce_kernel[1,](backend.array(x), out, *shape, axis, function)
    np.testing.assert_array_equal(backend.numpy(out), np.take(folded(plain, x, axis), -1, axis))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("function, plain", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_scan(backend, rng, function, plain, shape, axis, reverse):
    x = rng.integers(1, 60, shape).astype(np.int32)
    out = backend.poisoned(shape, "int32")
    scan_kernel[1,](backend.array(x), out, *shape, axis, reverse, function)
    reversed_x = np.flip(x, axis) if reverse else x
    expected = folded(plain, reversed_x, axis)
    np.testing.assert_array_equal(backend.numpy(out), np.flip(expected, axis) if reverse else expected)


@tw.jit
def pairs_kernel(x, greatest, index, last, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    most, where = tl.associative_scan((value, i), 0, first_greatest)
    tl.store(greatest + i, most)
    tl.store(index + i, where)
    most, where = tl.reduce((value, i), 0, first_greatest)
    tl.store(last, most)
    tl.store(last + 1, where)
    tl.store(last + 2, tl.reduce(value, 0, lambda a, b: a if a > b else b))
    tl.store(last + 3, tl.sum(tl.associative_scan(value, 0, lambda a, b: larger(a, b))))


def test_tuples_and_lambdas(backend, rng):
    x = rng.integers(0, 9, 21).astype(np.int32)
    greatest, index, last = (backend.poisoned((n,), "int32") for n in (21, 21, 4))
    pairs_kernel[1,](backend.array(x), greatest, index, last, 21)
    most = np.maximum.accumulate(x)
    np.testing.assert_array_equal(backend.numpy(greatest), most)
    np.testing.assert_array_equal(backend.numpy(index), [np.argmax(x[: i + 1]) for i in range(21)])
    np.testing.assert_array_equal(backend.numpy(last), [x.max(), np.argmax(x), x.max(), most.sum()])


@tw.jit
def affine(scale, offset, scale_b, offset_b):
    """x -> scale x + offset, then a second such map: associative, but not commutative."""
    return scale_b * scale, scale_b * offset + offset_b


@tw.jit
def in_order_kernel(x, y, out, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    a, b = load_block(x, M, N), load_block(y, M, N)
    scale, offset = tl.reduce((a, b), AXIS, affine)
    if AXIS is None:
        tl.store(out, scale)
        tl.store(out + 1, offset)
        tl.store(out + 2, tl.reduce(a, None, lambda p, q: p))
        tl.store(out + 3, tl.reduce(a, None, lambda p, q: q))
    else:
        i = tl.arange(0, M * N // a.shape[AXIS])
        tl.store(out + i * 4, scale)
        tl.store(out + i * 4 + 1, offset)
        tl.store(out + i * 4 + 2, tl.reduce(a, AXIS, lambda p, q: p))
        tl.store(out + i * 4 + 3, tl.reduce(a, AXIS, lambda p, q: q))


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize(
    "shape", [(1, 4096), (32, 128), (64, 64), (256, 8), (1, 3000), (100, 12), (16, 2)], ids=str
)
def test_functions_that_do_not_commute(backend, rng, shape, axis):
    x, y = (rng.integers(-(2**31), 2**31, shape).astype(np.int32) | 1 for _ in range(2))
    lines = [v.reshape(1, -1) if axis is None else np.moveaxis(v, axis, -1) for v in (x, y)]
    scale, offset = lines[0][:, 0], lines[1][:, 0]
    for a, b in zip(lines[0].T[1:], lines[1].T[1:], strict=True):
        scale, offset = a * scale, a * offset + b
    expected = np.stack([scale, offset, lines[0][:, 0], lines[0][:, -1]], 1)
    for num_warps in (1, 4, 8) if backend.name == "cuda" else (4,):
        out = backend.poisoned(expected.shape, "int32")
        in_order_kernel[1,](backend.array(x), backend.array(y), out, *shape, axis, num_warps=num_warps)
        np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def moments(mean, m2, count, mean_b, m2_b, count_b):
    delta = mean_b - mean
    total = count + count_b
    share = tl.where(total == 0.0, 0.0, count_b / total)
    return mean + delta * share, m2 + m2_b + delta * delta * count * share, total


@tw.jit
def moments_kernel(x, out, M: tl.constexpr, N: tl.constexpr):
    value = load_block(x, M, N)
    mean, m2, count = tl.reduce((value, value * 0.0, value * 0.0 + 1.0), 1, moments)
    tl.store(out + tl.arange(0, M), mean)
    tl.store(out + M + tl.arange(0, M), m2)
    tl.store(out + 2 * M + tl.arange(0, M), count)


# With more warps, each thread would apply a long function to the results of more warps.
@pytest.mark.parametrize("num_warps", [8, 16, 32])
@pytest.mark.parametrize("shape", [(1, 4096), (2, 2048), (16, 256)], ids=str)
def test_moments_of_many_warps(backend, rng, shape, num_warps):
    x = rng.standard_normal(shape).astype(np.float32)
    out = backend.poisoned((3, shape[0]), "float32")
    moments_kernel[1,](backend.array(x), out, *shape, num_warps=num_warps)
    expected = [x.mean(1), x.var(1) * shape[1], np.full(shape[0], shape[1])]
    np.testing.assert_allclose(backend.numpy(out), expected, rtol=1e-4, atol=1e-5)


@tw.jit
def mulhi_kernel(x, out, FACTOR: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    low = value * FACTOR
    tl.store(out + i, tl.umulhi(value, FACTOR) ^ low)
    tl.store(out + N + i, tl.umulhi(low, value))
    tl.store(out + 2 * N + i, low * value)


@pytest.mark.parametrize("factor", [0xD2511F53, 0xCD9E8D57, 3])
def test_high_and_low_words(backend, rng, factor):
    x = rng.integers(0, 2**32, 256, dtype=np.uint32)
    out = backend.poisoned((3, 256), "uint32")
    mulhi_kernel[1,](backend.array(x), out, factor, 256)
    whole = x.astype(np.uint64) * np.uint64(factor)
    low = whole & np.uint64(0xFFFFFFFF)
    again = low * x.astype(np.uint64)
    expected = [(whole >> np.uint64(32)) ^ low, again >> np.uint64(32), again & np.uint64(0xFFFFFFFF)]
    np.testing.assert_array_equal(backend.numpy(out), np.array(expected, np.uint64).astype(np.uint32))


@tw.jit
def nothing(a, b):
    if a > b:
        return


@pytest.mark.parametrize("kernel, arguments", [(scan_kernel, (0, False)), (reduce_kernel, (0,))])
def test_a_function_that_gives_nothing(backend, kernel, arguments):
    x, out = (backend.poisoned((2, 4), "int32") for _ in range(2))
    with pytest.raises(Exception, match="None"):
        kernel[1,](x, out, 2, 4, *arguments, nothing)


@pytest.mark.compiled
@pytest.mark.parametrize("function", [larger, divisor], ids=lambda fn: fn.__name__)
def test_assembles_for_a_gpu(assemble, function):
    constants = {"M": 8, "N": 24, "AXIS": 1, "function": function}
    assemble(reduce_kernel, {"x": "*i32", "out": "*i32"}, constants)
    assemble(scan_kernel, {"x": "*i32", "out": "*i32"}, {**constants, "REVERSE": True})
