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


def grouped_matmul(a, b, ends, bias=None, activation="none"):
    """activation(a[i:j] @ b[g] + bias[g]) for the rows i to j of each group g."""
    starts = [0, *ends[:-1]]
    parts = [
        matmul(a[i:j], b[g], None if bias is None else bias[g], activation)
        for g, (i, j) in enumerate(zip(starts, ends))
    ]
    return np.concatenate(parts)


def scaled_matmul(a, b, a_scale, b_scale, bias=None, activation="none"):
    """activation((a_scale * a) @ (b_scale * b) + bias)."""
    return matmul(a * spread(a_scale, np.shape(a), 0), b * spread(b_scale, np.shape(b), 1), bias, activation)


def spread(scale, shape, axis, block=128):
    """Broadcasts a scale, one per index of ``axis``, or one per block, to all elements."""
    scale = np.asarray(scale, np.float64)
    if scale.ndim == 1 and scale.size > 1:
        scale = np.expand_dims(scale, 1 - axis)
    for axis, size in enumerate(shape):
        if scale.ndim == 2 and scale.shape[axis] not in (1, size):
            scale = np.repeat(scale, block, axis).take(range(size), axis)
    return np.broadcast_to(scale, shape)
