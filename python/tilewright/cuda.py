"""CUDA devices: how many there are, and arrays on them; `tilewright.arrays` has the same for any device."""

import numpy as np

from . import arrays
from ._tilewright import cuda as _driver
from .devices import cuda_available as is_available


def device_count():
    """The number of devices."""
    return _driver.device_count()


def synchronize(device=0):
    """Wait for all work of a device; errors of kernels surface here."""
    _driver.synchronize(device)


def empty(shape, dtype=np.float32, device=0):
    """An array on a device whose content is not set. Raises `DriverError` where there is no driver."""
    return arrays.empty(shape, dtype, device)


def to_device(array, device=0):
    """A copy of a NumPy array on a device."""
    return arrays.from_numpy(array, device)


__all__ = ["device_count", "empty", "is_available", "synchronize", "to_device"]
