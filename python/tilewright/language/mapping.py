"""Functions of single elements."""

from .builtin import builtin
from .errors import LanguageTypeError, LanguageValueError
from .ir import builder
from .semantic import convert, nan_traces, promote
from .semantic.functions import check_function


def _check(scalar_fn, args, pack):
    if not args:
        raise LanguageTypeError("tl.map_elementwise takes at least one block")
    if isinstance(pack, bool) or not isinstance(pack, int) or not 1 <= pack <= 32 or pack & (pack - 1):
        raise LanguageValueError(
            "pack of tl.map_elementwise is a power of two from 1 to 32, known at compile time, got "
            f"{convert.describe(pack)}"
        )
    check_function(
        scalar_fn,
        len(args) * pack,
        "tl.map_elementwise",
        "function",
        f"its parameters are {'an element' if pack == 1 else f'{pack} elements'} of each block",
    )


def _as_tensors(values, pack):
    """The results of the function as tensors: `pack` of one type for each result."""
    values = [convert.to_tensor(value) for value in values]
    for value in values:
        if value.type.is_block():
            raise LanguageTypeError(f"the function of tl.map_elementwise gives scalars, got {value.type}")
    if not values or len(values) % pack:
        raise LanguageValueError(
            f"the function of tl.map_elementwise gives {pack} elements for each result, got {len(values)} in all"
        )
    for i, value in enumerate(values):
        if value.dtype != values[i - i % pack].dtype:
            raise LanguageTypeError(
                f"the elements of one result of tl.map_elementwise have one type, got "
                f"{values[i - i % pack].dtype} and {value.dtype}"
            )
    return values


@builtin
def map_elementwise(scalar_fn, *args, pack=1):
    """Apply a function of scalars to each element of blocks, which broadcast to one shape.

    `scalar_fn` is a `@tw.jit` function of one scalar for each of `args`. It returns a scalar, or a tuple of scalars
    for a tuple of blocks. It may branch and loop, so that only elements that need an expensive path take it. It must not
    access memory.

    With `pack` it takes that many elements of each argument, all of the first before those of the second, and returns
    as many of each result. The grouping of elements is not fixed. Raises `LanguageTypeError` and `LanguageValueError`.

    Example:

        >>> def steps(n):
        ...     count = 0
        ...     while n > 1:
        ...         n = tl.where(n % 2 == 0, n // 2, 3 * n + 1)
        ...         count += 1
        ...     return count
        >>> tl.map_elementwise(steps, tl.arange(1, 9))
        int32 [0, 1, 7, 2, 5, 8, 16, 3]
    """
    _check(scalar_fn, args, pack)
    values = [convert.to_tensor(arg) for arg in args]
    shape = ()
    for value in values:
        shape = promote.broadcast_shapes(shape, value.shape)
    values = [promote.broadcast_to_shape(value, shape) for value in values]
    is_tuple = False

    def function(elements):
        nonlocal is_tuple
        given = builder().call(scalar_fn, elements)
        is_tuple = isinstance(given, tuple)
        if given is None:
            raise LanguageTypeError("the function of tl.map_elementwise gives nothing, expected a scalar")
        return _as_tensors(given if is_tuple else [given], pack)

    results = builder().map(
        [value.handle for value in values], [value.type for value in values], pack, function
    )
    nan_traces.trace_black_box(results, values, "tl.map_elementwise")
    return tuple(results) if len(results) > 1 or (is_tuple and pack == 1) else results[0]
