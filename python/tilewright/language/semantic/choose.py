"""Elements chosen by index, and counts of them."""

from ..dtypes import block_type, int32, int64
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import builder, emit, emit_effect
from . import arithmetic, compare
from .convert import cast, describe, to_bool, to_tensor
from .promote import broadcast_to_shape
from .shape import as_axis


def check_block(value, what):
    """Raise unless `value` is a block."""
    from ..tensor import tensor

    if not isinstance(value, tensor) or not value.type.is_block():
        raise LanguageTypeError(f"{what} is a block, got {describe(value)}")


def _check_inside(index, size):
    """Asserts that the elements of `index` are in [0, size)."""
    if not builder().debug:
        return
    index = cast(index, int64)
    below = compare.compare("lt", index, size)
    inside = arithmetic.logical(compare.compare("ge", index, 0), below, "arith.andi")
    emit_effect("tile.assert", [inside], message=f"an index of tl.gather is outside of [0, {size})")


def check_index(value, index, what, role):
    """Raises unless `index` is a block of integers of the rank of `value`. `role` names `value` in errors of `what`."""
    check_block(index, f"the index of {what}")
    if not index.dtype.is_int() or index.dtype.is_bool():
        raise LanguageTypeError(f"the index of {what} is made of integers, got {index.type}")
    if len(value.shape) != len(index.shape):
        raise LanguageValueError(
            f"the {role} and the index of {what} have the same rank, got {list(value.shape)} and {list(index.shape)}"
        )


def check_dims(value, index, axis, what, role):
    """Raises unless `index` and `value` agree in all dimensions except `axis`."""
    for other, (dim, given) in enumerate(zip(value.shape, index.shape, strict=True)):
        if other != axis and dim != given:
            raise LanguageValueError(
                f"dimension {other} of {what} along axis {axis} is {dim} in the {role} and {given} in the index",
                hint="broadcast one of them with tl.broadcast_to",
            )


def gather(source, index, axis):
    """See `tl.gather`."""
    check_block(source, "the source of tl.gather")
    check_index(source, index, "tl.gather", "source")
    axis = as_axis(axis, len(source.shape), "tl.gather")
    check_dims(source, index, axis, "tl.gather", "source")
    _check_inside(index, source.shape[axis])
    result = block_type(source.dtype, index.shape)
    return emit("tile.gather", [source, cast(index, int32)], result, axis=axis)


def _to_int32(source, num_bins, mask):
    """`source` as int32, and a mask of the elements that keep their value."""
    if source.dtype.int_bitwidth <= 32:
        return cast(source, int32), mask
    inside = arithmetic.logical(
        compare.compare("ge", cast(source, int64), 0),
        compare.compare("lt", cast(source, int64), num_bins),
        "arith.andi",
    )
    return cast(source, int32), inside if mask is None else arithmetic.logical(inside, mask, "arith.andi")


def histogram(source, num_bins, mask):
    """See `tl.histogram`."""
    check_block(source, "the input of tl.histogram")
    if not source.dtype.is_int():
        raise LanguageTypeError(
            f"tl.histogram counts integers, got {source.type}", hint="cast it with .to(tl.int32)"
        )
    if isinstance(num_bins, bool) or not isinstance(num_bins, int) or num_bins < 1:
        raise LanguageTypeError(
            f"num_bins of tl.histogram is a positive compile-time integer, got {describe(num_bins)}"
        )
    if mask is not None:
        mask = to_tensor(mask)
        if not mask.dtype.is_int():
            raise LanguageTypeError(f"the mask of tl.histogram is a block of bools, got {mask.type}")
        mask = broadcast_to_shape(to_bool(mask), source.shape)
    source, mask = _to_int32(source, num_bins, mask)
    operands = [source] if mask is None else [source, mask]
    return emit("tile.histogram", operands, block_type(int32, (num_bins,)))
