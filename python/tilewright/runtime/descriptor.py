"""Descriptors of arrays as arguments of kernels."""

from dataclasses import dataclass

import numpy as np

from .extents import find_room

#: A side of so many elements and more is no array's: it says that nothing ends there.
_ENDLESS = 2**30


def _check_sizes(name, sizes):
    if not hasattr(sizes, "__len__") or not all(hasattr(size, "__index__") for size in sizes):
        raise TypeError(f"{name} of a tensor descriptor is a list of ints, got {sizes!r}")


def _check_reach(base, shape, strides):
    """Raise `ValueError` if elements of the array lie where its memory, as far as that is known, does not."""
    first = last = 0
    for side, stride in zip(shape, strides, strict=True):
        # A number that is traced is none to look at.
        if type(side) is not int and not isinstance(side, np.integer):
            return
        if not 0 < side < _ENDLESS:
            return
        if stride < 0:
            first += (side - 1) * stride
        else:
            last += (side - 1) * stride
    room = find_room(base, first, last)
    if room is None or (-first <= room[0] and last < room[1]):
        return
    raise ValueError(
        f"the elements {first} to {last} from the array's first one, which shape {list(shape)} and strides "
        f"{list(strides)} of a tensor descriptor reach, are not all in its memory, of {-room[0]} to {room[1] - 1}"
    )


# Launches read the slots, which is quicker than attributes.
@dataclass(slots=True)
class TensorDescriptor:
    """An array and the shape of the blocks that a kernel accesses it by, as one argument.

    In the kernel it is what `tl.make_tensor_descriptor` gives.

    Args:
        base: the array (torch, NumPy, ...), of which the address and the dtype count.
        shape, strides: of the array, up to five sides, strides in elements and the last one 1.
        block_shape: the sides of a block.
        padding: what is read outside of the array, "zero" or "nan".

    Raises `ValueError` for what is not so, and where shape and strides lead out of the memory that an array of NumPy,
    of torch or of `tw.empty` is part of; a side of 2**30 or more is one without an end, and not looked at. Raises
    `TypeError` for sides that are no ints.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> import tilewright.language as tl
        >>> @tw.jit
        ... def corner(matrix, out_ptr):
        ...     tl.store(out_ptr, tl.sum(matrix.load([0, 0])))
        ...
        >>> matrix = tw.TensorDescriptor.from_tensor(np.ones((4, 8), np.float32), [2, 4])
        >>> matrix.strides
        [8, 1]
        >>> out = np.zeros(1, np.float32)
        >>> _ = corner[1,](matrix, out)
        >>> out
        array([8.], dtype=float32)
    """

    base: object
    shape: list
    strides: list
    block_shape: list
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self):
        if self.base is None:
            raise TypeError("the base of a tensor descriptor is an array, got None")
        for name in ("shape", "strides", "block_shape"):
            _check_sizes(name, getattr(self, name))
        rank = len(self.shape)
        if not 1 <= rank <= 5:
            raise ValueError(f"a tensor descriptor has one to five axes, got {rank}")
        for name in ("strides", "block_shape"):
            if len(getattr(self, name)) != rank:
                raise ValueError(f"{name} has {len(getattr(self, name))} entries, shape has {rank}")
        if self.strides[-1] != 1:
            raise ValueError(f"the last stride of a tensor descriptor is 1, got {self.strides[-1]}")
        if self.padding not in ("zero", "nan"):
            raise ValueError(f"padding is 'zero' or 'nan', got {self.padding!r}")
        _check_reach(self.base, self.shape, self.strides)

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        """The descriptor of an array of torch, NumPy or CuPy."""
        if hasattr(tensor, "stride"):
            strides = tensor.stride()
        else:
            strides = [step // tensor.dtype.itemsize for step in tensor.strides]
        return TensorDescriptor(
            tensor, list(tensor.shape), list(strides), list(block_shape), padding, round_f32_to_tf32
        )
