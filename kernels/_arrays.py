"""Queries and checks of arrays from NumPy, PyTorch or CuPy."""

import importlib
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
