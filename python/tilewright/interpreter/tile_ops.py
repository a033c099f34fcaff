"""The ops of the `tile` dialect on NumPy arrays. Each takes the builder, for the grid and the memory."""

import operator

import numpy as np

from ..language.errors import LanguageError
from .numpy_types import numpy_dtype, size_in_memory, unsigned


def _program_id(builder, operands, types, attrs):
    return [np.asarray(builder.position[attrs["axis"]], np.int32)]


def _num_programs(builder, operands, types, attrs):
    return [np.asarray(builder.grid[attrs["axis"]], np.int32)]


def _range(builder, operands, types, attrs):
    return [np.arange(attrs["start"], attrs["end"]).astype(np.int32)]


def _stretch(builder, operands, types, attrs):
    return [np.broadcast_to(operands[0], types[0].shape).copy()]


def _expand_dims(builder, operands, types, attrs):
    return [np.expand_dims(operands[0], attrs["axis"])]


def _reshape(builder, operands, types, attrs):
    return [operands[0].reshape(types[0].shape)]


def _transpose(builder, operands, types, attrs):
    return [np.ascontiguousarray(operands[0].transpose(attrs["order"]))]


def _gather(builder, operands, types, attrs):
    source, index = operands
    inside = np.clip(index, 0, source.shape[attrs["axis"]] - 1)
    return [np.take_along_axis(source, inside.astype(np.int64), attrs["axis"])]


def _histogram(builder, operands, types, attrs):
    numbers, bins = operands[0].reshape(-1), types[0].shape[0]
    counted = (numbers >= 0) & (numbers < bins)
    if len(operands) > 1:
        counted &= operands[1].reshape(-1)
    return [np.bincount(numbers[counted], minlength=bins).astype(np.int32)]


def _addptr(builder, operands, types, attrs):
    pointers, offsets = operands
    return [pointers + offsets.astype(np.int64) * size_in_memory(types[0].scalar.element_ty)]


def _keep(builder, operands, types, attrs):
    return [operands[0]]


def _all(pointers):
    return np.ones(pointers.shape, np.bool_)


def _load(builder, operands, types, attrs):
    pointers, rest = operands[0], operands[1:]
    mask = rest[0] if rest else _all(pointers)
    loaded = builder.memory.load(pointers, mask, numpy_dtype(types[0]))
    return [np.where(mask, loaded, rest[1]) if len(rest) > 1 else loaded]


def _store(builder, operands, types, attrs):
    pointers, values = operands[:2]
    builder.memory.store(pointers, operands[2] if len(operands) > 2 else _all(pointers), values)
    return []


def _make_descriptor(builder, operands, types, attrs):
    """The address, the sizes, the strides (with the last one) and the padding in one array of integers."""
    return [np.array([*map(int, operands), 1, attrs["padding"]], np.int64)]


def _block(desc, offsets, block_shape, itemsize):
    """The pointers to the elements of a block, which of them lie in the array, and the padding."""
    rank = len(block_shape)
    base, shape, strides, padding = desc[0], desc[1 : 1 + rank], desc[1 + rank : 1 + 2 * rank], desc[-1]
    pointers, mask = np.full(block_shape, base, np.int64), np.ones(block_shape, np.bool_)
    for axis, size in enumerate(block_shape):
        index = int(offsets[axis]) + np.arange(size, dtype=np.int64)
        index = index.reshape([-1 if other == axis else 1 for other in range(rank)])
        pointers = pointers + index * strides[axis] * itemsize
        mask = mask & (index >= 0) & (index < shape[axis])
    return pointers, mask, np.nan if padding else 0


def load_block(builder, desc, offsets, shape, dtype):
    """The block of a descriptor at `offsets`, with padding outside of the array."""
    pointers, mask, padding = _block(desc, offsets, shape, dtype.itemsize)
    loaded = builder.memory.load(pointers, mask, dtype)
    return np.where(mask, loaded, np.asarray(padding).astype(loaded.dtype))


def _descriptor_load(builder, operands, types, attrs):
    return [load_block(builder, operands[0], operands[1:], types[0].shape, numpy_dtype(types[0]))]


def _descriptor_store(builder, operands, types, attrs):
    desc, offsets, value = operands[0], operands[1:-1], operands[-1]
    pointers, mask, _ = _block(desc, offsets, value.shape, value.itemsize)
    if attrs.get("reduction") is not None:
        _atomic_rmw(builder, [pointers, value, mask], types, {"kind": attrs["reduction"]})
    else:
        builder.memory.store(pointers, mask, value)
    return []


_KINDS = {
    0: operator.add,
    1: operator.add,
    2: operator.and_,
    3: operator.or_,
    4: operator.xor,
    5: np.maximum,
    6: np.minimum,
    9: np.fmax,
    10: np.fmin,
    11: lambda old, new: new,
}


def _combined(kind, old, new):
    if kind in (7, 8):
        return (np.maximum if kind == 7 else np.minimum)(unsigned(old), unsigned(new)).view(old.dtype)
    return np.asarray(_KINDS[kind](old, new)).astype(old.dtype)


def _each(builder, pointers, mask, update):
    """Let `update` map the old element of each lane to the new one, lane after lane; gives the old ones."""
    flat, on = pointers.reshape(-1), mask.reshape(-1)
    olds = None
    for lane in range(flat.size):
        where, true = flat[lane : lane + 1], np.ones(1, np.bool_)
        if not on[lane]:
            continue
        old, new = update(lane, where)
        builder.memory.store(where, true, new)
        if olds is None:
            olds = np.zeros(flat.size, old.dtype)
        olds[lane] = old[0]
    return olds


