"""A library of kernels, written in the language.

Every function takes arrays of NumPy (on the CPU back end), PyTorch or CuPy (on the
device of the array) and returns an array of the same library.
They are not differentiable: a tensor that requires a gradient is refused while
PyTorch records it. ``out`` is written in place, and autograd is told.
"""

from ._declaration import declarations
from ._tensors import GradientError
from .activation import gelu, silu
from .attention import attention
from .elementwise import add
from .gemm import gated_matmul, grouped_matmul, matmul, scaled_matmul
from .norm import layer_norm, rms_norm
from .softmax import softmax

__all__ = [
    "GradientError",
    "add",
    "attention",
    "declarations",
    "gated_matmul",
    "gelu",
    "grouped_matmul",
    "layer_norm",
    "matmul",
    "rms_norm",
    "scaled_matmul",
    "silu",
    "softmax",
]
