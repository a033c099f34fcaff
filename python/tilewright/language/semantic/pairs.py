"""Pairs of elements at a distance that is a power of two: the steps of scans, sorts and permutations.

Splitting an axis into (rest, 2, distance) moves no element, and folding the side of 2 away is a reduction
over one bit of the index. Each back end has a good way for that: a GPU does it in registers, with a shuffle
or through shared memory, as the block lies.
"""

from ..dtypes import block_type, dtype, int1, int8, int16, int32, int64
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import emit
from . import arithmetic, compare
from .convert import bitcast, cast, describe
from .promote import broadcast_to_shape, expand_dims
from .reduce import reduce
from .shape import reshape

_SIGNED = {8: int8, 16: int16, 32: int32, 64: int64}


def check_power_of_two(value, axis, what):
    """Raise `LanguageValueError` unless the side of `axis` is a power of two."""
    side = value.shape[axis]
    if side & (side - 1):
        raise LanguageValueError(
            f"{what} needs a side that is a power of two, got {list(value.shape)} along axis {axis}",
            hint="load the block with a power of two and a mask",
        )


def index_along(axis, shape):
    """The int32 index along `axis` at each element of a block of `shape`."""
    index = emit("tile.range", [], block_type(int32, (shape[axis],)), start=0, end=shape[axis])
    for position in range(len(shape)):
        if position != axis:
            index = expand_dims(index, position)
    return broadcast_to_shape(index, shape)


def join(left, right, axis):
    """Two blocks of one type side by side in a new dimension of size 2 at `axis`."""
    shape = left.shape[:axis] + (2,) + left.shape[axis:]
    left, right = (broadcast_to_shape(expand_dims(value, axis), shape) for value in (left, right))
    first = compare.compare("eq", index_along(axis, shape), 0)
    return arithmetic.where(first, left, right)


def split(value, axis):
    """The inverse of `join`."""
    index = index_along(axis, value.shape)

    def combine(lefts, rights):
        in_order = compare.compare("lt", lefts[2], rights[2])
        return [
            arithmetic.where(in_order, lefts[0], rights[0]),
            arithmetic.where(in_order, rights[1], lefts[1]),
            arithmetic.minimum(lefts[2], rights[2]),
        ]

    return tuple(reduce([value, value, index], axis, combine, False)[:2])


def to_bits(value):
    """The elements as signed integers with the same bits; booleans as int8."""
    ty = value.dtype
    if ty.is_bool():
        return cast(value, int8)
    if ty.is_ptr() or ty.primitive_bitwidth not in _SIGNED:
        raise LanguageTypeError(f"blocks of numbers can be reordered, got {describe(value)}")
    return bitcast(value, _SIGNED[ty.primitive_bitwidth])


def signed_type(ty):
    """The signed integer as wide as `ty`."""
    return _SIGNED[ty.primitive_bitwidth]


def from_bits(value, ty: dtype):
    """The inverse of `to_bits`, for elements of type `ty`."""
    return cast(value, int1) if ty.is_bool() else bitcast(value, ty)


def exchange(bits, axis, distance):
    """At each element of integers, the one whose index along `axis` differs in the bit `distance`."""
    shape = bits.shape
    split_shape = shape[:axis] + (shape[axis] // (2 * distance), 2, distance) + shape[axis + 1 :]
    pairs = reshape(bits, split_shape)

    def combine(lefts, rights):
        return [arithmetic.bitwise(lefts[0], rights[0], "arith.xori", "^")]

    both = reduce([pairs], axis + 1, combine, True)[0]
    other = arithmetic.bitwise(broadcast_to_shape(both, split_shape), pairs, "arith.xori", "^")
    return reshape(other, shape)
