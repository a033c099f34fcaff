"""Blocks of an array in memory: the addresses of their elements, and the mask of those inside of the array."""

from ..dtypes import block_type, descriptor_type, int32, int64
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import UNIT, emit, emit_effect
from . import arithmetic, memory
from .bounds import check_described
from .compare import compare
from .convert import cast, constant, describe, memory_type, to_bool, to_tensor
from .nan_traces import check_written
from .promote import broadcast_to_shape, expand_dims, follows_triton


def index_scalars(values, ty, what):
    """`values` as scalars of the integer type `ty`."""
    if not isinstance(values, (tuple, list)):
        raise LanguageTypeError(f"the {what} are a sequence of integers, got {describe(values)}")
    scalars = []
    for value in values:
        scalar = to_tensor(value)
        if scalar.type.is_block() or not scalar.dtype.is_int():
            raise LanguageTypeError(f"the {what} are integer scalars, got {describe(value)}")
        scalars.append(_narrowed(scalar, ty, what))
    return scalars


def _narrowed(scalar, ty, what):
    """`scalar` as `ty`. Asserts that it fits where overflow is checked."""
    narrow = cast(scalar, ty)
    if ty == int32 and scalar.dtype.int_bitwidth > 32 and arithmetic.is_overflow_checked(ty):
        arithmetic.check_exact(narrow, cast(scalar, int64), f"the {what}")
    return narrow


def check_rank(rank, **sequences):
    """Raise unless each of the sequences has `rank` entries."""
    for name, sequence in sequences.items():
        if len(sequence) != rank:
            raise LanguageValueError(f"{name} has {len(sequence)} entries for a block of rank {rank}")


def _index(offset, size, axis, rank):
    """The array's indices along `axis` of the elements of a block, as an int64 block of size 1 elsewhere."""
    steps = emit("tile.range", [], block_type(int32, [size]), start=0, end=size)
    index = arithmetic.add(cast(offset, int64), cast(steps, int64))
    for other in range(rank):
        if other != axis:
            index = expand_dims(index, other)
    return index


def addresses(base, shape, strides, offsets, block_shape, checked):
    """The pointers to the elements of a block, and a mask of those inside along the axes `checked` (or None)."""
    rank = len(block_shape)
    pointer, mask = base, None
    for axis, (offset, stride, size) in enumerate(zip(offsets, strides, block_shape, strict=True)):
        index = _index(offset, size, axis, rank)
        pointer = arithmetic.add(pointer, arithmetic.mul(index, stride))
        if axis in checked:
            inside = arithmetic.logical(
                compare("ge", index, 0), compare("lt", index, shape[axis]), "arith.andi"
            )
            mask = inside if mask is None else arithmetic.logical(mask, inside, "arith.andi")
    return broadcast_to_shape(pointer, block_shape), mask


def row_addresses(base, shape, strides, rows, column, width):
    """The pointers to `width` elements from `column` on of each of the `rows` of a matrix, and a mask of those
    inside.
    """
    rows = expand_dims(cast(rows, int64), 1)
    columns = _index(column, width, 1, 2)
    mask = None
    for index, size in ((rows, shape[0]), (columns, shape[1])):
        inside = arithmetic.logical(compare("ge", index, 0), compare("lt", index, size), "arith.andi")
        mask = inside if mask is None else arithmetic.logical(mask, inside, "arith.andi")
    pointer = arithmetic.add(base, arithmetic.mul(rows, strides[0]))
    pointer = arithmetic.add(pointer, arithmetic.mul(columns, strides[1]))
    return pointer, mask


def padding(element, option):
    """The padding value outside of an array: a tensor, or None where any value will do."""
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
    """Read a block; elements outside of the array have the padding of `option`."""
    other = padding(pointers.dtype.element_ty, option) if mask is not None else None
    return memory.load(pointers, mask, other, cache, eviction, False)


def _check_stored(value, block_shape):
    """`value` as a tensor. Raises `LanguageValueError` unless it fills a block."""
    value = to_tensor(value)
    if value.shape not in ((), tuple(block_shape)):
        raise LanguageValueError(f"a block of shape {list(block_shape)} is stored, got {list(value.shape)}")
    return value


def store(pointers, mask, value, cache, eviction):
    """Writes a block. Elements outside of the array are dropped."""
    memory.store(pointers, _check_stored(value, pointers.shape), mask, cache, eviction)


def descriptor(base, shape, strides, block_shape, option):
    """A descriptor of an array whose last stride is 1. Reads outside of it give `option`, "zero" or "nan"."""
    element = memory_type(base.dtype.element_ty)
    check_described(base, shape, strides)
    return emit(
        "tile.make_descriptor",
        [base, *shape, *strides[:-1]],
        descriptor_type(element, block_shape),
        operandSegmentSizes=[1, len(shape), len(shape) - 1],
        padding=int(option == "nan"),
        aligned=UNIT,
    )


def load_described(desc, element, offsets, block_shape):
    """Read the block of a descriptor at `offsets`."""
    ty = block_type(memory_type(element), block_shape)
    loaded = emit("tile.descriptor_load", [desc, *offsets], ty)
    return to_bool(loaded) if element.is_bool() else loaded


def store_described(desc, element, offsets, block_shape, value):
    """Write a block through a descriptor at `offsets`."""
    value = _check_stored(value, block_shape)
    value = broadcast_to_shape(cast(cast(value, element), memory_type(element)), block_shape)
    check_written(value, None, "a store through a descriptor")
    emit_effect("tile.descriptor_store", [desc, *offsets, value])


def reduce_described(op, desc, element, offsets, block_shape, value):
    """Combine a block into that of a descriptor at `offsets`; `op` is add, max, min, and, or or xor."""
    kind = memory.atomic_kind(op, element, f"desc.atomic_{op}")
    if op in ("max", "min") and element.name in ("fp32", "fp64") and follows_triton():
        raise LanguageTypeError(
            f"desc.atomic_{op} takes no {element} in Triton",
            hint=f"use tl.atomic_{op}, or numerics='ieee'",
        )
    value = broadcast_to_shape(cast(_check_stored(value, block_shape), element), block_shape)
    check_written(value, None, f"desc.atomic_{op}")
    emit_effect("tile.descriptor_store", [desc, *offsets, value], reduction=kind)
