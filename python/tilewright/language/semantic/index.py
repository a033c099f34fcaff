"""`x[:, None]`, `x[0:16]`, `x[i]`: indexing of blocks, and `x[0:16] = y`, which gives another block.

An index picks positions along each axis. They are known at compile time, except a single position, which may be a scalar
of the kernel. A read gathers the picked elements. An assignment gathers the new elements to their positions and selects.
"""

from dataclasses import dataclass

from ..constexpr import unwrap
from ..dtypes import block_type, int8, int32, int64, with_scalar
from ..errors import LanguageError, LanguageTypeError, LanguageValueError
from ..ir import builder, emit, emit_effect
from . import arithmetic
from .compare import compare
from .convert import cast, constant, describe, to_tensor
from .promote import broadcast_to_shape
from .reduce import reduce
from .shape import reshape

_HINT = "blocks take integers, slices, None and '...' as indices, as in x[0:16, None, i]"


@dataclass(frozen=True)
class _Picked:
    """The positions that one index picks: `start` (an int or a scalar of the kernel), `step` and `count`. A single
    position `drops` its axis."""

    start: object
    step: int
    count: int
    drops: bool

    def is_all(self, size):
        """Whether it picks every position of an axis of this size, in order."""
        return not self.drops and (self.start, self.step, self.count) == (0, 1, size)


def _is_all(entry):
    return isinstance(entry, slice) and (entry.start, entry.stop, entry.step) == (None, None, None)


def _entries(index, rank):
    """The index as a list with an entry for each axis, and None for each new one."""
    entries = list(index) if isinstance(index, tuple) else [index]
    ellipses = [position for position, entry in enumerate(entries) if entry is Ellipsis]
    if len(ellipses) > 1:
        raise LanguageError("an index has one '...' at most", hint=_HINT)
    kept = sum(entry is not None and entry is not Ellipsis for entry in entries)
    if kept > rank and builder().options.numerics == "triton":  # Triton ignores surplus full slices
        spare = [position for position, entry in enumerate(entries) if _is_all(entry)][rank - kept :]
        entries = [entry for position, entry in enumerate(entries) if position not in spare]
        kept -= len(spare)
    if kept > rank:
        what = f"a block of rank {rank}" if rank else "a scalar"
        hint = _HINT if rank else "elements of memory are loaded: tl.load(pointer + index)"
        raise LanguageError(
            f"unsupported tensor index: {kept} {'index' if kept == 1 else 'indices'} for {what}", hint=hint
        )
    position = ellipses[0] if ellipses else len(entries)
    entries[position : position + len(ellipses)] = [slice(None)] * (rank - kept)
    return entries


def _picked(entry, size):
    if isinstance(entry, slice):
        return _slice(entry, size)
    if isinstance(entry, bool) or not isinstance(entry, int):
        return _scalar(entry, size)
    if not -size <= entry < size:
        raise LanguageValueError(f"index {entry} is out of range for a dimension of size {size}")
    return _Picked(entry % size, 1, 1, True)


def _slice(entry, size):
    for bound in (entry.start, entry.stop, entry.step):
        if isinstance(bound, bool) or not (bound is None or isinstance(bound, int)):
            raise LanguageTypeError(
                f"the bounds of a slice are compile-time integers, got {describe(bound)}",
                hint="choose elements at positions that only the kernel knows with tl.gather",
            )
    if entry.step == 0:
        raise LanguageValueError("the step of a slice is not 0")
    positions = range(*entry.indices(size))
    if not positions:
        raise LanguageValueError(f"the slice {_spell(entry)} of a dimension of size {size} is empty")
    return _Picked(positions.start, positions.step, len(positions), False)


def _scalar(entry, size):
    """A single position that the kernel computes."""
    from ..tensor import tensor

    if not isinstance(entry, tensor):
        raise LanguageTypeError(f"cannot index a block with {describe(entry)}", hint=_HINT)
    if entry.type.is_block():
        hint = "use tl.where(mask, x, y)" if entry.dtype.is_bool() else "use tl.gather(x, index, axis)"
        raise LanguageTypeError(f"cannot index a block with a block of type {entry.type}", hint=hint)
    if not entry.dtype.is_int() or entry.dtype.is_bool():
        raise LanguageTypeError(f"an index is an integer, got {entry.type}", hint=_HINT)
    entry = cast(entry, int64)
    if builder().debug:
        inside = arithmetic.logical(compare("ge", entry, 0), compare("lt", entry, size), "arith.andi")
        emit_effect("tile.assert", [inside], message=f"an index is outside of [0, {size})")
    return _Picked(cast(entry, int32), 1, 1, True)


def _spell(entry):
    parts = ["" if part is None else str(part) for part in (entry.start, entry.stop, entry.step)]
    return ":".join(parts if parts[2] else parts[:2])


def _along(positions, axis, rank):
    """Reshapes a block of rank 1 to run along `axis`. The other dimensions have size 1."""
    shape = [1] * rank
    shape[axis] = positions.shape[0]
    return reshape(positions, tuple(shape))


