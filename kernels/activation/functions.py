"""Activation functions of a float32 tile, for use inside kernels."""

import tilewright as tw
import tilewright.language as tl
from tilewright.language.extra import libdevice


@tw.jit
def relu(x):
    """Returns max(x, 0), and NaN for NaN."""
    return tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL)


@tw.jit
def _over_more_than_one(x, e):
    """Returns x / (1 + e) for e >= 0. The fast division is inexact only for results near the end of the range."""
    return libdevice.fast_dividef(x, 1.0 + e)


@tw.jit
def _power_of_two(x):
    """Returns 2^x by one instruction.

    The functions below use powers of two, which saves a multiplication by log2(e).
    """
    return libdevice.fast_powf(2.0, x)


@tw.jit
def silu_fn(x):
    """Returns x * sigmoid(x)."""
    return _over_more_than_one(x, tl.exp(-x))


@tw.jit
def _normal_tail(a):
    """Returns Phi(-a) for a from 0 to 8: log2 of it is a minimax polynomial, with the error relative to the result."""
    p = 1.2752433553586684e-09
    p = p * a - 5.506693412371533e-08
    p = p * a + 1.0362225566495908e-06
    p = p * a - 1.1063551028200891e-05
    p = p * a + 7.157880463637412e-05
    p = p * a - 0.0002510873891878873
    p = p * a - 7.658329559490085e-05
    p = p * a + 0.007056706584990025
    p = p * a - 0.052524130791425705
    p = p * a - 0.4591917097568512
    p = p * a - 1.1511075496673584
    p = p * a - 1.0
    return _power_of_two(p)


@tw.jit
def gelu_erf(x):
    """Returns x * Phi(x), with the cumulative distribution function of normal numbers. Source: arXiv 1606.08415.

    The code computes max(x, 0) - a Phi(-a) with a = |x|. Unlike 1 + erf this loses no digits for negative x, and it
    takes half as many instructions. Above 8 the term a Phi(-a), less than 1e-14, keeps its value at 8.
    """
    a = tl.minimum(tl.abs(x), 8.0)
    return relu(x) - a * _normal_tail(a)


@tw.jit
def gelu_tanh(x):
    """Returns the tanh approximation of GELU. Source: arXiv 1606.08415, section 2.

    0.5 (1 + tanh(u)) is 1 / (1 + exp(-2u)), which loses no digits for large negative u. Here u is
    sqrt(2 / pi) (x + 0.044715 x^3).
    """
    log2_e = 1.4426950408889634
    return _over_more_than_one(
        x, _power_of_two(x * (-1.5957691216 * log2_e - 0.0713548162726 * log2_e * (x * x)))
    )


@tw.jit
def _clamped(x, bound):
    """Returns x between -bound and bound, and NaN for NaN."""
    x = tl.maximum(x, -bound, propagate_nan=tl.PropagateNan.ALL)
    return tl.minimum(x, bound, propagate_nan=tl.PropagateNan.ALL)


@tw.jit
def silu_derivative(x):
    """Returns the derivative of silu_fn: s (1 + x (1 - s)) with s = sigmoid(x), which is 0 or 1 far out."""
    x = _clamped(x, 100.0)
    s = _over_more_than_one(1.0, tl.exp(-x))
    return s * (1.0 + x * (1.0 - s))


@tw.jit
def gelu_erf_derivative(x):
    """Returns the derivative of gelu_erf: Phi(x) + x phi(x), with the density of normal numbers."""
    x = _clamped(x, 8.0)
    tail = _normal_tail(tl.abs(x))
    inverse_root = 0.3989422804014327  # 1 / sqrt(2 pi)
    return tl.where(x > 0.0, 1.0 - tail, tail) + x * (inverse_root * tl.exp(-0.5 * x * x))


@tw.jit
def gelu_tanh_derivative(x):
    """Returns the derivative of gelu_tanh, x s: s + x s' with s' = s (1 - s) times the derivative of 2u."""
    x = _clamped(x, 100.0)
    square = x * x
    s = _over_more_than_one(1.0, tl.exp(-1.5957691216 * x * (1.0 + 0.044715 * square)))
    return s + x * (s * (1.0 - s)) * (1.5957691216 * (1.0 + 0.134145 * square))
