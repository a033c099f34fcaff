"""Gradient of softmax: in registers if a row fits, else in two passes."""

import numpy as np
import tilewright as tw
import tilewright.language as tl

from .._arrays import strides
from .._calls import launch
from .._declaration import Array, Result, declare
from .._rows import MAX_BLOCK, as_rows, row_samples, row_warps, row_workloads
from . import reference
from .kernel import LONG_BLOCK


@tw.jit
def softmax_backward_kernel(
    x_grad_ptr, out_grad_ptr, y_ptr, x_grad_stride, out_grad_stride, y_stride, n_cols, BLOCK: tl.constexpr
):
    """Each program computes y * (out_grad - sum(out_grad * y)) of one row, read once."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row * y_stride + cols, mask=mask, other=0.0).to(tl.float32)
    grad = tl.load(out_grad_ptr + row * out_grad_stride + cols, mask=mask, other=0.0).to(tl.float32)
    x_grad = y * (grad - tl.sum(grad * y, axis=0))
    tl.store(x_grad_ptr + row * x_grad_stride + cols, x_grad.to(x_grad_ptr.dtype.element_ty), mask=mask)


@tw.jit
def softmax_backward_long_kernel(
    x_grad_ptr, out_grad_ptr, y_ptr, x_grad_stride, out_grad_stride, y_stride, n_cols, BLOCK: tl.constexpr
):
    """Each program computes one row, read twice in blocks."""
    row = tl.program_id(0).to(tl.int64)
    y_row = y_ptr + row * y_stride
    grad_row = out_grad_ptr + row * out_grad_stride
    x_grad_row = x_grad_ptr + row * x_grad_stride
    cols = tl.arange(0, BLOCK)
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        mask = start + cols < n_cols
        y = tl.load(y_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        grad = tl.load(grad_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        total += tl.sum(grad * y, axis=0)
    for start in range(0, n_cols, BLOCK):
        mask = start + cols < n_cols
        y = tl.load(y_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        grad = tl.load(grad_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        x_grad = y * (grad - total)
        tl.store(x_grad_row + start + cols, x_grad.to(x_grad_ptr.dtype.element_ty), mask=mask)


def _probabilities(rng, shape):
    e = np.exp(rng.standard_normal(shape))
    return e / e.sum(axis=-1, keepdims=True)


@declare(
    arguments={"out_grad": Array("... n"), "y": Array("... n", fill=_probabilities)},
    results={"x_grad": Result("... n", dtype="y")},
    reference=reference.softmax_backward,
    samples=[sample for sample in row_samples() if sample.sizes["n"] != 1],
    workloads=row_workloads(),
)
def softmax_backward(out_grad, y, x_grad=None):
    """Gradient of :func:`softmax` with respect to ``x``: y * (out_grad - sum(out_grad * y)), in float32.

    Args:
        out_grad: gradient of the result, of shape (..., n); float16, bfloat16 or float32.
        y: result of the forward call, of the same shape.
        x_grad: C-contiguous array for the gradient; allocated by default. It may be ``y`` or ``out_grad``.
    """
    grads, rows = as_rows(out_grad), as_rows(y)
    n_rows, n_cols = rows.shape
    target = x_grad.reshape(n_rows, n_cols)
    args = (target, grads, rows, strides(target)[0], strides(grads)[0], strides(rows)[0], n_cols)
    block = tw.next_power_of_2(n_cols)
    if block <= MAX_BLOCK:
        # Twice the warps of the forward kernel: a program holds two rows.
        options = {"BLOCK": block, "num_warps": 2 * row_warps(block)}
        launch(softmax_backward_kernel, (n_rows,), *args, **options)
    else:
        launch(softmax_backward_long_kernel, (n_rows,), *args, BLOCK=LONG_BLOCK, num_warps=8)
