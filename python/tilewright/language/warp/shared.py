"""Blocks in shared memory."""

from ..aggregate import aggregate
from ..builtin import builtin
from ..errors import LanguageError, LanguageTypeError, LanguageValueError
from ..semantic.convert import cast, describe, to_tensor
from ..semantic.promote import broadcast_to_shape
from ..tensor import tensor
from .types import check_target, create, create_one, shared_type, tile_type


class shared_tile(aggregate):
    """A block in shared memory: made by `warp.shared`, or a part of a slot that was waited for.

    Attributes: `shape`, `dtype`, `T` (the same memory, transposed). An operand of `warp.wgmma` as it is.
    """

    def __init__(self, value, slot=None, is_turned=False):
        # Nothing that loops or branches could carry: they use the memory, which stays.
        super().__init__((), ("shared_tile", id(value)))
        self.value, self.slot, self.is_turned = value, slot, is_turned
        self.shape, self.dtype = value.type.sides, value.type.element_ty

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
        return shared_tile(turned, self.slot, not self.is_turned)

    @property
    def contiguous(self):
        """The side along which neighbours lie side by side."""
        return 0 if self.is_turned else len(self.shape) - 1

    def memory(self):
        """The memory, for ops that use it. Raises `LanguageError` if its slot has been given back."""
        if self.slot is not None and self.slot.ended:
            raise LanguageError(
                f"this {self.type} belongs to a slot that was released before",
                hint="release the slot behind the last use of its blocks",
            )
        return self.value

    @builtin
    def read(self):
        """The block in registers."""
        return create_one("warp.local_load", [self.memory()], self.value.type.block)

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
def shared(shape, dtype=None):
    """A block of `shape` and `dtype` in shared memory, with undefined content, as a `shared_tile`.

    `shape` may be a tensor descriptor or a `tl.block_type` instead, and then says both. Stores and reads of one role
    see each other without a barrier in the source. A block belongs to the one role that uses it.

    Raises `LanguageTypeError` and `LanguageValueError` for sides that are no powers of two.

    Example::

        tile = warp.shared((64, 64), tl.float16)
        tile.store(x)
        acc = warp.wgmma(tile, other, acc)
    """
    check_target("warp.shared")
    ty = tile_type(shape if dtype is None else (shape, dtype))
    return shared_tile(create_one("warp.alloc", [], ty))


def as_shared(value, what):
    """`value` if it is a block in shared memory. Raises `LanguageTypeError` otherwise."""
    if not isinstance(value, shared_tile):
        raise LanguageTypeError(
            f"{what} is a block in shared memory, got {getattr(value, 'type', None) or describe(value)}",
            hint="take it from a slot, or store it to a warp.shared",
        )
    return value
