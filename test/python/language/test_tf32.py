"""Conversion of float32 operands that tensor cores read as tf32."""

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def dot_kernel(a, b, c):
    i = tl.arange(0, 16)
    offsets = i[:, None] * 16 + i[None, :]
    tl.store(c + offsets, tl.dot(tl.load(a + offsets), tl.load(b + offsets), input_precision="tf32"))


def warp_text(target, numerics):
    types = dict.fromkeys("abc", "*fp32")
    options = Options(num_warps=1, numerics=numerics)
    return compile_kernel(dot_kernel, types, {}, {}, target, options, stop_after="warp").asm["warp"]


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_rounded_unless_as_triton_does(target):
    rounded, cut = (warp_text(target, numerics) for numerics in ("ieee", "triton"))
    assert "warp.mma" in rounded and "warp.mma" in cut
    assert "arith.cmpf uno" in rounded
    assert "arith.cmpf" not in cut and "arith.bitcast" not in cut
