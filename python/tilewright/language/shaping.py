"""Functions that change the shape of blocks but no element."""

import builtins

from .builtin import builtin
from .errors import LanguageTypeError, LanguageValueError
from .semantic import convert, promote
from .semantic import shape as _shape
from .tensor import tensor


@builtin
def reshape(input, *shape, can_reorder=False):
    """The elements of `input` in row-major order under another shape with as many elements.

    The shape is one sequence or separate arguments. Raises `LanguageValueError` if the counts differ.

    Example:

        >>> tl.reshape(tl.arange(0, 8), (2, 4))
        int32 [[0, 1, 2, 3], [4, 5, 6, 7]]
        >>> tl.arange(0, 8).reshape(4, 2)
        int32 [[0, 1], [2, 3], [4, 5], [6, 7]]
    """
    return _shape.reshape(input, _shape.as_shape(shape, "tl.reshape"))


@builtin
def view(input, *shape):
    """Like `reshape`.

    Example:

        >>> tl.view(tl.arange(0, 8), (2, 4))
        int32 [[0, 1, 2, 3], [4, 5, 6, 7]]
    """
    return _shape.reshape(input, _shape.as_shape(shape, "tl.view"))


@builtin
def ravel(x, can_reorder=False):
    """`x` as a block of rank 1, in row-major order.

    Example:

        >>> tl.ravel(tl.zeros((2, 4), tl.int32))
        int32 [0, 0, 0, 0, 0, 0, 0, 0]
    """
    return _shape.reshape(x, (_shape.numel(x.shape),))


@builtin
def permute(input, *dims):
    """`input` with its axes in the order `dims`: axis `i` of the result is axis `dims[i]` of the input.

    Raises `LanguageValueError` unless `dims` names each axis once.

    Example:

        >>> x = tl.reshape(tl.arange(0, 8), (2, 2, 2))
        >>> tl.permute(x, (2, 0, 1))
        int32 [[[0, 2], [4, 6]], [[1, 3], [5, 7]]]
    """
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = dims[0]
    return _shape.permute(convert.to_tensor(input), dims)


@builtin
def trans(input, *dims):
    """`permute`, which without `dims` swaps the last two axes.

    Example:

        >>> tl.trans(tl.reshape(tl.arange(0, 8), (2, 4)))
        int32 [[0, 4], [1, 5], [2, 6], [3, 7]]
    """
    if not dims:
        rank = len(input.shape)
        if rank < 2:
            raise LanguageValueError(f"tl.trans needs rank 2 or more, got {input.type}")
        dims = (*builtins.range(rank - 2), rank - 1, rank - 2)
    return permute(input, *dims)


@builtin
def expand_dims(input, axis):
    """`input` with a dimension of size 1 inserted at `axis` (or at each of a sequence of axes) of the result.

    Example:

        >>> tl.expand_dims(tl.arange(0, 4), 0)
        int32 [[0, 1, 2, 3]]
        >>> tl.arange(0, 4)[:, None]
        int32 [[0], [1], [2], [3]]
    """
    value = convert.to_tensor(input)
    axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    rank = len(value.shape) + len(axes)
    axes = [_shape.as_axis(entry, rank, "tl.expand_dims") for entry in axes]
    if len(set(axes)) != len(axes):
        raise LanguageValueError(f"tl.expand_dims with duplicate axes, normalized axes = {axes}")
    for entry in sorted(axes):
        value = promote.expand_dims(value, entry)
    return value


@builtin
def broadcast_to(input, *shape):
    """`input` stretched to `shape`: missing leading dimensions are added and dimensions of size 1 repeated.

    Raises `LanguageValueError` if another dimension differs.

    Example:

        >>> tl.broadcast_to(tl.arange(0, 2)[:, None], (2, 4))
        int32 [[0, 0, 0, 0], [1, 1, 1, 1]]
    """
    return promote.broadcast_to_shape(convert.to_tensor(input), _shape.as_shape(shape, "tl.broadcast_to"))


@builtin
def broadcast(input, other):
    """`input` and `other`, both stretched to their common shape.

    Example:

        >>> tl.broadcast(tl.arange(0, 2)[:, None], tl.arange(0, 2)[None, :])
        int32 [[0, 0], [1, 1]]
        int32 [[0, 1], [0, 1]]
    """
    for value in (input, other):
        if not isinstance(value, tensor):
            raise LanguageTypeError(f"tl.broadcast takes blocks and scalars, got {convert.describe(value)}")
    return promote.broadcast_pair(input, other)
