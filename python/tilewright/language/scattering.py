"""`tl.scatter`.

The index gives the destination of each source element, but a block is built by gathering the source of each destination.
So the index is inverted. It is sorted together with its own positions, and a binary search finds each destination in it.
Of equal destinations the last one is found, on every back end.
"""

from .builtin import builtin
from .dtypes import block_type, int32, int64
from .errors import LanguageTypeError, LanguageValueError
from .semantic import arithmetic, choose, compare, convert, pairs, promote
from .semantic import shape as _shape
from .sorting import sort_keys

_WHAT = "tl.scatter"


def _to_last(value, axis):
    order = [dim for dim in range(len(value.shape)) if dim != axis]
    return _shape.permute(value, (*order, axis))


def _from_last(value, axis):
    order = list(range(len(value.shape) - 1))
    return _shape.permute(value, (*order[:axis], len(order), *order[axis:]))


def _check(dst, index, src, axis):
    """The operands as blocks that agree, and the axis from 0."""
    choose.check_block(dst, f"the destination of {_WHAT}")
    choose.check_index(dst, index, _WHAT, "destination")
    axis = _shape.as_axis(axis, len(dst.shape), _WHAT)
    choose.check_dims(dst, index, axis, _WHAT, "destination")
    src = convert.to_tensor(src)
    if src.dtype.is_ptr() != dst.dtype.is_ptr() or (src.dtype.is_ptr() and src.dtype != dst.dtype):
        raise LanguageTypeError(f"{_WHAT} cannot put {convert.describe(src)} into a block of {dst.dtype}")
    try:
        src = promote.broadcast_to_shape(convert.cast(src, dst.dtype), index.shape)
    except LanguageValueError:
        raise LanguageValueError(
            f"the elements and the index of {_WHAT} have one shape, got {list(src.shape)} and {list(index.shape)}"
        ) from None
    return src, axis


def _keys(index, size):
    """Sort keys: the index along the last axis, and the position in the low bits. Returns the keys and the number of
    position bits."""
    bits = (index.shape[-1] - 1).bit_length()
    wide = int32 if (size + 1) << bits < 1 << 31 else int64
    index = convert.cast(index, int64)
    inside = arithmetic.logical(
        compare.compare("ge", index, 0), compare.compare("lt", index, size), "arith.andi"
    )
    index = convert.cast(arithmetic.where(inside, index, size), wide)
    position = convert.cast(pairs.index_along(len(index.shape) - 1, index.shape), wide)
    return arithmetic.bitwise(arithmetic.shift(index, bits, "<<"), position, "arith.ori", "|"), bits


def _count_below(keys, limits):
    """The number of sorted `keys` below each of `limits`, by a binary search bit by bit."""
    axis, size = len(keys.shape) - 1, keys.shape[-1]
    count = convert.constant(0, block_type(int32, limits.shape))
    for step in (1 << bit for bit in reversed(range(size.bit_length()))):
        more = arithmetic.add(count, step, False)
        last = arithmetic.minimum(arithmetic.sub(more, 1, False), size - 1)
        exists = compare.compare("le", more, size)
        is_less = compare.compare("lt", pairs.pick(keys, last, axis), limits)
        count = arithmetic.where(arithmetic.logical(exists, is_less, "arith.andi"), more, count)
    return count


@builtin
def scatter(dst, index, src, axis):
    """The block `dst` with elements of `src` at the positions along `axis` that `index` names.

    The result has `src[i, j]` at `[index[i, j], j]` for axis 0 and at `[i, index[i, j]]` for axis 1, and elements of
    `dst` where `index` names none: the inverse of `tl.gather`. `index` is a block of integers of the
    rank of `dst`, with the same other dimensions. `src`, of its shape or one that broadcasts to it, is converted to
    the type of `dst`. If `index` names a position more than once, the last element wins. Negative values and values
    not below the size of `dst` are ignored. The cost is that of sorting `index`: `tl.store` to `pointers + index` is
    faster where memory is available. Raises `LanguageTypeError` and `LanguageValueError`.

    Example:

        >>> index = 3 - tl.arange(0, 4)
        >>> tl.scatter(tl.zeros((6,), tl.int32), index, tl.arange(0, 4) * 10, axis=0)
        int32 [30, 20, 10, 0, 0, 0]
        >>> x = tl.zeros((2, 3), tl.int32)
        >>> tl.scatter(x, tl.reshape(tl.arange(0, 2), (2, 1)), 7, axis=1)
        int32 [[7, 0, 0], [0, 7, 0]]
    """
    src, axis = _check(dst, index, src, axis)
    dst, index, src = (_to_last(value, axis) for value in (dst, index, src))
    last, size = len(dst.shape) - 1, dst.shape[-1]
    keys, bits = _keys(index, size)
    keys = sort_keys(keys, descending=False)
    position = convert.cast(pairs.index_along(last, dst.shape), keys.dtype)
    count = _count_below(keys, arithmetic.shift(arithmetic.add(position, 1, False), bits, "<<"))
    found = pairs.pick(keys, arithmetic.maximum(arithmetic.sub(count, 1, False), 0), last)
    is_here = compare.compare("eq", arithmetic.shift(found, bits, ">>"), position)
    is_here = arithmetic.logical(is_here, compare.compare("gt", count, 0), "arith.andi")
    origin = convert.cast(arithmetic.bitwise(found, (1 << bits) - 1, "arith.andi", "&"), int32)
    return _from_last(arithmetic.where(is_here, pairs.pick(src, origin, last), dst), axis)
