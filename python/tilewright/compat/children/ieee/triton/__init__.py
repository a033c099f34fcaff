"""`import triton` in a process that a program with `tilewright.compat` has started."""

import importlib.metadata

import tilewright.compat

is_tilewright = True  # this module, until the next line replaces it
tilewright.compat.install("ieee", importlib.metadata.version("triton"))
