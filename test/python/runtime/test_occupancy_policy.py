"""Occupancy policy: the CTAs per multiprocessor that kernels request from the assembler."""

import re
import sys

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright import _tilewright
from tilewright.options import Options
from tilewright.runtime.assemblers import assembler_paths
from tilewright.runtime.compiler import compile_kernel

pytestmark = pytest.mark.once


@tw.jit
def sums(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(out_ptr + tl.program_id(0) * n + cols, x - tl.sum(x), mask=cols < n)


@tw.jit
def pins_many_values(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    a = tl.load(x_ptr + cols)
    b = tl.load(x_ptr + n + cols)
    c = tl.load(x_ptr + 2 * n + cols)
    mean = tl.sum(a * b + c)
    tl.store(out_ptr + cols, a - mean)
    tl.store(out_ptr + n + cols, b * mean)
    tl.store(out_ptr + 2 * n + cols, c / mean)


@tw.jit
def matmul(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 64)
    offsets = i[:, None] * 64 + i[None, :]
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, tl.dot(x, x))


@tw.jit
def matmul_of_merged_columns(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i, j = tl.arange(0, 64), tl.arange(0, 112)
    offsets = i[:, None] * 112 + j[None, :]
    tl.store(
        out_ptr + offsets, tl.dot(tl.load(x_ptr + i[:, None] * 64 + i[None, :]), tl.load(x_ptr + offsets))
    )


@tw.jit
def running_sums(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    last = tl.zeros([], tl.float32)
    for start in range(0, n, BLOCK):
        x = tl.cumsum(tl.load(x_ptr + start + tl.arange(0, BLOCK)).to(tl.float32)) + last
        tl.store(out_ptr + start + tl.arange(0, BLOCK), x)
        last = tl.max(x)


@tw.jit
def strided_rows(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], tl.float32)
    for row in range(tl.program_id(0), n, tl.num_programs(0)):
        sums += tl.load(x_ptr + row * BLOCK + cols).to(tl.float32)
    tl.store(out_ptr + tl.program_id(0) * BLOCK + cols, sums)


@tw.jit
def carried(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    state = tl.zeros([BLOCK], tl.float32)
    for row in range(0, n):
        x = tl.load(x_ptr + row * BLOCK + cols).to(tl.float32)
        tl.store(out_ptr + row * BLOCK + cols, state)
        state = state * 0.5 + x


@tw.jit
def row_sums(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    sums = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        sums += tl.load(x_ptr + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(out_ptr + tl.program_id(0), tl.sum(sums).to(out_ptr.dtype.element_ty))


@tw.jit
def decoding(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    heads, d = tl.arange(0, 16), tl.arange(0, 64)
    q = tl.load(x_ptr + heads[:, None] * 64 + d[None, :])
    acc = tl.zeros([16, 64], tl.float32)
    for start in range(0, n, BLOCK):
        rows = tl.load(x_ptr + start + tl.arange(0, BLOCK)).to(tl.int32)
        keys = tl.load(x_ptr + rows[:, None] * 64 + d[None, :])
        p = tl.exp(tl.dot(q, tl.trans(keys)))
        acc += tl.dot(p.to(keys.dtype), keys)
    tl.store(out_ptr + heads[:, None] * 64 + d[None, :], acc)


@tw.jit
def gathered(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i, j = tl.arange(0, 128), tl.arange(0, BLOCK)
    acc = tl.zeros([128, 128], tl.float32)
    for start in range(0, n):
        a = tl.load(x_ptr + i[:, None] * (i[:, None] + start) + j[None, :] * 3)
        b = tl.load(x_ptr + (j * j)[:, None] + (i * (start + 7))[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(out_ptr + i[:, None] * 128 + i[None, :], acc)


@tw.jit
def scaled(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i, j, k = tl.arange(0, 64), tl.arange(0, 128), tl.arange(0, BLOCK)
    acc = tl.zeros([64, 128], tl.float32)
    for start in range(0, n, BLOCK):
        rows = start + k
        a = tl.load(x_ptr + rows[None, :] * 64 + i[:, None], mask=rows[None, :] < n, other=0.0)
        b = tl.load(x_ptr + rows[:, None] * 128 + j[None, :], mask=rows[:, None] < n, other=0.0)
        scale = tl.load(x_ptr + rows, mask=rows < n, other=0.0)
        acc += tl.dot(a, b * scale[:, None])
    tl.store(out_ptr + i[:, None] * 128 + j[None, :], acc)


# A fake assembler with given results: registers and spilled bytes by requested CTAs per multiprocessor (0 without a
# request). It logs each call.
ASSEMBLER = """#!{python}
import pathlib, re, sys
if "--version" in sys.argv:
    print("ptxas: NVIDIA (R) Ptx optimizing assembler\\nCuda compilation tools, release 13.0, V13.0.1")
    sys.exit()
at = sys.argv.index("-o")
said = re.search(r"\\.minnctapersm (\\d+)", pathlib.Path(sys.argv[at - 1]).read_text())
programs = int(said[1]) if said else 0
with open(pathlib.Path(__file__).parent / "calls", "a") as calls:
    print(programs, file=calls)
registers, spilled = {found}[programs]
if registers is not None:
    print(f"ptxas info    : {{spilled}} bytes stack frame, {{spilled}} bytes spill stores, 0 bytes spill loads")
    print(f"ptxas info    : Used {{registers}} registers")
pathlib.Path(sys.argv[at + 1]).write_bytes(b"cubin")
"""


@pytest.fixture
def assembler(tmp_path, monkeypatch):
    """`assembler(found)`: installs a fake assembler with these results; returns a function that lists its requests."""

    def install(found):
        program = tmp_path / "ptxas"
        program.write_text(ASSEMBLER.format(python=sys.executable, found=found))
        program.chmod(0o755)
        monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", "ptxas")
        monkeypatch.setenv("TILEWRIGHT_PTXAS", str(program))
        return lambda: [int(line) for line in (tmp_path / "calls").read_text().split()]

    return install


def compiled(kernel, type="fp16", block=8192, stop_after="", **options):
    """The kernel for sm_90a; n is a multiple of 16."""
    types = {"x_ptr": f"*{type}", "out_ptr": f"*{type}", "n": "i32"}
    attrs = dict.fromkeys(types, 16)
    options = Options(**{"num_warps": 8} | options)
    return compile_kernel(kernel, types, {"BLOCK": block}, attrs, "sm_90a", options, stop_after)


def programs(kernel):
    """The CTAs per multiprocessor that the PTX requests; 0 for none."""
    found = re.search(r"\.minnctapersm (\d+)", kernel.asm["ptx"])
    return int(found[1]) if found else 0


# `found` has the registers and spills by requested CTAs, `asked` the requests in order. Two warps are too few for a
# request, and 32 warps leave no room for a second CTA.
@pytest.mark.parametrize(
    "num_warps, found, asked, expected",
    [
        (4, {0: (96, 0), 8: (64, 0)}, [0, 8], 8),  # 20 warps
        (4, {0: (80, 0)}, [0], 0),  # 24 warps
        (8, {0: (88, 0), 4: (64, 0)}, [0, 4], 4),  # 16 warps
        (8, {0: (72, 0)}, [0], 0),  # 24 warps
        (16, {0: (72, 0), 2: (62, 0)}, [0, 2], 2),  # 16 warps
        (16, {0: (64, 0), 3: (40, 0)}, [0, 3], 3),  # 32 warps
        (16, {0: (64, 0), 3: (40, 8)}, [0, 3], 0),
        (16, {0: (42, 0)}, [0, 3], 0),
        (2, {0: (200, 0)}, [0], 0),
        (32, {0: (64, 0)}, [0], 0),
    ],
)
def test_rows_are_bound_where_many_more_warps_fit(assembler, num_warps, found, asked, expected):
    calls = assembler(found)
    kernel = compiled(sums, block=1024 * num_warps, num_warps=num_warps)
    assert calls() == asked
    assert programs(kernel) == expected
    assert kernel.metadata["registers"] == found[expected][0]


@pytest.mark.parametrize(
    "block, found, asked, expected",
    [
        # 32 values per thread: 32 warps, which may spill nothing.
        (8192, {0: (121, 0), 4: (64, 0)}, [0, 4], 4),
        (8192, {0: (121, 0), 4: (64, 4), 3: (80, 0)}, [0, 4, 3], 3),
        (8192, {0: (121, 0), 4: (64, 4), 3: (80, 4)}, [0, 4, 3], 0),
        # At 24 warps a thread has less than three fifths of its registers: three CTAs are not tried.
        (8192, {0: (168, 0), 4: (64, 4), 2: (128, 8)}, [0, 4, 2], 2),
        # 128 values per thread: 16 warps, which may spill some.
        (32768, {0: (164, 0), 2: (128, 192)}, [0, 2], 2),
        (32768, {0: (164, 0), 2: (128, 196)}, [0, 2], 0),
        # From 8 warps to 12 nothing may spill.
        (16384, {0: (206, 0), 4: (128, 400), 3: (168, 0)}, [0, 4, 3], 3),
        (16384, {0: (206, 0), 4: (128, 400), 3: (168, 8)}, [0, 4, 3], 0),
        # One spills with all registers already; of the other nothing is known.
        (32768, {0: (255, 8)}, [0], 0),
        (32768, {0: (None, None)}, [0], 0),
    ],
)
def test_pinned_and_spilled_values_decide(assembler, block, found, asked, expected):
    calls = assembler(found)
    kernel = compiled(sums, block=block, num_warps=4 if block == 16384 else 8)
    assert calls() == asked
    assert programs(kernel) == expected
    assert (kernel.num_regs, kernel.spills) == found[expected]


def test_sums_over_rows_of_all_programs_are_left_alone(assembler):
    calls = assembler({0: (121, 0), 4: (64, 0)})
    assert programs(compiled(strided_rows)) == 0
    assert calls() == [0]


# A thread that carries 64 values and loads 64 needs at least 128 registers; with 32 and 32 it needs 64.
@pytest.mark.parametrize(
    "block, found, asked, expected",
    [(16384, {0: (200, 0), 2: (128, 0)}, [0, 2], 2), (8192, {0: (121, 0), 4: (64, 0)}, [0, 4], 4)],
)
def test_loaded_and_carried_values_have_registers(assembler, block, found, asked, expected):
    calls = assembler(found)
    assert programs(compiled(carried, "fp32", block)) == expected
    assert calls() == asked


# An iteration loads 512 bytes per warp, so that 64 warps have 32 KiB in flight; the last cases load 1024 and 128.
@pytest.mark.parametrize(
    "type, block, found, asked, expected",
    [
        ("fp16", 1024, {0: (48, 0), 16: (32, 0)}, [0, 16], 16),
        ("fp16", 1024, {0: (40, 0)}, [0], 0),
        ("fp32", 1024, {0: (48, 0)}, [0], 0),
        ("fp32", 128, {0: (48, 0), 16: (32, 8), 15: (32, 8)}, [0, 16, 15], 0),
    ],
)
def test_small_loads_are_bound_to_more_warps(assembler, type, block, found, asked, expected):
    calls = assembler(found)
    assert programs(compiled(row_sums, type, block, num_warps=4)) == expected
    assert calls() == asked


@pytest.mark.parametrize("kernel, type, block", [(sums, "fp16", 8192), (pins_many_values, "fp32", 8192)])
def test_bound_kernels_fit(kernel, type, block):
    if not any("kind" in found for found in _tilewright.assemblers(assembler_paths())):
        pytest.skip("no assembler on this machine")
    kernel = compiled(kernel, type, block)
    if count := programs(kernel):
        assert kernel.metadata["registers"] <= 65536 // (8 * 32 * count)
        assert 2 * kernel.metadata["spills"] <= 3 * kernel.metadata["registers"]


@pytest.mark.parametrize(
    "found, asked, expected",
    [
        ({0: (207, 0), 4: (128, 0)}, [0, 4], 4),  # 8 warps
        # Nothing may spill; three CTAs are half as many again.
        ({0: (207, 0), 4: (128, 8), 3: (168, 0)}, [0, 4, 3], 3),
        ({0: (207, 0), 4: (128, 8), 3: (168, 8)}, [0, 4, 3], 0),
        # Four CTAs would leave less than three fifths of the registers, and are not tried.
        ({0: (222, 0), 3: (168, 0)}, [0, 3], 3),
        # Four CTAs are only a third more than three.
        ({0: (160, 0)}, [0], 0),
    ],
)
def test_chained_dots_are_bound_where_more_programs_fit(assembler, found, asked, expected):
    calls = assembler(found)
    kernel = compiled(decoding, block=32, num_warps=4)
    assert calls() == asked
    assert programs(kernel) == expected
    assert kernel.metadata["registers"] == found[expected][0]


@pytest.mark.parametrize(
    "found, asked, expected",
    [
        ({0: (168, 0), 2: (128, 0)}, [0, 2], 2),
        ({0: (168, 0), 2: (128, 4)}, [0, 2], 0),
        ({0: (128, 0)}, [0], 0),
    ],
)
def test_dots_of_operands_that_threads_load_are_bound(assembler, found, asked, expected):
    calls = assembler(found)
    kernel = compiled(gathered, block=32, num_warps=8)
    assert calls() == asked
    assert programs(kernel) == expected


@pytest.mark.parametrize(
    "found, asked, expected",
    [
        ({0: (226, 0), 2: (168, 0)}, [0, 2], 2),
        ({0: (226, 0), 2: (168, 4)}, [0, 2], 0),
        # Two CTAs of five warps fit already.
        ({0: (168, 0)}, [0], 0),
    ],
)
def test_dots_of_computed_operands_are_bound_with_a_producer(assembler, found, asked, expected):
    calls = assembler(found)
    kernel = compiled(scaled, block=64, num_warps=4, num_stages=3)
    assert ".reqntid 160," in kernel.asm["ptx"]
    assert calls() == asked
    assert programs(kernel) == expected


@pytest.mark.parametrize(
    "num_warps, found, asked, expected",
    [
        # The assembler gave up: it gets all registers if that spills a quarter less.
        (4, {0: (32, 6000), 1: (255, 1100)}, [0, 1], 1),
        (4, {0: (168, 400), 1: (255, 296)}, [0, 1], 1),
        (4, {0: (168, 400), 1: (255, 300)}, [0, 1], 0),
        # It used all registers already.
        (4, {0: (255, 6000)}, [0], 0),
        (16, {0: (128, 6000)}, [0], 0),
        (16, {0: (32, 6000), 1: (128, 1100)}, [0, 1], 1),
    ],
)
def test_kernels_that_the_assembler_gives_up_get_all_registers(assembler, num_warps, found, asked, expected):
    calls = assembler(found)
    kernel = compiled(sums, block=65536, num_warps=num_warps)
    assert calls() == asked
    assert programs(kernel) == expected
    assert kernel.metadata["registers"] == found[expected][0]
    assert kernel.metadata["spills"] == found[expected][1]


def test_a_bound_of_the_kernel_counts(assembler):
    calls = assembler({0: (96, 0)})
    kernel = compiled(sums, maxnreg=96)
    assert calls() == [0]
    assert programs(kernel) == 0
    assert ".maxnreg 96" in kernel.asm["ptx"]


def test_a_bound_of_the_kernel_counts_where_the_assembler_spills(assembler):
    calls = assembler({0: (32, 400)})
    kernel = compiled(sums, maxnreg=96)
    assert calls() == [0]
    assert programs(kernel) == 0


@pytest.mark.parametrize("kernel", [matmul, matmul_of_merged_columns, running_sums])
def test_kernels_that_do_not_wait_for_memory_are_left_alone(assembler, kernel):
    calls = assembler({0: (96, 0)})
    assert programs(compiled(kernel, num_warps=4)) == 0
    assert calls() == [0]


def test_unassembled_kernels_request_nothing():
    assert programs(compiled(sums, stop_after="ptx")) == 0
