"""Signals while a kernel runs on the CPU."""

import signal
import threading
import time

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.runtime import compiler

pytestmark = pytest.mark.compiled


@tw.jit
def slow(out, rounds):
    value = (tl.program_id(0) % 8).to(tl.float32)
    for _ in range(rounds):
        value = value * 0.5 + 1.0
    tl.store(out + tl.program_id(0) % 8, value)


@tw.jit
def take_turns(out, rounds):
    mine = tl.atomic_add(out, 1.0)
    for _ in range(rounds):
        mine = mine * 0.5 + 1.0
    tl.store(out + 1, mine)


@tw.jit
def wait_for(flag, x, out, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    values = tl.cumsum(tl.load(x + index), 0)
    while tl.atomic_add(flag, 0) == 0:
        pass
    tl.store(out + index, values)


@tw.jit
def fill(out, VALUE: tl.constexpr):
    tl.store(out + tl.arange(0, 4), VALUE)


@pytest.fixture(autouse=True)
def host(backend):
    if backend.name != "cpu":
        pytest.skip("a kernel on a GPU runs on without the program")
    # A shell may ignore this signal in background jobs.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def raise_soon(number, after=0.3):
    """Sends this process a signal after a delay."""
    timer = threading.Timer(after, signal.raise_signal, [number])
    timer.daemon = True
    timer.start()


def zeros(count, dtype=np.float32):
    return np.zeros(count, dtype)


ENDLESS = {
    "many": lambda: slow[1 << 30](zeros(8), 10000),
    "one after the other": lambda: take_turns[1 << 30](zeros(2), 10000, deterministic=True),
    "waiting": lambda: wait_for[8](zeros(1, np.int32), zeros(4), zeros(4), BLOCK=4),
    "one waiting": lambda: wait_for[1](zeros(1, np.int32), zeros(4), zeros(4), BLOCK=4),
    "bound": lambda: wait_for.bind(8, zeros(1, np.int32), zeros(4), zeros(4), BLOCK=4)(),
}


@pytest.mark.parametrize("case", ENDLESS)
def test_interrupt_ends_a_launch(case):
    start = time.monotonic()
    raise_soon(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        ENDLESS[case]()
    assert time.monotonic() - start < 30
    out = zeros(8)
    slow[8](out, 1)
    np.testing.assert_array_equal(out, np.arange(8) * np.float32(0.5) + 1)


def test_handler_of_the_program():
    """The handler's launch runs while a program of the other launch is suspended."""
    block, flag = 1 << 16, zeros(1, np.int32)
    out, other = zeros(block), zeros(block)

    def handle(*_):
        wait_for[1](np.ones(1, np.int32), np.ones(block, np.float32), other, BLOCK=block)
        flag[0] = 1

    wait_for[1](np.ones(1, np.int32), out, other, BLOCK=block)  # compiled before the signal comes
    before = signal.signal(signal.SIGUSR1, handle)
    try:
        raise_soon(signal.SIGUSR1)
        wait_for[1](flag, np.full(block, 2, np.float32), out, BLOCK=block)
    finally:
        signal.signal(signal.SIGUSR1, before)
    np.testing.assert_array_equal(other, np.arange(1, block + 1, dtype=np.float32))
    np.testing.assert_array_equal(out, 2 * other)


def test_handler_while_the_kernel_is_compiled(monkeypatch, tmp_path):
    """The handler compiles the kernel that its own thread is compiling."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    compile_and_store = compiler._compile_and_store

    def interrupted(*args):
        monkeypatch.setattr(compiler, "_compile_and_store", compile_and_store)
        signal.raise_signal(signal.SIGUSR1)
        return compile_and_store(*args)

    monkeypatch.setattr(compiler, "_compile_and_store", interrupted)
    out, other = zeros(4), zeros(4)
    before = signal.signal(signal.SIGUSR1, lambda *_: fill[1](other, VALUE=7))
    try:
        fill[1](out, VALUE=7)
    finally:
        signal.signal(signal.SIGUSR1, before)
    np.testing.assert_array_equal([out, other], np.full((2, 4), 7))


def test_exception_of_a_handler():
    def handle(*_):
        raise LookupError("from the handler")

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        raise_soon(signal.SIGUSR1)
        with pytest.raises(LookupError, match="from the handler"):
            ENDLESS["waiting"]()
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_launches_of_other_threads_go_on():
    """Signals are for the main thread alone."""
    flag, out = zeros(1, np.int32), zeros(4)
    thread = threading.Thread(target=lambda: wait_for[1](flag, np.ones(4, np.float32), out, BLOCK=4))
    thread.start()
    raise_soon(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        ENDLESS["waiting"]()
    assert thread.is_alive()
    flag[0] = 1
    thread.join()
    np.testing.assert_array_equal(out, [1, 2, 3, 4])
