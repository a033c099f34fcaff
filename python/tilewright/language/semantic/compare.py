"""Comparisons."""

import math

from ..dtypes import int1, with_scalar
from ..ir import I64, emit
from ..tensor import tensor
from .convert import is_literal, to_tensor
from .promote import follows_triton, operands

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


def _holds(ty, value):
    """Whether a tensor of type `ty` compares the same to the number `value` in its own type as in a wider one."""
    if ty.is_int() and isinstance(value, int):
        return ty.is_bool() or ty.get_int_min_value() <= value <= ty.get_int_max_value()
    if not ty.is_floating() or ty.primitive_bitwidth >= 32 or not isinstance(value, float):
        return True
    if value == 0 or not math.isfinite(value):
        return True
    # Floats of 8 bits, whose greatest exponents differ, count as not holding it.
    part, exponent = math.frexp(value)
    is_normal = ty.primitive_bitwidth == 16 and 2 - ty.exponent_bias <= exponent <= ty.exponent_bias + 1
    return is_normal and (part * 2 ** (ty.fp_mantissa_width + 1)).is_integer()


def _typed(value, other):
    """`value`. Under Triton's numerics a number compared with the tensor `other` has its own type, by its size."""
    is_mixed = is_literal(value) and isinstance(other, tensor)
    return to_tensor(value) if is_mixed and follows_triton() and not _holds(other.dtype, value) else value


def compare(name, left, right):
    """An int1 for each pair of elements; `name` is eq, ne, lt, le, gt or ge."""
    symbol, floating, signed, unsigned = _PREDICATES[name]
    left, right = operands(_typed(left, right), _typed(right, left), symbol)
    result = with_scalar(left.type, int1)
    if left.dtype.is_floating():
        return emit("arith.cmpf", [left, right], result, predicate=I64(floating))
    code = unsigned if left.dtype.is_int_unsigned() else signed
    return emit("arith.cmpi", [left, right], result, predicate=I64(code))
