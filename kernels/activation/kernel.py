"""Activation functions over whole arrays."""

import tilewright as tw
import tilewright.language as tl

from .._arrays import check_floats, check_out, contiguous, library
from .._calls import launch, new, repeatable
from .functions import gelu_erf, gelu_tanh, silu_fn

BLOCK = 2048


@tw.jit
def activation_kernel(out_ptr, x_ptr, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    """Each program applies FUNCTION to BLOCK elements."""
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if FUNCTION == "gelu_erf":
        y = gelu_erf(x.to(tl.float32))
    elif FUNCTION == "gelu_tanh":
        y = gelu_tanh(x.to(tl.float32))
    else:
        y = silu_fn(x.to(tl.float32))
    tl.store(out_ptr + offsets, y.to(out_ptr.dtype.element_ty), mask=mask)


@repeatable
def _apply(function, x, out):
    check_floats(x)
    lib = library(x)
    x = contiguous(x)
    out = new(x.shape, x) if out is None else out
    check_out(out, x.shape, x)
    n = x.numel() if lib.__name__ == "torch" else x.size
    if n:
        grid = (tw.cdiv(n, BLOCK),)
        launch(activation_kernel, grid, out, x, n, FUNCTION=function, BLOCK=BLOCK, num_warps=8)
    return out


def gelu(x, approximate="none", out=None):
    """GELU of every element, computed in float32.

    Args:
        x: array of any shape; float16, bfloat16 or float32.
        approximate: "none" for the error function, "tanh" for the tanh approximation.
        out: C-contiguous array for the result; allocated by default.

    Source: arXiv 1606.08415.
    """
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate must be 'none' or 'tanh', got {approximate!r}")
    return _apply("gelu_erf" if approximate == "none" else "gelu_tanh", x, out)


def silu(x, out=None):
    """x * sigmoid(x) of every element, computed in float32; arguments as for :func:`gelu`."""
    return _apply("silu", x, out)
