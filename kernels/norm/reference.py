"""Float64 references of the norms."""

import math

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


def _backward(out_grad, x, weight, eps, center):
    """Gradients of x and of the weight."""
    out_grad, x = np.asarray(out_grad, np.float64), np.asarray(x, np.float64)
    centred = x - x.mean(axis=-1, keepdims=True) if center else x
    inverse = 1 / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
    normal = centred * inverse
    scaled = _affine(out_grad, weight, None)
    x_grad = scaled - normal * (scaled * normal).mean(axis=-1, keepdims=True)
    if center:
        x_grad = x_grad - scaled.mean(axis=-1, keepdims=True)
    return x_grad * inverse, _over_rows(out_grad * normal)


def _over_rows(x):
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1]).sum(axis=0)


def layer_norm_backward(out_grad, x, weight=None, bias=None, eps=1e-5):
    """Gradients of x, weight and bias."""
    x_grad, weight_grad = _backward(out_grad, x, weight, eps, True)
    return x_grad, weight_grad, _over_rows(np.asarray(out_grad, np.float64))


def rms_norm_backward(out_grad, x, weight=None, eps=1e-6):
    """Gradients of x and weight."""
    return _backward(out_grad, x, weight, eps, False)
