"""Comparisons."""

from ..dtypes import int1, with_scalar
from ..ir import I64, emit
from .promote import operands

# name -> (symbol, predicate of cmpf, of cmpi signed, of cmpi unsigned), as the enums of `arith` number them.
# `!=` alone is true on NaN.
_PREDICATES = {
    "eq": ("==", 1, 0, 0),
    "ne": ("!=", 13, 1, 1),
    "lt": ("<", 4, 2, 6),
    "le": ("<=", 5, 3, 7),
    "gt": (">", 2, 4, 8),
    "ge": (">=", 3, 5, 9),
}


def compare(name, left, right):
    """An int1 for each pair of elements; `name` is eq, ne, lt, le, gt or ge."""
    symbol, floating, signed, unsigned = _PREDICATES[name]
    left, right = operands(left, right, symbol)
    result = with_scalar(left.type, int1)
    if left.dtype.is_floating():
        return emit("arith.cmpf", [left, right], result, predicate=I64(floating))
    code = unsigned if left.dtype.is_int_unsigned() else signed
    return emit("arith.cmpi", [left, right], result, predicate=I64(code))
