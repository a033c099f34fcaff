"""Extents of arrays in memory, for address checks in debug mode and for checks of descriptors."""

import sys

import numpy as np

#: The module of `Array`: no arrays exist before it is imported.
_ARRAYS = f"{__package__.partition('.')[0]}.arrays"

#: The extent of an array that does not say where it ends.
_UNKNOWN = (0, 2**63 - 1)


def _of_interface(interface, itemsize):
    """By the protocol of `__array_interface__` and `__cuda_array_interface__`."""
    (address, _), shape, strides = interface["data"], interface["shape"], interface.get("strides")
    if strides is None:
        strides, step = [], itemsize
        for size in reversed(shape):
            strides.insert(0, step)
            step *= size
    return _span(address, shape, strides, itemsize)


def _span(address, shape, strides, itemsize):
    """The begin and end addresses of an array with strides in bytes."""
    if 0 in shape:
        return address, address
    reach = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    below, above = sum(step for step in reach if step < 0), sum(step for step in reach if step > 0)
    return address + below, address + above + itemsize


def extent(array):
    """The begin and end addresses of `array`. The extent of a view does not include the rest of its base."""
    if hasattr(array, "data_ptr") and hasattr(array, "element_size"):
        size = array.element_size()
        strides = [stride * size for stride in array.stride()]
        return _span(array.data_ptr(), tuple(array.shape), strides, size)
    for name in ("__cuda_array_interface__", "__array_interface__"):
        interface = getattr(array, name, None)
        if interface is not None:
            return _of_interface(interface, int(interface["typestr"][2:]))
    return _UNKNOWN


def find_room(array, first, last):
    """The number of elements in the memory of `array` before its first element, and from it on; None if unknown.

    Known for arrays of NumPy, torch and Tilewright, and their views. If a contiguous array contains the elements
    `first` and `last`, its base is not inspected.
    """
    if isinstance(array, np.ndarray):
        if array.flags.c_contiguous and first == 0 and last < array.size:
            return 0, array.size
        return _room_of_numpy(array)
    ours = sys.modules.get(_ARRAYS)
    if ours is not None and isinstance(array, ours.Array):
        # Nothing more is known of an import from another library.
        return (0, array.size) if array.is_contiguous and array.holder is not None else None
    torch = sys.modules.get("torch")
    # Not for tensor subclasses, which intercept operations.
    if torch is not None and type(array) in (torch.Tensor, torch.nn.Parameter):
        if first == 0 and array.is_contiguous() and last < array.numel():
            return 0, array.numel()
        before = array.storage_offset()
        return before, array.untyped_storage().nbytes() // array.element_size() - before
    return None


def _room_of_numpy(array):
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if owner.base is not None or owner.dtype.hasobject:
        return None
    before = array.ctypes.data - owner.ctypes.data
    size = array.dtype.itemsize
    return before // size, (owner.nbytes - before) // size
