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
    """x * Phi(x), with the distribution function of normal numbers. Source: arXiv 1606.08415.

    It is max(x, 0) - a Phi(-a) with a = |x|, which loses no digits for negative x, as 1 + erf does, and takes half as
    many instructions. ln Phi(-a) is a polynomial up to a = 8, of least error relative to what it is added to; further
    out a Phi(-a), less than 1e-14, stays what it is there.
    """
    a = tl.minimum(tl.abs(x), 8.0)
    p = 8.839313170305729e-10
    p = p * a - 3.8169488902894955e-08
    p = p * a + 7.182547392403649e-07
    p = p * a - 7.66866924095666e-06
    p = p * a + 4.961464583175257e-05
    p = p * a - 0.00017404051322955638
    p = p * a - 5.308349500410259e-05
    p = p * a + 0.004891336429864168
    p = p * a - 0.036406952887773514
    p = p * a - 0.3182874321937561
    p = p * a - 0.7978869676589966
    p = p * a - 0.6931471824645996
    return relu(x) - a * libdevice.fast_expf(p)


@tw.jit
def gelu_tanh(x):
    """The tanh approximation of GELU. Source: arXiv 1606.08415, section 2.

    0.5 (1 + tanh(u)) is 1 / (1 + exp(-2u)), which loses no digits for large negative u. Here u is
    sqrt(2 / pi) (x + 0.044715 x^3).
    """
    return _over_more_than_one(x, libdevice.fast_expf(x * (-1.5957691216 - 0.0713548162726 * (x * x))))
