"""Functions beside the language proper."""

from . import libdevice

__all__ = ["libdevice"]
