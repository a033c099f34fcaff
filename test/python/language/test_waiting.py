"""More programs than threads that wait for each other terminate."""

import faulthandler
import os

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

pytestmark = pytest.mark.compiled  # the interpreter runs programs one after the other


@pytest.fixture(autouse=True)
def _deadline():
    """A launch that hangs cannot be interrupted: end the process."""
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def count_of(backend):
    """More programs than threads; on a GPU, as many as any GPU runs at once."""
    return 64 if backend.name == "cuda" else 4 * (os.cpu_count() or 1) + 3


@tw.jit
def barrier_kernel(arrived, x, out, rounds, N: tl.constexpr):
    program, count = tl.program_id(0), tl.num_programs(0)
    for step in range(rounds):
        tl.store(x + step * count + program, program + step)
        tl.atomic_add(arrived, 1)
        while tl.atomic_add(arrived, 0) < (step + 1) * count:
            pass
        # The values that all other programs wrote before the barrier.
        i = tl.arange(0, N)
        seen = tl.load(x + step * count + i, mask=i < count, other=0, volatile=True)
        tl.store(out + step * count + program, tl.sum(seen))


def test_barriers_of_all_programs(backend):
    count, rounds = count_of(backend), 5
    arrived = backend.array(np.zeros(1, np.int32))
    x, out = (backend.array(np.zeros(rounds * count, np.int32)) for _ in range(2))
    barrier_kernel[count,](arrived, x, out, rounds, N=tw.next_power_of_2(count))
    sums = [count * (count - 1) // 2 + step * count for step in range(rounds) for _ in range(count)]
    assert backend.numpy(out).tolist() == sums


@tw.jit
def chain_kernel(flags, out):
    """Each program except the last waits for the next one."""
    program, last = tl.program_id(0), tl.num_programs(0) - 1
    if program < last:
        while tl.atomic_add(flags + program + 1, 0) == 0:
            pass
        tl.store(out + program, tl.load(out + program + 1, volatile=True) + 1)
    tl.atomic_xchg(flags + program, 1)


def test_programs_that_wait_for_later_ones(backend):
    count = count_of(backend)
    flags, out = (backend.array(np.zeros(count, np.int32)) for _ in range(2))
    chain_kernel[count,](flags, out)
    assert backend.numpy(out).tolist() == list(range(count))[::-1]


@tw.jit
def locked_kernel(lock, total, N: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1, sem="acquire") == 1:
        pass
    i = tl.arange(0, N)
    tl.store(total + i, tl.load(total + i, volatile=True) + tl.program_id(0))
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0, sem="release")


def test_locks_of_many_programs(backend):
    lock, total = backend.array(np.zeros(1, np.int32)), backend.array(np.zeros(16, np.int32))
    locked_kernel[3000,](lock, total, N=16)
    assert (backend.numpy(total) == 3000 * 2999 // 2).all()


@tw.jit
def loaded_kernel(flag, out):
    if tl.program_id(0) == 0:
        waiting = True
        while waiting:
            waiting = tl.load(flag, volatile=True) == 0
        tl.store(out, 1)
    elif tl.program_id(0) == tl.num_programs(0) - 1:
        tl.atomic_xchg(flag, 1)


def test_waiting_by_volatile_loads(backend):
    flag, out = (backend.array(np.zeros(1, np.int32)) for _ in range(2))
    loaded_kernel[count_of(backend),](flag, out)
    assert backend.numpy(out).item() == 1


@pytest.mark.parametrize("threads", ["1", "2"])
def test_few_threads_are_enough(backend, monkeypatch, threads):
    if backend.name == "cuda":
        pytest.skip("threads of the CPU back end")
    monkeypatch.setenv("TILEWRIGHT_NUM_THREADS", threads)
    test_barriers_of_all_programs(backend)
    test_programs_that_wait_for_later_ones(backend)


@tw.jit
def failing_kernel(flag):
    if tl.program_id(0) == tl.num_programs(0) - 1:
        tl.device_assert(tl.program_id(0) < 0, "never sets the flag")
    while tl.atomic_add(flag, 0) == 0:
        pass


def test_a_failure_ends_the_waiting_of_others(backend):
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    with pytest.raises(tw.KernelAssertError, match="never sets the flag"):
        failing_kernel[count_of(backend),](np.zeros(1, np.int32), debug=True)


@tw.jit
def dots_of_arriving_blocks(flags, blocks, out, count, N: tl.constexpr):
    """The first program writes blocks; the second one polls a flag for each block."""
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    if tl.program_id(0) == 0:
        for step in range(count):
            tl.store(blocks + step * N * N + at, tl.full((N, N), 1, tl.float16) * (step + 1))
            tl.debug_barrier()
            tl.atomic_xchg(flags + step, 1, sem="release")
    else:
        total = tl.zeros((N, N), tl.float32)
        one = (i[:, None] == i[None, :]).to(tl.float16)
        for step in range(count):
            while tl.load(flags + step, volatile=True) == 0:
                pass
            total = tl.dot(tl.load(blocks + step * N * N + at, cache_modifier=".cg"), one, total)
        tl.store(out + at, total)


@pytest.mark.parametrize("num_warps, num_stages", [(4, 3), (8, 4)])
def test_no_load_is_hoisted_above_a_volatile_load(backend, num_warps, num_stages):
    n, count = 64, 6
    flags, out = backend.array(np.zeros(count, np.int32)), backend.array(np.zeros((n, n), np.float32))
    blocks = backend.array(np.zeros((count, n, n), np.float16))
    dots_of_arriving_blocks[2,](flags, blocks, out, count, N=n, num_warps=num_warps, num_stages=num_stages)
    assert (backend.numpy(out) == count * (count + 1) / 2).all()
