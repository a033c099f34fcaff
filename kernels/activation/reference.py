"""Float64 references of the activations."""

import math

import numpy as np

_erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu(x, approximate="none"):
    """GELU, arXiv 1606.08415."""
    x = np.asarray(x, np.float64)
    if approximate == "none":
        return 0.5 * x * (1 + _erf(x / math.sqrt(2)))
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def silu(x):
    """X * sigmoid(x)."""
    x = np.asarray(x, np.float64)
    return x / (1 + np.exp(-x))


def relu(x):
    """max(x, 0)."""
    return np.maximum(np.asarray(x, np.float64), 0)