def _take(value, positions, axis):
    """The elements of `value` at `positions`, a block of rank 1, along `axis`."""
    rank = len(value.shape)
    shape = (*value.shape[:axis], positions.shape[0], *value.shape[axis + 1 :])
    index = broadcast_to_shape(_along(positions, axis, rank), shape)
    return emit("tile.gather", [value, index], block_type(value.dtype, shape), axis=axis)


def _numbers(value):
    """`value` with elements of a type that can be gathered, and the function that converts them back."""
    ty = value.dtype
    if ty.is_ptr():
        return cast(value, int64), lambda result: cast(result, ty)
    if ty.is_bool():
        return cast(value, int8), lambda result: cast(result, ty)
    return value, lambda result: result


def _positions(picked):
    """The picked positions as an int32 block of rank 1."""
    count = emit("tile.range", [], block_type(int32, [picked.count]), start=0, end=picked.count)
    scaled = count if picked.step == 1 else arithmetic.mul(count, picked.step, check=False)
    return arithmetic.add(scaled, picked.start, check=False)


def getitem(value, index):
    """The elements that `index` picks. Every None inserts a dimension of size 1."""
    entries = _entries(unwrap(index), len(value.shape))
    shape, axis = [], 0
    gathered, restore = value, None
    for entry in entries:
        if entry is None:
            shape.append(1)
            continue
        picked = _picked(entry, value.shape[axis])
        if not picked.is_all(value.shape[axis]):
            if restore is None:
                gathered, restore = _numbers(gathered)
            gathered = _take(gathered, _positions(picked), axis)
        shape += [] if picked.drops else [picked.count]
        axis += 1
    gathered = restore(gathered) if restore else gathered
    return reshape(gathered, tuple(shape)) if shape else element(gathered)


def element(value):
    """The one element of a block, or a scalar as it is."""
    if not value.type.is_block():
        return value
    if value.numel != 1:
        raise LanguageTypeError(
            f"only a block with one element has an item(), got {value.type}",
            hint="pick one with x[i], or reduce the block",
        )
    numbers, restore = _numbers(reshape(value, (1,)))
    return restore(reduce([numbers], 0, lambda lefts, rights: lefts, False)[0])


def setitem(value, index, new):
    """`value` with the elements that `index` picks replaced by `new`, which broadcasts to their shape."""
    new = to_tensor(unwrap(new))
    entries = _entries(unwrap(index), len(value.shape))
    sizes = iter(value.shape)
    chosen = [None if entry is None else _picked(entry, next(sizes)) for entry in entries]
    shape = tuple(picked.count if picked else 1 for picked in chosen if picked is None or not picked.drops)
    new = _converted(new, value, shape)
    picked = [entry for entry in chosen if entry is not None]
    new = reshape(new, tuple(entry.count for entry in picked))
    numbers, restore = _numbers(new)
    inside = None
    for axis, entry in enumerate(picked):
        if entry.is_all(value.shape[axis]):
            continue
        mask, source = _inverse(entry, value.shape[axis])
        if entry.count > 1:
            numbers = _take(numbers, source, axis)
        mask = _along(mask, axis, len(value.shape))
        inside = mask if inside is None else arithmetic.logical(inside, mask, "arith.andi")
    new = broadcast_to_shape(restore(numbers), value.shape)
    if inside is None:
        return new
    return emit("arith.select", [broadcast_to_shape(inside, value.shape), new, value], value.type)


def _converted(new, value, shape):
    """`new` in the element type of `value` and in `shape`; a scalar for all of it."""
    if new.dtype.is_ptr() != value.dtype.is_ptr() or (new.dtype.is_ptr() and new.dtype != value.dtype):
        raise LanguageTypeError(f"cannot assign {describe(new)} to elements of a block of {value.dtype}")
    new = cast(new, value.dtype)
    if not shape and new.type.is_block():
        raise LanguageValueError(f"cannot assign a block of shape {list(new.shape)} to one element")
    try:
        return broadcast_to_shape(new, shape)
    except LanguageValueError:
        raise LanguageValueError(
            f"cannot assign a block of shape {list(new.shape)} to a slice of shape {list(shape)}"
        ) from None


def _inverse(picked, size):
    """For each position of an axis: whether it is picked, and its index among the picked ones.

    Returns an int1 and an int32 block of rank 1.
    """
    here = emit("tile.range", [], block_type(int32, [size]), start=0, end=size)
    if picked.count == 1:
        return compare("eq", here, picked.start), None
    first, step = picked.start, picked.step
    if step < 0:
        first, step = first + step * (picked.count - 1), -step
    offset = arithmetic.sub(here, first, check=False)
    inside = arithmetic.logical(
        compare("ge", offset, 0), compare("lt", offset, step * picked.count), "arith.andi"
    )
    source = offset
    if step > 1:
        inside = arithmetic.logical(inside, compare("eq", arithmetic.mod(offset, step), 0), "arith.andi")
        source = arithmetic.floordiv(offset, step)
    if picked.step < 0:
        source = arithmetic.sub(picked.count - 1, source, check=False)
    nothing = constant(0, with_scalar(source.type, int32))
    return inside, emit("arith.select", [inside, source, nothing], source.type)
