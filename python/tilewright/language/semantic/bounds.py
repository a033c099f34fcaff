"""Checks, in kernels compiled with `debug`, that accesses stay inside of the arrays that a launch was given.

A pointer knows its *origin*: the argument that it was made from by arithmetic and changes of shape. One that a loop
carries, that a branch merges or that is chosen among several has the origin `ANY`, and lies in one of the arrays; one
that was loaded or made from an integer has none, and is not checked.
"""

from ..dtypes import int64
from ..ir import builder, emit_effect
from . import arithmetic
from .compare import compare
from .convert import cast, memory_type
from .promote import broadcast_to_shape

#: The origin of pointers that are made from one of the arguments, but not known from which.
ANY = "any"


def common_origin(values):
    """The origin of a pointer made from `values`, tensors of which some are pointers."""
    origins = {value.origin for value in values if value.type.scalar.is_ptr()}
    if not origins or None in origins:
        return None
    return origins.pop() if len(origins) == 1 else ANY


def _within(addresses, extent, size):
    begin, end = extent
    above = compare("ge", addresses, begin)
    below = compare("le", addresses, arithmetic.sub(end, size, check=False))
    return arithmetic.logical(above, below, "arith.andi")


def _extents(pointer):
    """The begin and the end of the arrays that `pointer` may point into; empty if that is not known."""
    extents = builder().extents
    if pointer.origin is None:
        return {}
    return extents if pointer.origin == ANY else {pointer.origin: extents[pointer.origin]} if extents else {}


def checked_mask(pointer, mask, what):
    """Assert that `pointer`, where `mask` is true or None, is inside of its array. Gives the mask of what may be
    accessed, which leaves out what is not inside."""
    extents = _extents(pointer)
    if not extents:
        return mask
    size = memory_type(pointer.dtype.element_ty).primitive_bitwidth // 8
    addresses = cast(pointer, int64)
    inside = None
    for extent in extents.values():
        one = _within(addresses, extent, size)
        inside = one if inside is None else arithmetic.logical(inside, one, "arith.ori")
    place = repr(pointer.origin) if pointer.origin != ANY else "the kernel's arrays"
    held = inside
    if mask is not None:
        mask = broadcast_to_shape(mask, pointer.shape)
        held = arithmetic.logical(inside, arithmetic.logical_not(mask), "arith.ori")
    emit_effect("tile.assert", [held], message=f"{what} outside of {place}")
    return inside if mask is None else arithmetic.logical(inside, mask, "arith.andi")


def check_described(base, shape, strides):
    """Assert that an array that a descriptor describes is inside of the argument's array."""
    if not _extents(base):
        return
    last, empty = cast(base, int64), None
    size = memory_type(base.dtype.element_ty).primitive_bitwidth // 8
    for side, stride in zip(shape, strides, strict=True):
        steps = arithmetic.mul(arithmetic.sub(side, 1, check=False), stride, check=False)
        last = arithmetic.add(last, arithmetic.mul(steps, size, check=False), check=False)
        none = compare("le", side, 0)
        empty = none if empty is None else arithmetic.logical(empty, none, "arith.ori")
    inside = empty
    for extent in _extents(base).values():
        both = [_within(address, extent, size) for address in (cast(base, int64), last)]
        inside = arithmetic.logical(inside, arithmetic.logical(*both, "arith.andi"), "arith.ori")
    place = repr(base.origin) if base.origin != ANY else "the kernel's arrays"
    emit_effect("tile.assert", [inside], message=f"the array of a tensor descriptor lies outside of {place}")
