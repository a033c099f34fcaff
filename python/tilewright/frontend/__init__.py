"""The front end: kernels in Python to the `tile` dialect."""

from ..language.function import KernelFunction
from .diagnostics import from_diagnostics
from .errors import CompilationError, Frame

__all__ = [
    "CompilationError",
    "Frame",
    "KernelFunction",
    "TileModule",
    "compile_to_tile",
    "from_diagnostics",
    "source_of",
]

# Imported when a kernel is compiled, not when one is defined.
_ON_DEMAND = {"TileModule": "compile", "compile_to_tile": "compile", "source_of": "source"}


def __getattr__(name):
    import importlib

    if name in _ON_DEMAND:
        return getattr(importlib.import_module(f"{__name__}.{_ON_DEMAND[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
