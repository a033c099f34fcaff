"""The ops of the `warp` dialect that kernels spell, on NumPy arrays.

A ring is the list of all slots that were ever filled, and each consumer role has a position in it. The number of slots
only decides when the producer has to wait. Loads complete at once.
"""

import numpy as np

from ..language.errors import LanguageError
from .numpy_types import numpy_dtype
from .tile_ops import load_block

_TF32_MASK = np.uint32(0xFFFFE000)


class _Memory:
    """A block in shared memory. It hides its array from NumPy, which would take the handle for the elements.

    It is `whole`, which may be itself, with its axes permuted. A block of a cluster has a number in its program.
    """

    def __init__(self, array, whole=None, order=None):
        self.array, self.loads = array, 0
        self.whole, self.order = whole or self, order or range(array.ndim)
        self.number = None
        self.stored, self.read_remotely = None, None  # as counts of cluster barriers

    def transpose(self, order):
        """The same memory with its axes permuted."""
        return _Memory(self.array.transpose(order), self.whole, [self.order[axis] for axis in order])


class _Slot:
    """A slot that was acquired."""

    def __init__(self, ring):
        self.ring = ring
        self.tiles = [_Memory(np.zeros(tile.dims, numpy_dtype(tile.block))) for tile in ring.tiles]


class _Ring:
    """A ring, with the progress of each role."""

    def __init__(self, ty):
        self.num_slots, self.tiles, self.name = ty.num_slots, ty.tiles, ty.name
        self.slots, self.committed = [], 0
        self.waited, self.released = {}, {}

    def has_empty(self):
        """Whether all readers have released the slot that is next to be filled."""
        return len(self.slots) - min(self.released.values(), default=0) < self.num_slots


def _get(operand):
    return operand.item()


def _ring(builder, operands, types, attrs):
    builder.cluster = max(builder.cluster, types[0].cluster)
    return [_Ring(types[0])]


def _cluster_rank(builder, operands, types, attrs):
    return [np.int32(builder.position[0] % builder.cluster)]


def _acquire(builder, operands, types, attrs):
    ring = _get(operands[0])
    builder.schedule.wait_until(ring.has_empty, f"an empty slot of the {ring.name}")
    slot = _Slot(ring)
    ring.slots.append(slot)
    return [slot, *slot.tiles]


def _load(builder, operands, types, attrs):
    # Multicast or not: each program copies the block itself.
    _, rank, _, _ = attrs["operandSegmentSizes"]
    desc, offsets, memory = operands[0], operands[1 : 1 + rank], _get(operands[1 + rank])
    shape = (1,) * (len(offsets) - memory.array.ndim) + memory.array.shape
    block = load_block(builder, desc, offsets, shape, memory.array.dtype)
    memory.array[...] = block.reshape(memory.array.shape)
    memory.loads += 1
    return []


def _commit(builder, operands, types, attrs):
    slot = _get(operands[0])
    for index, tile in enumerate(slot.tiles):
        if tile.loads != 1:
            raise LanguageError(
                "each block of a slot is loaded once before the slot is committed; "
                f"block {index} is loaded {tile.loads} times"
            )
    slot.ring.committed += 1
    return []


def _wait(builder, operands, types, attrs):
    ring, role = _get(operands[0]), builder.schedule.role
    number = ring.waited.setdefault(role, 0)
    ring.released.setdefault(role, 0)
    builder.schedule.wait_until(lambda: number < ring.committed, f"a full slot of the {ring.name}")
    ring.waited[role] += 1
    slot = ring.slots[number]
    return [slot, *slot.tiles]


def _release(builder, operands, types, attrs):
    if len(operands) > 1 and not operands[1]:
        return []
    slot = _get(operands[0])
    if slot is None:
        raise LanguageError(
            "the slot that is released is none",
            hint="release it under a condition: release(held, when=i > 0)",
        )
    slot.ring.released[builder.schedule.role] += 1
    return []


def _no_slot(builder, operands, types, attrs):
    return [None]


