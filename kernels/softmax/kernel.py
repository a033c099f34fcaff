"""Softmax of rows: in registers if a row fits, else in two passes."""

import tilewright as tw
import tilewright.language as tl

from .._arrays import strides
from .._calls import launch
from .._declaration import Array, Gradient, Result, declare
from .._rows import MAX_BLOCK, as_rows, row_samples, row_warps, row_workloads
from . import reference

LONG_BLOCK = 8192


@tw.jit
def softmax_kernel(out_ptr, x_ptr, out_stride, x_stride, n_cols, BLOCK: tl.constexpr):
    """Each program computes one row, read once."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e * (1.0 / tl.sum(e, axis=0))
    tl.store(out_ptr + row * out_stride + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


@tw.jit
def softmax_long_kernel(out_ptr, x_ptr, out_stride, x_stride, n_cols, BLOCK: tl.constexpr):
    """Each program computes one row, read twice in blocks."""
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    out_row = out_ptr + row * out_stride
    cols = tl.arange(0, BLOCK)
    # One pass finds the maximum and the sum, scaled to the maximum so far.
    highest = -float("inf")
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        mask = start + cols < n_cols
        x = tl.load(x_row + start + cols, mask=mask, other=-float("inf")).to(tl.float32)
        new_highest = tl.maximum(highest, tl.max(x, axis=0))
        # If all elements so far are -inf, any finite reference keeps the sum at zero.
        reference = tl.where(new_highest == -float("inf"), 0.0, new_highest)
        total = total * tl.exp(highest - reference) + tl.sum(tl.exp(x - reference), axis=0)
        highest = new_highest
    scale = 1.0 / total
    for start in range(0, n_cols, BLOCK):
        mask = start + cols < n_cols
        x = tl.load(x_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        y = tl.exp(x - highest) * scale
        tl.store(out_row + start + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


@declare(
    arguments={"x": Array("... n", fill=lambda rng, shape: 4 * rng.standard_normal(shape))},
    results={"out": Result("... n", dtype="x")},
    reference=reference.softmax,
    samples=row_samples(),
    workloads=row_workloads(),
    gradient=Gradient("softmax_backward", {"y": "out"}),
)
def softmax(x, out=None):
    """exp(x - max) / sum(exp(x - max)) over the last dimension, computed in float32.

    Args:
        x: array of shape (..., n); float16, bfloat16 or float32.
        out: C-contiguous array of ``x``'s shape for the result; allocated by default.

    Rows of up to 16,384 elements are read once; longer ones twice, with a running maximum and
    sum (arXiv 1805.02867).
    """
    rows = as_rows(x)
    n_rows, n_cols = rows.shape
    out_rows = out.reshape(n_rows, n_cols)
    args = (out_rows, rows, strides(out_rows)[0], strides(rows)[0], n_cols)
    block = tw.next_power_of_2(n_cols)
    if block <= MAX_BLOCK:
        launch(softmax_kernel, (n_rows,), *args, BLOCK=block, num_warps=row_warps(block))
    else:
        launch(softmax_long_kernel, (n_rows,), *args, BLOCK=LONG_BLOCK, num_warps=4)
