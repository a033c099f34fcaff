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


def gelu_backward(out_grad, x, approximate="none"):
    """Gradient of gelu."""
    x = np.asarray(x, np.float64)
    if approximate == "none":
        derivative = 0.5 * (1 + _erf(x / math.sqrt(2))) + x * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    else:
        t = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
        slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2)
        derivative = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope
    return np.asarray(out_grad, np.float64) * derivative


def silu_backward(out_grad, x):
    """Gradient of silu."""
    x = np.asarray(x, np.float64)
    s = 1 / (1 + np.exp(-x))
    return np.asarray(out_grad, np.float64) * s * (1 + x * (1 - s))
