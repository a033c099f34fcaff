"""The NumPy interpreter: kernels as plain Python, so that `print` and `pdb` work in them.

It shares the language with the compiler (types, promotion, broadcasting) and nothing below: every operation
is evaluated at once on NumPy arrays, and loads and stores are checked against the bounds of the arguments.
"""

from .kernel import InterpretedKernel, interpret, launch
from .memory import OutOfBounds

__all__ = ["InterpretedKernel", "OutOfBounds", "interpret", "launch"]
