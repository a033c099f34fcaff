"""Blocks of an array in memory: the addresses of their elements, and which of them lie in the array."""

from ..dtypes import block_type, int32, int64
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import emit
from . import arithmetic, memory
from .compare import compare
from .convert import cast, constant, describe, to_tensor
from .promote import broadcast_to_shape, expand_dims


def index_scalars(values, ty, what):
    """`values` as scalars of the integer type `ty`."""
    if not isinstance(values, (tuple, list)):
        raise LanguageTypeError(f"the {what} are a sequence of integers, got {describe(values)}")
    scalars = []
    for value in values:
        scalar = to_tensor(value)
        if scalar.type.is_block() or not scalar.dtype.is_int():
            raise LanguageTypeError(f"the {what} are integer scalars, got {describe(value)}")
        scalars.append(cast(scalar, ty))
    return scalars


def check_rank(rank, **sequences):
    """Raise unless each of the sequences has `rank` entries."""
    for name, sequence in sequences.items():
        if len(sequence) != rank:
            raise LanguageValueError(f"{name} has {len(sequence)} entries for a block of rank {rank}")


def _index(offset, side, axis, rank):
    """The array's indices along `axis` of the elements of a block, as an int64 block of size 1 elsewhere."""
    steps = emit("tile.range", [], block_type(int32, [side]), start=0, end=side)
    index = arithmetic.add(cast(offset, int64), cast(steps, int64))
    for other in range(rank):
        if other != axis:
            index = expand_dims(index, other)
    return index


def addresses(base, shape, strides, offsets, block_shape, checked):
    """The pointers to the elements of a block, and a mask of those inside along the axes `checked` (or None)."""
    rank = len(block_shape)
    pointer, mask = base, None
    for axis, (offset, stride, side) in enumerate(zip(offsets, strides, block_shape, strict=True)):
        index = _index(offset, side, axis, rank)
        pointer = arithmetic.add(pointer, arithmetic.mul(index, stride))
        if axis in checked:
            inside = arithmetic.logical(
                compare("ge", index, 0), compare("lt", index, shape[axis]), "arith.andi"
            )
            mask = inside if mask is None else arithmetic.logical(mask, inside, "arith.andi")
    return broadcast_to_shape(pointer, block_shape), mask


def padding(element, option):
    """What is read outside of an array: a tensor, or None where it does not matter."""
    if option in ("", None):
        return None
    if option == "zero":
        return constant(0, element)
    if option == "nan" and element.is_floating():
        return constant(float("nan"), element)
    raise LanguageValueError(
        f"padding_option is '', 'zero' or, for floats, 'nan', got {option!r} for {element}"
    )


def load(pointers, mask, option, cache, eviction):
    """Read a block; outside of the array it holds what `option` says."""
    other = padding(pointers.dtype.element_ty, option) if mask is not None else None
    return memory.load(pointers, mask, other, cache, eviction, False)


def store(pointers, mask, value, cache, eviction):
    """Write a block; what lies outside of the array is left out."""
    value = to_tensor(value)
    if value.shape not in ((), pointers.shape):
        raise LanguageValueError(
            f"a block of shape {list(pointers.shape)} is stored, got {list(value.shape)}"
        )
    memory.store(pointers, value, mask, cache, eviction)
