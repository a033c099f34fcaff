"""Blocks of arrays in memory: block pointers and tensor descriptors.

Both describe an array by address, shape and strides, and access a block of it at an offset. Elements outside of the
array are not accessed. A block pointer holds the offset and is advanced; a descriptor takes it with each access.
"""

from .aggregate import aggregate
from .builtin import builtin
from .dtypes import block_pointer_type, block_type, int32, int64
from .errors import LanguageTypeError, LanguageValueError
from .semantic import arithmetic, convert, memory, promote
from .semantic import shape as _shape
from .semantic import tiles as _tiles
from .tensor import known_value, tensor


class block_pointer(aggregate):
    """Points to a block of an array; made by `tl.make_block_ptr`. Its parts: base, shape, strides, offsets."""

    @property
    def block_shape(self):
        """The dimensions of the block."""
        return self.static[1]

    @property
    def dtype(self):
        """The type of the pointer to the array."""
        return self.parts[0].dtype

    @property
    def type(self):
        """Its `element_ty` is the type of the block."""
        return block_pointer_type(block_type(self.dtype.element_ty, self.block_shape))

    def _group(self, index):
        rank = len(self.block_shape)
        return self.parts[1 + index * rank : 1 + (index + 1) * rank]

    @builtin
    def advance(self, offsets):
        """`tl.advance` as a method."""
        return advance(self, offsets)

    def _addresses(self, boundary_check):
        rank = len(self.block_shape)
        checked = {_shape.as_axis(axis, rank, "boundary_check") for axis in boundary_check}
        shape, strides, offsets = (self._group(index) for index in range(3))
        return _tiles.addresses(self.parts[0], shape, strides, offsets, self.block_shape, checked)

    def load_block(self, boundary_check, padding_option, cache_modifier, eviction_policy):
        """`tl.load` of a block pointer."""
        return _tiles.load(*self._addresses(boundary_check), padding_option, cache_modifier, eviction_policy)

    def store_block(self, value, boundary_check, cache_modifier, eviction_policy):
        """`tl.store` through a block pointer."""
        _tiles.store(*self._addresses(boundary_check), value, cache_modifier, eviction_policy)


def _base(base, what):
    if not isinstance(base, tensor) or base.type.is_block() or not base.dtype.is_ptr():
        raise LanguageTypeError(f"the base of {what} is a pointer, got {convert.describe(base)}")
    return base


@builtin
def make_block_ptr(base, shape, strides, offsets, block_shape, order):
    """A pointer to the block of `block_shape` at `offsets` in an array at `base` with `shape` and
    `strides`.

    All are sequences with an entry for each dimension. `block_shape` and `order`, which lists the axes from the
    fastest to the slowest in memory, are known at compile time. `tl.load(p, boundary_check=(0, 1),
    padding_option="zero")` and `tl.store` check the bounds of the axes they are told. Raises
    `LanguageTypeError` and `LanguageValueError`.

    Example:

        >>> p = tl.make_block_ptr(ints, (4, 8), (8, 1), (1, 6), (2, 4), (1, 0))
        >>> tl.load(p, boundary_check=(1,), padding_option="zero")
        int32 [[14, 15, 0, 0], [22, 23, 0, 0]]
    """
    block_shape = _shape.as_shape((tuple(block_shape),), "a block pointer")
    rank = len(block_shape)
    shape, strides = (_tiles.index_scalars(v, int64, n) for v, n in ((shape, "shape"), (strides, "strides")))
    offsets = _tiles.index_scalars(offsets, int32, "offsets")
    _tiles.check_rank(rank, shape=shape, strides=strides, offsets=offsets, order=order)
    if sorted(order) != list(range(rank)):
        raise LanguageValueError(f"order names each of the {rank} axes once, got {list(order)}")
    parts = [_base(base, "tl.make_block_ptr"), *shape, *strides, *offsets]
    return block_pointer(parts, (base.dtype.element_ty, block_shape))


@builtin
def advance(base, offsets):
    """The block pointer `base` moved by `offsets`, an integer for each axis.

    Example:

        >>> p = tl.make_block_ptr(ints, (4, 8), (8, 1), (0, 0), (2, 4), (1, 0))
        >>> p = tl.advance(p, (1, 4))
        >>> tl.load(p)
        int32 [[12, 13, 14, 15], [20, 21, 22, 23]]
    """
    if not isinstance(base, block_pointer):
        raise LanguageTypeError(f"tl.advance takes a block pointer, got {convert.describe(base)}")
    moves = _tiles.index_scalars(offsets, int32, "offsets")
    rank = len(base.block_shape)
    _tiles.check_rank(rank, offsets=moves)
    moved = [arithmetic.add(old, move) for old, move in zip(base.parts[-rank:], moves, strict=True)]
    return base.with_parts([*base.parts[:-rank], *moved])


