"""Kernels of the gradients of the norms.

With normal = (x - mean) * inverse and scaled = out_grad * weight, the gradient of x is
inverse * (scaled - mean(scaled) - normal * mean(scaled * normal)); RMS norm has no mean. The gradient of the weight is
the sum of out_grad * normal over all rows, that of the bias the sum of out_grad. Each program adds its rows in a fixed
order and stores a partial sum. A second kernel adds the partial sums, so results are the same in each run.
"""

import tilewright as tw
import tilewright.language as tl

from .kernel import row_statistics


@tw.jit
def norm_backward_kernel(
    x_grad_ptr,
    w_parts_ptr,
    b_parts_ptr,
    out_grad_ptr,
    x_ptr,
    w_ptr,
    x_grad_stride,
    out_grad_stride,
    x_stride,
    n_rows,
    n_cols,
    eps,
    CENTER: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Each program computes every num_programs-th row, read once, and its partial sums for weight and bias."""
    program, programs = tl.program_id(0), tl.num_programs(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    w_grad = tl.zeros((BLOCK,), tl.float32)
    b_grad = tl.zeros((BLOCK,), tl.float32)
    for index in range(program, n_rows, programs):
        row = tl.cast(index, tl.int64)
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
        grad = tl.load(out_grad_ptr + row * out_grad_stride + cols, mask=mask, other=0.0).to(tl.float32)
        if CENTER:
            mean = tl.sum(x, axis=0) / n_cols
            x = tl.where(mask, x - mean, 0.0)
        inverse = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / n_cols + eps)
        normal = x * inverse
        scaled = grad
        if HAS_WEIGHT:
            scaled = grad * tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
            w_grad += grad * normal
        if HAS_BIAS:
            b_grad += grad
        x_grad = scaled - normal * (tl.sum(scaled * normal, axis=0) / n_cols)
        if CENTER:
            x_grad -= tl.sum(scaled, axis=0) / n_cols
        x_grad = (x_grad * inverse).to(x_grad_ptr.dtype.element_ty)
        tl.store(x_grad_ptr + row * x_grad_stride + cols, x_grad, mask=mask)
    part = program.to(tl.int64) * n_cols + cols
    if HAS_WEIGHT:
        tl.store(w_parts_ptr + part, w_grad, mask=mask)
    if HAS_BIAS:
        tl.store(b_parts_ptr + part, b_grad, mask=mask)


@tw.jit
def norm_backward_long_kernel(
    x_grad_ptr,
    statistics_ptr,
    out_grad_ptr,
    x_ptr,
    w_ptr,
    x_grad_stride,
    out_grad_stride,
    x_stride,
    n_cols,
    eps,
    CENTER: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Each program computes one row in blocks, read three times, and stores its mean and inverse deviation."""
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    grad_row = out_grad_ptr + row * out_grad_stride
    x_grad_row = x_grad_ptr + row * x_grad_stride
    cols = tl.arange(0, BLOCK)
    mean, inverse = row_statistics(x_row, n_cols, eps, CENTER, BLOCK)
    tl.store(statistics_ptr + 2 * row, mean)
    tl.store(statistics_ptr + 2 * row + 1, inverse)
    along = 0.0
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        mask = start + cols < n_cols
        x = tl.load(x_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        scaled = tl.load(grad_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        if HAS_WEIGHT:
            scaled = scaled * tl.load(w_ptr + start + cols, mask=mask, other=0.0).to(tl.float32)
        along += tl.sum(scaled * ((x - mean) * inverse), axis=0)
        total += tl.sum(scaled, axis=0)
    for start in range(0, n_cols, BLOCK):
        mask = start + cols < n_cols
        x = tl.load(x_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        scaled = tl.load(grad_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        if HAS_WEIGHT:
            scaled = scaled * tl.load(w_ptr + start + cols, mask=mask, other=0.0).to(tl.float32)
        x_grad = scaled - (x - mean) * inverse * (along / n_cols)
        if CENTER:
            x_grad -= total / n_cols
        x_grad = (x_grad * inverse).to(x_grad_ptr.dtype.element_ty)
        tl.store(x_grad_row + start + cols, x_grad, mask=mask)


@tw.jit
def norm_parts_kernel(
    w_parts_ptr,
    b_parts_ptr,
    statistics_ptr,
    out_grad_ptr,
    x_ptr,
    out_grad_stride,
    x_stride,
    n_rows,
    n_cols,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Each program adds every num_programs-th row of one block of columns, for weight and bias."""
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    program, programs = tl.program_id(1), tl.num_programs(1)
    mask = cols < n_cols
    w_grad = tl.zeros((BLOCK,), tl.float32)
    b_grad = tl.zeros((BLOCK,), tl.float32)
    for index in range(program, n_rows, programs):
        row = tl.cast(index, tl.int64)
        grad = tl.load(out_grad_ptr + row * out_grad_stride + cols, mask=mask, other=0.0).to(tl.float32)
        if HAS_WEIGHT:
            mean = tl.load(statistics_ptr + 2 * row)
            inverse = tl.load(statistics_ptr + 2 * row + 1)
            x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
            w_grad += grad * ((x - mean) * inverse)
        b_grad += grad
    part = program.to(tl.int64) * n_cols + cols
    if HAS_WEIGHT:
        tl.store(w_parts_ptr + part, w_grad, mask=mask)
    if HAS_BIAS:
        tl.store(b_parts_ptr + part, b_grad, mask=mask)


@tw.jit
def add_parts_kernel(out_ptr, parts_ptr, n_parts, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Each program adds the partial sums of one block of columns, ROWS at a time."""
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((ROWS, BLOCK), tl.float32)
    for first in range(0, n_parts, ROWS):
        rows = first + tl.arange(0, ROWS)
        mask = (rows < n_parts)[:, None] & (cols < n_cols)[None, :]
        total += tl.load(
            parts_ptr + rows.to(tl.int64)[:, None] * n_cols + cols[None, :], mask=mask, other=0.0
        )
    out = tl.sum(total, axis=0).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + cols, out, mask=cols < n_cols)
