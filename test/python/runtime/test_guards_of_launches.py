"""Globals that change between launches of all forms: bound, tuned, structured, precompiled, multithreaded."""

import enum
import math
import threading

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

SCALE: tl.constexpr = 2
OFFSET = tl.constexpr(10)


class Color(enum.IntEnum):
    RED = 1


@tw.jit
def helper(x):
    return x + OFFSET


@tw.jit
def times_ten(x):
    return 10 * x


@tw.jit
def call_helper(out):
    tl.store(out, helper(1))


@tw.jit
def read_scale(out):
    tl.store(out, SCALE)


@tw.jit
def read_much(out):
    tl.store(out, helper(SCALE) + Color.RED + math.floor(2.5))


def compilations(kernel):
    """Counts the compiled variants of a kernel."""
    return len(kernel._dispatcher)


@pytest.mark.compiled
def test_bound_launches(backend, change):
    kernel, out = tw.jit(call_helper.fn), backend.array(np.zeros(1, np.int32))
    launch = kernel.bind(lambda meta: 1, out)
    first = launch.compiled
    for value, stored in ((10, 11), (20, 21), (20, 21), (10, 11)):
        change("OFFSET", tl.constexpr(value))
        launch()
        assert backend.numpy(out)[0] == stored
    assert launch.compiled is first and compilations(kernel) == 2


@pytest.mark.compiled
def test_bound_launches_of_structured_arguments(backend, change):
    @tw.jit
    def kernel(pair):
        tl.store(pair[0], pair[1] * SCALE)

    out = backend.array(np.zeros(1, np.int32))
    launch = kernel.bind(1, (out, 5))
    for value in (2, 3):
        change("SCALE", value)
        launch()
        assert backend.numpy(out)[0] == 5 * value


@pytest.mark.compiled
def test_kernels_that_are_compiled_ahead(backend, result, change):
    kernel, seen = tw.jit(read_scale.fn), []
    out = backend.array(np.zeros(1, np.int32))
    with tw.compile_hook(before=lambda compilation: seen.append(compilation.specialization_data)):
        kernel.warmup(out)
        change("SCALE", 3)
        kernel.compile_async(out).result()
    assert len(seen) == 2 and result(kernel) == 3
    other = tw.jit(read_scale.fn)
    other.preload(seen[0])
    change("SCALE", 4)
    assert result(other) == 4
    compiled = other.warmup(out)
    change("SCALE", 5)
    compiled[1,](out)
    assert backend.numpy(out)[0] == 5


@pytest.mark.compiled
def test_kernels_from_disk(result, change, tmp_path, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    assert result(tw.jit(call_helper.fn)) == 11
    kernel = tw.jit(call_helper.fn)
    assert result(kernel) == 11
    change("OFFSET", tl.constexpr(30))
    assert result(kernel) == 31
    change("helper", times_ten)
    assert result(kernel) == 10


def test_tuned_kernels(result, change):
    tuned = tw.autotune([tw.Config({"ADD": 1}), tw.Config({"ADD": 1}, num_warps=2)], key=[])(
        tw.jit(read_scale_and_add)
    )
    assert result(tuned) == 3
    change("SCALE", 6)
    assert result(tuned) == 7


def read_scale_and_add(out, ADD: tl.constexpr):
    tl.store(out, SCALE + ADD)


def test_descriptors(backend, change):
    @tw.jit
    def kernel(x, out):
        tl.store(out, tl.sum(x.load([0])) * SCALE)

    x, out = backend.array(np.ones(16, np.int32)), backend.array(np.zeros(1, np.int32))
    for value in (2, 3, 2):
        change("SCALE", value)
        kernel[1,](tw.TensorDescriptor.from_tensor(x, [16]), out)
        assert backend.numpy(out)[0] == 16 * value


@pytest.mark.compiled
def test_launches_of_several_threads(backend, monkeypatch):
    kernel, wrong = tw.jit(read_much.fn), []
    outs = [backend.array(np.zeros(1, np.int32)) for _ in range(4)]
    bound = [kernel.bind(1, out) for out in outs]
    start = threading.Barrier(4)

    def launch(number):
        for iteration in range(6):
            if start.wait() == 0:
                monkeypatch.setitem(globals(), "SCALE", 2 + iteration % 2)
            start.wait()
            (kernel[1,](outs[number]) if number % 2 else bound[number]())
            if backend.numpy(outs[number])[0] != 15 + iteration % 2:
                wrong.append((number, iteration))

    threads = [threading.Thread(target=launch, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
