"""Blocks whose dimensions are not powers of two: every op, against NumPy."""

import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

# One padded piece, several full pieces, several pieces with a padded last one, less than a warp.
SIZES = [100, 192, 176, 3]
SHAPES = [(3, 100), (96, 8), (48, 160), (5, 7)]


def floats(rng, *shape):
    return rng.uniform(-2, 2, shape).astype(np.float32)


@tw.jit
def elementwise_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i, mask=i < n, other=7)
    tl.store(out + i, tl.where(b > 3, a + b // 3, a % b), mask=i < n)


@pytest.mark.parametrize("size", SIZES)
def test_masks_and_divisions(backend, rng, size):
    x, y = (rng.integers(1, 50, size).astype(np.int32) for _ in range(2))
    out = backend.poisoned(size + 32, "int32")
    before = backend.numpy(out).copy()
    elementwise_kernel[1,](backend.array(x), backend.array(y), out, size - 2, N=size)
    b = np.where(np.arange(size) < size - 2, y, 7)
    expected = np.where(b > 3, x + b // 3, x % b)
    np.testing.assert_array_equal(backend.numpy(out)[: size - 2], expected[: size - 2])
    np.testing.assert_array_equal(backend.numpy(out)[size - 2 :], before[size - 2 :])


@tw.jit
def matrix_kernel(x, row_out, column_out, best_out, transposed_out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(row_out + i, tl.sum(tile, axis=1))
    tl.store(column_out + j, tl.max(tile, axis=0))
    tl.store(best_out + i, tl.argmax(tile, axis=1))
    scaled = tile.T * j[:, None] + i[None, :]
    tl.store(transposed_out + j[:, None] * M + i[None, :], scaled)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_matrices(backend, rng, shape):
    rows, columns = shape
    x = rng.integers(-40, 40, shape).astype(np.float32)
    row, column = backend.poisoned(rows, "float32"), backend.poisoned(columns, "float32")
    best, transposed = backend.poisoned(rows, "int32"), backend.poisoned((columns, rows), "float32")
    matrix_kernel[1,](backend.array(x), row, column, best, transposed, *shape)
    np.testing.assert_array_equal(backend.numpy(row), x.sum(1))
    np.testing.assert_array_equal(backend.numpy(column), x.max(0))
    np.testing.assert_array_equal(backend.numpy(best), x.argmax(1))
    expected = x.T * np.arange(columns)[:, None] + np.arange(rows)[None, :]
    np.testing.assert_array_equal(backend.numpy(transposed), expected)


@tw.jit
def second_largest(a, b, c, d):
    """Merges two pairs of largest and second largest."""
    return tl.maximum(a, c), tl.maximum(tl.minimum(a, c), tl.maximum(b, d))


@tw.jit
def length(a, b):
    return tl.sqrt(a * a + b * b)


@tw.jit
def reductions_kernel(x, out, M: tl.constexpr, N: tl.constexpr):
    tile = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    largest, second = tl.reduce((tile, tile * 0 - 100), 0, second_largest)
    tl.store(out + tl.arange(0, N), largest)
    tl.store(out + N + tl.arange(0, N), second)
    tl.store(out + 2 * N, tl.reduce(tl.ravel(tile), 0, length))
    tl.store(out + 2 * N + 1, tl.sum(tile))
    tl.store(out + 2 * N + 2, tl.min(tile))
    tl.store(out + 2 * N + 3, tl.xor_sum(tile.to(tl.int32)))
    tl.store(out + 2 * N + 4, tl.argmin(tl.ravel(tile), 0))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reductions(backend, rng, shape):
    x = rng.permutation(np.arange(1, np.prod(shape) + 1, dtype=np.float32)).reshape(shape)
    columns = shape[1]
    out = backend.poisoned(2 * columns + 5, "float32")
    reductions_kernel[1,](backend.array(x), out, *shape)
    ranked = np.sort(x, 0)
    np.testing.assert_array_equal(backend.numpy(out)[:columns], ranked[-1])
    np.testing.assert_array_equal(backend.numpy(out)[columns : 2 * columns], ranked[-2])
    flat = x.astype(np.int64).ravel()
    expected = [np.sqrt((flat**2).sum()), flat.sum(), 1, np.bitwise_xor.reduce(flat), flat.argmin()]
    np.testing.assert_allclose(backend.numpy(out)[2 * columns :], expected, rtol=1e-5)


@tw.jit
def no_number_kernel(x, out, N: tl.constexpr):
    tl.store(out, tl.max(tl.load(x + tl.arange(0, N))))
    tl.store(out + 1, tl.sum(tl.load(x + N + tl.arange(0, N))))


@pytest.mark.parametrize("size", SIZES)
def test_padding_is_neutral(backend, size):
    """The maximum of NaNs is NaN, and the sum of negative zeros is a negative zero."""
    x = np.concatenate([np.full(size, np.nan, np.float32), np.full(size, -0.0, np.float32)])
    out = backend.poisoned(2, "float32")
    no_number_kernel[1,](backend.array(x), out, N=size)
    result = backend.numpy(out)
    assert np.isnan(result[0]) and result[1] == 0 and np.signbit(result[1])


@tw.jit
def reshape_kernel(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, A * B * C)
    tile = tl.load(x + i).reshape(A, B, C)
    matrix = tl.permute(tile, 2, 0, 1).reshape(C * A, B)
    offsets = tl.arange(0, C * A)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(out + offsets, matrix * 2)


@pytest.mark.parametrize(
    "shape", [(3, 5, 7), (6, 32, 4), (96, 2, 2), (12, 10, 3), (1, 3, 64), (2, 100, 2)], ids=str
)
def test_reshapes(backend, rng, shape):
    x = floats(rng, *shape)
    out = backend.poisoned((shape[2] * shape[0], shape[1]), "float32")
    reshape_kernel[1,](backend.array(x), out, *shape)
    expected = x.transpose(2, 0, 1).reshape(-1, shape[1]) * 2
    np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def pieces_kernel(x, y, out, N: tl.constexpr):
    i, j = tl.arange(0, N), tl.arange(0, 2 * N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + j, tl.cat(a, b))
    tl.store(out + 2 * N + j, tl.interleave(a, b))
    left, right = tl.split(tl.join(a, b))
    tl.store(out + 4 * N + i, left - right)
    tl.store(out + 5 * N + i, tl.flip(a))
    tl.store(out + 6 * N + i, tl.gather(a, (i * 7) % N, 0))
    tl.store(out + 7 * N + tl.arange(0, N - 1), a[1:] - b[:-1])


@pytest.mark.parametrize("size", [*SIZES, 6])
def test_joins_and_slices(backend, rng, size):
    x, y = floats(rng, size), floats(rng, size)
    out = backend.poisoned(8 * size - 1, "float32")
    pieces_kernel[1,](backend.array(x), backend.array(y), out, N=size)
    both = np.stack([x, y], 1).ravel()
    gathered = x[np.arange(size) * 7 % size]
    expected = np.concatenate([x, y, both, x - y, x[::-1], gathered, x[1:] - y[:-1]])
    np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def combine(a, m, b, n):
    """The composition of two affine maps."""
    return a * b, m * b + n


@tw.jit
def scans_kernel(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tile = tl.load(x + offsets)
    tl.store(out + offsets, tl.cumsum(tile, 1))
    tl.store(out + M * N + offsets, tl.cumsum(tile, 0, reverse=True))
    tl.store(out + 2 * M * N + offsets, tl.sort(tile))
    tl.store(out + 3 * M * N + offsets, tl.sort(tile, descending=True))
    factors, sums = tl.associative_scan((tile * 0 + 2, tile), 1, combine)
    tl.store(out + 4 * M * N + offsets, factors + sums)
    top = tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(out + 5 * M * N + top, tl.topk(tile, K))


@pytest.mark.parametrize("shape", [(3, 6), (5, 20), (2, 12), (7, 4)], ids=str)
def test_scans_and_sorts(backend, rng, shape):
    x = rng.integers(-9, 9, shape).astype(np.int32)
    k = min(3, shape[1])
    out = backend.poisoned(5 * x.size + shape[0] * k, "int32")
    scans_kernel[1,](backend.array(x), out, *shape, k)
    composed = np.zeros(shape, np.int32)
    for j in range(shape[1]):
        composed[:, j] = x[:, j] + (2 * composed[:, j - 1] if j else 0)
    ordered = np.sort(x, 1)
    expected = [
        x.cumsum(1),
        x[::-1].cumsum(0)[::-1],
        ordered,
        ordered[:, ::-1],
        composed + 2 ** np.arange(1, shape[1] + 1),
        ordered[:, ::-1][:, :k],
    ]
    np.testing.assert_array_equal(backend.numpy(out), np.concatenate([e.ravel() for e in expected]))


@tw.jit
def count_kernel(x, out, n, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(out + tl.arange(0, BINS), tl.histogram(value, BINS, mask=i < n))
    tl.store(out + BINS + tl.arange(0, BINS), tl.histogram(value, BINS))


@pytest.mark.parametrize("size, bins", [(100, 64), (192, 10), (128, 100), (5, 3)])
def test_histogram(backend, rng, size, bins):
    x = rng.integers(-2, bins + 2, size).astype(np.int32)
    out = backend.poisoned(2 * bins, "int32")
    count_kernel[1,](backend.array(x), out, size - 3, size, bins)
    inside = x[(x >= 0) & (x < bins)]
    some = x[: size - 3]
    some = some[(some >= 0) & (some < bins)]
    expected = np.concatenate([np.bincount(v, minlength=bins) for v in (some, inside)])
    np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def steps_down(n):
    """Terminates for positive numbers only."""
    steps = 0
    while n != 1:
        n = n // 2
        steps += 1
    return steps


@tw.jit
def map_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.map_elementwise(steps_down, tl.load(x + i)))


@pytest.mark.parametrize("size", SIZES)
def test_functions_see_no_padding(backend, rng, size):
    x = rng.integers(1, 1000, size).astype(np.int32)
    out = backend.poisoned(size, "int32")
    map_kernel[1,](backend.array(x), out, N=size)
    np.testing.assert_array_equal(backend.numpy(out), np.log2(x).astype(np.int32))


@tw.jit
def control_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    state, count = tl.load(x + i), 0
    for k in range(n):
        if k % 2 == 0:
            state = state * 2 + i
        else:
            state -= tl.sum(state) % 7
        if k == 5:
            break
    while count < n % 3:
        state += count
        count += 1
    tl.device_assert(state == state, "a number")
    tl.store(out + i, state)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [3, 11])
def test_control_flow(backend, rng, size, n):
    x = rng.integers(0, 20, size).astype(np.int32)
    out = backend.poisoned(size, "int32")
    control_kernel[1,](backend.array(x), out, n, N=size, debug=True)
    state = x.copy()
    for k in range(min(n, 6)):
        state = state * 2 + np.arange(size, dtype=np.int32) if k % 2 == 0 else state - np.fmod(state.sum(), 7)
    state = state + sum(range(n % 3))
    np.testing.assert_array_equal(backend.numpy(out), state)


@tw.jit
def random_kernel(out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.rand(7, tl.arange(0, N)))


def test_random_numbers_are_those_of_any_block(backend):
    short, long = backend.poisoned(100, "float32"), backend.poisoned(128, "float32")
    random_kernel[1,](short, N=100)
    random_kernel[1,](long, N=128)
    np.testing.assert_array_equal(backend.numpy(short), backend.numpy(long)[:100])


@tw.jit
def softmax_kernel(x, out, n, N: tl.constexpr):
    i = tl.program_id(0) * n + tl.arange(0, N)
    row = tl.load(x + i, mask=tl.arange(0, N) < n, other=-float("inf"))
    top = tl.exp(row - tl.max(row))
    tl.store(out + i, top / tl.sum(top), mask=tl.arange(0, N) < n)


@pytest.mark.parametrize("columns, block", [(1000, 1000), (640, 640), (1500, 1536), (90, 96)])
def test_softmax(backend, rng, columns, block):
    x = floats(rng, 3, columns)
    out = backend.poisoned((3, columns), "float32")
    softmax_kernel[3,](backend.array(x), out, columns, N=block)
    expected = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    np.testing.assert_allclose(backend.numpy(out), expected, rtol=1e-5)


@tw.jit
def print_kernel(N: tl.constexpr):
    tl.device_print("value ", tl.arange(0, N) * 2, tl.zeros((2, 3), tl.int32))


def test_prints_name_elements_of_the_block(backend, capfd):
    print_kernel[1,](N=130)
    if backend.name == "cuda":
        backend.synchronize()
    printed = re.findall(
        r"pid \(0, 0, 0\) idx \(([\d, ]+)\) value \(operand [01]\) (\d+)", capfd.readouterr().out
    )
    expected = [(str(i), str(2 * i)) for i in range(130)] + [
        (f"{i}, {j}", "0") for i in range(2) for j in range(3)
    ]
    assert sorted(printed) == sorted(expected)


ODD = [
    (elementwise_kernel, "x y out", "n", {"N": 100}, "i32"),
    (matrix_kernel, "x row_out column_out best_out transposed_out", "", {"M": 48, "N": 160}, "fp32"),
    (reductions_kernel, "x out", "", {"M": 5, "N": 7}, "fp32"),
    (reshape_kernel, "x out", "", {"A": 6, "B": 32, "C": 4}, "fp32"),
    (pieces_kernel, "x y out", "", {"N": 176}, "fp32"),
    (scans_kernel, "x out", "", {"M": 5, "N": 20, "K": 3}, "i32"),
    (count_kernel, "x out", "n", {"N": 192, "BINS": 10}, "i32"),
    (map_kernel, "x out", "", {"N": 3}, "i32"),
    (control_kernel, "x out", "n", {"N": 192}, "i32"),
    (print_kernel, "", "", {"N": 130}, "i32"),
]


@pytest.mark.parametrize(
    "kernel, pointers, numbers, sizes, dtype", ODD, ids=lambda value: getattr(value, "__name__", "")
)
def test_odd_blocks_assemble(assemble, kernel, pointers, numbers, sizes, dtype):
    types = dict.fromkeys(pointers.split(), f"*{dtype}") | dict.fromkeys(numbers.split(), "i32")
    compiled = assemble(kernel, types, sizes, debug=True)
    assert compiled.spills == 0 and not compiled.metadata["advice"]