advance._must_use_result = "It leaves the block pointer where it is: p = tl.advance(p, offsets)."
block_pointer.advance._must_use_result = advance._must_use_result


class tensor_descriptor(aggregate):
    """Describes an array and the shape of the blocks it is accessed by; made by
    `tl.make_tensor_descriptor`.

    Attributes: `shape`, `strides` (of the array), `block_shape`, `dtype` (of the elements).

    Example:

        >>> d = tl.make_tensor_descriptor(ints, [4, 8], [8, 1], [1, 4])
        >>> d.load([2, 0])
        int32 [[16, 17, 18, 19]]
        >>> d.gather(tl.arange(0, 2) * 2, 4)
        int32 [[4, 5, 6, 7], [20, 21, 22, 23]]
        >>> d.block_shape
        (1, 4)
    """

    @property
    def dtype(self):
        """The type of the elements."""
        return self.static[0]

    @property
    def block_shape(self):
        """The dimensions of a block."""
        return self.static[1]

    @property
    def block_type(self):
        """The type of a block."""
        return block_type(self.dtype, self.block_shape)

    @property
    def type(self):
        """How errors name the type."""
        return f"{type(self).__name__}<{self.block_type}>"

    operand_hint = "load a block first: desc.load(offsets)"

    @property
    def shape(self):
        """The dimensions of the array, as scalars of the kernel."""
        return self.parts[1 : 1 + len(self.block_shape)]

    @property
    def strides(self):
        """The strides of the array in elements, as scalars of the kernel."""
        return self.parts[1 + len(self.block_shape) :]

    def _offsets(self, offsets):
        offsets = _tiles.index_scalars(offsets, int32, "offsets")
        _tiles.check_rank(len(self.block_shape), offsets=offsets)
        return offsets

    def _addresses(self, offsets):
        checked = set(range(len(self.block_shape)))
        return _tiles.addresses(
            self.parts[0], self.shape, self.strides, self._offsets(offsets), self.block_shape, checked
        )

    @property
    def _is_described(self):
        """Whether the last stride is known to be 1, as an array that hardware copies blocks of needs it."""
        return self.static[3]

    def _descriptor(self):
        return _tiles.descriptor(self.parts[0], self.shape, self.strides, self.block_shape, self.static[2])

    @builtin
    def load(self, offsets):
        """The block at `offsets`; elements outside of the array are zero, or NaN if the descriptor says so."""
        if not self._is_described:
            return _tiles.load(*self._addresses(offsets), self.static[2], "", "")
        return _tiles.load_described(self._descriptor(), self.dtype, self._offsets(offsets), self.block_shape)

    @builtin
    def store(self, offsets, value):
        """Write `value`, a block, at `offsets`. Elements outside of the array are dropped."""
        if not self._is_described:
            return _tiles.store(*self._addresses(offsets), value, "", "")
        return _tiles.store_described(
            self._descriptor(), self.dtype, self._offsets(offsets), self.block_shape, value
        )

    def _rows(self, x_offsets, y_offset, what):
        """The pointers to rows of a matrix, and which of them lie in it."""
        if len(self.block_shape) != 2 or self.block_shape[0] != 1:
            raise LanguageValueError(
                f"{what} is for descriptors of blocks of one row, [1, N], got {list(self.block_shape)}"
            )
        if not isinstance(x_offsets, tensor) or len(x_offsets.shape) != 1 or not x_offsets.dtype.is_int():
            raise LanguageTypeError(
                f"the rows of {what} are a block of integers of rank 1, got {convert.describe(x_offsets)}"
            )
        (column,) = _tiles.index_scalars([y_offset], int32, "offsets")
        return _tiles.row_addresses(
            self.parts[0], self.shape, self.strides, x_offsets, column, self.block_shape[1]
        )

    @builtin
    def gather(self, x_offsets, y_offset):
        """The rows that `x_offsets`, a block of integers, names, from column `y_offset` on, as a block.

        The blocks of the descriptor are rows, [1, N]; the result is [len(x_offsets), N]. Elements outside
        of the array are zero, or NaN if the descriptor says so.
        """
        pointers, mask = self._rows(x_offsets, y_offset, "a gather")
        return _tiles.load(pointers, mask, self.static[2], "", "")

    @builtin
    def scatter(self, value, x_offsets, y_offset):
        """Write the rows of `value` to the rows that `x_offsets` names, from column `y_offset` on.

        Elements outside of the array are dropped. Of rows that are named twice, one is written.
        """
        pointers, mask = self._rows(x_offsets, y_offset, "a scatter")
        _tiles.store(pointers, mask, value, "", "")


