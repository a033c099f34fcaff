"""Memory on CUDA devices, as much as kernels need where no array library is installed.

    x = tw.cuda.to_device(np.arange(1024, dtype=np.float32))
    out = tw.cuda.empty(x.shape, x.dtype)
    kernel[(8,)](x, out, 1024)
    print(out.numpy())

Every function raises `tilewright.DriverError` where there is no driver and `OutOfResources` where memory is
short.
"""

import math

import numpy as np

from ._tilewright import cuda as _driver


def is_available():
    """Whether there is a driver and a device."""
    try:
        return _driver.device_count() > 0
    except RuntimeError:
        return False


def device_count():
    """The number of devices."""
    return _driver.device_count()


def synchronize(device=0):
    """Wait for all work of a device; errors of kernels surface here."""
    _driver.synchronize(device)


class DeviceArray:
    """A C-contiguous array in the memory of one device, freed with the object.

    Has `shape`, `dtype` (of NumPy, or of `ml_dtypes`), `device` and the `__cuda_array_interface__`, by which
    kernels and other libraries take it.
    """

    def __init__(self, shape, dtype, device=0):
        self.shape = tuple(int(side) for side in (shape if hasattr(shape, "__len__") else (shape,)))
        if any(side < 0 for side in self.shape):
            raise ValueError(f"the sides of an array are not negative, got {list(self.shape)}")
        self.dtype, self.device = np.dtype(dtype), device
        self.nbytes = math.prod(self.shape) * self.dtype.itemsize
        self.address = 0
        self.address = _driver.alloc(device, self.nbytes)

    def __del__(self):
        if getattr(self, "address", 0):
            _driver.free(self.device, self.address)

    @property
    def __cuda_array_interface__(self):
        """Version 3 of the interface."""
        data = (self.address, False)
        return {"shape": self.shape, "typestr": self.dtype.str, "data": data, "strides": None, "version": 3}

    def copy_from(self, array):
        """Copy a NumPy array of the same shape and dtype into this one, which is given back."""
        if array.shape != self.shape or array.dtype != self.dtype:
            raise ValueError(
                f"cannot copy {array.dtype} of shape {list(array.shape)} "
                f"to {self.dtype} of shape {list(self.shape)}"
            )
        source = np.ascontiguousarray(array)
        _driver.copy_to_device(self.device, self.address, source.ctypes.data, self.nbytes)
        return self

    def numpy(self):
        """The content as a NumPy array, when the work before on the default stream is done."""
        array = np.empty(self.shape, self.dtype)
        _driver.copy_to_host(self.device, array.ctypes.data, self.address, self.nbytes)
        return array

    def __repr__(self):
        return f"<tilewright array of {self.dtype}, shape {list(self.shape)}, on CUDA device {self.device}>"


def empty(shape, dtype=np.float32, device=0):
    """An array whose content is not set."""
    return DeviceArray(shape, dtype, device)


def to_device(array, device=0):
    """A copy of a NumPy array on a device."""
    array = np.asarray(array)
    return DeviceArray(array.shape, array.dtype, device).copy_from(array)
