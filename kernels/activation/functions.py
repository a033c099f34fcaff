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
def gelu_erf(x):
    """Returns x * Phi(x), with the cumulative distribution function of normal numbers. Source: arXiv 1606.08415.

    The code computes max(x, 0) - a Phi(-a) with a = |x|. Unlike 1 + erf this loses no digits for negative x, and it
    takes half as many instructions. log2 Phi(-a) is a minimax polynomial up to a = 8, with the error relative to the
    result. Above 8 the term a Phi(-a), less than 1e-14, keeps its value at 8.
    """
    a = tl.minimum(tl.abs(x), 8.0)
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
    return relu(x) - a * _power_of_two(p)


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
