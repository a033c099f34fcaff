"""`triton.tools.ragged_tma`: groups of rows of one array, of any size each, by one descriptor.

Groups that lie one behind the other are read and written as if each were an array of its own: what is beyond the
last row of a group reads as zero and is not written, though rows of the next group lie there. A descriptor checks
its blocks against the sides of the whole array alone, so the end of a group is moved there: rows are counted such
that the group ends where the side `_ROWS` does. The address that this is off by, `_ROWS - first - size` rows, is
taken back by two further axes of sides that nothing reaches: steps along one are rows; one index of `_ROWS` along
the other takes `_ROWS` rows back, because a stride of 2**34 elements less a row goes around the 64 bits of an
address once for every 2**30 steps.
"""

import tilewright.language as tl

from ..runtime.descriptor import TensorDescriptor
from .functions import jit

_ROWS = tl.constexpr(2**30)
#: The side of an axis on which every index that is used lies inside.
_ENDLESS = 2**31 - 2**16


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """The descriptor of the array `T` of two or three axes, for blocks of `block_shape`, with the groups along
    `ragged_dim`, which is any axis but the last.

    Raises `ValueError` for other axes, for a block of another rank, and for more than 2**30 rows.
    """
    rank = len(T.shape)
    axis = ragged_dim + rank if ragged_dim < 0 else ragged_dim
    if not 2 <= rank <= 3 or len(block_shape) != rank:
        raise ValueError(
            f"a ragged descriptor has two or three axes and blocks of as many, got {rank} and {len(block_shape)}"
        )
    if not 0 <= axis < rank - 1:
        raise ValueError(f"ragged_dim is one of {rank} axes but the last, got {ragged_dim}")
    if T.shape[axis] > _ROWS.value:
        raise ValueError(f"a ragged descriptor has 2**30 rows at most, got {T.shape[axis]}")
    shape = [*T.shape]
    shape[axis] = _ROWS.value
    strides = [T.stride(dim) for dim in range(rank)]
    row = strides[axis]
    return TensorDescriptor(
        T, [_ENDLESS, _ENDLESS, *shape], [2**34 - row, row, *strides], [1, 1, *block_shape]
    )


@jit
def to_ragged_indices(batch_offset, batch_size, row):
    """The indices along the two further axes, and along the axis of the groups, of `row` of a group."""
    return _ROWS, batch_offset + batch_size, row + _ROWS - batch_size


@jit
def _place(TMA, batch_offset, batch_size, coords, ragged_dim: tl.constexpr):
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "TMA is made by create_ragged_descriptor")
    around, back, row = to_ragged_indices(batch_offset, batch_size, coords[ragged_dim])
    return (around, back) + coords[:ragged_dim] + (row,) + coords[ragged_dim + 1 :]


@jit
def load_ragged(TMA, batch_offset, batch_size, coords, ragged_dim: tl.constexpr = 0):
    """The block at `coords` of the group of `batch_size` rows from `batch_offset` on; zero outside of the group."""
    block = TMA.load(_place(TMA, batch_offset, batch_size, tl.tuple(coords), ragged_dim))
    return tl.reshape(block, block.shape[2:])


@jit
def store_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Write a block at `coords` of a group; what lies outside of the group is left out."""
    place = _place(TMA, batch_offset, batch_size, tl.tuple(coords), ragged_dim)
    TMA.store(place, tl.reshape(data, TMA.block_shape))


@jit
def atomic_add_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Add a block to that at `coords` of a group, atomically for each element."""
    place = _place(TMA, batch_offset, batch_size, tl.tuple(coords), ragged_dim)
    TMA.atomic_add(place, tl.reshape(data, TMA.block_shape))
