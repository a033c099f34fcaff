"""Activation functions, as kernels and as functions for epilogues."""

from .functions import gelu_erf, gelu_tanh, relu, silu_fn
from .kernel import gelu, silu

__all__ = ["gelu", "gelu_erf", "gelu_tanh", "relu", "silu", "silu_fn"]
