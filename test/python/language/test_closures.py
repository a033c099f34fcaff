"""Nested functions, lambdas, comprehensions and f-strings, which work as in Python."""

import numpy as np
import tilewright as tw
import tilewright.language as tl


@tw.jit
def nested_kernel(x, out, n, N: tl.constexpr):
    bias = 3

    @tw.jit
    def affine(v, scale=2, *, ROUNDS: tl.constexpr = 1):
        shift = bias * 1  # a separate local variable
        for _ in tl.static_range(ROUNDS):
            v = v * scale + shift
        return v

    def twice(function, v):
        return function(function(v))

    i = tl.arange(0, N)
    v = tl.load(x + i)
    bias = 10  # the function sees it
    shift = 0
    result = affine(v, ROUNDS=2) + twice(affine, v) + twice(lambda t: t - bias, v)
    for step in range(n):

        def move(t):
            if t > 5:
                return t + step  # noqa: B023
            return t

        shift = move(shift + 2)
    tl.store(out + i, result + shift)


def test_functions_in_kernels(backend):
    values = np.arange(8, dtype=np.int32)
    x, out = backend.array(values), backend.poisoned(8, "int32")
    nested_kernel[1,](x, out, 5, N=8)
    shift = 0
    for step in range(5):
        shift += 2
        shift += step if shift > 5 else 0
    expected = 2 * ((values * 2 + 10) * 2 + 10) + values - 20 + shift
    np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def reduce_kernel(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))

    def larger(a, b):
        return tl.maximum(a, b)

    tl.store(out, tl.reduce(v, 0, larger))
    tl.store(out + 1, tl.reduce(v, 0, lambda a, b: tl.minimum(a, b)))
    tl.store(out + 2 + tl.arange(0, N), tl.associative_scan(v, 0, lambda a, b: a + b))


def test_reductions_take_functions_in_kernels(backend, rng):
    values = rng.integers(-50, 50, 8).astype(np.int32)
    x, out = backend.array(values), backend.poisoned(10, "int32")
    reduce_kernel[1,](x, out, N=8)
    expected = [values.max(), values.min(), *np.cumsum(values)]
    np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def comprehension_kernel(x, out, K: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    item = 7
    parts = [tl.load(x + i + item * N) for item in range(K) if item != 1]
    pairs = [a * b for a in (1, 2) for b in range(a, K)]
    weighted = [part * weight for part, weight in zip(parts, reversed((1, 10)), strict=True)]
    total = sum(weighted) + sum(index * pair for index, pair in enumerate(pairs))
    tl.static_assert(len(parts) == 2)
    tl.store(out + i, total + item)


def test_comprehensions(backend):
    values = np.arange(24, dtype=np.int32).reshape(3, 8)
    x, out = backend.array(values), backend.poisoned(8, "int32")
    comprehension_kernel[1,](x, out, K=3, N=8)
    pairs = [a * b for a in (1, 2) for b in range(a, 3)]
    expected = values[0] * 10 + values[2] + sum(i * pair for i, pair in enumerate(pairs)) + 7
    np.testing.assert_array_equal(backend.numpy(out), expected)


def test_text_made_while_compiling(tile, capsys):
    def kernel(x, N: tl.constexpr):
        v = tl.load(x + tl.arange(0, N))
        tl.static_print(f"{v.dtype} of {N:03d}, {(N, 'a')!s}, {N=}, {v}")

    tile(kernel, "*fp16", N=8)
    assert capsys.readouterr().out == "fp16 of 008, (8, 'a'), N=8, <[8], fp16>\n"


def test_assertions_with_text(rejects):
    def kernel(x):
        v = tl.load(x + tl.arange(0, 8))
        tl.static_assert(v.dtype == tl.float32, f"got {v.dtype} of {v.shape}")  # !

    rejects(kernel, "static assertion failed: got fp16 of (8,)", x="*fp16")
