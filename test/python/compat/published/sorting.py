"""Sorting written out by hand: blocks are reshaped to one dimension per bit of the index."""

import tilewright.compat

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def bit_of_index(n_dims: tl.constexpr, bit: tl.constexpr):
    return tl.reshape(tl.arange(0, 2), [1] * (n_dims - bit - 1) + [2] + [1] * bit)


@triton.jit
def partner(x, bit: tl.constexpr):
    """The element whose index differs in one bit, from the xor of both elements."""
    as_int: tl.constexpr = tl.core.get_int_dtype(x.dtype.primitive_bitwidth, signed=True)
    bits = x.to(as_int, bitcast=True)
    other = bits ^ tl.xor_sum(bits, len(x.shape) - 1 - bit, keep_dims=True)
    return other.to(x.dtype, bitcast=True)


@triton.jit
def merge_pairs(keys, values, stage: tl.constexpr, order, n_dims: tl.constexpr):
    for i in tl.static_range(stage):
        bit: tl.constexpr = stage - 1 - i
        other = partner(keys, bit)
        swap = (keys > other) != (order ^ bit_of_index(n_dims, bit))
        values = tl.where(swap, partner(values, bit), values)
        keys = tl.where(swap, other, keys)
    return keys, values


@triton.jit
def sort_pairs_kernel(keys_ptr, values_ptr, n, LOG2: tl.constexpr, DESCENDING: tl.constexpr):
    """Sorts the keys of each row of `n` in place, and reorders the values with them."""
    index = tl.arange(0, 2**LOG2)
    row = tl.program_id(0) * n
    worst: tl.constexpr = -float("inf") if DESCENDING else float("inf")
    keys = tl.reshape(tl.load(keys_ptr + row + index, index < n, worst), [2] * LOG2)
    values = tl.reshape(tl.load(values_ptr + row + index, index < n, -1), [2] * LOG2)
    for stage in tl.static_range(1, LOG2):
        keys, values = merge_pairs(keys, values, stage, bit_of_index(LOG2, stage), LOG2)
    keys, values = merge_pairs(keys, values, LOG2, DESCENDING, LOG2)
    tl.store(keys_ptr + row + index, tl.reshape(keys, [2**LOG2]), index < n)
    tl.store(values_ptr + row + index, tl.reshape(values, [2**LOG2]), index < n)
