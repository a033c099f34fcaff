"""Activations of a float32 tile, for use inside kernels."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def relu(x):
    """max(x, 0)."""
    return tl.maximum(x, 0.0)


@tw.jit
def silu_fn(x):
    """x * sigmoid(x)."""
    return tl.fdiv(x, 1.0 + tl.exp(-x))


@tw.jit
def gelu_erf(x):
    """x * Phi(x), with the error function. Source: arXiv 1606.08415."""
    return 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))


@tw.jit
def gelu_tanh(x):
    """The tanh approximation of GELU. Source: arXiv 1606.08415, section 2.

    0.5 (1 + tanh(u)) is 1 / (1 + exp(-2u)), which loses no digits for large negative u.
    """
    u = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    return tl.fdiv(x, 1.0 + tl.exp(-2.0 * u))
