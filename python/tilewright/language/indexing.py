"""Functions that choose elements by index, or count which there are."""

from .builtin import builtin
from .semantic import choose


@builtin
def gather(src, index, axis):
    """The elements of the block `src` that `index` names along `axis`, in the shape of `index`.

    `result[i, j]` is `src[index[i, j], j]` for axis 0 and `src[i, index[i, j]]` for axis 1. `index` is a
    block of integers from 0 up to the side of `src` along `axis`, with as many axes as `src` and its other
    sides. An index out of this range gives some element of `src`, and stops kernels compiled with `debug`.
    Raises `LanguageTypeError` and `LanguageValueError`.

    Example: `tl.gather(table, codes, axis=0)`.
    """
    return choose.gather(src, index, axis)


@builtin
def histogram(input, num_bins, mask=None):
    """How often each number from 0 to `num_bins - 1` occurs in the block of integers `input`.

    The result is an int32 block of shape (`num_bins`,), known at compile time. Other numbers are not counted,
    nor are those where `mask` (bools that broadcast to the shape of `input`) is false. Raises
    `LanguageTypeError` and `LanguageValueError`.

    Example: `tl.histogram(x.to(tl.int32), 256, mask=offsets < n)`.
    """
    return choose.histogram(input, num_bins, mask)
