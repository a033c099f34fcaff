"""RAW, WAR and WAW hazards between threads of one program in global memory."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

PROGRAMS = 64


@tw.jit
def through_memory(x_ptr, scratch_ptr, out_ptr, N: tl.constexpr):
    first = tl.program_id(0) * N
    i = tl.arange(0, N)
    tl.store(scratch_ptr + first + i, tl.load(x_ptr + first + i))
    tl.store(out_ptr + first + i, tl.load(scratch_ptr + first + (N - 1 - i)))


@tw.jit
def reversed_in_place(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    row = x_ptr + tl.program_id(0) * N
    tl.store(row + i, tl.load(row + (N - 1 - i)))


@pytest.mark.parametrize("n, num_warps", [(64, 1), (256, 4), (4096, 8), (96, 4)])
def test_reversed(backend, rng, n, num_warps):
    x = backend.array(rng.standard_normal((PROGRAMS, n)), "float32")
    expected = backend.numpy(x)[:, ::-1].copy()
    scratch, out = backend.poisoned((PROGRAMS, n), "float32"), backend.poisoned((PROGRAMS, n), "float32")
    through_memory[(PROGRAMS,)](x, scratch, out, n, num_warps=num_warps)
    assert np.array_equal(backend.numpy(out), expected)
    reversed_in_place[(PROGRAMS,)](x, n, num_warps=num_warps)
    assert np.array_equal(backend.numpy(x), expected)


@tw.jit
def hadamard(x_ptr, N: tl.constexpr, STAGES: tl.constexpr):
    """Each stage adds and subtracts pairs in memory, with twice the distance of the previous stage."""
    i = tl.arange(0, N // 2)
    row = x_ptr + tl.program_id(0) * N
    for stage in range(STAGES):
        half = 1 << stage
        first = row + (i // half) * (2 * half) + i % half
        a, b = tl.load(first), tl.load(first + half)
        tl.store(first, a + b)
        tl.store(first + half, a - b)


@pytest.mark.parametrize("stages, num_warps", [(6, 1), (9, 4), (11, 8)])
def test_stages_through_memory(backend, rng, stages, num_warps):
    n = 1 << stages
    x = backend.array(rng.integers(-9, 10, (PROGRAMS, n)), "float32")
    expected = backend.numpy(x).astype(np.float64)
    for stage in range(stages):
        pairs = expected.reshape(PROGRAMS, -1, 2, 1 << stage)
        sums = [pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]]
        expected = np.stack(sums, 2).reshape(PROGRAMS, n)
    hadamard[(PROGRAMS,)](x, n, stages, num_warps=num_warps)
    assert np.array_equal(backend.numpy(x), expected)


@tw.jit
def windows(x_ptr, count, hop, ROW: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    row = x_ptr + tl.program_id(0) * ROW
    for step in range(count):
        tl.store(row + (step + 1) * hop + i, tl.load(row + step * hop + i) + 1)


@pytest.mark.parametrize("hop", [1, 33, 128])
def test_overlapping_windows(backend, hop):
    n, count = 128, 12
    x = backend.array(np.zeros((PROGRAMS, n + count * hop)), "int32")
    expected = backend.numpy(x).copy()
    windows[(PROGRAMS,)](x, count, hop, n + count * hop, n)
    for step in range(count):
        expected[:, (step + 1) * hop : (step + 1) * hop + n] = expected[:, step * hop : step * hop + n] + 1
    assert np.array_equal(backend.numpy(x), expected)


@tw.jit
def counted(counter_ptr, out_ptr, ROUNDS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    counter = counter_ptr + tl.program_id(0)
    for step in range(ROUNDS):
        count = tl.load(counter)
        tl.store(counter, count + 1)
        tl.store(out_ptr + (tl.program_id(0) * ROUNDS + step) * N + i, i + count)


def test_scalar_in_memory(backend):
    rounds, n = 5, 512
    counters = backend.array(np.zeros(PROGRAMS), "int32")
    out = backend.poisoned((PROGRAMS, rounds, n), "int32")
    counted[(PROGRAMS,)](counters, out, rounds, n, num_warps=8)
    expected = np.arange(n) + np.arange(rounds)[:, None]
    assert np.array_equal(backend.numpy(out), np.broadcast_to(expected, (PROGRAMS, rounds, n)))
    assert np.array_equal(backend.numpy(counters), np.full(PROGRAMS, rounds))


@tw.jit
def marked(out_ptr, index_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    row = out_ptr + tl.program_id(0) * N
    tl.store(row + i, 0)
    tl.store(row + tl.load(index_ptr + i), 1)


def test_later_of_two_stores(backend, rng):
    n = 256
    indices = backend.array(2 * rng.permutation(n // 2).repeat(2), "int32")
    out = backend.poisoned((PROGRAMS, n), "int32")
    marked[(PROGRAMS,)](out, indices, n)
    assert np.array_equal(backend.numpy(out), np.tile([1, 0], (PROGRAMS, n // 2)))


@tw.jit
def transposed_operand(a_ptr, b_ptr, scratch_ptr, out_ptr, N: tl.constexpr):
    """The result of a dot is stored, and loaded transposed as an operand of the next dot."""
    i = tl.arange(0, N)
    here = i[:, None] * N + i[None, :]
    first = tl.program_id(0) * N * N
    b = tl.load(b_ptr + here)
    tl.store(scratch_ptr + first + here, tl.dot(tl.load(a_ptr + first + here), b).to(tl.float16))
    transposed = tl.load(scratch_ptr + first + i[None, :] * N + i[:, None])
    tl.store(out_ptr + first + here, tl.dot(transposed, b))


@pytest.mark.parametrize("n, num_warps", [(32, 2), (64, 4), (128, 8)])
def test_dot_of_a_stored_tile(backend, rng, n, num_warps):
    a = backend.array(rng.standard_normal((8, n, n)), "float16")
    b = backend.array(rng.standard_normal((n, n)) / n, "float16")
    scratch, out = backend.poisoned((8, n, n), "float16"), backend.poisoned((8, n, n), "float32")
    transposed_operand[(8,)](a, b, scratch, out, n, num_warps=num_warps)
    stored = backend.numpy(scratch).astype(np.float64)
    backend.check(out, stored.transpose(0, 2, 1) @ backend.numpy(b).astype(np.float64), "float32")


@tw.jit
def found_by_atomics(x_ptr, out_ptr, n, N: tl.constexpr):
    """The value that an atomic returns includes earlier atomics, also of the same kind."""
    i = tl.arange(0, N)
    row = x_ptr + tl.program_id(0) * N
    total = tl.zeros((N,), tl.int32)
    for k in range(n):
        tl.atomic_add(row + (i * 7 + k) % N, i)
        total += tl.atomic_add(row + (N - 1 - i), k)
        tl.atomic_add(row + (i * 3) % N, i + k)
    tl.store(out_ptr + tl.program_id(0) * N + i, total)


@pytest.mark.parametrize("n, num_warps", [(64, 1), (256, 2), (512, 4), (1024, 16)])
def test_atomics_of_one_kind(backend, rng, n, num_warps):
    x = rng.integers(0, 9, (PROGRAMS, n))
    out, i = backend.poisoned((PROGRAMS, n), "int32"), np.arange(n)
    found_by_atomics[(PROGRAMS,)](backend.array(x, "int32"), out, 4, n, num_warps=num_warps)
    total, x = np.zeros((PROGRAMS, n), np.int64), x.copy()
    for k in range(4):
        x[:, (i * 7 + k) % n] += i
        total += x[:, ::-1]
        x += k
        x[:, (i * 3) % n] += i + k
    np.testing.assert_array_equal(backend.numpy(out), total)


@tw.jit
def dot_in_place(x_ptr, w_ptr, M, S: tl.constexpr):
    """Each program loads a block of rows as an operand, and stores the result of the dot over it."""
    m = tl.program_id(0) * S + tl.arange(0, S)
    k = tl.arange(0, S)
    w = tl.load(w_ptr + k[:, None] * S + k[None, :])
    x = tl.load(x_ptr + m[:, None] * S + k[None, :], mask=m[:, None] < M, other=0)
    tl.store(x_ptr + m[:, None] * S + k[None, :], tl.dot(x, w).to(tl.float16), mask=m[:, None] < M)


@pytest.mark.parametrize("num_warps", [4, 8])
def test_dots_in_place(backend, rng, num_warps, assemble):
    x, w = rng.integers(-3, 4, (1000, 64)), rng.integers(-2, 3, (64, 64))
    out = backend.array(x, "float16")
    dot_in_place[(16,)](out, backend.array(w, "float16"), 1000, 64, num_warps=num_warps)
    np.testing.assert_array_equal(backend.numpy(out), x @ w)
    if backend.name == "cpu":
        types = {"x_ptr": "*fp16", "w_ptr": "*fp16", "M": "i32"}
        attrs = {"x_ptr": 16, "w_ptr": 16}
        assert assemble(dot_in_place, types, {"S": 64}, attrs, num_warps=num_warps).asm["cubin"]


@tw.jit
def overlapping_rows(x_ptr, out_ptr, rounds, stride, STRIDE: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Rows overlap, and only their first column is written."""
    if STRIDE is None:
        STRIDE = stride
    i, j = tl.arange(0, N)[:, None], tl.arange(0, D)[None, :]
    for k in range(rounds):
        before = tl.load(x_ptr + i * STRIDE + j)
        value = tl.broadcast_to((k * 7 + i + N).to(tl.float32), (N, D))
        tl.store(x_ptr + (i + N) * STRIDE + j, value, mask=j == 0)
        after = tl.load(x_ptr + i * STRIDE + j)
        tl.store(out_ptr + k * N * D + i * D + j, before - after)


