"""Descriptors of arrays as arguments of kernels."""

from dataclasses import dataclass

import numpy as np

from .extents import find_room

#: A dimension of this size or more means an unbounded axis.
_ENDLESS = 2**30


def _check_sizes(name, sizes):
    if not hasattr(sizes, "__len__") or not all(hasattr(size, "__index__") for size in sizes):
        raise TypeError(f"{name} of a tensor descriptor is a list of ints, got {sizes!r}")


def _check_reach(base, shape, strides):
    """Raise `ValueError` if elements of the array lie outside of its memory, as far as that is known."""
    first = last = 0
    for size, stride in zip(shape, strides, strict=True):
        # The value of a traced number is unknown.
        if type(size) is not int and not isinstance(size, np.integer):
            return
        if not 0 < size < _ENDLESS:
            return
        if stride < 0:
            first += (size - 1) * stride
        else:
            last += (size - 1) * stride
    room = find_room(base, first, last)
    if room is None or (-first <= room[0] and last < room[1]):
        return
    raise ValueError(
        f"the elements {first} to {last} from the array's first one, which shape {list(shape)} and strides "
        f"{list(strides)} of a tensor descriptor reach, are not all in its memory, of {-room[0]} to {room[1] - 1}"
    )


# Launches read slots, which are faster than a dict.
@dataclass(slots=True)
class TensorDescriptor:
    """An array and the shape of the blocks that a kernel accesses it by, as one argument.

    In the kernel it is a `tl.tensor_descriptor`.

    Args:
        base: the array (torch, NumPy, ...). Only its address and dtype are used.
        shape, strides: of the array, up to five dimensions; strides in elements, the last one is 1.
        block_shape: the dimensions of a block.
        padding: the value outside of the array, "zero" or "nan".

    Raises `ValueError` for invalid arguments, and if shape and strides reach outside of the memory of an array of NumPy,
    torch or `tw.empty`. A dimension of 2**30 or more is unbounded and not checked. Raises `TypeError` for dimensions that
    are no ints.

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
