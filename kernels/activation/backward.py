"""Gradients of the activation functions over whole arrays."""

import math

import tilewright as tw
import tilewright.language as tl

from .._arrays import contiguous
from .._calls import launch
from .._declaration import Array, Option, Result, declare
from . import reference
from .functions import gelu_erf_derivative, gelu_tanh_derivative, silu_derivative
from .kernel import BLOCK, WORKLOADS, X, samples


@tw.jit
def activation_backward_kernel(
    x_grad_ptr, out_grad_ptr, x_ptr, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr
):
    """Each program multiplies BLOCK elements of a gradient by the derivative of FUNCTION at x."""
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    grad = tl.load(out_grad_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    if FUNCTION == "gelu_erf":
        derivative = gelu_erf_derivative(x)
    elif FUNCTION == "gelu_tanh":
        derivative = gelu_tanh_derivative(x)
    else:
        derivative = silu_derivative(x)
    tl.store(x_grad_ptr + offsets, (grad * derivative).to(x_grad_ptr.dtype.element_ty), mask=mask)


OUT_GRAD = Array("...")
X_GRAD = Result("...", dtype="x")


def _apply(x_grad, function, out_grad, x):
    out_grad, x = contiguous(out_grad), contiguous(x)
    n = math.prod(x.shape)
    grid = (tw.cdiv(n, BLOCK),)
    options = {"FUNCTION": function, "BLOCK": BLOCK, "num_warps": 8}
    launch(activation_backward_kernel, grid, x_grad, out_grad, x, n, **options)


@declare(
    arguments={"out_grad": OUT_GRAD, "x": X, "approximate": Option(("none", "tanh"))},
    results={"x_grad": X_GRAD},
    reference=reference.gelu_backward,
    samples=[*samples(), *samples(approximate="tanh")],
    workloads=WORKLOADS,
)
def gelu_backward(out_grad, x, approximate="none", x_grad=None):
    """Gradient of :func:`gelu` with respect to ``x``, computed in float32.

    Args:
        out_grad: gradient of the result, of the shape of ``x``; float16, bfloat16 or float32.
        x, approximate: arguments of the forward call.
        x_grad: C-contiguous array for the gradient; allocated by default. It may be ``x`` or ``out_grad``.
    """
    _apply(x_grad, "gelu_erf" if approximate == "none" else "gelu_tanh", out_grad, x)


@declare(
    arguments={"out_grad": OUT_GRAD, "x": X},
    results={"x_grad": X_GRAD},
    reference=reference.silu_backward,
    samples=samples(),
    workloads=WORKLOADS,
)
def silu_backward(out_grad, x, x_grad=None):
    """Gradient of :func:`silu` with respect to ``x``, in float32; arguments as for :func:`gelu_backward`."""
    _apply(x_grad, "silu", out_grad, x)
