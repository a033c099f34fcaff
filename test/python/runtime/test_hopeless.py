"""Kernels that would take minutes to assemble are refused before assembly."""

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel

pytestmark = pytest.mark.compiled


@tw.jit
def rotate_pair(at, right, c, s, inside):
    x, y = tl.load(at, mask=inside, other=0.0), tl.load(at + right, mask=inside, other=0.0)
    turned = x * c - y * s
    tl.store(at, turned, mask=inside)
    tl.store(at + right, x * s + y * c, mask=inside)


@tw.jit
def rotate(q, k, cos, sin, stride, step, n, BLOCK: tl.constexpr):
    row, head, column = (
        tl.arange(0, BLOCK)[:, None, None],
        tl.arange(0, BLOCK)[None, :, None],
        tl.arange(0, 32),
    )
    at = row * stride + head * n + column * step
    inside = (row < n) & (head < n)
    c, s = tl.load(cos + row * n + column * step), tl.load(sin + row * n + column * step)
    rotate_pair(q + at, 32 * step, c, s, inside)
    rotate_pair(k + at, 32 * step, c, s, inside)


@tw.jit
def distances(x, c, near, out, n, stride, step, A: tl.constexpr, B: tl.constexpr, D: tl.constexpr):
    i, j, k = tl.arange(0, A).to(tl.int64), tl.arange(0, B).to(tl.int64), tl.arange(0, D).to(tl.int64)
    inside = (i < n)[:, None] & (j < n)[None, :]
    row = tl.load(near + i[:, None] * stride + j[None, :] * step, mask=inside, other=0).to(tl.int64)
    all_inside = inside[:, :, None] & (k < n)[None, None, :]
    left, right = row + i[:, None], row + j[None, :]
    difference = tl.zeros((A, B, D), tl.float32)
    for at in tl.static_range(4):
        here = tl.load(x + (left + at)[:, :, None] * stride + k[None, None, :] * step, mask=all_inside)
        there = tl.load(c + (right + at)[:, :, None] * stride + k[None, None, :] * step, mask=all_inside)
        difference += here - there
    tl.store(out + i[:, None] * stride + j[None, :] * step, tl.sum(difference * difference, 2), mask=inside)


def ptx_of(block):
    types = {
        "q": "*fp16",
        "k": "*fp16",
        "cos": "*fp16",
        "sin": "*fp16",
        "stride": "i32",
        "step": "i32",
        "n": "i32",
    }
    return compile_kernel(rotate.fn, types, {"BLOCK": block}, {}, "sm_90a", Options(num_warps=4), "ptx").asm[
        "ptx"
    ]


def test_values_for_many_times_the_registers_of_a_thread():
    with pytest.raises(
        tw.CompilationError, match=r"values of \d{4,} registers here, within \d{5} instr"
    ) as error:
        ptx_of(64)
    assert "use smaller blocks or more warps" in str(error.value)
    assert "rotate_pair(q + at, 32 * step, c, s, inside)" in str(error.value)
    assert [frame.function for frame in error.value.frames] == ["rotate_pair", "rotate"]


def test_values_for_a_few_times_the_registers_of_a_thread():
    assert "st.global" in ptx_of(32)


def test_addresses_for_many_times_the_registers_of_a_thread():
    types = (
        dict.fromkeys(("x", "c", "out"), "*fp32")
        | {"near": "*i32"}
        | dict.fromkeys(("n", "stride", "step"), "i32")
    )
    with pytest.raises(tw.CompilationError, match="would take minutes to assemble"):
        compile_kernel(
            distances.fn, types, {"A": 128, "B": 16, "D": 64}, {}, "sm_90a", Options(num_warps=4), "ptx"
        )
