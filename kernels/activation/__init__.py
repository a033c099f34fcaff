"""Activation functions, as kernels and as functions for epilogues."""

from .backward import gelu_backward, silu_backward
from .functions import gelu_erf, gelu_tanh, relu, silu_fn
from .kernel import gelu, silu

__all__ = ["gelu", "gelu_backward", "gelu_erf", "gelu_tanh", "relu", "silu", "silu_backward", "silu_fn"]
