"""Operands of products on the host: types, batches, and where an array's memory must be rearranged."""

import math
from dataclasses import dataclass

import numpy as np

from .._arrays import dtype_name, library, on_gpu, strides
from .rows import with_aligned_rows

TYPES = ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8")

# From this many multiplications on it pays to copy operands whose rows are not aligned. With and without copies 501 x
# 503 x 505 halves of precision take 13 and 11 us on an H100, 16 x 4095 x 4095 take 48 and 59; 3001 x 3003 x 3007 take
# six times as long without.
COPY_FROM = 3 * 2**26


def check_operands(a, b):
    """Raises ValueError or TypeError unless a @ b is a product of matrices that the kernels know."""
    if library(a) is not library(b):
        raise TypeError(f"a is an array of {library(a).__name__}, b of {library(b).__name__}")
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"expected shapes (..., M, K) and (..., K, N), got {tuple(a.shape)} and {tuple(b.shape)}"
        )
    left, right = dtype_name(a), dtype_name(b)
    if left != right and not (left.startswith("float8") and right.startswith("float8")):
        raise TypeError(f"a is {left}, b is {right}: both have one type")
    if left not in TYPES:
        raise TypeError(f"a and b are {left}, expected one of {', '.join(TYPES)}")


def batch_shape(**arrays):
    """The shape that the leading dimensions of all arrays stretch to. Raises ValueError where they do not."""
    if all(x.ndim == 2 for x in arrays.values()):
        return ()
    shapes = {name: tuple(x.shape[:-2]) for name, x in arrays.items()}
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {tuple(arrays[name].shape)}" for name in shapes)
        raise ValueError(f"the leading dimensions do not fit each other: {listed}") from None


def stretched(x, shape):
    """A view of ``x`` with the shape ``shape``: missing leading dimensions and dimensions of 1 repeat."""
    if tuple(x.shape) == tuple(shape):
        return x
    return x.expand(shape) if library(x).__name__ == "torch" else library(x).broadcast_to(x, shape)


def turned(x):
    """``x`` with its last two dimensions exchanged."""
    return x.swapaxes(-1, -2)


def prepared(a, *rights, work, precision):
    """The operands of products a @ right as a GPU loads them best, copied where that pays for ``work``
    multiplications.

    Tensor cores read all but 16-bit numbers along k only; float32 numbers as they are ("ieee") go to threads,
    and in parts ("tf32x3") through registers.
    """
    if not on_gpu(a) or work < COPY_FROM:
        return a, *rights
    along_k = a.dtype.itemsize == 1 or (a.dtype.itemsize == 4 and precision == "tf32")
    if not along_k and a.dtype.itemsize > 2 and precision == "ieee":
        return a, *rights
    left = with_aligned_rows(a, -1 if along_k else None)
    return left, *(with_aligned_rows(right, -2 if along_k else None) for right in rights)


@dataclass(frozen=True)
class Batch:
    """Products side by side: a matrix of them, ``outer`` rows and ``inner`` columns.

    Attributes:
        strides: for each array its two strides in elements.
        steps: for each array a bit for each of them that is not 0, that of the rows lowest.
    """

    outer: int
    inner: int
    strides: tuple
    steps: tuple

    @property
    def count(self):
        """How many products there are."""
        return self.outer * self.inner


def batch_of(arrays, shape):
    """The :class:`Batch` of ``arrays``, which step alike through ``shape``; None if it takes more than two
    strides.
    """
    if not shape:
        return Batch(1, 1, ((0, 0),) * len(arrays), (0,) * len(arrays))
    steps = [strides(x)[:-2] for x in arrays]
    dims = []
    for size, *step in zip(shape, *steps):
        if size == 1:
            continue
        # A dimension behind which the next one goes on everywhere is one with it.
        if dims and all(outer == inner * size for outer, inner in zip(dims[-1][1], step)):
            dims[-1] = (dims[-1][0] * size, step)
        else:
            dims.append((size, step))
    if len(dims) > 2:
        return None
    none = (1, [0] * len(arrays))
    (outer, first), (inner, second) = ([none] * 2 + dims)[-2:]
    pairs = tuple(zip(first, second))
    return Batch(outer, inner, pairs, tuple((x != 0) + 2 * (y != 0) for x, y in pairs))


def work_of(a, b, shape):
    """How many multiplications a @ b takes, ``shape`` being that of the batch."""
    return math.prod(shape) * a.shape[-2] * a.shape[-1] * b.shape[-1]
