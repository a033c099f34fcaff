"""Libraries in C: the functions that run on the CPU."""

import ctypes
import os
import subprocess
import sys
import threading

import aot_kernels as kernels
import numpy as np
import pytest
from tilewright.aot import Export, Variant

pytestmark = pytest.mark.compiled


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def exported(kernel, *signatures, variants=(), grid="", **options):
    return Export(kernel, kernel.__name__, signatures, tuple(variants) or (Variant(),), grid, **options)


@pytest.mark.parametrize("threads", [0, 1, 3])
@pytest.mark.parametrize("offset", [0, 1])  # the second one is not a multiple of 16 bytes
def test_add(c_library, threads, offset):
    made = c_library([exported(kernels.add, "*fp32:16, *fp32:16, *fp32:16, i32", grid="cdiv(n, BLOCK)")])
    n = 10_001
    x, y, out = (np.arange(n + offset, dtype=np.float32) for _ in range(3))
    x, y, out = x[offset:], y[offset:], out[offset:]
    assert made.add_cpu(threads, pointer(x), pointer(y), pointer(out), ctypes.c_int32(n)) == 0
    np.testing.assert_array_equal(out, x + y)


def test_scalars_of_every_type(c_library):
    signature = "*fp64, i1, i8, u16, i32, u64, fp32, fp64"
    made = c_library([exported(kernels.scalars, signature, grid="1")])
    out = np.zeros(7)
    values = (
        ctypes.c_bool(True),
        ctypes.c_int8(-5),
        ctypes.c_uint16(65535),
        ctypes.c_int32(-7),
        ctypes.c_uint64(2**63),
        ctypes.c_float(0.5),
        ctypes.c_double(1e300),
    )
    assert made.scalars_cpu(1, pointer(out), *values) == 0
    np.testing.assert_array_equal(np.abs(out[:1]), [1])
    np.testing.assert_array_equal(out[1:], [-5, 65535, -7, 2.0**63, 0.5, 1e300])


def test_programs_that_wait_for_later_ones(c_library):
    made = c_library([exported(kernels.chain, "*i32, *i32", grid="50")])
    flags, out = np.zeros(50, np.int32), np.zeros(50, np.int32)
    assert made.chain_cpu(2, pointer(flags), pointer(out)) == 0
    np.testing.assert_array_equal(out, np.arange(50))


def test_programs_in_order(c_library):
    made = c_library([exported(kernels.tickets, "*i32, *i32", grid="5000")])
    counter, out = np.zeros(1, np.int32), np.zeros(5000, np.int32)
    assert made.tickets_cpu(4, pointer(counter), pointer(out)) == 0
    np.testing.assert_array_equal(out, np.arange(5000))


def test_variants_and_hints(c_library):
    """The first variant whose condition holds, in the version whose assumptions do."""
    variants = [
        Variant({"TAG": 1000}, when="n >= 64 and n % 2 == 0"),
        Variant({"TAG": 2000}, when="stride == 1 or n < 8"),
        Variant({"TAG": 3000}),
    ]
    signatures = ("*fp32:16, *fp32:16, i32:16, i32:1", "*fp32, *fp32, i32, i32:1")
    made = c_library([exported(kernels.strided, *signatures, variants=variants, grid="cdiv(n, 32)")])
    x = np.arange(256, dtype=np.float32)
    for n, stride, tag in ((64, 1, 1000), (64, 2, 1000), (33, 1, 2000), (7, 3, 2000), (33, 2, 3000)):
        out = np.zeros(n, np.float32)
        assert made.strided_cpu(1, pointer(x), pointer(out), n, stride) == 0, made.made_error()
        np.testing.assert_array_equal(out, x[: n * stride : stride] + tag)


