"""Loops by steps that only the kernel knows count up or down, as Python's range does."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

RANGES = [
    (0, 10, 3), (10, 0, -3), (0, 9, 3), (9, 0, -3), (5, 5, 1), (5, 5, -1), (-7, 8, 5), (3, -3, 2), (7, 8, -1),
    (0, 7, 100), (7, 0, -100), (2**40, 2**40 + 100, 7), (2**33, 2**33 - 50, -9), (-(2**40), 10 - 2**40, 4),
]  # fmt: skip


@tw.jit
def visited(out, start, stop, step):
    count, total = 0, start * 0
    for i in range(start, stop, step):
        tl.store(out + 2 + count, i)
        count += 1
        total += i
    tl.store(out, count)
    tl.store(out + 1, total)


@tw.jit
def visited_until(out, start, stop, step, last):
    count = 0
    for i in range(start, stop, step):
        if i == last:
            break
        tl.store(out + 2 + count, i)
        count += 1
    tl.store(out, count)


@pytest.mark.parametrize("start, stop, step", RANGES)
def test_steps_of_both_signs(backend, start, stop, step):
    expected = list(range(start, stop, step))
    out = backend.array(np.zeros(64), "int64")
    visited[1,](out, start, stop, step)
    count, total, *rest = backend.numpy(out).tolist()
    assert (count, total, rest[:count]) == (len(expected), sum(expected), expected)


@pytest.mark.parametrize("start, stop, step", RANGES)
def test_loops_with_exits_count_both_ways(backend, start, stop, step):
    expected = list(range(start, stop, step))[:2]
    last = start + 2 * step
    out = backend.array(np.zeros(64), "int64")
    visited_until[1,](out, start, stop, step, last)
    count, _, *rest = backend.numpy(out).tolist()
    assert rest[:count] == expected


@tw.jit
def dots_down(x_ptr, y_ptr, out_ptr, first, step, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * B + i[None, :]
    acc = tl.zeros((B, B), tl.float32)
    for k in range(first, -1, step):
        acc = acc * 0.5 + tl.dot(tl.load(x_ptr + k * B * B + at), tl.load(y_ptr + k * B * B + at))
    tl.store(out_ptr + at, acc)


@pytest.mark.parametrize("size, num_warps", [(32, 2), (64, 4)])
def test_prefetch_in_a_loop_that_counts_down(backend, rng, size, num_warps):
    x, y = (backend.array(rng.standard_normal((7, size, size)), "float16") for _ in range(2))
    out = backend.poisoned((size, size), "float32")
    dots_down[1,](x, y, out, 6, -2, size, num_warps=num_warps)
    expected = 0
    for k in (6, 4, 2, 0):
        expected = expected * 0.5 + backend.numpy(x)[k].astype(float) @ backend.numpy(y)[k].astype(float)
    assert np.allclose(backend.numpy(out), expected, rtol=1e-3, atol=1e-3)


@tw.jit
def by_programs(out, n):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(out + i, tl.program_id(0))


def test_a_loop_by_the_number_of_programs(backend):
    out = backend.poisoned((20,), "int32")
    by_programs[3,](out, 20)
    assert np.array_equal(backend.numpy(out), np.arange(20) % 3)


@tw.jit
def unsigned_steps(out, step: tl.uint32):
    count = 0
    for i in range(tl.full((), 5, tl.uint32), tl.full((), 2500000000, tl.uint32), step):
        tl.store(out + count, i)
        count += 1


@pytest.mark.parametrize("step", [1_000_000_000, 1_700_000_000, 2_000_000_000])
def test_unsigned_steps_count_up(backend, step):
    out = backend.array(np.zeros(4), "int64")
    unsigned_steps[1,](out, step)
    expected = list(range(5, 2_500_000_000, step))
    assert backend.numpy(out).tolist() == expected + [0] * (4 - len(expected))
