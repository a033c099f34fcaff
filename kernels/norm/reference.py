"""Float64 references of the norms."""

import numpy as np


def _affine(y, weight, bias):
    if weight is not None:
        y = y * np.asarray(weight, np.float64)
    return y if bias is None else y + np.asarray(bias, np.float64)


def layer_norm(x, weight=None, bias=None, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last dimension."""
    x = np.asarray(x, np.float64)
    centred = x - x.mean(axis=-1, keepdims=True)
    return _affine(centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps), weight, bias)


def rms_norm(x, weight=None, eps=1e-6):
    """x / sqrt(mean(x^2) + eps) * weight over the last dimension."""
    x = np.asarray(x, np.float64)
    return _affine(x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps), weight, None)
