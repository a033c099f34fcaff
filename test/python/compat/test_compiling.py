"""`triton.compile`: ahead of time, for devices that need not be there."""

import numpy as np
import pytest
import tilewright.compat

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402
from triton.runtime._allocation import NullAllocator  # noqa: E402

pytestmark = pytest.mark.compiled


@triton.jit
def count_kernel(out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, i, mask=i < n)


SIGNATURE = {"out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}


@pytest.mark.parametrize("key", ["BLOCK", 2, (2,)])
def test_for_the_device_in_use(backend, key):
    compiled = triton.compile(ASTSource(count_kernel, SIGNATURE, {key: 16}))
    assert compiled.constexprs == {"BLOCK": 16} and compiled.metadata.num_ctas == 1
    assert compiled.metadata.shared >= 0 and "ttir" in compiled.asm
    out = backend.array(np.zeros(16), "float32")
    compiled[1, 1, 1](out, 16, 16)
    backend.check(out, np.arange(16), "float32")


def test_for_another_device():
    source = ASTSource(count_kernel, SIGNATURE, {"BLOCK": 1024}, {(0,): [["tt.divisibility", 16]]})
    assert source.divisors() == {"out_ptr": 16}
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 8})
    assert compiled.target == "sm_90a" and compiled.metadata.num_warps == 8
    assert ".target sm_90a" in compiled.asm["ptx"]


def test_mistakes():
    source = ASTSource(count_kernel, SIGNATURE, {"BLOCK": 16})
    with pytest.raises(TypeError, match="compile takes an ASTSource, not Triton's own stages"):
        triton.compile("kernel.ttgir")
    with pytest.raises(TypeError, match="there is no option 'warps'; there is num_warps"):
        triton.compile(source, options={"warps": 4})
    with pytest.raises(ValueError, match="for the CPU and for CUDA devices, not for 'hip'"):
        triton.compile(source, target=GPUTarget("hip", "gfx942", 64))


@triton.jit
def line_kernel(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i) * 1.5 + 1.0)


@pytest.mark.compiled
@pytest.mark.parametrize("fused", [False, True])
def test_fusion_of_multiplications_and_additions(fused):
    source = triton.compiler.ASTSource(line_kernel, {"x_ptr": "*fp32"}, {"BLOCK": 64})
    target = GPUTarget("cuda", 90, 32)
    ptx = triton.compile(source, target=target, options={"enable_fp_fusion": fused}).asm["ptx"]
    assert ("fma.rn.f32" in ptx) is fused and ("mul.rn.f32" in ptx) is not fused


def test_an_option_that_permits(backend):
    out = backend.array(np.zeros(16), "float32")
    for fused in (False, True):
        count_kernel[1,](out, 16, BLOCK=16, enable_fp_fusion=fused)
    backend.check(out, np.arange(16), "float32")
    with pytest.raises(TypeError, match="enable_fp_fusion is True or False, got 1"):
        count_kernel[1,](out, 16, BLOCK=16, enable_fp_fusion=1)


def test_no_allocator():
    triton.set_allocator(NullAllocator())
    with pytest.raises(RuntimeError, match="no allocator was set"):
        NullAllocator()(16, 16, None)
