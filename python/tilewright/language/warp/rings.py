"""Rings: circular buffers of slots in shared memory, with one producer role and one or more consumers."""

from ..aggregate import aggregate
from ..builtin import builtin
from ..constexpr import unwrap
from ..dtypes import int32
from ..errors import LanguageError, LanguageTypeError, LanguageValueError
from ..ir import UNIT
from ..semantic.convert import describe, to_bool, to_tensor
from ..tensor import tensor
from ..tiles import described_block, tensor_descriptor
from .roles import current_role
from .shared import shared_tile
from .types import check_cluster, check_target, create, create_one, ring_type, slot_type, tile_type

_FILL, _READ = "slot to fill", "slot to read"


def _condition(value, what):
    """`value` as an int1 scalar. Raises `LanguageTypeError` for a block."""
    condition = to_tensor(value)
    if condition.shape != ():
        raise LanguageTypeError(f"{what} is a scalar, got {describe(condition)}")
    return to_bool(condition)


class slot(aggregate):
    """The right to use one slot of a ring: the producer fills it from `acquire` to `commit`, a consumer reads it from
    `wait` to `release`.

    `slot[i]` is block i of a slot to read. Loops carry slots; a carried slot can only be released.

    Example:

        >>> rows = tl.make_tensor_descriptor(floats, [8, 8], [8, 1], [8, 8])
        >>> ring = warp.ring(2, rows)
        >>> def fill():
        ...     slot = ring.acquire()
        ...     slot.load(0, rows, [0, 0])
        ...     ring.commit(slot)
        ...
        >>> def read():
        ...     slot = ring.wait()
        ...     tl.store(out + tl.arange(0, 8), tl.sum(slot[0].read(), 1))
        ...     ring.release(slot)
        ...
        >>> warp.specialize(warp.role(read, warps=4), warp.role(fill, warps=1))
        >>> out
        float32 [28.0, 92.0, 156.0, 220.0, 284.0, 348.0, 412.0, 476.0]
    """

    def __init__(self, parts, static):
        super().__init__(parts, static)
        self.values, self.ended = None, False

    @property
    def is_spent(self):
        """Whether it has been committed or released."""
        return self.ended

    @property
    def owner(self):
        """The ring."""
        return self.static[0].ring

    @property
    def kind(self):
        """Its permitted use."""
        return self.static[1]

    @property
    def type(self):
        """How errors name the type."""
        return self.kind

    def _value(self, index):
        index, count = unwrap(index), len(self.owner.tiles)
        if self.values is None:
            raise LanguageError(
                "the blocks of a slot that a loop carried are gone",
                hint="use them in the iteration that waited for the slot",
            )
        if not isinstance(index, int) or not 0 <= index < count:
            raise LanguageValueError(
                f"a slot of this ring has the blocks 0 to {count - 1}, got {describe(index)}"
            )
        return self.values[index]

    def __getitem__(self, index):
        if self.kind != _READ:
            raise LanguageError("a slot that is being filled cannot be read", hint="use slot.load(...)")
        return shared_tile(self._value(index), self)

    @builtin
    def load(self, index, descriptor, offsets, multicast=False):
        """Start to copy the block of `descriptor` at `offsets` into block `index` of the slot.

        The tensor memory accelerator copies it, and `wait` returns after the copy. Elements outside of the array
        become the descriptor's padding. Each block of a slot is loaded once, before the slot is committed.

        With `multicast`, for the ring of a cluster, each thread block copies a part of the block to all thread blocks,
        so that it is read once. All must name the same block. `multicast` may be a scalar of the kernel, equal in
        all thread blocks; where it is false each copies for itself.

        Raises `LanguageTypeError` and `LanguageValueError` if the blocks differ in type or shape.

        Example: `slot.load(0, a, [m, k])`.
        """
        if self.kind != _FILL:
            raise LanguageError("a slot that was waited for is only read", hint="acquire a slot to fill it")
        if self.ended:
            raise LanguageError("the slot was committed before", hint="load all its blocks before the commit")
        value = self._value(index)
        if not isinstance(descriptor, tensor_descriptor):
            raise LanguageTypeError(
                f"a slot is loaded through a tensor descriptor, got {describe(descriptor)}",
                hint="make one with tl.make_tensor_descriptor",
            )
        described = tile_type(descriptor)
        if described.name != value.type.name:
            raise LanguageValueError(
                f"block {index} of the slot is {value.type.name}, the descriptor's blocks are {described.name}",
                hint="make the ring of the descriptors: warp.ring(slots, a, b)",
            )
        operands = [*described_block(descriptor, offsets), value]
        segments, attrs = [1, len(operands) - 2, 1, 0], {}
        if multicast is not False:
            attrs["multicast"] = UNIT
            if self.owner.cluster == 1:
                raise LanguageError(
                    "only a ring of a cluster is filled for all its thread blocks at once",
                    hint="make it one: warp.ring(..., cluster=2)",
                )
            if multicast is not True:
                operands.append(_condition(multicast, "multicast"))
                segments[-1] = 1
        create("warp.tma_load", operands, [], operandSegmentSizes=segments, **attrs)


