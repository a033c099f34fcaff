"""The front end: kernels in Python to the `tile` dialect."""

from .compile import TileModule, compile_to_tile
from .errors import CompilationError, Frame, from_diagnostics
from .function import KernelFunction
from .source import source_of

__all__ = [
    "CompilationError",
    "Frame",
    "KernelFunction",
    "TileModule",
    "compile_to_tile",
    "from_diagnostics",
    "source_of",
]
