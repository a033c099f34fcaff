"""Loops without dots that ask for several stages: threads prefetch their loads, and only the run time changes."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def softmax_rows(
    out_ptr, x_ptr, x_stride, out_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr
):
    """Several rows per program; elements outside of the mask are not zero."""
    n = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(x_ptr + row * x_stride + n, mask=n < columns, other=-float("inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_stride + n, e / tl.sum(e, axis=0), mask=n < columns)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("num_warps, stages", [(1, 2), (4, 3), (8, 4), (2, 1)])
def test_rows(backend, rng, dtype, num_warps, stages):
    for rows, programs in ((1, 1), (3, 5), (7, 2), (11, 3)):
        columns = int(rng.integers(1, 1025))
        gap = int(rng.choice([0, 3, 16 - columns % 16]))
        values = rng.standard_normal((rows, columns + gap)) * 3
        values[:, columns:] = np.nan
        x = backend.array(values, dtype)
        out = backend.poisoned((rows, columns), "float32")
        softmax_rows[programs,](
            out,
            x,
            columns + gap,
            columns,
            rows,
            columns,
            tw.next_power_of_2(columns),
            stages,
            num_warps=num_warps,
        )
        given = backend.numpy(x).astype(np.float64)[:, :columns]
        e = np.exp(given - given.max(1, keepdims=True))
        backend.check(out, e / e.sum(1, keepdims=True), "float32")


@tw.jit
def blocks_of_two(
    out_ptr, x_ptr, y_ptr, rest_ptr, K, stride, M: tl.constexpr, BLOCK: tl.constexpr, STAGES: tl.constexpr
):
    """Loop-carried pointers; a third array replaces elements of the second that are outside of the mask."""
    m, k = tl.arange(0, M), tl.arange(0, BLOCK)
    at = m[:, None] * stride + k[None, :]
    x_ptrs, y_ptrs = x_ptr + at, y_ptr + at
    rest = tl.load(rest_ptr + m)[:, None].broadcast_to((M, BLOCK))
    total = tl.zeros((M,), tl.float32)
    for start in tl.range(0, K, BLOCK, num_stages=STAGES):
        inside = k[None, :] < K - start
        x = tl.load(x_ptrs, mask=inside, other=0)
        y = tl.load(y_ptrs, mask=inside & (m[:, None] % 3 != 1), other=rest)
        total += tl.sum(x.to(tl.float32) * y.to(tl.float32), 1)
        x_ptrs += BLOCK
        y_ptrs += BLOCK
    tl.store(out_ptr + m, total)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32"])
@pytest.mark.parametrize("stages", [2, 3, 6])
def test_two_arrays(backend, rng, dtype, stages):
    rows, block = 16, 64
    for columns in (0, 5, 64, 65, 300, 512):
        stride = max(columns + int(rng.choice([0, 1, 16])), 1)
        x, y = (backend.array(rng.integers(-9, 10, (rows, stride)), dtype) for _ in range(2))
        rest = backend.array(rng.integers(1, 9, rows), dtype)
        out = backend.poisoned(rows, "float32")
        blocks_of_two[1,](
            out, x, y, rest, columns, stride, rows, block, stages, num_warps=int(rng.choice([1, 2, 4]))
        )
        a, b, c = (backend.numpy(v).astype(np.float64) for v in (x, y, rest))
        b[np.arange(rows) % 3 == 1] = c[np.arange(rows) % 3 == 1, None]
        backend.check(out, (a * b)[:, :columns].sum(1), "float32")


@tw.jit
def sums_in_place(x_ptr, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Each row becomes the sum of itself and all rows above, so a row is stored before the next one loads it."""
    n = tl.arange(0, BLOCK)
    for row in tl.range(1, rows, num_stages=STAGES):
        above = tl.load(x_ptr + (row - 1) * columns + n, mask=n < columns, other=7.0)
        here = tl.load(x_ptr + row * columns + n, mask=n < columns, other=7.0)
        tl.store(x_ptr + row * columns + n, above + here, mask=n < columns)


