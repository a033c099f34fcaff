"""Compiling ahead of time: from a kernel and a signature to code, without arrays and without a GPU."""

from .compile import EMITTED, NoAssembler, compile, default_stage, write
from .exports import Export, ExportError, Variant, export, exports_of
from .library import compile_library
from .load import KernelNotFound, load_function, load_kernel, load_module
from .loading import LibraryError, LoadedLibrary, load
from .package import write_library
from .signature import SignatureError, parse_signature

__all__ = [
    "EMITTED",
    "Export",
    "ExportError",
    "KernelNotFound",
    "LibraryError",
    "LoadedLibrary",
    "NoAssembler",
    "SignatureError",
    "Variant",
    "compile",
    "compile_library",
    "default_stage",
    "export",
    "exports_of",
    "load",
    "load_function",
    "load_kernel",
    "load_module",
    "parse_signature",
    "write",
    "write_library",
]
