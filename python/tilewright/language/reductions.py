"""Reductions of blocks along an axis."""

from .builtin import builtin
from .dtypes import float32, int32, int64
from .elementwise import to
from .errors import LanguageTypeError
from .ir import builder
from .program import arange
from .semantic import arithmetic, compare, convert, promote
from .semantic import reduce as _reduce
from .semantic import shape as _shape
from .semantic.functions import check_combine

#: The bit that marks the index of an element other than the extremum. No dimension is that long.
_NOT_EXTREMUM = 1 << 30


@builtin
def reduce(input, axis, combine_fn, keep_dims=False):
    """Reduce a block, or a tuple of blocks together, along `axis` with a function of your own.

    `combine_fn` is a `@tw.jit` function of two elements (of 2n for n blocks: all of the left, then all of
    the right) that gives one (a tuple of n), and may branch and loop for each element. It must be associative:
    the element with the larger index is always on the right, but the order of combination is not fixed. `axis=None`
    reduces all. With `keep_dims` the reduced axis stays with size 1. The result of reducing a block of rank 1 is a
    scalar.

    Raises `LanguageTypeError` if the function changes the types.

    Example:

        >>> tl.reduce(tl.arange(1, 5), 0, lambda a, b: a * b)
        int32 24
        >>> x = tl.reshape(tl.arange(0, 8), (2, 4))
        >>> tl.reduce((x, -x), 1, lambda a, b, c, d: (tl.maximum(a, c), tl.minimum(b, d)))
        int32 [3, 7]
        int32 [-3, -7]
    """
    inputs = list(input) if isinstance(input, (tuple, list)) else [input]
    check_combine(combine_fn, len(inputs), "tl.reduce")

    def combine(lefts, rights):
        values = builder().call_on_elements(combine_fn, [*lefts, *rights])
        return _reduce.check_combined(values, [left.type for left in lefts])

    results = _reduce.reduce(inputs, axis, combine, keep_dims)
    return tuple(results) if isinstance(input, (tuple, list)) else results[0]


def _reduce_one(input, axis, keep_dims, function):
    value = convert.to_tensor(input)
    return _reduce.reduce([value], axis, lambda lefts, rights: [function(lefts[0], rights[0])], keep_dims)[0]


@builtin
def sum(input, axis=None, keep_dims=False, dtype=None):
    """The sum along `axis`, or of all elements.

    Integers narrower than 32 bits are summed as int32 or uint32; other types stay, unless `dtype` names
    another.

    Example:

        >>> x = tl.reshape(tl.arange(0, 8), (2, 4))
        >>> tl.sum(x, axis=1)
        int32 [6, 22]
        >>> tl.sum(x)
        int32 28
        >>> tl.sum(x, axis=0, keep_dims=True)
        int32 [[4, 6, 8, 10]]
        >>> tl.sum(tl.full((4,), 100, tl.int8), dtype=tl.int8)
        int8 -112
    """
    value = convert.to_tensor(input)
    value = to(value, promote.sum_type(value.dtype) if dtype is None else dtype)
    total = _reduce_one(value, axis, keep_dims, arithmetic.add)
    if arithmetic.is_overflow_checked(value.dtype):
        exact = _reduce_one(to(value, int64), axis, keep_dims, arithmetic.add)
        arithmetic.check_exact(total, exact, "tl.sum")
    return total


@builtin
def xor_sum(input, axis=None, keep_dims=False):
    """The bitwise exclusive or of integers along `axis`, or of all.

    Example:

        >>> tl.xor_sum(tl.arange(1, 5))
        int32 4
    """
    return _bitwise(input, axis, keep_dims, "arith.xori", "xor_sum")


@builtin
def reduce_or(input, axis=None, keep_dims=False):
    """The bitwise or of integers along `axis`, or of all.

    Example:

        >>> tl.reduce_or(tl.arange(1, 5))
        int32 7
    """
    return _bitwise(input, axis, keep_dims, "arith.ori", "reduce_or")


