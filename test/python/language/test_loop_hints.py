"""Hints of `tl.range` and `tl.condition` change how a loop is compiled, but not its result."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

INT32 = np.iinfo(np.int32)
RANGES = [
    (0, 0, 1), (0, 1, 1), (0, 8, 1), (0, 11, 1), (3, 0, 1), (-5, 6, 2), (7, 8, 100), (10, -4, -3), (5, 6, -1),
    (INT32.max - 9, INT32.max, 2), (INT32.max - 1, INT32.max, 3), (INT32.min, INT32.min + 10, 3),
    (INT32.min, INT32.max, 2**29), (INT32.max, INT32.min, -(2**29)),
]  # fmt: skip


def skip_ends_on_gpus(backend, stop, step, first=INT32.min, last=INT32.max):
    if backend.name == "cuda" and abs(step) > 1 and not first <= stop + step <= last:
        pytest.skip("there the type has to hold a constant step beyond the end")


@tw.jit
def visited(out, start, stop, STEP: tl.constexpr, FACTOR: tl.constexpr):
    count, total = 0, start * 0
    for i in tl.range(start, stop, STEP, loop_unroll_factor=FACTOR):
        tl.store(out + 2 + count, i)
        count += 1
        total += i % 97
    tl.store(out, count)
    tl.store(out + 1, total)


@pytest.mark.parametrize("factor", [0, 2, 3])
@pytest.mark.parametrize("start, stop, step", RANGES)
def test_unrolled_loops_visit_the_same(backend, start, stop, step, factor):
    skip_ends_on_gpus(backend, stop, step)
    expected = list(range(start, stop, step))
    out = backend.array(np.full(64, -1), "int64")
    visited[1,](out, start, stop, step, factor)
    count, total, *rest = backend.numpy(out).tolist()
    signed = [i % 97 if i >= 0 else -(-i % 97) for i in expected]
    assert (count, total, rest[:count]) == (len(expected), sum(signed), expected)
    assert rest[count:] == [-1] * (62 - count)


@tw.jit
def visited_unsigned(out, start_ptr, stop_ptr, STEP: tl.constexpr, FACTOR: tl.constexpr):
    count = 0
    for i in tl.range(tl.load(start_ptr), tl.load(stop_ptr), STEP, loop_unroll_factor=FACTOR):
        tl.store(out + 1 + count, i)
        count += 1
    tl.store(out, count)


@pytest.mark.parametrize("factor", [2, 3])
@pytest.mark.parametrize(
    "start, stop, step", [(0, 5, 1), (2**32 - 10, 2**32 - 1, 2), (0, 2**32 - 1, 2**29), (9, 4, 1)]
)
def test_unrolled_loops_without_a_sign(backend, start, stop, step, factor):
    skip_ends_on_gpus(backend, stop, step, 0, 2**32 - 1)
    expected = list(range(start, stop, step))
    out = backend.array(np.zeros(64), "int64")
    bounds = [backend.array(np.array([bound]), "uint32") for bound in (start, stop)]
    visited_unsigned[1,](out, *bounds, step, factor)
    count, *rest = backend.numpy(out).tolist()
    assert (count, rest[:count]) == (len(expected), expected)


@tw.jit
def moments(x_ptr, out_ptr, n, columns, BLOCK: tl.constexpr, OUTER: tl.constexpr, INNER: tl.constexpr):
    i = tl.arange(0, BLOCK)
    largest = tl.full((BLOCK,), -float("inf"), tl.float32)
    for row in tl.range(0, n, loop_unroll_factor=OUTER):
        total = tl.zeros((BLOCK,), tl.float32)
        for first in tl.range(0, columns, BLOCK, loop_unroll_factor=INNER, num_stages=2):
            x = tl.load(x_ptr + row * columns + first + i, mask=first + i < columns, other=0.0)
            total += x * x
        largest = tl.maximum(largest, total)
        tl.store(x_ptr + n * columns + row * BLOCK + i, total)
    tl.store(out_ptr + i, largest)


@pytest.mark.parametrize("n, columns", [(1, 1), (5, 77), (6, 64), (3, 200)])
def test_unrolled_sums_are_the_same(backend, n, columns):
    """Bitwise equal, as iterations keep their order."""
    block = 16
    x = np.random.default_rng(n).standard_normal(n * columns)
    results = []
    for outer, inner in [(1, 1), (2, 1), (1, 4), (3, 2), (4, 64)]:
        data = backend.array(np.concatenate([x, np.full(n * block, np.nan)]), "float32")
        out = backend.array(np.full(block, np.nan), "float32")
        moments[1,](data, out, n, columns, block, outer, inner)
        results.append(np.concatenate([backend.numpy(data), backend.numpy(out)]))
    padded = np.zeros((n, -(-columns // block) * block))
    padded[:, :columns] = x.astype(np.float32).astype(np.float64).reshape(n, columns)
    expected = (padded.reshape(n, -1, block) ** 2).sum(1)
    np.testing.assert_allclose(results[0][-block:], expected.max(0), rtol=1e-6)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


@tw.jit
def hinted_dots(a_ptr, b_ptr, out_ptr, k, B: tl.constexpr, FACTOR: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for first in tl.range(
        0, k, B, loop_unroll_factor=FACTOR, disallow_acc_multi_buffer=True, disable_licm=True
    ):
        a = tl.load(a_ptr + i[:, None] * k + first + i[None, :], mask=first + i[None, :] < k, other=0.0)
        b = tl.load(b_ptr + (first + i[:, None]) * B + i[None, :], mask=first + i[:, None] < k, other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(out_ptr + i[:, None] * B + i[None, :], acc)


@pytest.mark.parametrize("factor", [1, 2, 4])
def test_dots_with_hints(backend, factor):
    k, block = 200, 32
    rng = np.random.default_rng(factor)
    a, b = rng.standard_normal((block, k)), rng.standard_normal((k, block))
    out = backend.array(np.full((block, block), np.nan), "float32")
    hinted_dots[1,](
        backend.array(a.ravel(), "float16"), backend.array(b.ravel(), "float16"), out, k, block, factor
    )
    expected = a.astype(np.float16).astype(np.float64) @ b.astype(np.float16).astype(np.float64)
    np.testing.assert_allclose(backend.numpy(out), expected, atol=1e-3, rtol=1e-3)


@tw.jit
def without_hoisting(out_ptr, n, END: tl.constexpr):
    i = 1
    while tl.condition(i < n, disable_licm=True):
        i += n * n % 7 + 1
    for j in tl.range(0, n, disable_licm=True):
        i += n * n % 5 + j
    while tl.condition(END) and i < END:
        i += 1
    tl.store(out_ptr, i)


def test_loops_that_keep_their_invariants(backend):
    out = backend.array(np.zeros(1), "int32")
    without_hoisting[1,](out, 12, 200)
    i = 1
    while i < 12:
        i += 144 % 7 + 1
    for j in range(12):
        i += 144 % 5 + j
    assert backend.numpy(out).tolist() == [max(i, 200)]


def test_a_large_body_is_left_alone(backend):
    out = backend.array(np.full(64, -1), "int64")
    visited[1,](out, 0, 6, 1, 2**30)
    assert backend.numpy(out).tolist()[:8] == [6, 15, 0, 1, 2, 3, 4, 5]
