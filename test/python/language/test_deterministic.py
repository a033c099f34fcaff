"""The option `deterministic`: equal launches give equal bits, or are refused."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

PROGRAMS = 500


@tw.jit
def sum_kernel(x, out, work, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    value = tl.load(x + i)
    for _ in range(work - tl.program_id(0) % 8 * (work // 8)):  # so that later programs are done earlier
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


def skip_gpu(backend):
    if backend.name == "cuda":
        pytest.skip("refused there")


def test_sums_of_floats_are_those_of_programs_in_order(backend, values):
    skip_gpu(backend)
    results, work = set(), 2000 if backend.name == "cpu" else 1
    for _ in range(20):
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
    skip_gpu(backend)
    out, last = backend.array(np.zeros(PROGRAMS, np.int32)), backend.array(np.zeros(1, np.int32))
    ticket_kernel[PROGRAMS,](backend.array(np.zeros(1, np.int32)), out, deterministic=True)
    last_kernel[PROGRAMS,](last, deterministic=True)
    assert backend.numpy(out).tolist() == list(range(PROGRAMS))
    assert backend.numpy(last).item() == PROGRAMS - 1


def test_locks_are_taken_in_order(backend, values):
    skip_gpu(backend)
    out = backend.array(np.zeros(8, np.float32))
    locked_kernel[PROGRAMS,](
        backend.array(np.zeros(1, np.int32)), backend.array(values), out, N=8, deterministic=True
    )
    expected = np.zeros(8, np.float32)
    for row in values.reshape(PROGRAMS, 8):
        expected = expected * np.float32(0.5) + row
    np.testing.assert_array_equal(backend.numpy(out), expected)


def test_what_order_does_not_change_is_left_alone(backend):
    out = backend.array(np.zeros(2, np.int32))
    count_kernel[PROGRAMS,](out, deterministic=True)
    assert backend.numpy(out).tolist() == [PROGRAMS * (PROGRAMS - 1) // 2, PROGRAMS - 1]


@pytest.mark.parametrize(
    "kernel, line", [(sum_kernel, 6), (ticket_kernel, 2), (last_kernel, 2), (locked_kernel, 2)]
)
def test_a_gpu_refuses_what_has_no_order(kernel, line):
    from tilewright.runtime.compiler import compile_kernel
    from tilewright.runtime.options import Options

    types = {"counter": "*i32", "lock": "*i32", "work": "i32"}
    pointers = {name: types.get(name, "*fp32") for name in kernel.arg_names if name != "N"}
    if kernel in (last_kernel, ticket_kernel):
        pointers["out"] = "*i32"
    constants = {"N": 8} if "N" in kernel.arg_names else {}

    def compile_(deterministic):
        options = Options(deterministic=deterministic)
        return compile_kernel(kernel.fn, pointers, constants, {}, "sm_90a", options, stop_after="ptx")

    compile_(False)
    with pytest.raises(tw.CompilationError, match="depends on the order of programs") as caught:
        compile_(True)
    assert caught.value.line == kernel.fn.__code__.co_firstlineno + line
    assert "deterministic=True" in str(caught.value) and "in a second kernel" in str(caught.value)


def test_a_gpu_takes_the_rest():
    from tilewright.runtime.compiler import compile_kernel
    from tilewright.runtime.options import Options

    options = Options(deterministic=True)
    compile_kernel(count_kernel.fn, {"out": "*i32"}, {}, {}, "sm_90a", options, stop_after="ptx")


@tw.jit
def later_kernel(flag):
    if tl.program_id(0) == 0:
        while tl.atomic_add(flag, 0) == 0:
            pass
    else:
        tl.atomic_xchg(flag, 1)


@pytest.mark.compiled
def test_waiting_for_a_later_program_is_an_error(backend):
    skip_gpu(backend)
    flag = np.zeros(1, np.int32)
    later_kernel[2,](flag)
    assert flag.item() == 1
    with pytest.raises(tw.KernelAssertError, match="waits for a later one"):
        later_kernel[2,](np.zeros(1, np.int32), deterministic=True)


@pytest.mark.compiled
def test_the_environment_and_the_decorator_ask_for_it(backend, monkeypatch):
    skip_gpu(backend)
    out = np.zeros(1, np.int32)
    assert tw.jit(last_kernel.fn).warmup(out).metadata.program_order == "any"
    assert tw.jit(last_kernel.fn, deterministic=True).warmup(out).metadata.program_order == "in_order"
    monkeypatch.setenv("TILEWRIGHT_DETERMINISTIC", "1")
    assert tw.jit(last_kernel.fn).warmup(out).metadata.program_order == "in_order"
    assert tw.jit(last_kernel.fn, deterministic=False).warmup(out).metadata.program_order == "any"
