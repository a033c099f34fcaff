"""Tilewright: a block-based kernel language in Python and a compiler for it, for NVIDIA GPUs and any CPU.

import tilewright as tw
import tilewright.language as tl

@tw.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)

add[(tw.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)   # NumPy arrays: the CPU; CUDA tensors: their GPU
"""

from . import knobs
from .errors import (
    CacheError,
    DriverError,
    KernelAssertError,
    OutOfMemory,
    OutOfResources,
    TilewrightError,
)
from .frontend.errors import CompilationError
from .runtime.blocks import cdiv, next_power_of_2
from .runtime.jit import JITFunction, jit

__all__ = [
    "CacheError",
    "CompilationError",
    "DriverError",
    "JITFunction",
    "KernelAssertError",
    "OutOfMemory",
    "OutOfResources",
    "TilewrightError",
    "cdiv",
    "jit",
    "knobs",
    "next_power_of_2",
]

# Imported when first used: none of them is needed to launch a kernel.
_ON_DEMAND = ("aot", "compat", "cuda", "kernels", "testing", "tuning")
_FROM = {
    **dict.fromkeys(("AutotunerError", "Config", "Space", "autotune", "heuristics"), "tuning"),
    **dict.fromkeys(("Array", "empty", "from_dlpack", "from_numpy", "pinned", "to_numpy", "zeros"), "arrays"),
    **dict.fromkeys(("Event", "Graph", "Stream", "current_stream"), "streams"),
    **dict.fromkeys(("device_info", "memory_info", "trim_memory"), "devices"),
    "LibraryError": "aot",
    "TensorDescriptor": "runtime.descriptor",
    "compile_hook": "hooks",
    "launch_hook": "hooks",
    "profile": "profiling",
    "interpret": "interpreter",
    "load": "aot",
    "__version__": "_tilewright",
}


def _import_interpreter():
    from . import interpreter

    return interpreter


JITFunction.import_interpreter = staticmethod(_import_interpreter)


def __getattr__(name):
    import importlib

    if name in _ON_DEMAND:
        return importlib.import_module(f"tilewright.{name}")
    if name in _FROM:
        return getattr(importlib.import_module(f"tilewright.{_FROM[name]}"), name)
    raise AttributeError(f"module 'tilewright' has no attribute {name!r}")
