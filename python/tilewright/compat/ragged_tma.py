"""`triton.tools.ragged_tma`: groups of rows of one array, of any size each, by one descriptor.

Consecutive groups are read and written as if each were an array of its own. Rows past the end of a group read as zero and
are not written, though they belong to the next group. A descriptor checks blocks against the dimensions of the whole
array only, so row numbers are shifted until the group ends at `_ROWS`, the size of the axis. The address is then off by
`_ROWS - first - size` rows. Two more axes, with sizes that no index reaches, correct it:

1. Steps along one axis are rows.
2. The index `_ROWS` along the other axis goes back `_ROWS` rows: its stride is 2**34 elements less a row, and 2**30
   steps of 2**34 elements wrap around the 64-bit address.
"""

import tilewright.language as tl

from ..runtime.descriptor import TensorDescriptor
from .functions import jit

_ROWS = tl.constexpr(2**30)
#: The size of an axis that contains every index in use.
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
def _coords(TMA, batch_offset, batch_size, coords, ragged_dim: tl.constexpr):
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "TMA is made by create_ragged_descriptor")
    around, back, row = to_ragged_indices(batch_offset, batch_size, coords[ragged_dim])
    return (around, back) + coords[:ragged_dim] + (row,) + coords[ragged_dim + 1 :]


@jit
def load_ragged(TMA, batch_offset, batch_size, coords, ragged_dim: tl.constexpr = 0):
    """The block at `coords` of the group of `batch_size` rows from `batch_offset` on; zero outside of the group."""
    block = TMA.load(_coords(TMA, batch_offset, batch_size, tl.tuple(coords), ragged_dim))
    return tl.reshape(block, block.shape[2:])


@jit
def store_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Write a block at `coords` of a group; elements outside of the group are dropped."""
    indices = _coords(TMA, batch_offset, batch_size, tl.tuple(coords), ragged_dim)
    TMA.store(indices, tl.reshape(data, TMA.block_shape))


@jit
def atomic_add_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Add a block to that at `coords` of a group, atomically for each element."""
    indices = _coords(TMA, batch_offset, batch_size, tl.tuple(coords), ragged_dim)
    TMA.atomic_add(indices, tl.reshape(data, TMA.block_shape))