def test_without_fallback(c_library):
    made = c_library(
        [
            exported(
                kernels.strided,
                "*fp32:16, *fp32, i32, i32:1",
                variants=[Variant({"TAG": 0}, when="n > 0")],
                grid="cdiv(n, 32)",
                fallback=False,
            )
        ]
    )
    x = np.zeros(64, np.float32)
    assert made.strided_cpu(1, pointer(x[1:]), pointer(x), 4, 1) == 1
    assert made.made_error() == b"strided: argument 'x' is not a multiple of 16, as it was compiled for"
    assert made.strided_cpu(1, pointer(x), pointer(x), 4, 2) == 1
    assert made.made_error() == b"strided: argument 'stride' is not 1, as it was compiled for"
    assert made.strided_cpu(1, pointer(x), pointer(x), 0, 1) == 1
    assert made.made_error() == b"strided: the conditions of all variants are false"


def test_multiples_of_8(c_library):
    variants = [Variant({"TAG": 7})]
    signature = "*fp32, *fp32, i32:8, i32"
    made = c_library(
        [exported(kernels.strided, signature, variants=variants, grid="cdiv(n, 32)", fallback=False)]
    )
    x = np.arange(64, dtype=np.float32)
    for n in (24, 48):
        out = np.zeros(n, np.float32)
        assert made.strided_cpu(1, pointer(x), pointer(out), n, 1) == 0, made.made_error()
        np.testing.assert_array_equal(out, x[:n] + 7)
    assert made.strided_cpu(1, pointer(x), pointer(x), 20, 1) == 1
    assert made.made_error() == b"strided: argument 'n' is not a multiple of 8, as it was compiled for"


def test_expressions_without_value(c_library):
    made = c_library(
        [
            exported(
                kernels.strided,
                "*fp32, *fp32, i32, i32",
                variants=[Variant({"TAG": 0}, when="1000 // stride > 0")],
                grid="n * n * n * n * n * n * n * n",
            )
        ]
    )
    assert made.strided_cpu(1, None, None, 1, 0) == 1
    assert made.made_error() == b"strided: a condition of a variant overflows or divides by zero"
    assert made.strided_cpu(1, None, None, 1000, 1) == 1
    assert made.made_error() == b"strided: its grid overflows or divides by zero"
    assert made.strided_cpu(1, None, None, 100, 1) == 1
    assert made.made_error() == (
        b"strided: the grid along x is 10000000000000000, not between 0 and 2147483647"
    )


@pytest.mark.parametrize("threads", [1, 4])
def test_grid_of_the_caller(c_library, threads):
    made = c_library([exported(kernels.linear_index, "*i32")])
    out = np.full(24, -1, np.int32)
    grid = (ctypes.c_int64 * 3)(4, 3, 2)
    assert made.linear_index_cpu(threads, grid, pointer(out)) == 0
    np.testing.assert_array_equal(out, np.arange(24))
    assert made.linear_index_cpu(threads, (ctypes.c_int64 * 3)(4, 0, 2), None) == 0
    assert made.linear_index_cpu(threads, (ctypes.c_int64 * 3)(4, -1, 2), None) == 1
    assert made.made_error() == b"linear_index: the grid along y is -1, not between 0 and 2147483647"


def test_sizes_are_for_the_grid_alone(c_library):
    grid = "rows, columns"
    made = c_library([exported(kernels.linear_index, "*i32", grid=grid, sizes=("rows", "columns"))])
    out = np.full(12, -1, np.int32)
    assert made.linear_index_cpu(1, pointer(out), ctypes.c_int64(3), ctypes.c_int64(4)) == 0
    np.testing.assert_array_equal(out, np.arange(12))


@pytest.mark.parametrize("threads", [1, 4])
def test_assertion(c_library, threads):
    made = c_library([exported(kernels.positive, "*fp32", variants=[Variant(debug=True)])])
    x = np.ones(100, np.float32)
    grid = (ctypes.c_int64 * 3)(100, 1, 1)
    assert made.positive_cpu(threads, grid, pointer(x)) == 0
    x[57] = -1
    assert made.positive_cpu(threads, grid, pointer(x)) == 8
    assert made.made_error().startswith(b"positive: assertion failed: ")
    assert b"not positive" in made.made_error()
    x[57] = 1
    assert made.positive_cpu(threads, grid, pointer(x)) == 0