@pytest.mark.parametrize("is_constant", [True, False])
@pytest.mark.parametrize("n, d, stride", [(64, 16, 1), (32, 32, 1), (32, 64, 3), (32, 16, 16)])
def test_rows_that_overlap(backend, rng, n, d, stride, is_constant):
    x, rounds = rng.integers(-50, 50, 4 * n * stride + 2 * d).astype(np.float32), 3
    array, out = backend.array(x), backend.poisoned((rounds, n, d), "float32")
    overlapping_rows[1,](array, out, rounds, stride, STRIDE=stride if is_constant else None, N=n, D=d)
    at = np.arange(n)[:, None] * stride + np.arange(d)
    for k in range(rounds):
        before = x[at]
        x[(np.arange(n) + n) * stride] = k * 7 + np.arange(n) + n
        np.testing.assert_array_equal(backend.numpy(out)[k], before - x[at])
    np.testing.assert_array_equal(backend.numpy(array), x)


@tw.jit
def rolling_rows(x_ptr, stride, rows, D: tl.constexpr):
    """Flips row after row in place; a row may begin within the previous one."""
    j = tl.arange(0, D)[None, :]
    for i in range(rows):
        at = x_ptr + (i + tl.arange(0, 1))[:, None] * stride + j
        tl.store(at, tl.flip(tl.load(at), 1))


