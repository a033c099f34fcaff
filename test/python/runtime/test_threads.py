"""Many threads launch, compile and change the inputs of launches at once: with the interpreter's lock, and without it in
a free-threaded build of Python."""

import ast
import subprocess
import sys
import sysconfig
import threading

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.frontend import assigned

pytestmark = pytest.mark.compiled

TIMES = 100


def at_once(*functions):
    """Calls the functions in one thread each, all at once. Raises the first error of any of them."""
    begin, failures = threading.Barrier(len(functions)), []

    def run(function):
        begin.wait()
        try:
            function()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def make_scale():
    """A new kernel, not yet launched."""

    @tw.jit
    def scale(x, out, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr = 32):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, i < n) * FACTOR, i < n)

    return scale


def launches(kernel, backend, dtype, factor, n):
    """A function that launches repeatedly with its own types, values and size, and checks each result."""
    x = backend.array(np.arange(n) % 11, dtype)
    expected = np.arange(n) % 11 * factor

    def run():
        for number in range(TIMES):
            out = backend.array(np.full(n, number % 3), dtype)
            kernel[((n + 31) // 32,)](x, out, n, FACTOR=factor)
            np.testing.assert_array_equal(backend.numpy(out), expected)

    return run


def test_one_kernel(backend):
    kernel = make_scale()
    cases = [("float32", 2, 64), ("int32", 3, 100), ("float16", 2, 33), ("float32", 5, 64), ("int8", 1, 97)]
    at_once(*(launches(kernel, backend, *case) for case in [*cases, *cases]))


def test_compiled_by_all(backend):
    for _ in range(3):
        kernel = make_scale()
        at_once(*(launches(kernel, backend, "float32", factor, 64) for factor in (2, 2, 2, 3, 3)))


def test_forgotten_meanwhile(backend):
    kernel = make_scale()
    done = threading.Event()

    def forget():
        while not done.is_set():
            kernel._dispatcher.clear()
            assert len(kernel._dispatcher) >= 0

    def launch():
        try:
            launches(kernel, backend, "int32", 4, 50)()
        finally:
            done.set()

    at_once(launch, launches(kernel, backend, "float32", 2, 64), forget)


def test_hooks_come_and_go(backend):
    kernel, seen = make_scale(), []
    done = threading.Event()

    def hook():
        while not done.is_set():
            with tw.launch_hook(lambda launch: seen.append(launch.grid), lambda launch: None):
                pass

    def launch():
        try:
            launches(kernel, backend, "float32", 2, 64)()
            with tw.launch_hook(lambda launch: seen.append(launch.grid)):
                launches(kernel, backend, "float32", 2, 64)()
        finally:
            done.set()

    at_once(launch, launches(kernel, backend, "float32", 3, 64), hook)
    assert seen.count((2, 1, 1)) >= TIMES


@tw.jit
def total(matrix, out, ROWS: tl.constexpr):
    """The sum of the first rows of a matrix."""
    tl.store(out, tl.sum(matrix.load([0, 0]).to(tl.float32)))


def test_descriptors_that_change(backend):
    ones = backend.array(np.ones((8, 8)), "float32")
    matrix = tw.TensorDescriptor.from_tensor(ones, [8, 8])
    sums, done = set(), threading.Event()

    def change():
        while not done.is_set():
            matrix.shape[0] = 300 - 296  # ints that only the list holds, if Python does not share them
            matrix.shape = [int("8"), 8]
            matrix.strides = [8, 1]

    def launch():
        for _ in range(TIMES):
            out = backend.array(np.zeros(1), "float32")
            total[1](matrix, out, ROWS=8)
            sums.add(float(backend.numpy(out)[0]))

    def launch_and_end():
        try:
            launch()
        finally:
            done.set()

    at_once(launch_and_end, launch, change)
    assert sums <= {32.0, 64.0}


def test_launchers_are_shared(backend):
    kernel, grid = make_scale(), (2,)
    x = backend.array(np.arange(64), "float32")
    kept = kernel[grid]

    def launch():
        for _ in range(TIMES):
            out = backend.array(np.zeros(64), "float32")
            kernel[grid](x, out, 64, FACTOR=2)
            np.testing.assert_array_equal(backend.numpy(out), 2 * np.arange(64))
            kept(x, out, 64, FACTOR=3)
            np.testing.assert_array_equal(backend.numpy(out), 3 * np.arange(64))

    at_once(*[launch] * 4)


def test_grids_of_functions(backend):
    kernel = make_scale()
    kept = kernel[lambda meta: (meta["n"] // 32,)]

    def launches(programs):
        n = 32 * programs
        expected = np.where(np.arange(320) < n, 2, 0)

        def run():
            for _ in range(TIMES):
                out = backend.array(np.zeros(320), "float32")
                kept(backend.array(np.ones(320), "float32"), out, n, FACTOR=2)
                np.testing.assert_array_equal(backend.numpy(out), expected)

        return run

    at_once(*(launches(programs) for programs in (1, 3, 5, 10)))


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has its lock always")
def test_import_leaves_the_lock_off():
    code = "import sys, tilewright._tilewright; print(sys._is_gil_enabled())"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_trees_are_read_by_several_compilations_at_once(monkeypatch):
    loop = ast.parse("for i in range(4):\n    a = i\n    b = a").body[0]
    collect, others = assigned._collect, []

    def in_between(node, stored, constants):
        monkeypatch.setattr(assigned, "_collect", collect)
        others.append(assigned.assigned_names([loop]))
        collect(node, stored, constants)

    monkeypatch.setattr(assigned, "_collect", in_between)
    assert assigned.assigned_names([loop]) == ["i", "a", "b"]
    assert others == [["i", "a", "b"]]
