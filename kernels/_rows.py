"""Kernels over rows, the last dimension of an array: how they see arrays, and the samples of their declarations."""

import math

from ._arrays import contiguous, strides
from ._declaration import Sample

#: Maximum length of a row that stays in the registers of one program.
MAX_BLOCK = 16384


def as_rows(x):
    """Reshapes ``x`` to a matrix whose rows are its last dimension, and makes the rows contiguous."""
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    if rows.shape[-1] > 1 and strides(rows)[-1] != 1:
        rows = contiguous(rows)
    return rows


def row_warps(block):
    """Returns the warps of a program that holds one row of ``block`` elements in registers: 64 elements per thread.

    It trades parallelism within a row for occupancy: one program loads while another computes. `benchmarks/run.py`
    decides, see benchmarks/notes/kernel-library.md.
    """
    return min(max(block // 2048, 1), 8)


def row_samples(*optional):
    """Yields samples over rows of short, odd and long lengths, also without elements; the long one has these arrays."""
    shapes = [((), 1), ((7,), 100), ((3,), 1024), ((2, 3), 781), ((2,), MAX_BLOCK + 1)]
    empty = [((0,), 5), ((5,), 0), ((2, 0), 3), ((), 0)]
    for leading, n in shapes + empty:
        yield Sample({"...": leading, "n": n}, optional)
    for count in range(len(optional)):
        yield Sample({"...": (4,), "n": 33}, optional[:count])


def row_workloads(*optional):
    """The workloads of kernels over rows."""
    return {
        "cpu": (Sample({"...": (4096,), "n": 4096}, optional), "float32"),
        "gpu": (Sample({"...": (32768,), "n": 8192}, optional), "bfloat16"),
    }
