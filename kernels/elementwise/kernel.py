"""Sum of two arrays."""

import tilewright as tw
import tilewright.language as tl

from .._arrays import check_contiguous, check_same, contiguous, dtype_name, library
from .._calls import launch, new, repeatable

BLOCK = 2048


@tw.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Each program adds BLOCK elements of x and y."""
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@repeatable
def add(x, y, out=None):
    """Returns ``x + y`` for two arrays of one shape and type.

    Args:
        x, y: arrays of any shape; copied if they are not C-contiguous.
        out: C-contiguous array for the result, of the shape and type of ``x``; allocated by default.

    Raises:
        TypeError: the arrays come from different libraries or have different types.
        ValueError: their shapes differ, or ``out`` is not contiguous.
    """
    lib = library(x)
    check_same("y", x.shape, y, x)
    if x.dtype != y.dtype:
        raise TypeError(f"x is {x.dtype} and y is {y.dtype}, expected one type")
    x, y = contiguous(x), contiguous(y)
    out = new(x.shape, x) if out is None else out
    check_same("out", x.shape, out, x)
    if out.dtype != x.dtype:
        raise TypeError(f"out is {dtype_name(out)}, expected {dtype_name(x)}")
    check_contiguous("out", out)
    n = x.numel() if lib.__name__ == "torch" else x.size
    if n:
        launch(add_kernel, (tw.cdiv(n, BLOCK),), out, x, y, n, BLOCK=BLOCK, num_warps=8)
    return out
