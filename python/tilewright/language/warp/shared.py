"""Blocks in shared memory."""

from ..aggregate import aggregate
from ..builtin import builtin
from ..dtypes import int32
from ..errors import LanguageError, LanguageTypeError, LanguageValueError
from ..semantic.convert import cast, describe, to_tensor
from ..semantic.promote import broadcast_to_shape
from ..tensor import tensor
from .roles import current_role
from .types import check_cluster, check_target, create, create_one, shared_type, tile_type


class shared_tile(aggregate):
    """A block in shared memory: made by `warp.shared`, or a part of a slot that was waited for.

    Attributes: `shape`, `dtype`, `T` (the same memory, transposed), `cluster` (the number of programs that reach it). It
    can be an operand of `warp.wgmma`.

    Example:

        >>> block = warp.shared((4, 8), tl.float16, cluster=2)
        >>> block.shape
        (4, 8)
        >>> block.T.shape
        (8, 4)
    """

    def __init__(self, value, slot=None, is_turned=False, cluster=1):
        # No parts for loops and branches to carry: the memory stays where it is.
        super().__init__((), ("shared_tile", id(value)))
        self.value, self.slot, self.is_turned, self.cluster = value, slot, is_turned, cluster
        self.shape, self.dtype = value.type.dims, value.type.element_ty

    def with_parts(self, parts):
        """Itself."""
        return self

    @property
    def type(self):
        """How errors name the type."""
        return f"block {list(self.shape)} of {self.dtype} in shared memory"

    @property
    def T(self):
        """The transpose of a block of rank 2; nothing moves."""
        if len(self.shape) != 2:
            raise LanguageTypeError(f".T needs a block of rank 2, got a {self.type}")
        (handle,) = create("warp.shared_transpose", [self.memory()], None, order=[1, 0])
        turned = tensor(handle, shared_type(self.dtype, self.shape[::-1]))
        return shared_tile(turned, self.slot, not self.is_turned, self.cluster)

    @property
    def contiguous(self):
        """The axis along which elements are contiguous."""
        return 0 if self.is_turned else len(self.shape) - 1

    def memory(self):
        """The memory, for ops that use it. Raises `LanguageError` if its slot has been given back."""
        if self.slot is not None and self.slot.ended:
            raise LanguageError(
                f"this {self.type} belongs to a slot that was released before",
                hint="release the slot after the last use of its blocks",
            )
        return self.value

    @builtin
    def read(self, rank=None):
        """The block in registers: this program's own, or that of the program with number `rank` in the cluster.

        Another program's block is valid from a `warp.cluster_barrier` after its store to the next one.

        Raises `LanguageError` for a rank where no other program reaches the block, and `LanguageTypeError` for a block
        or a float as rank.
        """
        if rank is None:
            return create_one("warp.local_load", [self.memory()], self.value.type.block)
        if self.cluster == 1:
            raise LanguageError(
                "only this program reaches the block", hint="make it with warp.shared(..., cluster=2)"
            )
        rank = to_tensor(rank)
        if rank.shape != () or not rank.dtype.is_int() or rank.dtype.is_bool():
            raise LanguageTypeError(
                f"the rank of a program in its cluster is an integer, got {describe(rank)}"
            )
        current_role("read")
        return create_one("warp.remote_load", [self.memory(), cast(rank, int32)], self.value.type.block)

    @builtin
    def store(self, value):
        """Write `value`, a block of this shape or a scalar, converted to the element type.

        Raises `LanguageError` for a block of a ring, which only `slot.load` fills, and `LanguageValueError` for
        another shape.
        """
        if self.slot is not None:
            raise LanguageError(
                "a slot that was waited for is only read", hint="store to a block of warp.shared"
            )
        value = to_tensor(value)
        if value.shape not in ((), self.shape):
            raise LanguageValueError(
                f"a block of shape {list(self.shape)} is stored, got {list(value.shape)}"
            )
        value = broadcast_to_shape(cast(value, self.dtype), self.shape)
        create("warp.local_store", [value, self.memory()], [])


@builtin
def shared(shape, dtype=None, cluster=1):
    """A block of `shape` and `dtype` in shared memory, with undefined content, as a `shared_tile`.

    `shape` may be a tensor descriptor or a `tl.block_type` instead, which has both. Stores and reads of one role need no
    barrier in the source. A block belongs to the one role that uses it.

    `cluster`, a power of two up to 8, makes a cluster of that many adjacent programs, as a `warp.ring` does. Each has
    such a block, made at the top of the kernel, and reads those of the others: `block.read(rank)`.

    Raises `LanguageTypeError` and `LanguageValueError` for dimensions that are no powers of two.

    Example:

        >>> def work():
        ...     block = warp.shared((4, 8), tl.float32)
        ...     offsets = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
        ...     block.store(tl.load(floats + offsets))
        ...     tl.store(out + tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :], block.T.read())
        ...
        >>> warp.specialize(warp.role(work, warps=4))
        >>> out
        float32 [0.0, 8.0, 16.0, 24.0, 1.0, 9.0, 17.0, 25.0]
    """
    check_target("warp.shared")
    check_cluster(cluster)
    ty = tile_type(shape if dtype is None else (shape, dtype))
    if cluster == 1:
        return shared_tile(create_one("warp.alloc", [], ty))
    if current_role() is not None:
        raise LanguageError("a block of a cluster is made at the top of a kernel, before its roles")
    return shared_tile(create_one("warp.alloc", [], ty, cluster=cluster), cluster=cluster)


def as_shared(value, what):
    """`value` if it is a block in shared memory. Raises `LanguageTypeError` otherwise."""
    if not isinstance(value, shared_tile):
        raise LanguageTypeError(
            f"{what} is a block in shared memory, got {getattr(value, 'type', None) or describe(value)}",
            hint="take it from a slot, or store it to a warp.shared",
        )
    return value
