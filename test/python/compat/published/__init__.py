"""Kernels of public kinds in Triton's style, as libraries of kernels have them, run with `import triton`."""

import tilewright.compat

tilewright.compat.install()  # for the modules of this package, which import triton
