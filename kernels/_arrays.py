"""Queries and checks of arrays from NumPy, PyTorch or CuPy."""

import importlib
import math
from functools import lru_cache

import numpy as np


def library(x):
    """Returns the module of the array type: numpy, torch or cupy."""
    return _library_of(type(x))


@lru_cache(maxsize=64)
def _library_of(kind):
    name = kind.__module__.partition(".")[0]
    if name not in ("numpy", "torch", "cupy"):
        raise TypeError(f"expected an array of numpy, torch or cupy, got {kind.__name__}")
    return importlib.import_module(name)


def on_gpu(x):
    """Whether ``x`` is in GPU memory."""
    if library(x).__name__ == "torch":
        return x.is_cuda
    return library(x).__name__ == "cupy"


def empty(shape, like, dtype=None):
    """Returns an uninitialised C-contiguous array of ``like``'s library, device and (by default) type."""
    dtype = like.dtype if dtype is None else dtype
    lib = library(like)
    if lib.__name__ == "torch":
        return lib.empty(shape, dtype=dtype, device=like.device)
    return lib.empty(shape, dtype=dtype)


def dtype_name(x):
    """Returns the name of the dtype of ``x``, an array or a dtype, without its library."""
    return _name_of(getattr(x, "dtype", x))


@lru_cache(maxsize=64)
def _name_of(dtype):
    return str(dtype).removeprefix("torch.")


def as_dtype(dtype, like):
    """Returns ``dtype``, a dtype or its name, in ``like``'s library. Raises TypeError for unknown names."""
    name = dtype if isinstance(dtype, str) else dtype_name(dtype)
    if library(like).__name__ == "torch":
        found = getattr(library(like), name, None)
        if not isinstance(found, library(like).dtype):
            raise TypeError(f"torch has no type {name!r}")
        return found
    if name.startswith(("bfloat16", "float8")):
        return np.dtype(getattr(importlib.import_module("ml_dtypes"), name))
    return np.dtype(name)


def multiprocessors(x):
    """Returns the number of multiprocessors of the GPU of ``x``."""
    if library(x).__name__ == "torch":
        return _multiprocessors("torch", x.device.index)
    return _multiprocessors("cupy", x.device.id)


@lru_cache(maxsize=64)
def _multiprocessors(name, device):
    module = importlib.import_module(name)
    if name == "torch":
        return module.cuda.get_device_properties(device).multi_processor_count
    return module.cuda.Device(device).attributes["MultiProcessorCount"]


def strides(x):
    """Strides of ``x`` in elements."""
    if library(x).__name__ == "torch":
        return x.stride()
    return tuple(stride // x.itemsize for stride in x.strides)


def address(x):
    """Returns the address of the first element of ``x``."""
    name = library(x).__name__
    if name == "torch":
        return x.data_ptr()
    return x.data.ptr if name == "cupy" else x.ctypes.data


def contiguous(x):
    """Returns ``x`` if it is C-contiguous, else a copy that is."""
    return x.contiguous() if library(x).__name__ == "torch" else library(x).ascontiguousarray(x)


def as_rows(x):
    """Reshapes ``x`` to a matrix whose rows are its last dimension, and makes the rows contiguous."""
    if library(x) and x.ndim == 0:
        raise ValueError("expected an array of rank 1 or more, got a scalar")
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


def check_same(name, expected, x, like):
    """Raises ValueError or TypeError unless ``x`` has the shape ``expected`` and ``like``'s library."""
    if library(x) is not library(like):
        raise TypeError(f"{name} is an array of {library(x).__name__}, expected {library(like).__name__}")
    if tuple(x.shape) != tuple(expected):
        raise ValueError(f"{name} has shape {tuple(x.shape)}, expected {tuple(expected)}")


#: Types of arrays; all are computed in float32 and rounded once.
FLOATS = ("float16", "bfloat16", "float32")


def check_floats(x):
    """Raises TypeError unless ``x`` is an array of one of ``FLOATS``."""
    if library(x) and dtype_name(x) not in FLOATS:
        raise TypeError(f"expected an array of {', '.join(FLOATS)}, got {dtype_name(x)}")


def check_contiguous(name, x):
    """Raises ValueError unless ``x`` is C-contiguous."""
    if not (x.is_contiguous() if library(x).__name__ == "torch" else x.flags.c_contiguous):
        raise ValueError(f"{name} must be C-contiguous, its strides are {tuple(strides(x))}")


def check_float_out(out, shape, like):
    """Raises ValueError or TypeError unless ``out`` is an array of floats of this shape."""
    check_same("out", shape, out, like)
    if dtype_name(out) not in FLOATS:
        raise TypeError(f"out is {dtype_name(out)}, expected {', '.join(FLOATS)}")


def check_out(out, shape, like):
    """As :func:`check_float_out`, and raises ValueError unless ``out`` is C-contiguous."""
    check_float_out(out, shape, like)
    check_contiguous("out", out)


def check_no_overlap(name, x):
    """Raises ValueError where elements of ``x`` may share memory, as those of an expanded array do."""
    steps, reach = strides(x), 0
    if 0 in x.shape:
        return
    for stride, size in sorted((abs(step), size) for step, size in zip(steps, x.shape) if size > 1):
        if stride <= reach:
            raise ValueError(
                f"elements of {name} share memory: its shape is {tuple(x.shape)}, "
                f"its strides are {tuple(steps)}; pass a copy"
            )
        reach += (size - 1) * stride


def check_not_aliased(out, **inputs):
    """Raises ValueError if ``out`` starts at the address of an input that is read while ``out`` is written."""
    for name, x in inputs.items():
        if x is not None and address(x) == address(out) and math.prod(out.shape) and math.prod(x.shape):
            raise ValueError(f"out is {name}, which is read while out is written")
