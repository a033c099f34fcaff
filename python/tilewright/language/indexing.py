"""Functions that select elements by index, and histograms."""

from .builtin import builtin
from .semantic import choose


@builtin
def gather(src, index, axis):
    """The elements of the block `src` that `index` names along `axis`, in the shape of `index`.

    `result[i, j]` is `src[index[i, j], j]` for axis 0 and `src[i, index[i, j]]` for axis 1. `index` is a
    block of integers from 0 to below the size of `src` along `axis`. It has the rank of `src` and the same other
    dimensions. An index out of this range gives some element of `src`, and stops kernels compiled with `debug`.
    Raises `LanguageTypeError` and `LanguageValueError`.

    Example:

        >>> table = tl.arange(0, 4) * 10
        >>> tl.gather(table, 3 - tl.arange(0, 4), axis=0)
        int32 [30, 20, 10, 0]
        >>> x = tl.reshape(tl.arange(0, 8), (2, 4))
        >>> tl.gather(x, tl.full((2, 1), 3, tl.int32), axis=1)
        int32 [[3], [7]]
    """
    return choose.gather(src, index, axis)


@builtin
def histogram(input, num_bins, mask=None):
    """How often each number from 0 to `num_bins - 1` occurs in the block of integers `input`.

    The result is an int32 block of shape (`num_bins`,), known at compile time. Other numbers are not counted,
    nor are those where `mask` (bools that broadcast to the shape of `input`) is false. Raises
    `LanguageTypeError` and `LanguageValueError`.

    Example:

        >>> tl.histogram(tl.arange(0, 8) % 3, 4)
        int32 [3, 3, 2, 0]
        >>> tl.histogram(tl.arange(0, 8) % 3, 4, mask=tl.arange(0, 8) < 4)
        int32 [2, 1, 1, 0]
    """
    return choose.histogram(input, num_bins, mask)


@builtin
def item(input):
    """The element of the block `input`, which has only one, as a scalar; a scalar as it is. Raises `LanguageTypeError`.

    Example:

        >>> tl.full((1, 1), 3, tl.int32).item()
        3
    """
    from .semantic import index

    return index.element(input)