@pytest.mark.parametrize("stages", [2, 4])
def test_rows_that_the_loop_stores(backend, rng, stages):
    for rows, columns in ((1, 100), (2, 128), (9, 129)):
        values = rng.integers(-50, 50, (rows, columns))
        x = backend.array(values, "float32")
        sums_in_place[1,](x, rows, columns, 256, stages)
        backend.check(x, values.cumsum(0), "float32")


@tw.jit
def listed_rows(out_ptr, x_ptr, list_ptr, count, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """The maximum of rows with loaded row numbers; a negative number stands for no row."""
    n = tl.arange(0, BLOCK)
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    for i in tl.range(0, count, num_stages=STAGES):
        row = tl.load(list_ptr + i)
        x = tl.load(x_ptr + row * columns + n, mask=(n < columns) & (row >= 0), other=-float("inf"))
        most = tl.maximum(most, x)
    tl.store(out_ptr + n, most, mask=n < columns)


@pytest.mark.parametrize("stages", [2, 3])
def test_rows_that_a_list_names(backend, rng, stages):
    for count in (0, 1, 2, 9):
        rows, columns = 12, 96
        listed = rng.permutation(np.where(np.arange(rows) % 4, np.arange(rows), -1))[:count]
        x = rng.standard_normal((rows, columns))
        x[np.setdiff1d(np.arange(rows), listed)] = np.nan
        x = backend.array(x, "float32")
        out = backend.poisoned(columns, "float32")
        listed_rows[1,](out, x, backend.array(listed, "int32"), count, columns, 128, stages, num_warps=2)
        named = backend.numpy(x)[listed[listed >= 0]].astype(np.float64)
        backend.check(out, np.concatenate([named, np.full((1, columns), -np.inf)]).max(0), "float32")


@tw.jit
def transposed_blocks(out_ptr, x_ptr, count, rest, M: tl.constexpr, N: tl.constexpr, STAGES: tl.constexpr):
    """Blocks with `rest` outside of the mask are stored transposed, by other threads than those that load them."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    for i in tl.range(0, count, num_stages=STAGES):
        x = tl.load(x_ptr + (i * M + m) * N + n, mask=m % 5 != i % 5, other=rest)
        tl.store(out_ptr + (i * N + n) * M + m, x)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("rest", [0.0, 3.0])
def test_transposed_blocks(backend, rng, dtype, rest):
    count, m, n = 5, 32, 64
    values = rng.integers(-50, 50, (count, m, n))
    x = backend.array(values, dtype)
    out = backend.poisoned((count, n, m), dtype)
    transposed_blocks[1,](out, x, count, rest, m, n, 3, num_warps=int(rng.choice([1, 4])))
    i, row, _ = np.ogrid[:count, :m, :n]
    expected = np.where(row % 5 != i % 5, values, rest)
    backend.check(out, expected.transpose(0, 2, 1), dtype)


@tw.jit
def ends_replaced(out_ptr, x_ptr, rows, columns, BLOCK: tl.constexpr, OTHER: tl.constexpr):
    n = tl.arange(0, BLOCK)
    for row in tl.range(0, rows, num_stages=3):
        x = tl.load(x_ptr + row * columns + n, mask=n < columns - 16, other=OTHER)
        tl.store(out_ptr + row * columns + n, x, mask=n < columns)


@pytest.mark.parametrize("other", [0, 1])
@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "int16", "int64", "uint64", "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2"],
)
def test_types(backend, rng, dtype, other):
    rows, columns = 5, 256
    expected = rng.integers(0, 2, (rows, columns))
    x, out = backend.array(expected, dtype), backend.poisoned((rows, columns), dtype)
    ends_replaced[1,](out, x, rows, columns, 256, bool(other) if dtype == "bool" else other, num_warps=1)
    expected[:, -16:] = other
    np.testing.assert_array_equal(backend.numpy(out).astype(np.float64), expected)