def _bitwise(input, axis, keep_dims, op, name):
    if not input.dtype.is_int():
        raise LanguageTypeError(f"tl.{name} takes integers, got {input.type}")
    return _reduce_one(input, axis, keep_dims, lambda a, b: arithmetic.bitwise(a, b, op, name))


def _extreme(input, axis, return_indices, keep_dims, pick):
    value = convert.to_tensor(input)
    if value.dtype.name == "bf16":
        value = to(value, float32)
    if return_indices:
        return _with_indices(value, axis, keep_dims, pick)
    return _reduce_one(widen(value), axis, keep_dims, pick)


def widen(value):
    """`value` in the type of its maximum: one of 32 bits or more."""
    if value.dtype.primitive_bitwidth >= 32:
        return value
    return to(value, float32 if value.dtype.is_floating() else int32)


def _with_indices(value, axis, keep_dims, pick):
    if not value.type.is_block():
        raise LanguageTypeError(f"indices are of blocks, got {value.type}")
    if axis is None:
        from .shaping import ravel

        value, axis = ravel(value), 0
    axis = _shape.as_axis(axis, len(value.shape), "a reduction")
    index = arange(0, value.shape[axis])
    for position in range(len(value.shape)):
        if position != axis:
            index = promote.expand_dims(index, position)
    index = promote.broadcast_to_shape(index, value.shape)

    # First the extremum, then the lowest index of an element that equals it. Both take one instruction for two elements.
    # Indices have 32 bits, so that one instruction reduces all lanes of a warp. All other indices are marked. If there
    # are only NaNs, which equal nothing, all are.
    wide = widen(value)
    best = _reduce_one(wide, axis, False, pick)
    is_best = compare.compare("eq", wide, promote.expand_dims(best, axis))
    index = arithmetic.where(is_best, index, _mark(index, "arith.ori"))
    index = _mark(_reduce_one(index, axis, keep_dims, arithmetic.minimum), "arith.andi", _NOT_EXTREMUM - 1)
    return to(promote.expand_dims(best, axis) if keep_dims else best, value.dtype), index


def _mark(index, op, bits=_NOT_EXTREMUM):
    return arithmetic.bitwise(index, convert.constant(bits, index.type), op, "an index")


@builtin
def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """The largest element along `axis`, or of all. NaNs are ignored unless all elements are NaN.

    Types narrower than 32 bits give float32 or int32. With `return_indices` the result is a pair: the
    values and their int32 indices along the axis. With `return_indices_tie_break_left` the index is the lowest of
    equal elements, and 0 if all are NaN.

    Example:

        >>> x = tl.reshape(tl.arange(0, 8), (2, 4)) % 3
        >>> tl.max(x, axis=1)
        int32 [2, 2]
        >>> tl.max(x, axis=1, return_indices=True)
        int32 [2, 2]
        int32 [2, 1]
    """
    return _extreme(input, axis, return_indices, keep_dims, arithmetic.maximum)


@builtin
def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """The smallest element along `axis`, or of all; otherwise as `max`.

    Example:

        >>> x = tl.reshape(tl.arange(0, 8), (2, 4)) % 3
        >>> tl.min(x, axis=1)
        int32 [0, 0]
        >>> tl.min(x)
        int32 0
    """
    return _extreme(input, axis, return_indices, keep_dims, arithmetic.minimum)


@builtin
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the largest element along `axis`, as int32; NaNs as for `max`.

    Example:

        >>> tl.argmax(tl.arange(0, 8) % 4, axis=0)
        int32 3
        >>> tl.argmax(tl.arange(0, 8) % 4, axis=0, keep_dims=True)
        int32 [3]
    """
    return max(input, axis, True, tie_break_left, keep_dims)[1]


@builtin
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the smallest element along `axis`, as int32; NaNs as for `max`.

    Example:

        >>> tl.argmin(tl.reshape(tl.arange(0, 8), (2, 4)) % 3, axis=1)
        int32 [0, 2]
    """
    return min(input, axis, True, tie_break_left, keep_dims)[1]
