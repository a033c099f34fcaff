"""Copies of matrices with rows that are aligned as TMA needs them."""

import math

import tilewright as tw
import tilewright.language as tl

from .._arrays import address, strides
from .._calls import launch, new

# Rows of a copy are padded to cache lines of this many bytes.
LINE = 128
BLOCK = 64


@tw.jit
def copy_kernel(
    out_ptr,
    x_ptr,
    M,
    N,
    width,
    stride_ob,
    stride_om,
    stride_xb,
    stride_xm,
    stride_xn,
    BLOCK: tl.constexpr,
):
    """Each program copies one block of a matrix: blocks along axis 0, matrices along axis 1.

    Rows of N elements are padded to `width` with zeros.
    """
    tiles_n = tl.cdiv(width, BLOCK)
    m = (tl.program_id(0) // tiles_n * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    n = (tl.program_id(0) % tiles_n * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    matrix = tl.program_id(1).to(tl.int64)
    x_ptrs = x_ptr + matrix * stride_xb + m[:, None] * stride_xm + n[None, :] * stride_xn
    x = tl.load(x_ptrs, mask=(m < M)[:, None] & (n < N)[None, :], other=0.0)
    out_ptrs = out_ptr + matrix * stride_ob + m[:, None] * stride_om + n[None, :]
    tl.store(out_ptrs, x, mask=(m < M)[:, None] & (n < width)[None, :])


def with_aligned_rows(x, axis=None):
    """Returns ``x`` or a copy that is contiguous along ``axis`` and has all other strides in multiples of 16 bytes.

    Args:
        x: array of shape (..., M, N), not empty.
        axis: -1, -2, or None: either.
    """
    *outer, row, column = strides(x)
    if axis == -2 or (axis is None and column != 1 and row == 1):
        return with_aligned_rows(x.swapaxes(-1, -2), -1).swapaxes(-1, -2)
    itemsize = x.dtype.itemsize
    contiguous = column == 1 or x.shape[-1] == 1
    if contiguous and address(x) % 16 == 0 and all(step * itemsize % 16 == 0 for step in (*outer, row)):
        return x
    *batch, M, N = x.shape
    x = x.reshape(math.prod(batch), M, N)
    width = tw.cdiv(N * itemsize, LINE) * LINE // itemsize
    out = new((math.prod(batch), M, width), x)
    launch(
        copy_kernel, (tw.cdiv(M, BLOCK) * tw.cdiv(width, BLOCK), out.shape[0]), out, x, M, N, width,
        *strides(out)[:2], *strides(x), BLOCK=BLOCK, num_warps=4,
    )  # fmt: skip
    return out.reshape(*batch, M, width)[..., :N]
