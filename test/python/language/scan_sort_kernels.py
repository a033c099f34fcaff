"""Kernels that scan and sort blocks, and helpers of their tests."""

import ml_dtypes
import numpy as np
import tilewright as tw
import tilewright.language as tl


@tw.jit
def load_block(p, M: tl.constexpr, N: tl.constexpr):
    return tl.load(p + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@tw.jit
def store_block(p, value):
    M: tl.constexpr = value.shape[0]
    N: tl.constexpr = value.shape[1]
    tl.store(p + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], value)


@tw.jit
def cumsum_kernel(x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    store_block(y, tl.cumsum(load_block(x, M, N), AXIS, REVERSE))


@tw.jit
def cumprod_kernel(x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    store_block(y, tl.cumprod(load_block(x, M, N), AXIS, REVERSE))


@tw.jit
def compose(a, b, c, d):
    """x -> a x + b, and then x -> c x + d; not commutative."""
    return a * c, b * c + d


@tw.jit
def affine_kernel(x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    value = load_block(x, M, N)
    factor, offset = tl.associative_scan((value, value + 1), AXIS, compose, reverse=REVERSE)
    store_block(y, factor ^ offset)


@tw.jit
def sort_kernel(x, y, M: tl.constexpr, N: tl.constexpr, DESCENDING: tl.constexpr):
    store_block(y, tl.sort(load_block(x, M, N), descending=DESCENDING))


@tw.jit
def topk_kernel(x, y, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    store_block(y, tl.topk(load_block(x, M, N), K))


@tw.jit
def least_kernel(x, y, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    store_block(y, tl.topk(load_block(x, M, N), K, descending=False))


def random(rng, dtype, shape):
    kind = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    return rng.integers(-9, 9, shape).astype(kind)


def run(backend, kernel, x, out, *constants):
    y = backend.poisoned(out.shape, out.dtype.name)
    kernel[1,](backend.array(x), y, *x.shape, *constants)
    np.testing.assert_array_equal(backend.numpy(y), backend.numpy(backend.array(out)))


def scanned(function, x, axis, reverse):
    x = np.flip(x, axis) if reverse else x
    y = function(x, axis)
    return np.ascontiguousarray(np.flip(y, axis) if reverse else y)
