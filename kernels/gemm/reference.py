"""Float64 reference of matmul."""

import numpy as np

from ..activation import reference as activation_reference


def activate(x, activation):
    """The named activation."""
    if activation == "none":
        return x
    if activation.startswith("gelu"):
        return activation_reference.gelu(x, "tanh" if activation == "gelu_tanh" else "none")
    return {"relu": activation_reference.relu, "silu": activation_reference.silu}[activation](x)


def matmul(a, b, bias=None, activation="none", *, alpha=1.0, beta=1.0, c=None, residual=None):
    """activation(alpha * a @ b + bias + beta * c) + residual."""
    x = alpha * (np.asarray(a, np.float64) @ np.asarray(b, np.float64))
    if bias is not None:
        x = x + np.asarray(bias, np.float64)
    if c is not None:
        x = x + beta * np.asarray(c, np.float64)
    x = activate(x, activation)
    return x if residual is None else x + np.asarray(residual, np.float64)


def gated_matmul(a, gate, up, activation="silu", gate_bias=None, up_bias=None):
    """activation(a @ gate + gate_bias) * (a @ up + up_bias)."""
    return matmul(a, gate, gate_bias, activation) * matmul(a, up, up_bias)