def _alloc(builder, operands, types, attrs):
    memory = _Memory(np.zeros(types[0].dims, numpy_dtype(types[0].block)))
    if cluster := attrs.get("cluster"):
        builder.cluster = max(builder.cluster, cluster)
        memory.number = len(tiles := builder.cluster_tiles.setdefault(builder.position, []))
        tiles.append(memory)
    return [memory]


def _local_load(builder, operands, types, attrs):
    return [_get(operands[0]).array.copy()]


def _race():
    return LanguageError(
        "one program stores this block and another one reads it, with no barrier of the cluster in between",
        hint="put a warp.cluster_barrier() between the store and the read, and before the next store",
    )


def _cluster_round(builder):
    """How many barriers of the cluster have been passed."""
    return builder.schedule.barrier("cluster", builder.schedule.num_roles).rounds


def _cluster_barrier(builder, operands, types, attrs):
    schedule = builder.schedule
    barrier = schedule.barrier("cluster", schedule.num_roles)
    current = barrier.come(1)
    schedule.wait_until(lambda: barrier.rounds > current, "a barrier of the cluster")
    return []


def _remote_load(builder, operands, types, attrs):
    own, rank, (x, y, z) = _get(operands[0]), int(operands[1]), builder.position
    if not 0 <= rank < builder.cluster:
        raise LanguageError(f"the programs of a cluster of {builder.cluster} are 0 and up, got {rank}")
    there = builder.cluster_tiles[x - x % builder.cluster + rank, y, z][own.whole.number]
    if there.stored == _cluster_round(builder):
        raise _race()
    there.read_remotely = _cluster_round(builder)
    return [there.array.transpose(own.order).copy()]


def _local_store(builder, operands, types, attrs):
    memory = _get(operands[1])
    whole = memory.whole
    if whole.read_remotely is not None and whole.read_remotely == _cluster_round(builder):
        raise _race()
    if whole.number is not None:
        whole.stored = _cluster_round(builder)
    memory.array[...] = operands[0]
    return []


def _transpose(builder, operands, types, attrs):
    return [_get(operands[0]).transpose(attrs["order"])]


def _operand(operand):
    """The elements of a wgmma operand, in shared memory or registers, as the tensor cores read them."""
    array = _get(operand).array if operand.dtype == object else operand
    if array.dtype == np.int8:
        return array.astype(np.int32)
    if array.dtype == np.float32:
        return (array.view(np.uint32) & _TF32_MASK).view(np.float32)
    return array.astype(np.float32)


def _wgmma(builder, operands, types, attrs):
    a, b, acc = _operand(operands[0]), _operand(operands[1]), operands[2]
    return [(acc.astype(a.dtype) + a @ b).astype(acc.dtype)]


def _named_barrier_arrive(builder, operands, types, attrs):
    schedule = builder.schedule
    schedule.barrier(attrs["barrier"], attrs["warps"]).come(schedule.role.warps)
    return []


def _named_barrier_wait(builder, operands, types, attrs):
    schedule = builder.schedule
    barrier = schedule.barrier(attrs["barrier"], attrs["warps"])
    current = barrier.come(schedule.role.warps)
    schedule.wait_until(lambda: barrier.rounds > current, f"a barrier of {barrier.warps} warps")
    return []


def _pass_on(builder, operands, types, attrs):
    return operands


def _nothing(builder, operands, types, attrs):
    return []


OPS = {
    "warp.ring": _ring,
    "warp.ring.acquire": _acquire,
    "warp.ring.commit": _commit,
    "warp.ring.wait": _wait,
    "warp.ring.release": _release,
    "warp.ring.no_slot": _no_slot,
    "warp.cluster_rank": _cluster_rank,
    "warp.tma_load": _load,
    "warp.alloc": _alloc,
    "warp.local_load": _local_load,
    "warp.local_store": _local_store,
    "warp.remote_load": _remote_load,
    "warp.cluster_barrier": _cluster_barrier,
    "warp.shared_transpose": _transpose,
    "warp.wgmma": _wgmma,
    "warp.wgmma_wait": _pass_on,
    "warp.barrier": _nothing,
    "warp.named_barrier_arrive": _named_barrier_arrive,
    "warp.named_barrier_wait": _named_barrier_wait,
}
