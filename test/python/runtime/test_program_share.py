"""How many programs are to share a multiprocessor, as kernels say it to the assembler."""

import re

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright import _tilewright
from tilewright.runtime.assemblers import assembler_paths
from tilewright.runtime.compiler import compile_kernel
from tilewright.runtime.options import Options


@tw.jit
def sums(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(out_ptr + tl.program_id(0) * n + cols, x - tl.sum(x), mask=cols < n)


@tw.jit
def keeps_much(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    a = tl.load(x_ptr + cols)
    b = tl.load(x_ptr + n + cols)
    c = tl.load(x_ptr + 2 * n + cols)
    mean = tl.sum(a * b + c)
    tl.store(out_ptr + cols, a - mean)
    tl.store(out_ptr + n + cols, b * mean)
    tl.store(out_ptr + 2 * n + cols, c / mean)


@tw.jit
def product(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 64)
    place = i[:, None] * 64 + i[None, :]
    x = tl.load(x_ptr + place)
    tl.store(out_ptr + place, tl.dot(x, x))


@tw.jit
def sums_on(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    last = tl.zeros([], tl.float32)
    for start in range(0, n, BLOCK):
        x = tl.cumsum(tl.load(x_ptr + start + tl.arange(0, BLOCK)).to(tl.float32)) + last
        tl.store(out_ptr + start + tl.arange(0, BLOCK), x)
        last = tl.max(x)


def compiled(kernel, type="fp16", block=8192, stop_after="", **options):
    """The kernel for sm_90a; n is a multiple of 16."""
    if not any("kind" in found for found in _tilewright.assemblers(assembler_paths())):
        pytest.skip("no assembler on this machine")
    types = {"x_ptr": f"*{type}", "out_ptr": f"*{type}", "n": "i32"}
    attrs = dict.fromkeys(types, 16)
    options = Options(**{"num_warps": 8} | options)
    return compile_kernel(kernel, types, {"BLOCK": block}, attrs, "sm_90a", options, stop_after)


def programs(kernel):
    """What the PTX says; 0 if nothing."""
    found = re.search(r"\.minnctapersm (\d+)", kernel.asm["ptx"])
    return int(found[1]) if found else 0


@pytest.mark.parametrize("num_warps, expected", [(2, 0), (4, 8), (8, 4), (16, 2), (32, 0)])
def test_rows_are_assembled_for_32_warps(num_warps, expected):
    kernel = compiled(sums, block=1024 * num_warps, num_warps=num_warps)
    assert programs(kernel) == expected
    if expected:
        assert kernel.metadata["registers"] <= 64
        assert kernel.metadata["spills"] == 0


def test_fewer_share_where_registers_do_not_suffice():
    kernel = compiled(keeps_much, type="fp32")  # three times 32 registers in a thread
    assert programs(kernel) == 2
    assert 64 < kernel.metadata["registers"] <= 128
    assert 2 * kernel.metadata["spills"] <= 3 * kernel.metadata["registers"]


def test_one_program_has_what_it_needs():
    kernel = compiled(keeps_much, type="fp32", block=16384)
    assert programs(kernel) == 1
    assert kernel.metadata["registers"] > 128


def test_a_bound_of_the_kernel_counts():
    kernel = compiled(sums, maxnreg=48)
    assert programs(kernel) == 0
    assert ".maxnreg 48" in kernel.asm["ptx"]


@pytest.mark.parametrize("kernel", [product, sums_on])
def test_what_does_not_wait_for_memory_is_left_alone(kernel):
    assert programs(compiled(kernel, num_warps=4)) == 0


def test_what_nobody_assembles_says_nothing():
    assert programs(compiled(sums, stop_after="ptx")) == 0
