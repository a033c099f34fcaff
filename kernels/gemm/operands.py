"""Operands of matmuls on the host: types, batches, and copies of arrays with unsuitable layouts."""

import math
from dataclasses import dataclass

import numpy as np

from .._arrays import dtype_name, library, on_gpu, strides
from .rows import with_aligned_rows

TYPES = ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8")

# From this many multiplications on, operands with unaligned rows are copied: the copy against unaligned loads. See
# benchmarks/notes/kernel-library.md.
COPY_FROM = 3 * 2**26


def check_operands(a, b):
    """Raises ValueError or TypeError unless the kernels support a @ b."""
    if library(a) is not library(b):
        raise TypeError(f"a is an array of {library(a).__name__}, b of {library(b).__name__}")
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"expected shapes (..., M, K) and (..., K, N), got {tuple(a.shape)} and {tuple(b.shape)}"
        )
    left, right = dtype_name(a), dtype_name(b)
    if left != right and not (left.startswith("float8") and right.startswith("float8")):
        raise TypeError(f"a is {left}, b is {right}, expected one type")
    if left not in TYPES:
        raise TypeError(f"a and b are {left}, expected one of {', '.join(TYPES)}")


def batch_shape(**arrays):
    """Returns the broadcast shape of the leading dimensions. Raises ValueError if they do not broadcast."""
    if all(x.ndim == 2 for x in arrays.values()):
        return ()
    shapes = {name: tuple(x.shape[:-2]) for name, x in arrays.items()}
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {tuple(arrays[name].shape)}" for name in shapes)
        raise ValueError(f"the leading dimensions do not broadcast: {listed}") from None


def broadcast_view(x, shape):
    """Returns a view of ``x`` that is broadcast to ``shape``."""
    if tuple(x.shape) == tuple(shape):
        return x
    return x.expand(shape) if library(x).__name__ == "torch" else library(x).broadcast_to(x, shape)


def transposed(x):
    """Returns a view of ``x`` with its last two dimensions exchanged."""
    return x.swapaxes(-1, -2)


def with_fast_layout(a, *rights, work, precision):
    """Returns the operands of a @ right, copied to aligned rows where that pays for ``work`` multiplications.

    Tensor cores need operands that are contiguous along k, but for 16-bit types. float32 needs no copies along k for
    "ieee" (CUDA cores) and "tf32x3" (operands in registers).
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
    """A batch of matmuls as a matrix of ``outer`` rows and ``inner`` columns.

    Attributes:
        strides: the two strides of each array in elements.
        steps: bits of each array: bit 0 if the stride along rows is not 0, bit 1 if that along columns is not.
    """

    outer: int
    inner: int
    strides: tuple
    steps: tuple

    @property
    def count(self):
        """Number of matmuls."""
        return self.outer * self.inner


def batch_of(arrays, shape):
    """Returns the :class:`Batch` of ``arrays`` with the leading dimensions ``shape``.

    None if the batch needs more than two strides.
    """
    if not shape:
        return Batch(1, 1, ((0, 0),) * len(arrays), (0,) * len(arrays))
    steps = [strides(x)[:-2] for x in arrays]
    dims = []
    for size, *step in zip(shape, *steps):
        if size == 1:
            continue
        # Merges a dimension with the previous one where the strides of all arrays allow it.
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
    """Returns the number of multiplications of a @ b; ``shape``: that of the batch."""
    return math.prod(shape) * a.shape[-2] * a.shape[-1] * b.shape[-1]
