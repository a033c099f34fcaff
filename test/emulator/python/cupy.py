"""Arrays in the memory of the emulated GPU, with as much of CuPy's interface as the kernels ask for."""

import ctypes
import os

import numpy as np

_driver = ctypes.CDLL(os.environ["TILEWRIGHT_LIBCUDA"])
_driver.cuMemAlloc_v2.argtypes = [ctypes.POINTER(ctypes.c_uint64), ctypes.c_size_t]
_driver.cuMemFree_v2.argtypes = [ctypes.c_uint64]


class _Memory:
    """Bytes that the emulated driver gave, for NumPy to look at."""

    def __init__(self, size):
        pointer = ctypes.c_uint64()
        if _driver.cuMemAlloc_v2(ctypes.byref(pointer), max(size, 1)):
            raise MemoryError(size)
        self.pointer = pointer.value
        self.__array_interface__ = {
            "version": 3,
            "shape": (size,),
            "typestr": "|u1",
            "data": (self.pointer, False),
        }

    def __del__(self):
        _driver.cuMemFree_v2(self.pointer)


class _Device:
    id = 0

    def __str__(self):
        return "cuda:0"


class _Pointer:
    def __init__(self, ptr):
        self.ptr = ptr


class ndarray:
    """A view of memory of the device. What NumPy's arrays have it has, too; what they compute is copied there."""

    def __init__(self, host):
        self.host = host

    T = property(lambda self: ndarray(self.host.T))
    device = property(lambda self: _Device())
    data = property(lambda self: _Pointer(self.data_ptr()))

    def data_ptr(self):
        return self.host.ctypes.data

    def get(self):
        return self.host.copy()

    def __len__(self):
        return len(self.host)

    def __neg__(self):
        return array(-self.host)

    def __getitem__(self, at):
        found = self.host[at]
        return ndarray(found) if isinstance(found, np.ndarray) else found

    def __setitem__(self, at, value):
        self.host[at] = value.host if isinstance(value, ndarray) else value

    def __getattr__(self, name):
        found = getattr(self.host, name)
        return self._on_device(found) if callable(found) else found

    def _on_device(self, method):
        def call(*args, **kwargs):
            made = method(*args, **kwargs)
            if not isinstance(made, np.ndarray):
                return made
            is_view = made.size == 0 or np.shares_memory(made, self.host)
            return ndarray(made) if is_view else array(made)

        return call


def empty(shape, dtype=float):
    shape, dtype = tuple(np.atleast_1d(shape)) if np.size(shape) else (), np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return ndarray(np.asarray(_Memory(size)).view(dtype).reshape(shape))


def array(values, dtype=None):
    values = np.asarray(values.host if isinstance(values, ndarray) else values, dtype)
    made = empty(values.shape, values.dtype)
    made.host[...] = values
    return made


asarray = array


def zeros(shape, dtype=float):
    made = empty(shape, dtype)
    made.host[...] = 0
    return made


def ascontiguousarray(x):
    return x if x.flags.c_contiguous else array(x)


def broadcast_to(x, shape):
    return ndarray(np.broadcast_to(x.host, shape))


class cuda:
    class Device:
        attributes = {"MultiProcessorCount": int(os.environ.get("TILEWRIGHT_EMULATED_MULTIPROCESSORS", 4))}

        def __init__(self, number=0):
            self.id = number
