"""Activation functions over whole arrays."""

import math

import tilewright as tw
import tilewright.language as tl

from .._arrays import contiguous
from .._calls import launch
from .._declaration import Array, Gradient, Option, Result, Sample, declare
from . import reference
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


#: The argument, the result and the workloads of an activation.
X = Array("...", fill=lambda rng, shape: 3 * rng.standard_normal(shape))
OUT = Result("...", dtype="x")
WORKLOADS = {
    "cpu": (Sample({"...": (4096, 4096)}), "float32"),
    "gpu": (Sample({"...": (32768, 8192)}), "bfloat16"),
}


def samples(**values):
    """Yields samples of one to three dimensions, also without elements."""
    for shape in ((1,), (257,), (4096,), (33, 65), (2, 3, 5), (0, 4), ()):
        yield Sample({"...": shape}, values=values)


def _apply(out, function, x):
    x = contiguous(x)
    n = math.prod(x.shape)
    launch(activation_kernel, (tw.cdiv(n, BLOCK),), out, x, n, FUNCTION=function, BLOCK=BLOCK, num_warps=8)


@declare(
    arguments={"x": X, "approximate": Option(("none", "tanh"))},
    results={"out": OUT},
    reference=reference.gelu,
    samples=[*samples(), *samples(approximate="tanh")],
    workloads=WORKLOADS,
    gradient=Gradient("gelu_backward"),
)
def gelu(x, approximate="none", out=None):
    """GELU of every element, computed in float32.

    Args:
        x: array of any shape; float16, bfloat16 or float32.
        approximate: "none" for the error function, "tanh" for the tanh approximation.
        out: C-contiguous array for the result; allocated by default.

    Source: arXiv 1606.08415.
    """
    _apply(out, "gelu_erf" if approximate == "none" else "gelu_tanh", x)


@declare(
    arguments={"x": X},
    results={"out": OUT},
    reference=reference.silu,
    samples=samples(),
    workloads=WORKLOADS,
    gradient=Gradient("silu_backward"),
)
def silu(x, out=None):
    """x * sigmoid(x) of every element, computed in float32; arguments as for :func:`gelu`."""
    _apply(out, "silu", x)
