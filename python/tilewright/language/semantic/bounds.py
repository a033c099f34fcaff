"""Checks, in kernels compiled with `debug`, that accesses stay inside of the arrays that a launch was given.

A pointer has an *extent*: the begin and end addresses of its array, as int64 scalars, or as blocks where its elements may
point into several arrays. Arithmetic, changes of shape, `tl.where`, loops and branches propagate it. A pointer also
has an *origin*: the argument that it was made from, or `ANY` if that is known only at run time. A pointer that was
loaded or made from an integer has neither, and is not checked.
"""

from ..dtypes import block_type, int64
from ..ir import builder, emit, emit_effect
from ..tensor import tensor
from . import arithmetic
from .compare import compare
from .convert import cast, constant, memory_type
from .promote import broadcast_to_shape

#: The origin of pointers that are made from one of the arguments, but not known from which.
ANY = "any"

#: Ops that only rearrange the elements of their first operand.
MOVING = {
    "tile.splat",
    "tile.broadcast",
    "tile.expand_dims",
    "tile.reshape",
    "tile.transpose",
    "tile.gather",
}


def _everywhere():
    """The extent of an unknown pointer."""
    return constant(0, int64), constant(2**63 - 1, int64)


def follow_pointer(result, operands, op, attrs):
    """Give `result`, which `op` made of `operands`, the extent and the origin that it has from them."""
    if not builder().extents or not result.dtype.is_ptr():
        return
    sources = [value for value in operands if value.dtype.is_ptr() and value.extent is not None]
    if not sources:
        return
    result.origin, result.extent = sources[0].origin, sources[0].extent
    if op in MOVING:
        result.extent = tuple(_moved(end, operands[1:], result.shape, op, attrs) for end in result.extent)
    elif op == "arith.select":
        _choose(result, *operands)


def _moved(end, rest, shape, op, attrs):
    return emit(op, [end, *rest], block_type(int64, shape), **attrs) if end.type.is_block() else end


def _choose(result, condition, left, right):
    result.origin = left.origin if left.origin == right.origin else ANY
    if left.extent is right.extent:
        return
    pairs = list(zip(left.extent or _everywhere(), right.extent or _everywhere(), strict=True))
    if condition.type.is_block() or any(end.type.is_block() for pair in pairs for end in pair):
        pairs = [[broadcast_to_shape(end, result.shape) for end in pair] for pair in pairs]
    result.extent = tuple(emit("arith.select", [condition, *pair], pair[0].type) for pair in pairs)


def with_extent(value):
    """A pointer with an extent, as loops carry it and branches merge it. Other values are returned as they are."""
    if not builder().extents or not value.dtype.is_ptr():
        return value
    bounded = tensor(value.handle, value.type)
    bounded.origin = value.origin or ANY
    bounded.extent = tuple(broadcast_to_shape(end, value.shape) for end in value.extent or _everywhere())
    return bounded


def _within(addresses, extent, size):
    begin, end = extent
    above = compare("ge", addresses, begin)
    below = compare("le", addresses, arithmetic.sub(end, size, check=False))
    return arithmetic.logical(above, below, "arith.andi")


def _assert_held(held, pointer, message):
    """Assert that an access through `pointer` `held`; "{}" in the message is replaced by the array."""
    if pointer.origin != ANY:
        emit_effect("tile.assert", [held], message=message.format(repr(pointer.origin)))
        return
    for name, (begin, _) in builder().extents.items():
        other = compare("ne", pointer.extent[0], begin)
        either = arithmetic.logical(held, other, "arith.ori")
        emit_effect("tile.assert", [either], message=message.format(repr(name)))


def checked_mask(pointer, mask, what):
    """Asserts that `pointer` is inside of its array where `mask` is true or None. Returns the mask of the elements
    inside."""
    if pointer.extent is None:
        return mask
    size = memory_type(pointer.dtype.element_ty).primitive_bitwidth // 8
    inside = _within(cast(pointer, int64), pointer.extent, size)
    held = inside
    if mask is not None:
        mask = broadcast_to_shape(mask, pointer.shape)
        held = arithmetic.logical(inside, arithmetic.logical_not(mask), "arith.ori")
    _assert_held(held, pointer, f"{what} outside of {{}}")
    return inside if mask is None else arithmetic.logical(inside, mask, "arith.andi")


def check_described(base, shape, strides):
    """Assert that an array that a descriptor describes is inside of the argument's array."""
    if base.extent is None:
        return
    last, empty = cast(base, int64), None
    size = memory_type(base.dtype.element_ty).primitive_bitwidth // 8
    for dim, stride in zip(shape, strides, strict=True):
        steps = arithmetic.mul(arithmetic.sub(dim, 1, check=False), stride, check=False)
        last = arithmetic.add(last, arithmetic.mul(steps, size, check=False), check=False)
        none = compare("le", dim, 0)
        empty = none if empty is None else arithmetic.logical(empty, none, "arith.ori")
    both = [_within(address, base.extent, size) for address in (cast(base, int64), last)]
    inside = arithmetic.logical(empty, arithmetic.logical(*both, "arith.andi"), "arith.ori")
    _assert_held(inside, base, "the array of a tensor descriptor lies outside of {}")
