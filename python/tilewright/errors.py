"""Errors of compiling for, loading on and launching on a device.

Wrong arguments of a launch are plain `TypeError` and `ValueError`, as for any Python function. Errors of a
kernel's source are `tilewright.CompilationError`, which is one of these, too.
"""


class TilewrightError(RuntimeError):
    """Something that the machine or the library refuses."""


class DriverError(TilewrightError):
    """The CUDA driver is missing or too old, or one of its calls failed; the message holds its own words."""


class OutOfResources(TilewrightError):
    """A kernel or an allocation needs more of something (shared memory, registers, memory) than there is."""


class OutOfMemory(OutOfResources, MemoryError):
    """An array does not fit on its device.

    `device` is its number, `requested` the bytes asked for; `free`, `total` (of the device) and `used` (by arrays
    of this process) are bytes at that time, None where the driver did not say.
    """

    device = requested = free = total = used = None


class KernelAssertError(TilewrightError, AssertionError):
    """A `tl.device_assert` of a running kernel failed."""


class CacheError(TilewrightError):
    """The disk cache cannot be used; `TILEWRIGHT_CACHE_DIR` names another directory."""
