"""Compiling ahead of time: from a kernel and a signature to code, without arrays and without a GPU."""

from .compile import EMITTED, NoAssembler, compile, default_stage, write
from .load import KernelNotFound, load_function, load_kernel
from .signature import SignatureError, parse_signature

__all__ = [
    "EMITTED",
    "KernelNotFound",
    "NoAssembler",
    "SignatureError",
    "compile",
    "default_stage",
    "load_function",
    "load_kernel",
    "parse_signature",
    "write",
]