class _State:
    """Compile-time state of a ring. Equal to itself only."""

    def __init__(self, ring):
        self.ring, self.producer = ring, None


@builtin
def cluster_rank():
    """The number of this program in its cluster, from 0 on, as an int32 scalar; 0 without clusters.

    Example:

        >>> warp.cluster_rank()
        int32 0
    """
    check_target("warp.cluster_rank")
    return create_one("warp.cluster_rank", [], int32)


class ring_buffer(aggregate):
    """A ring, made by `warp.ring`. Attributes: `num_slots`, `tiles` (the types of the blocks of a slot), `cluster`.

    Example:

        >>> rows = tl.make_tensor_descriptor(floats, [8, 8], [8, 1], [8, 8])
        >>> ring = warp.ring(2, rows)
        >>> def fill():
        ...     for _ in range(ring.num_slots):
        ...         slot = ring.acquire()
        ...         slot.load(0, rows, [0, 0])
        ...         ring.commit(slot)
        ...
        >>> def read():
        ...     total = tl.zeros((8,), tl.float32)
        ...     held = ring.no_slot()
        ...     for i in range(ring.num_slots):
        ...         slot = ring.wait()
        ...         total += tl.sum(slot[0].read(), 1)
        ...         ring.release(held, when=i > 0)
        ...         held = slot
        ...     ring.release(held)
        ...     tl.store(out + tl.arange(0, 8), total)
        ...
        >>> warp.specialize(warp.role(read, warps=4), warp.role(fill, warps=1))
        >>> out
        float32 [56.0, 184.0, 312.0, 440.0, 568.0, 696.0, 824.0, 952.0]
    """

    def __init__(self, value):
        self.state = _State(self)
        super().__init__((), ("ring", id(self.state)))
        self.value = value
        self.num_slots, self.tiles, self.cluster = value.type.num_slots, value.type.tiles, value.type.cluster

    def with_parts(self, parts):
        """Itself."""
        return self

    @property
    def type(self):
        """How errors name the type."""
        return self.value.type.name

    def _slot(self, op, kind, **attrs):
        ty = slot_type(self.cluster)
        handle, *tiles = create(op, [self.value], [ty, *self.tiles], **attrs)
        made = slot([tensor(handle, ty)], (self.state, kind))
        made.values = [tensor(tile, ty) for tile, ty in zip(tiles, self.tiles, strict=True)]
        return made

    def _end(self, given, kind, verb):
        current_role(verb)
        if not isinstance(given, slot):
            raise LanguageTypeError(f"{verb} takes a slot, got {describe(given)}")
        if given.owner is not self:
            raise LanguageError(
                "the slot belongs to another ring", hint=f"{verb} it to the ring that gave it"
            )
        if given.kind != kind:
            raise LanguageError(f"{verb} takes a {kind}, got a {given.kind}")
        if given.ended:
            raise LanguageError(f"the slot was given to {verb} before", hint="each slot ends once")
        given.ended = True

    @builtin
    def acquire(self):
        """Wait until all consumers have released the next slot. Returns the slot, to be filled.

        Only one role fills a ring. Raises `LanguageError` if another one does.
        """
        role = current_role("acquire")
        if self.state.producer not in (None, role):
            raise LanguageError(
                "another role fills this ring already", hint="make a ring for each role that fills one"
            )
        self.state.producer = role
        # No index, and not throttled.
        return self._slot("warp.ring.acquire", _FILL, operandSegmentSizes=[1, 0, 0])

    @builtin
    def commit(self, slot):
        """Mark all copies to `slot` as issued. The slot is full when they have arrived."""
        self._end(slot, _FILL, "commit")
        create("warp.ring.commit", slot.parts, [])

    @builtin
    def wait(self):
        """Wait until the next slot has been filled. Returns the slot, to be read.

        Each consumer role reads all slots of a ring, in the order in which they were filled.
        """
        current_role("wait")
        return self._slot("warp.ring.wait", _READ)

    @builtin
    def release(self, slot, when=None):
        """Mark `slot` as read by the role. If `when` is given and false, the call does nothing, and the slot is
        `no_slot()`.

        A wgmma that reads the slot must be waited for first. Raises `LanguageError` for a slot of another ring, or one
        that has been released.
        """
        self._end(slot, _READ, "release")
        operands = list(slot.parts)
        if when is not None:
            operands.append(_condition(when, "the condition of a release"))
        create("warp.ring.release", operands, [])

    @builtin
    def no_slot(self):
        """An empty slot value: the initial value of a loop that carries the slot of the previous iteration.

        Example::

            held = ring.no_slot()
            for i in range(n):
                slot = ring.wait()
                acc = warp.wgmma_wait(warp.wgmma(slot[0], slot[1], acc), pendings=1)
                ring.release(held, when=i > 0)
                held = slot
        """
        return slot([create_one("warp.ring.no_slot", [], slot_type(self.cluster))], (self.state, _READ))