def _atomic_rmw(builder, operands, types, attrs):
    pointers, values = operands[:2]
    mask = operands[2] if len(operands) > 2 else _all(pointers)
    flat, on = values.reshape(-1), pointers[mask]
    if np.unique(on).size == on.size:  # lanes do not depend on each other
        olds = builder.memory.load(pointers, mask, values.dtype)
        builder.memory.store(pointers, mask, _combined(attrs["kind"], olds, values))
        return [olds]

    def update(lane, where):
        old = builder.memory.load(where, np.ones(1, np.bool_), values.dtype)
        return old, _combined(attrs["kind"], old, flat[lane : lane + 1])

    olds = _each(builder, pointers, mask, update)
    return [np.zeros(pointers.shape, values.dtype) if olds is None else olds.reshape(pointers.shape)]


def _atomic_cas(builder, operands, types, attrs):
    pointers, expected, values = operands[:3]
    mask = operands[3] if len(operands) > 3 else _all(pointers)
    word = f"u{values.dtype.itemsize}"
    wanted, new = expected.reshape(-1).view(word), values.reshape(-1).view(word)

    def update(lane, where):
        old = builder.memory.load(where, np.ones(1, np.bool_), np.dtype(word))
        return old, np.where(old == wanted[lane], new[lane : lane + 1], old)

    olds = _each(builder, pointers, mask, update)
    if olds is None:
        return [np.zeros(pointers.shape, values.dtype)]
    return [olds.view(values.dtype).reshape(pointers.shape)]


def _to_tf32(array):
    """Floats rounded to ten bits of mantissa."""
    bits = array.view(np.uint32).astype(np.uint64)
    bits = (bits + 0xFFF + ((bits >> 13) & 1)) & ~np.uint64(0x1FFF)
    return np.where(np.isfinite(array), bits.astype(np.uint32).view(np.float32), array)


def _dot(builder, operands, types, attrs):
    a, b, acc = operands
    if a.dtype == np.int8:
        return [acc + a.astype(np.int32) @ b.astype(np.int32)]
    if a.dtype.itemsize < 4:
        a, b = a.astype(np.float32), b.astype(np.float32)
    elif attrs["precision"] == 1:
        a, b = _to_tf32(a), _to_tf32(b)
    return [(acc.astype(a.dtype) + a @ b).astype(acc.dtype)]


def _assert(builder, operands, types, attrs):
    if not np.all(operands[0]):
        failed = np.argwhere(~operands[0]).tolist()
        where = f" at {failed[0]}" if operands[0].ndim else ""
        raise AssertionError(f"{attrs['message']} (program {tuple(builder.position)}{where})")
    return []


def _shown(value, in_hex):
    """A number as the other back ends print it: integers in base 16 with all digits of their type."""
    if value.dtype.kind not in "biu":
        return f"{float(value):f}"
    if not in_hex:
        return int(value)
    digits = 1 if value.dtype.kind == "b" else 2 * value.dtype.itemsize
    return f"0x{int(unsigned(value)):0{digits}x}"


def _print(builder, operands, types, attrs):
    prefix, program = attrs["prefix"], ", ".join(map(str, builder.position))
    for values, is_signed in zip(operands, attrs["isSigned"], strict=True):
        shown = values if is_signed or values.dtype.kind != "i" else unsigned(values)
        for index, value in np.ndenumerate(shown):
            text = _shown(value, attrs["hex"])
            print(f"pid ({program}) idx ({', '.join(map(str, index))}) {prefix}{text}")
    if not operands:
        print(f"pid ({program}) {prefix}")
    return []


def _nothing(builder, operands, types, attrs):
    """Kernels run one after the other."""
    return []


def _inline_asm(builder, operands, types, attrs):
    raise LanguageError(
        "inline assembly is for GPUs, the interpreter cannot run it",
        hint="run the kernel on a GPU",
    )


OPS = {
    "tile.inline_asm": _inline_asm,
    "tile.program_id": _program_id,
    "tile.num_programs": _num_programs,
    "tile.range": _range,
    "tile.splat": _stretch,
    "tile.broadcast": _stretch,
    "tile.expand_dims": _expand_dims,
    "tile.reshape": _reshape,
    "tile.transpose": _transpose,
    "tile.gather": _gather,
    "tile.histogram": _histogram,
    "tile.addptr": _addptr,
    "tile.int_to_ptr": _keep,
    "tile.ptr_to_int": _keep,
    "tile.bitcast": _keep,
    "tile.load": _load,
    "tile.make_descriptor": _make_descriptor,
    "tile.descriptor_load": _descriptor_load,
    "tile.descriptor_store": _descriptor_store,
    "tile.store": _store,
    "tile.atomic_rmw": _atomic_rmw,
    "tile.atomic_cas": _atomic_cas,
    "tile.dot": _dot,
    "tile.assert": _assert,
    "tile.print": _print,
    "tile.launch_wait": _nothing,
    "tile.launch_dependents": _nothing,
}


def unknown(op):
    """The error for an op that the interpreter does not know."""
    return LanguageError(f"the interpreter does not know the operation {op!r}")
