"""Float64 reference of the matrix product."""

import numpy as np

from ..activation import reference as activation_reference


def matmul(a, b, bias=None, activation="none"):
    """activation(a @ b + bias)."""
    c = np.asarray(a, np.float64) @ np.asarray(b, np.float64)
    if bias is not None:
        c = c + np.asarray(bias, np.float64)
    if activation == "relu":
        return activation_reference.relu(c)
    if activation == "silu":
        return activation_reference.silu(c)
    if activation.startswith("gelu"):
        return activation_reference.gelu(c, "tanh" if activation == "gelu_tanh" else "none")
    return c
