"""Comparisons."""

import math

from ..dtypes import int1, with_scalar
from ..ir import I64, emit
from ..tensor import tensor
from .convert import to_tensor
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


# Of narrow types, the bits of the digits, and the least and the greatest exponent of normal numbers, as `frexp` has them.
_NARROW_FLOATS = {"fp16": (11, -13, 16), "bf16": (8, -125, 128)}


def _holds(ty, value):
    """Whether a tensor of type `ty` compares the same to the number `value` in its own type as in a wider one."""
    if ty.is_int() and isinstance(value, int):
        return ty.is_bool() or ty.get_int_min_value() <= value <= ty.get_int_max_value()
    if not ty.is_floating() or ty.primitive_bitwidth >= 32 or not isinstance(value, float):
        return True
    if value == 0 or not math.isfinite(value):
        return True
    digits, least, greatest = _NARROW_FLOATS.get(ty.name, (0, 1, 0))
    part, exponent = math.frexp(value)
    return least <= exponent <= greatest and (part * 2**digits).is_integer()


def _typed(value, other):
    """`value`; in Triton a number has a type of its own beside the tensor `other`, by its size."""
    is_number = isinstance(value, (int, float)) and isinstance(other, tensor)
    return to_tensor(value) if is_number and follows_triton() and not _holds(other.dtype, value) else value


def compare(name, left, right):
    """An int1 for each pair of elements; `name` is eq, ne, lt, le, gt or ge."""
    symbol, floating, signed, unsigned = _PREDICATES[name]
    left, right = operands(_typed(left, right), _typed(right, left), symbol)
    result = with_scalar(left.type, int1)
    if left.dtype.is_floating():
        return emit("arith.cmpf", [left, right], result, predicate=I64(floating))
    code = unsigned if left.dtype.is_int_unsigned() else signed
    return emit("arith.cmpi", [left, right], result, predicate=I64(code))