def test_large_tiles(c_library):
    made = c_library([exported(kernels.sort_all, "*fp32", variants=[Variant({"N": 16384})], grid="1")])
    x = np.random.default_rng(0).random(16384, dtype=np.float32)
    wanted = np.sort(x)
    assert made.sort_all_cpu(1, pointer(x)) == 0
    np.testing.assert_array_equal(x, wanted)


def test_print(make):
    _, directory = make([exported(kernels.shout, "*fp32", grid="1")], ("cpu",))
    script = f"""
import ctypes
made = ctypes.CDLL({str(directory / "made.so")!r})
made.shout_cpu(1, ctypes.byref(ctypes.c_float(2.5)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    values = ["value: 2.500000", "not a number: nan", "code: 0x0002", "positive: 1"]
    lines = [*(f"idx () {value}" for value in values), "nothing"]
    assert done.stdout.splitlines() == [f"pid (0, 0, 0) {line}" for line in lines]


def test_many_threads_at_once(c_library):
    made = c_library([exported(kernels.add, "*fp32, *fp32, *fp32, i32", grid="cdiv(n, BLOCK)")])
    n, wrong = 5000, []

    def work(seed):
        x, out = np.full(n, seed, np.float32), np.zeros(n, np.float32)
        for _ in range(20):
            status = made.add_cpu(2, pointer(x), pointer(x), pointer(out), n)
            if status or (out != 2 * seed).any():
                wrong.append(seed)

    callers = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_forked_child_has_threads_of_its_own(c_library):
    made = c_library([exported(kernels.add, "*fp32, *fp32, *fp32, i32", grid="cdiv(n, BLOCK)")])
    x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    assert made.add_cpu(4, pointer(x), pointer(x), pointer(out), 1000) == 0
    child = os.fork()
    if child == 0:
        status = made.add_cpu(4, pointer(x), pointer(x), pointer(out), 1000)
        os._exit(status or int(out.sum() != 2000))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_two_libraries_in_one_program(make, cc):
    """Their support code does not collide, and they share the state of assertions."""
    sources = []
    for name in ("first", "second"):
        export = Export(kernels.positive, f"{name}_check", ("*fp32",), (Variant(debug=True),), "1")
        _, directory = make([export], ("cpu",), name=name)
        sources += [directory / f"{name}.c", directory / f"{name}_cpu.a"]
    loaded = ctypes.CDLL(str(cc(directory / "both.so", *sources)))
    for name in ("first", "second"):
        assert loaded[f"{name}_check_cpu"](1, ctypes.byref(ctypes.c_float(1))) == 0
        assert loaded[f"{name}_check_cpu"](1, ctypes.byref(ctypes.c_float(-1))) == 8


def test_processor_without_the_features(c_library, monkeypatch):
    from tilewright.aot import cpu_features

    # No processor has this bit: it is reserved.
    monkeypatch.setitem(cpu_features.X86, "sse3", (1, 0, 3, 10))
    made = c_library([exported(kernels.add, "*fp32, *fp32, *fp32, i32", grid="1")], ("cpu:x86-64-v3",))
    assert made.add_cpu(1, None, None, None, 1) == 4
    assert made.made_error() == b"add: no code for this processor; it was compiled for cpu:x86-64-v3"


def test_number_of_threads(c_library, monkeypatch):
    made = c_library([exported(kernels.linear_index, "*i32")])
    out, grid = np.zeros(4000, np.int32), (ctypes.c_int64 * 3)(4000, 1, 1)
    assert made.linear_index_cpu(2000, grid, pointer(out)) == 1
    assert made.made_error() == b"linear_index: 2000 threads, but at most 1024 are supported"
