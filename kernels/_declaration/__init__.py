"""Declarations of kernels: one description from which checks, tests, benchmarks, pages and operators are made.

Read `arguments.py` (the parts of a declaration), `declaration.py` (the decorator and what a declaration answers),
`shapes.py` and `samples.py`.
"""

from .arguments import FLOATS, Array, ArrayType, Cost, Gradient, Option, Result, Sample, Scalar, Value
from .declaration import Declaration, declarations, declare

__all__ = [
    "FLOATS",
    "Array",
    "ArrayType",
    "Cost",
    "Declaration",
    "Gradient",
    "Option",
    "Result",
    "Sample",
    "Scalar",
    "Value",
    "declarations",
    "declare",
]
