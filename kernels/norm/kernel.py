"""Normalisation of rows: in registers if a row fits, else in two passes."""

import tilewright as tw
import tilewright.language as tl

from .._arrays import strides
from .._calls import launch
from .._declaration import Array, Gradient, Result, Scalar, declare
from .._rows import MAX_BLOCK, as_rows, row_samples, row_warps, row_workloads
from . import reference

LONG_BLOCK = 8192
#: Registers per thread, the maximum: a row stays in registers.
REGISTERS = 255


@tw.jit
def scale_and_shift(x, w_ptr, b_ptr, cols, mask, HAS_WEIGHT: tl.constexpr, HAS_BIAS: tl.constexpr):
    """x * weight + bias at the given columns, in float32."""
    if HAS_WEIGHT:
        x = x * tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    if HAS_BIAS:
        x = x + tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    return x


@tw.jit
def norm_kernel(
    out_ptr,
    x_ptr,
    w_ptr,
    b_ptr,
    out_stride,
    x_stride,
    n_cols,
    eps,
    CENTER: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Each program normalises one row, read once."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    if CENTER:
        mean = tl.sum(x, axis=0) / n_cols
        x = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(x * x, axis=0) / n_cols
    y = x * (1.0 / tl.sqrt(variance + eps))
    y = scale_and_shift(y, w_ptr, b_ptr, cols, mask, HAS_WEIGHT, HAS_BIAS)
    tl.store(out_ptr + row * out_stride + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


@tw.jit
def row_statistics(x_row, n_cols, eps, CENTER: tl.constexpr, BLOCK: tl.constexpr):
    """Returns the mean (0 unless CENTER) and the inverse deviation of a row that is read in blocks.

    Mean and squared deviations of the blocks are merged one by one (Chan, Golub and LeVeque,
    "Updating formulae and a pairwise algorithm for computing sample variances", 1979).
    """
    cols = tl.arange(0, BLOCK)
    mean = 0.0
    squares = 0.0
    for start in range(0, n_cols, BLOCK):
        mask = start + cols < n_cols
        x = tl.load(x_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        if CENTER:
            count = tl.minimum(n_cols - start, BLOCK).to(tl.float32)
            block_mean = tl.sum(x, axis=0) / count
            x = tl.where(mask, x - block_mean, 0.0)
            delta = block_mean - mean
            share = count / (start + count)
            squares = squares + delta * delta * (start * share)
            mean = mean + delta * share
        squares = squares + tl.sum(x * x, axis=0)
    return mean, 1.0 / tl.sqrt(squares / n_cols + eps)


@tw.jit
def norm_long_kernel(
    out_ptr,
    x_ptr,
    w_ptr,
    b_ptr,
    out_stride,
    x_stride,
    n_cols,
    eps,
    CENTER: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Each program normalises one row, read twice in blocks."""
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    out_row = out_ptr + row * out_stride
    cols = tl.arange(0, BLOCK)
    mean, inverse = row_statistics(x_row, n_cols, eps, CENTER, BLOCK)
    for start in range(0, n_cols, BLOCK):
        mask = start + cols < n_cols
        x = tl.load(x_row + start + cols, mask=mask, other=0.0).to(tl.float32)
        y = (x - mean) * inverse
        y = scale_and_shift(y, w_ptr, b_ptr, start + cols, mask, HAS_WEIGHT, HAS_BIAS)
        tl.store(out_row + start + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


#: The rows of a norm, its vectors, and its result.
ROWS = Array("... n", fill=lambda rng, shape: 2 * rng.standard_normal(shape) + 3)
VECTOR = Array("n", dtypes=None, layout="last")
OUT = Result("... n", dtype="x")


def _normalise(out, x, weight, bias, eps, center):
    rows = as_rows(x)
    n_rows, n_cols = rows.shape
    out_rows = out.reshape(n_rows, n_cols)
    # An absent vector is never read; any pointer will do.
    args = (
        out_rows,
        rows,
        rows if weight is None else weight,
        rows if bias is None else bias,
        strides(out_rows)[0],
        strides(rows)[0],
        n_cols,
        float(eps),
    )
    flags = {"CENTER": center, "HAS_WEIGHT": weight is not None, "HAS_BIAS": bias is not None}
    block = tw.next_power_of_2(n_cols)
    if block <= MAX_BLOCK:
        options = {"num_warps": row_warps(block), "maxnreg": REGISTERS}
        launch(norm_kernel, (n_rows,), *args, **flags, BLOCK=block, **options)
    else:
        options = {"num_warps": 4, "maxnreg": REGISTERS}
        launch(norm_long_kernel, (n_rows,), *args, **flags, BLOCK=LONG_BLOCK, **options)


@declare(
    arguments={"x": ROWS, "weight": VECTOR, "bias": VECTOR, "eps": Scalar(float, low=0)},
    results={"out": OUT},
    reference=reference.layer_norm,
    samples=row_samples("weight", "bias"),
    workloads=row_workloads("weight", "bias"),
    gradient=Gradient("layer_norm_backward"),
)
def layer_norm(x, weight=None, bias=None, eps=1e-5, out=None):
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last dimension, in float32.

    Args:
        x: array of shape (..., n); float16, bfloat16 or float32.
        weight, bias: contiguous arrays of shape (n,), or None.
        eps: added to the (biased) variance.
        out: C-contiguous array of ``x``'s shape for the result; allocated by default.

    Source: arXiv 1607.06450.
    """
    _normalise(out, x, weight, bias, eps, True)


@declare(
    arguments={"x": ROWS, "weight": VECTOR, "eps": Scalar(float, low=0)},
    results={"out": OUT},
    reference=reference.rms_norm,
    samples=row_samples("weight"),
    workloads=row_workloads("weight"),
    gradient=Gradient("rms_norm_backward"),
)
def rms_norm(x, weight=None, eps=1e-6, out=None):
    """x / sqrt(mean(x^2) + eps) * weight over the last dimension; arguments as for :func:`layer_norm`.

    Source: arXiv 1910.07467.
    """
    _normalise(out, x, weight, None, eps, False)
