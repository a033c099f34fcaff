"""Functions beside the language proper."""

from . import cuda, libdevice
from .extern import extern_elementwise

__all__ = ["cuda", "extern_elementwise", "libdevice"]
