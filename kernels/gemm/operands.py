"""Operands of matmuls on the host: types, batches, and copies of arrays with unsuitable layouts."""

import math
from dataclasses import dataclass

from .._arrays import library, on_gpu, strides
from .._declaration import Array, Cost, Option, Value
from ..activation.functions import gelu_erf, gelu_tanh, relu, silu_fn
from .rows import with_aligned_rows

#: The float8 types may be mixed.
BYTE_FLOATS = ("float8_e4m3fn", "float8_e5m2")
TYPES = ("float32", "float16", "bfloat16", *BYTE_FLOATS, "int8")
ACTIVATIONS = {"none": None, "relu": relu, "gelu": gelu_erf, "gelu_tanh": gelu_tanh, "silu": silu_fn}
PRECISIONS = ("ieee", "tf32", "tf32x3")

#: Arguments that all matmuls share.
ACTIVATION = Option(tuple(ACTIVATIONS), other="a function of @tw.jit")
PRECISION = Option(PRECISIONS)
OUT_DTYPE = Value("a dtype or its name", schema="ScalarType")
CONFIG = Value("a Config, or a dict of its fields")
#: Largest relative errors by the type of the operands; sums of products of int8 are exact.
TOLERANCE = {"float32": 2e-6, "float16": 1.5e-3, "bfloat16": 1e-2}

# From this many multiplications on, operands with unaligned rows are copied: the copy against unaligned loads. See
# benchmarks/notes/kernel-library.md.
COPY_FROM = 3 * 2**26


def matrix(shape, like="a"):
    """Declares an operand that has the type of another."""
    return Array(shape, dtypes=TYPES, like=like, mixes=BYTE_FLOATS)


def vector(shape, **options):
    """Declares an array of the epilogue, of any type."""
    return Array(shape, dtypes=None, **options)


def work(count):
    """Returns the cost function of ``count`` dots of ``a`` for each result."""

    def cost(given, made, traffic):
        return Cost(traffic, 2 * count * math.prod(made["out"].shape) * given["a"].shape[-1])

    return cost


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
