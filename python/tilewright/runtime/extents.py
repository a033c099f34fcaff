"""Where arrays lie in memory: what debug mode compares addresses with."""

#: The extent of an array that does not say where it ends.
_UNKNOWN = (0, 2**63 - 1)


def _of_interface(interface, itemsize):
    """By the protocol of `__array_interface__` and `__cuda_array_interface__`."""
    (address, _), shape, strides = interface["data"], interface["shape"], interface.get("strides")
    if strides is None:
        strides, step = [], itemsize
        for side in reversed(shape):
            strides.insert(0, step)
            step *= side
    return _span(address, shape, strides, itemsize)


def _span(address, shape, strides, itemsize):
    """The first byte and the one behind the last, of an array with strides in bytes."""
    if 0 in shape:
        return address, address
    reach = [(side - 1) * stride for side, stride in zip(shape, strides, strict=True)]
    below, above = sum(step for step in reach if step < 0), sum(step for step in reach if step > 0)
    return address + below, address + above + itemsize


def extent(array):
    """The addresses of the first byte of `array` and of the one behind its last; a view is without the rest of what
    it is a view of."""
    if hasattr(array, "data_ptr") and hasattr(array, "element_size"):
        size = array.element_size()
        strides = [stride * size for stride in array.stride()]
        return _span(array.data_ptr(), tuple(array.shape), strides, size)
    for name in ("__cuda_array_interface__", "__array_interface__"):
        interface = getattr(array, name, None)
        if interface is not None:
            return _of_interface(interface, int(interface["typestr"][2:]))
    return _UNKNOWN
