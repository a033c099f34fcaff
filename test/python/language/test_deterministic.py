"""The option `deterministic`: equal launches give equal bits, as if programs ran in order."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

PROGRAMS = 500


@tw.jit
def sum_kernel(x, out, work, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    value = tl.load(x + i)
    for _ in range(work - tl.program_id(0) % 8 * (work // 8)):  # later programs finish earlier
        value = tl.sqrt(value * value)
    tl.atomic_add(out, tl.sum(value))


@tw.jit
def ticket_kernel(counter, out):
    tl.store(out + tl.program_id(0), tl.atomic_add(counter, 1))


@tw.jit
def last_kernel(out):
    tl.atomic_xchg(out, tl.program_id(0))


@tw.jit
def count_kernel(out):
    tl.atomic_add(out, tl.program_id(0))
    tl.atomic_max(out + 1, tl.program_id(0))


@tw.jit
def locked_kernel(lock, x, out, N: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(out + i) * 0.5 + tl.load(x + tl.program_id(0) * N + i))
    tl.atomic_xchg(lock, 0)


@pytest.fixture
def values():
    return np.random.default_rng(0).uniform(0.1, 1e4, PROGRAMS * 8).astype(np.float32)


def test_sums_of_floats_are_those_of_programs_in_order(backend, values):
    results, interpreted = set(), backend.name == "interpreter"
    work, rounds = (1, 2) if interpreted else (2000, 20)
    for _ in range(rounds):
        out = backend.array(np.zeros(1, np.float32))
        sum_kernel[PROGRAMS,](backend.array(values), out, work, N=8, deterministic=True)
        results.add(backend.numpy(out).item())
    one = backend.array(np.zeros(PROGRAMS, np.float32))
    each_kernel[PROGRAMS,](backend.array(values), one, N=8)
    expected = np.float32(0)
    for part in backend.numpy(one):
        expected += part
    assert results == {expected.item()}


@tw.jit
def each_kernel(x, out, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + i)))


def test_tickets_are_given_in_order(backend):
    out, last = backend.array(np.zeros(PROGRAMS, np.int32)), backend.array(np.zeros(1, np.int32))
    ticket_kernel[PROGRAMS,](backend.array(np.zeros(1, np.int32)), out, deterministic=True)
    last_kernel[PROGRAMS,](last, deterministic=True)
    assert backend.numpy(out).tolist() == list(range(PROGRAMS))
    assert backend.numpy(last).item() == PROGRAMS - 1


def test_locks_are_taken_in_order(backend, values):
    out = backend.array(np.zeros(8, np.float32))
    locked_kernel[PROGRAMS,](
        backend.array(np.zeros(1, np.int32)), backend.array(values), out, N=8, deterministic=True
    )
    expected = np.zeros(8, np.float32)
    for row in values.reshape(PROGRAMS, 8):
        expected = expected * np.float32(0.5) + row
    np.testing.assert_array_equal(backend.numpy(out), expected)


def test_order_independent_atomics_are_left_alone(backend):
    out = backend.array(np.zeros(2, np.int32))
    count_kernel[PROGRAMS,](out, deterministic=True)
    assert backend.numpy(out).tolist() == [PROGRAMS * (PROGRAMS - 1) // 2, PROGRAMS - 1]


@tw.jit
def grid_kernel(x, out, order, N: tl.constexpr):
    """Some paths have no atomic operation, others have several."""
    i, j, k = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    program = i + tl.num_programs(0) * (j + tl.num_programs(1) * k)
    if (i + j) % 3 != 0:
        for step in range(i % 3 + 1):
            tl.atomic_add(out, tl.load(x + program * N + step))
        tl.store(order + program, tl.atomic_add(order + tl.num_programs(0) * 12, 1))


def test_grids_of_three_dimensions_with_idle_programs(backend, values):
    grid, n = (5, 4, 3), 4
    out = backend.array(np.zeros(1, np.float32))
    order = backend.array(np.full(61, -1, np.int32))
    grid_kernel[grid](backend.array(values), out, order, N=n, deterministic=True)
    expected, tickets, given = np.float32(0), np.full(61, -1, np.int32), -1
    for program in range(60):
        i, j = program % 5, program // 5 % 4
        if (i + j) % 3:
            for step in range(i % 3 + 1):
                expected += values[program * n + step]
            tickets[program], given = given, given + 1
    tickets[60] = given
    assert backend.numpy(out).item() == expected
    np.testing.assert_array_equal(backend.numpy(order), tickets)


@tw.jit
def scatter_kernel(x, at, out, before, N: tl.constexpr, D: tl.constexpr):
    """Adds rows to other rows, several of them to the same row."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    d = tl.arange(0, D)
    rows = tl.load(at + i)
    values = tl.load(x + i[:, None] * D + d[None, :])
    mask = (i % 5 != 0)[:, None] & (d < D)[None, :]
    old = tl.atomic_add(out + rows[:, None] * D + d[None, :], values, mask=mask)
    tl.store(before + i[:, None] * D + d[None, :], old)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_elements_with_one_address_follow_each_other(backend, dtype):
    rng, programs, n, d, rows = np.random.default_rng(1), 6, 32, 16, 5
    x = rng.uniform(0.1, 10, (programs * n, d)).astype(dtype)
    at = rng.integers(0, rows, programs * n).astype(np.int32)
    out, before = np.zeros((rows, d), dtype), np.zeros((programs * n, d), dtype)
    given = [backend.array(a) for a in (x, at, out, before)]
    scatter_kernel[programs,](*given, N=n, D=d, deterministic=True)
    for i in range(programs * n):
        if i % 5:
            before[i] = out[at[i]]
            out[at[i]] += x[i]
    np.testing.assert_array_equal(backend.numpy(given[2]), out)
    np.testing.assert_array_equal(backend.numpy(given[3]), before)


