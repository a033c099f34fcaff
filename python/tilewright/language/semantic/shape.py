"""Shapes and axes."""

from ..dtypes import block_type
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import emit
from ..tensor import known_value
from .convert import constant_hint, describe, to_tensor
from .promote import splat


def as_shape(shape, what):
    """The tuple of ints that a caller gave as one sequence or as separate arguments."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    shape = [known_value(dim) for dim in shape]
    for dim in shape:
        if isinstance(dim, bool) or not isinstance(dim, int):
            raise LanguageTypeError(
                f"the shape of {what} is made of compile-time integers, got {describe(dim)}",
                hint=constant_hint(dim),
            )
    if any(dim <= 0 for dim in shape):
        raise LanguageValueError(f"the dimensions of {what} are positive, got {list(shape)}")
    return tuple(shape)


def as_axis(axis, rank, what):
    """`axis` from 0 to rank - 1; negative ones count from the end."""
    axis = known_value(axis)
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise LanguageTypeError(f"the axis of {what} is a compile-time integer, got {describe(axis)}")
    if not -rank <= axis < rank:
        raise LanguageValueError(f"invalid axis {axis} of {what}, whose rank is {rank}")
    return axis % rank


def numel(shape):
    """How many elements a shape has."""
    count = 1
    for dim in shape:
        count *= dim
    return count


def reshape(value, shape):
    """See `tl.reshape`."""
    value = to_tensor(value)
    if numel(value.shape) != numel(shape):
        raise LanguageValueError(
            f"cannot reshape {list(value.shape)} to {list(shape)}: "
            f"{numel(value.shape)} elements in one and {numel(shape)} in the other"
        )
    if not value.type.is_block():
        return splat(value, shape) if shape else value
    if value.shape == shape:
        return value
    return emit("tile.reshape", [value], block_type(value.dtype, shape))


def permute(value, order):
    """See `tl.permute`."""
    rank = len(value.shape)
    order = tuple(as_axis(axis, rank, "permute") for axis in order) if rank else ()
    if sorted(order) != list(range(rank)):
        raise LanguageValueError(f"permute needs each of the {rank} axes once, got {list(order)}")
    if order == tuple(range(rank)):
        return value
    shape = [value.shape[axis] for axis in order]
    return emit("tile.transpose", [value], block_type(value.dtype, shape), order=list(order))
