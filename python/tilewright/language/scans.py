"""Scans: the reduction of each prefix of an axis.

GPUs have an op for it. Elsewhere adjacent elements are combined to pairs, the pairs are scanned, and each element is
combined with the prefix before its pair. This calls the function fewer than 3n times, in 2 log2(n) steps of one loop
each.
"""

from .builtin import builtin
from .dtypes import float32, int64
from .elementwise import to
from .errors import LanguageTypeError, LanguageValueError
from .ir import builder, is_for_gpu, without_checks
from .semantic import arithmetic, compare, convert, pairs, promote
from .semantic import reduce as _reduce
from .semantic import shape as _shape
from .semantic.functions import check_combine
from .tensor import tensor


def _halves(value, axis):
    shape = value.shape[:axis] + (value.shape[axis] // 2, 2) + value.shape[axis + 1 :]
    return pairs.split(_shape.reshape(value, shape), axis + 1)


def _starts(shape, axis, reverse):
    return compare.compare("eq", pairs.index_along(axis, shape), shape[axis] - 1 if reverse else 0)


def _choose(condition, lefts, rights):
    return [arithmetic.where(condition, left, right) for left, right in zip(lefts, rights, strict=True)]


def _before(values, axis, combine, reverse):
    """The combination of all elements before each. The first element is undefined."""
    if values[0].shape[axis] == 1:
        return values
    halves = [_halves(value, axis) for value in values]
    first = [half[1 if reverse else 0] for half in halves]
    second = [half[0 if reverse else 1] for half in halves]
    before_first = before_second = first
    if first[0].shape[axis] > 1:
        before_first = _before(combine(first, second), axis, combine, reverse)
        starts = _starts(first[0].shape, axis, reverse)
        before_second = _choose(starts, first, combine(before_first, first))
    results = []
    for value, *both in zip(values, before_first, before_second, strict=True):
        joined = pairs.join(*(both[::-1] if reverse else both), axis + 1)
        results.append(_shape.reshape(joined, value.shape))
    return results


def _all_up_to(values, axis, combine, reverse):
    if is_for_gpu():
        return _reduce.scan(values, axis, reverse, combine)
    before = _before(values, axis, combine, reverse)
    return _choose(_starts(values[0].shape, axis, reverse), values, combine(before, values))


def _scan(values, axis, combine, reverse, what):
    for value in values:
        if not isinstance(value, tensor) or not value.type.is_block():
            raise LanguageTypeError(f"{what} takes blocks, got {convert.describe(value)}")
        if value.shape != values[0].shape:
            raise LanguageValueError(
                f"blocks scanned together have one shape, got {list(values[0].shape)} and {list(value.shape)}"
            )
    axis = _shape.as_axis(axis, len(values[0].shape), what)
    size = values[0].shape[axis]
    if size == 1:
        return values
    # Padding comes after all elements, in the order of the scan.
    whole = pairs.whole_dim(size)
    values = [pairs.resize(value, axis, whole, size - whole if reverse else 0) for value in values]
    with without_checks():
        results = _all_up_to(values, axis, combine, reverse)
    return [pairs.resize(result, axis, size, whole - size if reverse else 0) for result in results]


@builtin
def associative_scan(input, axis, combine_fn, reverse=False):
    """For each element of a block, or of a tuple of blocks together, the combination of all elements up to it.

    `combine_fn` is a `@tw.jit` function of two values (of 2n for n blocks: all of the left, then all of the
    right) that gives one (a tuple of n). It must be associative, and may branch and loop for each element. With
    `reverse` the scan runs from the end. Raises `LanguageTypeError` if the function changes the types.

    Example:

        >>> tl.associative_scan(tl.arange(1, 5), 0, lambda a, b: a * b)
        int32 [1, 2, 6, 24]
        >>> decay = tl.full((4,), 0.5, tl.float32)
        >>> x = tl.arange(0, 4).to(tl.float32)
        >>> tl.associative_scan((decay, x), 0, lambda a, b, c, d: (a * c, b * c + d))
        float32 [0.5, 0.25, 0.125, 0.0625]
        float32 [0.0, 1.0, 2.5, 4.25]
    """
    inputs = list(input) if isinstance(input, (tuple, list)) else [input]
    check_combine(combine_fn, len(inputs), "tl.associative_scan")

    def combine(lefts, rights):
        values = builder().call_on_elements(combine_fn, [*lefts, *rights])
        return _reduce.check_combined(values, [left.type for left in lefts])

    results = _scan(inputs, axis, combine, reverse, "tl.associative_scan")
    return tuple(results) if isinstance(input, (tuple, list)) else results[0]


def _widened(input):
    value = convert.to_tensor(input)
    return to(value, float32) if value.dtype.name == "bf16" else value


@builtin
def cumsum(input, axis=0, reverse=False, dtype=None):
    """The sum of all elements up to each, along `axis`.

    Integers narrower than 32 bits are summed as int32 or uint32, bfloat16 as float32; other types stay,
    unless `dtype` names another. With `reverse` it runs from the end.

    Example:

        >>> tl.cumsum(tl.arange(0, 4))
        int32 [0, 1, 3, 6]
        >>> tl.cumsum(tl.arange(0, 4), reverse=True)
        int32 [6, 6, 5, 3]
    """
    value = _widened(input)
    value = to(value, promote.sum_type(value.dtype) if dtype is None else dtype)
    sums = _sums(value, axis, reverse)
    if arithmetic.is_overflow_checked(value.dtype):
        arithmetic.check_exact(sums, _sums(to(value, int64), axis, reverse), "tl.cumsum")
    return sums


def _sums(value, axis, reverse):
    return _scan([value], axis, lambda a, b: [arithmetic.add(a[0], b[0], False)], reverse, "tl.cumsum")[0]


@builtin
def cumprod(input, axis=0, reverse=False, dtype=None):
    """The product of all elements up to each, along `axis`, in the type `dtype`. The default is the type of the
    elements, and float32 for bfloat16.

    Example:

        >>> tl.cumprod(tl.arange(1, 5))
        int32 [1, 2, 6, 24]
    """
    value = _widened(input) if dtype is None else to(input, dtype)
    return _scan([value], axis, lambda a, b: [arithmetic.mul(a[0], b[0], False)], reverse, "tl.cumprod")[0]