@tw.jit
def queue_kernel(counter, swapped, tickets, seen, N: tl.constexpr):
    lanes = tl.program_id(0) * N + tl.arange(0, N)
    one = tl.zeros((N,), tl.int32)
    tl.store(tickets + lanes, tl.atomic_add(counter + one, 1))
    tl.store(seen + lanes, tl.atomic_xchg(swapped + one, lanes))


def test_elements_get_tickets_in_their_order(backend):
    programs, n = 7, 300
    counter, swapped = backend.array(np.zeros(1, np.int32)), backend.array(np.full(1, -1, np.int32))
    tickets, seen = (backend.array(np.zeros(programs * n, np.int32)) for _ in range(2))
    queue_kernel[programs,](counter, swapped, tickets, seen, N=n, deterministic=True)
    np.testing.assert_array_equal(backend.numpy(tickets), np.arange(programs * n))
    np.testing.assert_array_equal(backend.numpy(seen), np.arange(-1, programs * n - 1))


@tw.jit
def descriptor_kernel(x, out, N: tl.constexpr):
    sums = tl.make_tensor_descriptor(out, [N, N], [N, 1], [N, N])
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    sums.atomic_add([0, 0], tl.load(x + tl.program_id(0) * N * N + i * N + j))


def test_sums_into_descriptors(backend, values):
    n = 8
    programs = len(values) // (n * n)
    out = backend.array(np.zeros((n, n), np.float32))
    descriptor_kernel[programs,](backend.array(values), out, N=n, deterministic=True)
    expected = np.zeros((n, n), np.float32)
    for part in values[: programs * n * n].reshape(programs, n, n):
        expected += part
    np.testing.assert_array_equal(backend.numpy(out), expected)


def compile_for_gpu(kernel, types, constants, target="sm_90a", **options):
    from tilewright.options import Options
    from tilewright.runtime.compiler import compile_kernel

    return compile_kernel(
        kernel.fn, types, constants, {}, target, Options(deterministic=True, **options), stop_after="ptx"
    )


SUM = (sum_kernel, {"x": "*fp32", "out": "*fp32", "work": "i32"}, {"N": 8})


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_gpu_programs_take_tickets(target):
    compiled = compile_for_gpu(*SUM, target=target)
    assert compiled.metadata["launch_recipe"] == [3, 3, 0]
    assert "__tilewright_tickets" in compiled.asm["ptx"]


def test_no_tickets_where_order_makes_no_difference():
    compiled = compile_for_gpu(count_kernel, {"out": "*i32"}, {})
    assert "launch_recipe" not in compiled.metadata
    assert "__tilewright_tickets" not in compiled.asm["ptx"]


@tw.jit
def overlapped_kernel(x, out):
    tl.extra.cuda.gdc_wait()
    tl.atomic_add(out, tl.load(x + tl.program_id(0)))


def test_launches_with_tickets_do_not_overlap():
    types = {"x": "*fp32", "out": "*fp32"}
    compiled = compile_for_gpu(overlapped_kernel, types, {}, launch_pdl=True)
    assert not compiled.metadata.get("waits_for_launches")


@tw.jit
def later_kernel(flag):
    if tl.program_id(0) == 0:
        while tl.atomic_add(flag, 0) == 0:
            pass
    else:
        tl.atomic_xchg(flag, 1)


@pytest.mark.compiled
def test_waiting_for_a_later_program_is_an_error(backend):
    if backend.name == "cuda":
        pytest.skip("ends all work of the process there")
    flag = np.zeros(1, np.int32)
    later_kernel[2,](flag)
    assert flag.item() == 1
    with pytest.raises(tw.KernelAssertError, match="waits for a later one"):
        later_kernel[2,](np.zeros(1, np.int32), deterministic=True)


@pytest.mark.compiled
def test_the_environment_and_the_decorator_ask_for_it(backend, monkeypatch):
    if backend.name == "cuda":
        pytest.skip("reported elsewhere on a GPU")
    out = np.zeros(1, np.int32)
    assert tw.jit(last_kernel.fn).warmup(out).metadata.program_order == "any"
    assert tw.jit(last_kernel.fn, deterministic=True).warmup(out).metadata.program_order == "in_order"
    monkeypatch.setenv("TILEWRIGHT_DETERMINISTIC", "1")
    assert tw.jit(last_kernel.fn).warmup(out).metadata.program_order == "in_order"
    assert tw.jit(last_kernel.fn, deterministic=False).warmup(out).metadata.program_order == "any"