def described_block(descriptor, offsets):
    """The operands of an op that copies the block of `descriptor` at `offsets`: the descriptor and the offsets, as
    tensors.

    Raises `LanguageValueError` where the last stride is not known to be 1.
    """
    if not descriptor._is_described:
        raise LanguageValueError(
            "the last stride of this descriptor is not known to be 1 while compiling, so its blocks are not copied",
            hint="write 1 as the last stride",
        )
    return [descriptor._descriptor(), *descriptor._offsets(offsets)]


def _atomic(op):
    def method(self, offsets, value):
        if not self._is_described:
            pointers, mask = self._addresses(offsets)
            memory.atomic_rmw(op, pointers, value, mask, "relaxed", None)
            return
        _tiles.reduce_described(
            op, self._descriptor(), self.dtype, self._offsets(offsets), self.block_shape, value
        )

    method.__name__ = f"atomic_{op}"
    method.__doc__ = f"""Combine `value`, a block, into the block at `offsets`; gives nothing.

    Each element is one atomic `tl.atomic_{op}(..., sem="relaxed")`. Elements outside of the array are dropped. Raises
    `LanguageTypeError` for elements that `tl.atomic_{op}` does not take.
    """
    return builtin(method)


for _op in ("add", "max", "min", "and", "or", "xor"):
    setattr(tensor_descriptor, f"atomic_{_op}", _atomic(_op))


@builtin
def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    """Describe the array at `base` with `shape` and `strides`, to be accessed by blocks of `block_shape`.

    The last stride is 1, and up to five axes are allowed. `padding_option`, "zero" or "nan", is the value
    of elements outside of the array. A `base` or a stride that is loaded from memory is a multiple of 16 bytes; on
    Hopper, where hardware copies the blocks, a kernel traps otherwise. In kernels for Triton the last dimension has 16
    bytes or more. Raises `LanguageTypeError` and `LanguageValueError`.

    Example:

        >>> d = tl.make_tensor_descriptor(ints, [4, 8], [8, 1], [2, 4])
        >>> d.load([1, 6])
        int32 [[14, 15, 0, 0], [22, 23, 0, 0]]
        >>> d.block_shape
        (2, 4)
    """
    block_shape = _shape.as_shape((tuple(block_shape),), "a tensor descriptor")
    rank = len(block_shape)
    if not 1 <= rank <= 5:
        raise LanguageValueError(f"a tensor descriptor has one to five axes, got {rank}")
    last = known_value(strides[-1]) if strides else None
    is_known = bool(strides) and not isinstance(last, tensor)
    if is_known and last != 1:
        raise LanguageValueError(f"the last stride of a tensor descriptor is 1, got {last}")
    shape, strides = (_tiles.index_scalars(v, int64, n) for v, n in ((shape, "shape"), (strides, "strides")))
    _tiles.check_rank(rank, shape=shape, strides=strides)
    element = _base(base, "tl.make_tensor_descriptor").dtype.element_ty
    _tiles.padding(element, padding_option)
    row = block_shape[-1] * element.itemsize
    if row < 16 and promote.follows_triton():  # Triton rejects them; here threads copy them
        raise LanguageValueError(
            "Descriptor block shape must have at least 16 bytes in the last dimension, but got "
            f"{block_shape[-1]} * {element.itemsize} = {row} bytes"
        )
    return tensor_descriptor([base, *shape, *strides], (element, block_shape, padding_option, is_known))


@builtin
def load_tensor_descriptor(desc, offsets):
    """`desc.load(offsets)`.

    Example:

        >>> d = tl.make_tensor_descriptor(ints, [4, 8], [8, 1], [2, 4])
        >>> tl.load_tensor_descriptor(d, [1, 0])
        int32 [[8, 9, 10, 11], [16, 17, 18, 19]]
    """
    return desc.load(offsets)


@builtin
def store_tensor_descriptor(desc, offsets, value):
    """`desc.store(offsets, value)`.

    Example:

        >>> d = tl.make_tensor_descriptor(counts, [2, 4], [4, 1], [1, 4])
        >>> tl.store_tensor_descriptor(d, [1, 0], tl.arange(0, 4)[None, :])
        >>> counts
        int32 [0, 0, 0, 0, 0, 1, 2, 3]
    """
    desc.store(offsets, value)
