"""Functions beside the language proper."""

from . import cuda, libdevice

__all__ = ["cuda", "libdevice"]
