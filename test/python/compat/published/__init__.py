"""Kernels in Triton's style, of the kinds found in public libraries, run with `import triton`."""

import tilewright.compat

tilewright.compat.install()  # for the modules of this package, which import triton
