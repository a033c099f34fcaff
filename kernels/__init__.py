"""A library of kernels, written in the language.

Every function takes arrays of NumPy (on the CPU back end), PyTorch or CuPy (on the
device of the array) and returns an array of the same library.
They are not differentiable: a tensor that requires a gradient is refused while
PyTorch records it. Functions such as ``softmax_backward`` compute gradients.
Results such as ``out`` are written in place, and autograd is told.
``declarations()`` lists the kernels, see docs/adding-a-kernel.md.
"""

from ._declaration import declarations
from ._tensors import GradientError
from .activation import gelu, gelu_backward, silu, silu_backward
from .attention import attention
from .elementwise import add
from .gemm import gated_matmul, grouped_matmul, matmul, scaled_matmul
from .norm import layer_norm, layer_norm_backward, rms_norm, rms_norm_backward
from .softmax import softmax, softmax_backward

__all__ = [
    "GradientError",
    "add",
    "attention",
    "declarations",
    "gated_matmul",
    "gelu",
    "gelu_backward",
    "grouped_matmul",
    "layer_norm",
    "layer_norm_backward",
    "matmul",
    "rms_norm",
    "rms_norm_backward",
    "scaled_matmul",
    "silu",
    "silu_backward",
    "softmax",
    "softmax_backward",
]
