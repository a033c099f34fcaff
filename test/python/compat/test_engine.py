"""Kernels in Triton's style use Hopper's features without hints."""

import pytest
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel

from . import triton_kernels as kernels

pytestmark = pytest.mark.compiled


def launch_recipe(kernel, constants, **options):
    """The recipe of the kernel for float16 arrays and sizes that are multiples of 16, compiled for Hopper."""
    types = {
        name: "*fp32" if name == "M" and "sm_scale" in kernel.arg_names
        else "fp32" if name == "sm_scale"
        else "*fp16" if name.endswith("_ptr") or name.startswith("desc_")
        else "i32"
        for name in kernel.arg_names
        if name not in constants
    }  # fmt: skip
    aligned = dict.fromkeys(types, 16)
    compiled = compile_kernel(
        kernel.fn,
        types,
        constants,
        aligned,
        "sm_90a",
        Options(numerics="triton", **options),
        stop_after="warp",
    )
    _, persistent, maps = compiled.metadata.get("launch_recipe", (0, 0, 0))[:3]
    return bool(persistent), maps, compiled.asm["warp"]


def test_matmul():
    constants = {"stride_ak": 1, "stride_bn": 1, "stride_cn": 1, "ACTIVATION": "leaky_relu"}
    blocks = {"BM": 128, "BN": 256, "BK": 64, "GROUP": 8}
    persistent, maps, warp = launch_recipe(
        kernels.matmul_kernel.fn, constants | blocks, num_warps=8, num_stages=3
    )
    assert persistent and maps == 3
    assert "warp.specialize warps [8, 4]" in warp and "pendings = 1" in warp


@pytest.mark.parametrize("stage", [1, 3])
def test_attention(stage):
    constants = {"HEAD": 64, "BM": 128, "BN": 64, "STAGE": stage}
    _, maps, warp = launch_recipe(kernels.attention_kernel, constants, num_warps=8, num_stages=2)
    assert maps == 4
    # The second dot overlaps the exponentials of the next block, except in the few steps at the diagonal.
    assert "warp.specialize" in warp and warp.count("pendings = 1") == 1
    assert warp.count("warp.wgmma %") == (4 if stage == 1 else 6)