@pytest.mark.parametrize("stride", [5, 32, 64, 100])
def test_rows_in_place_that_overlap(backend, rng, stride):
    x = rng.integers(-50, 50, 64 * stride + 64).astype(np.float32)
    array = backend.array(x)
    rolling_rows[1,](array, stride, 60, D=64)
    for i in range(60):
        x[i * stride : i * stride + 64] = x[i * stride : i * stride + 64][::-1].copy()
    np.testing.assert_array_equal(backend.numpy(array), x)


@tw.jit
def shared_addresses(x_ptr, out_ptr, N: tl.constexpr, G: tl.constexpr):
    """Many threads add to each address, and all of them load it afterwards."""
    i = tl.arange(0, N)
    at = x_ptr + i % G
    tl.atomic_add(at, i, sem="relaxed")
    sums = tl.load(at)
    tl.atomic_max(at, i * 10, sem="relaxed")
    tl.store(out_ptr + i, sums + tl.load(at))
    for j in range(3):
        tl.atomic_add(at, i + j, sem="relaxed")
        tl.store(out_ptr + (j + 1) * N + i, tl.load(at))


@pytest.mark.parametrize("n, groups", [(256, 8), (1024, 64), (512, 512), (128, 1)])
def test_atomics_with_shared_addresses(backend, n, groups):
    x, out = backend.array(np.arange(groups), "int32"), backend.poisoned((4, n), "int32")
    shared_addresses[1,](x, out, n, groups)
    i, sums = np.arange(n), np.arange(groups)
    np.add.at(sums, i % groups, i)
    most = sums.copy()
    np.maximum.at(most, i % groups, i * 10)
    expected = [(sums + most)[i % groups]]
    for j in range(3):
        np.add.at(most, i % groups, i + j)
        expected.append(most[i % groups])
    np.testing.assert_array_equal(backend.numpy(out), expected)
