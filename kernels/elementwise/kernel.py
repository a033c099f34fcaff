"""Sum of two arrays."""

import math

import tilewright as tw
import tilewright.language as tl

from .._arrays import contiguous
from .._calls import launch
from .._declaration import Array, Result, Sample, declare
from . import reference

BLOCK = 2048


@tw.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Each program adds BLOCK elements of x and y."""
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@declare(
    arguments={"x": Array("...", dtypes=None), "y": Array("...", dtypes=None, like="x")},
    results={"out": Result("...", dtype="x", dtypes="same")},
    reference=reference.add,
    samples=[Sample({"...": shape}) for shape in ((1,), (127,), (2048,), (3, 1001), (5, 7, 33), (0, 4), ())],
    workloads={
        "cpu": (Sample({"...": (1 << 24,)}), "float32"),
        "gpu": (Sample({"...": (1 << 28,)}), "float32"),
    },
)
def add(x, y, out=None):
    """Returns ``x + y`` for two arrays of one shape and type.

    Args:
        x, y: arrays of any shape; copied if they are not C-contiguous.
        out: C-contiguous array for the result, of the shape and type of ``x``; allocated by default.

    Raises:
        TypeError: the arrays come from different libraries or have different types.
        ValueError: their shapes differ, or ``out`` is not contiguous.
    """
    x, y = contiguous(x), contiguous(y)
    n = math.prod(x.shape)
    launch(add_kernel, (tw.cdiv(n, BLOCK),), out, x, y, n, BLOCK=BLOCK, num_warps=8)
