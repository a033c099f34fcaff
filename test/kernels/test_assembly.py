"""Every shipped kernel is assembled for every GPU that the compiler names, without the GPU."""

import pytest
import tilewright as tw
from assembling import assemble, matmul_constants, needs_assembler
from tilewright.kernels.activation.functions import gelu_erf, relu
from tilewright.kernels.activation.kernel import activation_kernel
from tilewright.kernels.attention.kernel import attention_kernel
from tilewright.kernels.elementwise.kernel import add_kernel
from tilewright.kernels.gemm.kernel import matmul_kernel
from tilewright.kernels.norm.kernel import norm_kernel, norm_long_kernel
from tilewright.kernels.softmax.kernel import softmax_kernel, softmax_long_kernel

pytestmark = pytest.mark.compiled

MAIN = ("sm_80", "sm_90a")
OTHERS = ("sm_86", "sm_89", "sm_90", "sm_100", "sm_120")


def gemm(activation, m, n, k):
    return matmul_constants(ACTIVATION=activation, BLOCK_M=m, BLOCK_N=n, BLOCK_K=k) | {"stride_bn": 1}


NORM = {"CENTER": True, "HAS_WEIGHT": True, "HAS_BIAS": True}
ATTENTION = {"BLOCK_M": 128, "BLOCK_N": 64}
KERNELS = {
    "add": (add_kernel, "fp32", {"BLOCK": 2048}, 8),
    "gelu": (activation_kernel, "bf16", {"FUNCTION": "gelu_erf", "BLOCK": 2048}, 8),
    "gelu tanh": (activation_kernel, "fp16", {"FUNCTION": "gelu_tanh", "BLOCK": 2048}, 8),
    "silu": (activation_kernel, "fp32", {"FUNCTION": "silu", "BLOCK": 2048}, 8),
    "softmax": (softmax_kernel, "bf16", {"BLOCK": 8192}, 8),
    "softmax long": (softmax_long_kernel, "fp16", {"BLOCK": 8192}, 16),
    "layer norm": (norm_kernel, "bf16", NORM | {"BLOCK": 8192}, 8),
    "layer norm long": (norm_long_kernel, "fp32", NORM | {"BLOCK": 8192}, 16),
    "rms norm": (norm_kernel, "fp16", NORM | {"CENTER": False, "HAS_BIAS": False, "BLOCK": 4096}, 4),
    "gemm fp16": (matmul_kernel, "fp16", gemm(None, 128, 128, 64), 8),
    "gemm bf16 + bias + gelu": (matmul_kernel, "bf16", gemm(gelu_erf, 64, 64, 64), 4),
    "gemm fp16 wide": (matmul_kernel, "fp16", gemm(None, 128, 256, 64), 8),
    "gemm tf32": (matmul_kernel, "fp32", gemm(None, 128, 128, 32) | {"PRECISION": "tf32"}, 8),
    "gemm fp32": (matmul_kernel, "fp32", gemm(relu, 64, 64, 16), 4),
    "attention": (attention_kernel, "fp16", ATTENTION | {"CAUSAL": False, "BLOCK_D": 64}, 8),
    "attention deep": (attention_kernel, "fp16", ATTENTION | {"CAUSAL": True, "BLOCK_D": 128}, 8),
    "attention causal": (
        attention_kernel,
        "bf16",
        ATTENTION | {"CAUSAL": True, "BLOCK_N": 128, "BLOCK_D": 128},
        8,
    ),
}


@needs_assembler
@pytest.mark.parametrize("target", MAIN)
@pytest.mark.parametrize("name", KERNELS)
def test_assembles(name, target):
    kernel, dtype, constants, num_warps = KERNELS[name]
    compiled = assemble(kernel, dtype, constants, target, num_warps, debug=True)
    assert compiled.asm["cubin"][:4] == b"\x7fELF"
    assert f".target {target}" in compiled.asm["ptx"]


@needs_assembler
@pytest.mark.parametrize("target", OTHERS)
@pytest.mark.parametrize("name", ["softmax", "gemm fp16"])
def test_assembles_for_other_gpus(name, target):
    kernel, dtype, constants, num_warps = KERNELS[name]
    assert assemble(kernel, dtype, constants, target, num_warps, debug=True).asm["cubin"][:4] == b"\x7fELF"


@needs_assembler
@pytest.mark.parametrize(
    "name",
    [
        "gemm fp16",
        "gemm bf16 + bias + gelu",
        "gemm fp16 wide",
        "gemm tf32",
        "attention",
        "attention deep",
        "attention causal",
    ],
)
def test_wgmma_is_not_serialised(name):
    """The assembler neither spills nor serialises wgmma (its advice C7508 to C7515)."""
    kernel, dtype, constants, num_warps = KERNELS[name]
    compiled = assemble(kernel, dtype, constants, "sm_90a", num_warps)
    assert "wgmma.mma_async" in compiled.asm["ptx"]
    assert compiled.metadata["advice"] == []


@needs_assembler
def test_memory_bound_kernels_spill_nothing():
    for name in ("add", "softmax", "layer norm", "rms norm", "silu"):
        kernel, dtype, constants, num_warps = KERNELS[name]
        compiled = assemble(kernel, dtype, constants, "sm_90a", num_warps)
        assert compiled.metadata["spills"] == 0, name


def test_lines_of_the_source_are_kept():
    """A profiler finds the Python line of an instruction in the PTX's directives."""
    kernel, dtype, constants, num_warps = KERNELS["softmax"]
    ptx = assemble(kernel, dtype, constants, "sm_80", num_warps).asm["ptx"]
    first = kernel.fn.__code__.co_firstlineno
    lines = {int(line.split()[2]) for line in ptx.splitlines() if line.strip().startswith(".loc")}
    assert 'softmax/kernel.py"' in ptx
    assert any(first < line < first + 14 for line in lines)


def test_old_gpus_are_refused():
    kernel, dtype, constants, num_warps = KERNELS["add"]
    with pytest.raises(tw.CompilationError, match=r"sm_75.*sm_80"):
        assemble(kernel, dtype, constants, "sm_75", num_warps)
