"""Pairs of elements at a distance that is a power of two: the steps of scans, sorts and permutations.

Splitting an axis into (rest, 2, distance) moves no element. Folding the dimension of size 2 is a reduction over one bit
of the index, which each back end does well: a GPU in registers, by a shuffle or through shared memory, depending on the
layout. A dimension that is no power of two is padded to the next one first and cut off at the end.
"""

from ..dtypes import block_type, dtype, int1, int8, int16, int32, int64
from ..errors import LanguageTypeError
from ..ir import emit
from . import arithmetic, compare
from .convert import bitcast, cast, describe
from .promote import broadcast_to_shape, expand_dims
from .reduce import reduce
from .shape import reshape

_SIGNED = {8: int8, 16: int16, 32: int32, 64: int64}


def whole_dim(size):
    """The least power of two that is not below `size`."""
    return 1 << (size - 1).bit_length()


def resize(value, axis, size, start=0):
    """`size` elements of `value` along `axis`, from index `start` on.

    Indices out of range repeat the first or the last element.
    """
    last, shape = value.shape[axis] - 1, value.shape[:axis] + (size,) + value.shape[axis + 1 :]
    if shape == value.shape and start == 0:
        return value
    index = arithmetic.add(index_along(axis, shape), start, False)
    if start < 0:
        index = arithmetic.maximum(index, 0)
    if start + size - 1 > last:
        index = arithmetic.minimum(index, last)
    return pick(value, index, axis)


def pick(value, index, axis):
    """The elements of `value` at `index`, known to be inside, along `axis`."""
    return emit("tile.gather", [value, index], block_type(value.dtype, index.shape), axis=axis)


def index_along(axis, shape):
    """The int32 index along `axis` at each element of a block of `shape`."""
    index = emit("tile.range", [], block_type(int32, (shape[axis],)), start=0, end=shape[axis])
    for position in range(len(shape)):
        if position != axis:
            index = expand_dims(index, position)
    return broadcast_to_shape(index, shape)


def join(left, right, axis):
    """Stacks two blocks of one type along a new dimension of size 2 at `axis`."""
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
    """Replaces each integer by the one whose index along `axis` differs in the bit `distance`."""
    shape = bits.shape
    split_shape = shape[:axis] + (shape[axis] // (2 * distance), 2, distance) + shape[axis + 1 :]
    pairs = reshape(bits, split_shape)

    def combine(lefts, rights):
        return [arithmetic.bitwise(lefts[0], rights[0], "arith.xori", "^")]

    both = reduce([pairs], axis + 1, combine, True)[0]
    other = arithmetic.bitwise(broadcast_to_shape(both, split_shape), pairs, "arith.xori", "^")
    return reshape(other, shape)


def reverse(bits, axis):
    """Integers in reverse order along `axis`."""
    size = bits.shape[axis]
    if whole_dim(size) != size:
        index = arithmetic.sub(size - 1, index_along(axis, bits.shape), False)
        return pick(bits, index, axis)
    distance = size // 2
    while distance:
        bits = exchange(bits, axis, distance)
        distance //= 2
    return bits
