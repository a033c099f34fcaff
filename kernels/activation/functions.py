"""Activations of a float32 tile, for use inside kernels."""

import tilewright as tw
import tilewright.language as tl
from tilewright.language.extra import libdevice


@tw.jit
def relu(x):
    """max(x, 0), NaN of NaN."""
    return tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL)


@tw.jit
def _over_more_than_one(x, e):
    """x / (1 + e) for e >= 0. The quick quotient is wrong only where the result is near the end of the range."""
    return libdevice.fast_dividef(x, 1.0 + e)


@tw.jit
def silu_fn(x):
    """x * sigmoid(x)."""
    return _over_more_than_one(x, tl.exp(-x))


@tw.jit
def gelu_erf(x):
    """x * Phi(x), with the error function. Source: arXiv 1606.08415."""
    return 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))


@tw.jit
def gelu_tanh(x):
    """The tanh approximation of GELU. Source: arXiv 1606.08415, section 2.

    0.5 (1 + tanh(u)) is 1 / (1 + exp(-2u)), which loses no digits for large negative u. Here u is
    sqrt(2 / pi) (x + 0.044715 x^3).
    """
    return _over_more_than_one(x, libdevice.fast_expf(x * (-1.5957691216 - 0.0713548162726 * (x * x))))
