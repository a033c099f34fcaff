"""Functions that put blocks together and take them apart along a minor dimension of size 2."""

from .builtin import builtin
from .dtypes import int1, int8
from .errors import LanguageTypeError, LanguageValueError
from .semantic import arithmetic, compare, convert, promote
from .semantic import pairs as _pairs
from .semantic import shape as _shape
from .tensor import tensor


def _same_dtype(left, right, what):
    left, right = convert.to_tensor(left), convert.to_tensor(right)
    if left.dtype == right.dtype:
        return left, right
    if left.dtype.is_ptr() or right.dtype.is_ptr():
        raise LanguageTypeError(f"{what} cannot mix {left.dtype} and {right.dtype}")
    common = promote.computation_type(left.dtype, right.dtype)
    return convert.cast(left, common), convert.cast(right, common)


@builtin
def join(a, b):
    """`a` and `b` stacked along a new last dimension of size 2. They broadcast and promote.

    Two scalars give a block of shape (2,).

    Example:

        >>> tl.join(tl.arange(0, 4), tl.arange(4, 8))
        int32 [[0, 4], [1, 5], [2, 6], [3, 7]]
        >>> tl.join(1.0, 2.0)
        float32 [1.0, 2.0]
    """
    a, b = promote.broadcast_pair(*_same_dtype(a, b, "tl.join"))
    if not a.type.is_block():
        a, b = (promote.splat(value, (1,)) for value in (a, b))
        return _shape.reshape(_pairs.join(a, b, 1), (2,))
    return _pairs.join(a, b, len(a.shape))


@builtin
def split(a):
    """The two blocks that `tl.join` stacks to `a`; two scalars for a block of shape (2,).

    Raises `LanguageValueError` unless the last dimension of `a` is 2.

    Example:

        >>> x = tl.reshape(tl.arange(0, 8), (4, 2))
        >>> tl.split(x)
        int32 [0, 2, 4, 6]
        int32 [1, 3, 5, 7]
    """
    if not isinstance(a, tensor) or not a.type.is_block():
        raise LanguageTypeError(f"tl.split takes a block, got {convert.describe(a)}")
    if a.shape[-1] != 2:
        raise LanguageValueError(f"tl.split needs a last dimension of 2, got {list(a.shape)}")
    if a.dtype.is_bool():
        halves = _pairs.split(convert.cast(a, int8), len(a.shape) - 1)
        return tuple(convert.cast(half, int1) for half in halves)
    return _pairs.split(a, len(a.shape) - 1)


@builtin
def interleave(a, b):
    """The elements of `a` and `b` alternating along the last axis, which becomes twice as long.

    Two scalars give a block of shape (2,).

    Example:

        >>> tl.interleave(tl.arange(0, 4), tl.arange(4, 8))
        int32 [0, 4, 1, 5, 2, 6, 3, 7]
    """
    joined = join(a, b)
    if len(joined.shape) == 1:
        return joined
    return _shape.reshape(joined, (*joined.shape[:-2], 2 * joined.shape[-2]))


@builtin
def cat(input, other, can_reorder=False, dim=0):
    """`input` and then `other` along the axis `dim`. Their other dimensions are equal.

    `can_reorder` allows any order of the elements; the order is kept all the same. Raises
    `LanguageValueError` if other dimensions differ.

    Example:

        >>> tl.cat(tl.arange(0, 4), tl.arange(4, 8))
        int32 [0, 1, 2, 3, 4, 5, 6, 7]
        >>> x = tl.reshape(tl.arange(0, 4), (2, 2))
        >>> tl.cat(x, x, dim=1)
        int32 [[0, 1, 0, 1], [2, 3, 2, 3]]
        >>> tl.cat(tl.arange(0, 3), tl.full((1,), 7, tl.int32))
        int32 [0, 1, 2, 7]
    """
    input, other = _same_dtype(input, other, "tl.cat")
    if not input.type.is_block() or len(input.shape) != len(other.shape):
        raise LanguageValueError(f"tl.cat takes two blocks of one rank, got {input.type} and {other.type}")
    axis = _shape.as_axis(dim, len(input.shape), "tl.cat")
    before, after = input.shape[:axis], input.shape[axis + 1 :]
    if (before, after) != (other.shape[:axis], other.shape[axis + 1 :]):
        raise LanguageValueError(
            f"tl.cat along axis {axis} takes blocks whose other dimensions are equal, got {input.type} and {other.type}"
        )
    first, size = input.shape[axis], input.shape[axis] + other.shape[axis]
    if size == 2 * first:
        return _shape.reshape(_pairs.join(input, other, axis), (*before, size, *after))
    is_first = compare.compare("lt", _pairs.index_along(axis, (*before, size, *after)), first)
    return arithmetic.where(
        is_first, _pairs.resize(input, axis, size), _pairs.resize(other, axis, size, -first)
    )


@builtin
def flip(x, dim=None):
    """`x` with its elements along `dim` (default: the last axis) in reverse order.

    Example:

        >>> tl.flip(tl.arange(0, 4))
        int32 [3, 2, 1, 0]
        >>> tl.flip(tl.reshape(tl.arange(0, 4), (2, 2)), dim=0)
        int32 [[2, 3], [0, 1]]
    """
    x = convert.to_tensor(x)
    axis = _shape.as_axis(-1 if dim is None else dim, len(x.shape), "tl.flip")
    flipped = _pairs.from_bits(_pairs.reverse(_pairs.to_bits(x), axis), x.dtype)
    flipped.trace = None if x.trace is None else flip(x.trace, axis)
    return flipped


@builtin
def squeeze(x, dim):
    """`x` without the axis `dim`, whose size is 1.

    Example:

        >>> tl.squeeze(tl.reshape(tl.arange(0, 4), (4, 1)), 1)
        int32 [0, 1, 2, 3]
    """
    axis = _shape.as_axis(dim, len(x.shape), "tl.squeeze")
    if x.shape[axis] != 1:
        raise LanguageValueError(
            f"tl.squeeze removes a dimension of size 1, got axis {dim} of {list(x.shape)}"
        )
    if len(x.shape) == 1:
        raise LanguageValueError("tl.squeeze leaves at least one axis")
    return _shape.reshape(x, x.shape[:axis] + x.shape[axis + 1 :])


@builtin
def unsqueeze(x, dim):
    """`x` with a dimension of size 1 inserted at `dim` of the result, as `expand_dims`.

    Example:

        >>> tl.unsqueeze(tl.arange(0, 4), 0)
        int32 [[0, 1, 2, 3]]
    """
    x = convert.to_tensor(x)
    return promote.expand_dims(x, _shape.as_axis(dim, len(x.shape) + 1, "tl.unsqueeze"))