@builtin
def ring(num_slots, *tiles, cluster=1):
    """A ring of `num_slots` slots of shared memory that hold the blocks `tiles` each, as a `ring_buffer`.

    A block is given as a tensor descriptor, for its blocks, as a `tl.block_type` or as a pair (shape, dtype). Made at
    the top of a kernel, before the roles that use it. The compiler manages barriers, phases and counts.

    `cluster`, a power of two up to 8, makes a cluster of adjacent programs along the first dimension of the grid. The
    dimension must be a multiple of it. Each program has such a ring, all advance in step, and `slot.load` may fill the
    slots of all at once. A slot is empty when all programs have released it.

    Raises `LanguageTypeError` and `LanguageValueError` for invalid blocks or numbers.

    Example:

        >>> rows = tl.make_tensor_descriptor(floats, [8, 8], [8, 1], [1, 8])
        >>> ring = warp.ring(3, rows)
        >>> def fill():
        ...     for row in range(8):
        ...         slot = ring.acquire()
        ...         slot.load(0, rows, [row, 0])
        ...         ring.commit(slot)
        ...
        >>> def read():
        ...     total = tl.zeros((1, 8), tl.float32)
        ...     for _ in range(8):
        ...         slot = ring.wait()
        ...         total += slot[0].read()
        ...         ring.release(slot)
        ...     tl.store(out + tl.arange(0, 8)[None, :], total)
        ...
        >>> warp.specialize(warp.role(read, warps=4), warp.role(fill, warps=1))
        >>> out
        float32 [224.0, 232.0, 240.0, 248.0, 256.0, 264.0, 272.0, 280.0]
    """
    check_target("warp.ring")
    if isinstance(num_slots, bool) or not isinstance(num_slots, int) or num_slots < 1:
        raise LanguageValueError(
            f"a ring has a number of slots that is known while compiling, 1 or more, got {describe(num_slots)}"
        )
    check_cluster(cluster)
    if not tiles:
        raise LanguageValueError("a slot holds at least one block", hint="warp.ring(4, a, b)")
    if current_role() is not None:
        raise LanguageError("a ring is made at the top of a kernel, before its roles")
    return ring_buffer(create_one("warp.ring", [], ring_type(num_slots, map(tile_type, tiles), cluster)))
