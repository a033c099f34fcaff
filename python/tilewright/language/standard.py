"""Functions made of the others."""

from .builtin import builtin
from .dtypes import float32
from .errors import LanguageTypeError, LanguageValueError
from .math import exp
from .reductions import max as _max
from .reductions import sum as _sum
from .semantic import arithmetic, convert
from .tensor import known_value


@builtin
def cdiv(x, div):
    """`x / div` rounded up, for integers; on compile-time numbers it gives one.

    Example:

        >>> tl.cdiv(tl.arange(0, 8), 4)
        int32 [0, 1, 1, 1, 1, 2, 2, 2]
        >>> tl.cdiv(10, 4)
        3
    """
    if isinstance(x, int) and isinstance(div, int):
        return -(-x // div)
    return arithmetic.floordiv(
        arithmetic.add(x, arithmetic.sub(div, 1) if not isinstance(div, int) else div - 1), div
    )


@builtin
def next_power_of_2(n):
    """The smallest power of two that is `n` or more, for a compile-time integer `n` above 0.

    Example:

        >>> tl.next_power_of_2(100)
        128
    """
    n = known_value(n)
    if not isinstance(n, int):
        raise LanguageTypeError(f"next_power_of_2 takes a compile-time integer, got {convert.describe(n)}")
    if n < 1:
        raise LanguageValueError(f"next_power_of_2 takes a positive integer, got {n}")
    return 1 << (n - 1).bit_length()


@builtin
def sigmoid(x):
    """`1 / (1 + exp(-x))` of floats, in the dtype of `x`; float16 and bfloat16 are computed in float32.

    Example:

        >>> tl.sigmoid(tl.arange(0, 4).to(tl.float32))
        float32 [0.5, 0.73106, 0.8808, 0.95257]
    """
    given = convert.to_tensor(x)
    narrow = given.dtype.is_standard_floating() and given.dtype.primitive_bitwidth < 32
    value = convert.cast(given, float32) if narrow else given
    result = arithmetic.truediv(1.0, arithmetic.add(1.0, exp(arithmetic.negate(value))))
    return convert.cast(result, given.dtype)


@builtin
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """`exp(x - max) / sum of exp(x - max)` along `dim` (default 0), in the shape of `x`.

    float16 and bfloat16 give float32.

    Example:

        >>> tl.softmax(tl.arange(0, 4).to(tl.float32))
        float32 [0.032059, 0.087144, 0.23688, 0.64391]
    """
    axis = 0 if dim is None else dim
    shifted = arithmetic.sub(x, _max(x, axis, keep_dims=True))
    numerator = exp(shifted)
    return arithmetic.truediv(numerator, _sum(numerator, axis, keep_dims=True))


@builtin
def swizzle2d(i, j, size_i, size_j, size_g):
    """Renumber the programs of a `size_i` by `size_j` grid so that groups of `size_g` rows are done column
    by column.

    Returns the new row and column. Programs that run at about the same time then share data in the cache.

    Example:

        >>> i = tl.arange(0, 8)
        >>> tl.swizzle2d(i // 2, i % 2, 4, 2, 2)
        int32 [0, 1, 0, 1, 2, 3, 2, 3]
        int32 [0, 0, 1, 1, 0, 0, 1, 1]
    """
    linear = i * size_j + j
    per_group = size_g * size_j
    first_row = linear // per_group * size_g
    rows = arithmetic.minimum(size_i - first_row, size_g)
    linear = linear % per_group
    return first_row + linear % rows, linear // rows


@builtin
def _log2(i):
    """The logarithm of a power of two that is known while compiling; code written for Triton takes it from here."""
    return i.bit_length() - 1


def __getattr__(name):
    """Other names of `triton.language.standard`, from the rest of the language."""
    from .. import language

    if name in language.__all__:
        return getattr(language, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
