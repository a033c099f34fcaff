"""The grid and the making of blocks."""

from .builtin import builtin
from .dtypes import block_type, int32
from .dtypes import dtype as _dtype
from .errors import LanguageTypeError, LanguageValueError
from .ir import emit
from .semantic import convert, promote
from .semantic import shape as _shape
from .tensor import known_value, tensor


def _grid_op(op, axis, name):
    axis = known_value(axis)
    if not isinstance(axis, int) or axis not in (0, 1, 2):
        raise LanguageValueError(f"{name} axis must be 0, 1, or 2 but got {convert.describe(axis)}")
    return emit(op, [], int32, axis=axis)


@builtin
def program_id(axis):
    """The index of this program along `axis` (0, 1 or 2) of the grid, as int32.

    Raises `LanguageValueError` for any other axis.

    Example:

        >>> tl.program_id(0)
        int32 0
    """
    return _grid_op("tile.program_id", axis, "program_id")


@builtin
def num_programs(axis):
    """How many programs run along `axis` (0, 1 or 2) of the grid, as int32.

    Example:

        >>> tl.num_programs(0)
        int32 1
    """
    return _grid_op("tile.num_programs", axis, "num_programs")


@builtin
def arange(start, end):
    """The integers from `start` to below `end`, an int32 block of shape [end - start].

    Both are known at compile time. Raises `LanguageTypeError` where one is not, `LanguageValueError` for an
    empty or too large range.

    Example:

        >>> tl.arange(0, 8)
        int32 [0, 1, 2, 3, 4, 5, 6, 7]
        >>> tl.program_id(0) * 8 + tl.arange(0, 8)
        int32 [0, 1, 2, 3, 4, 5, 6, 7]
    """
    start, end = known_value(start), known_value(end)
    for bound in (start, end):
        if not isinstance(bound, int):
            raise LanguageTypeError(
                f"the bounds of tl.arange are compile-time integers, got {convert.describe(bound)}",
                hint=convert.constant_hint(bound),
            )
    start, end = int(start), int(end)  # a condition counts as 0 or 1
    if end <= start:
        raise LanguageValueError(f"tl.arange({start}, {end}) is empty: the end is above the start")
    if not -(2**31) <= start <= end <= 2**31:
        raise LanguageValueError(f"tl.arange({start}, {end}) does not fit in int32")
    return emit("tile.range", [], block_type(int32, [end - start]), start=start, end=end)


@builtin
def full(shape, value, dtype):
    """A block of `shape` and `dtype` filled with `value`, a number or a scalar. Shape `()` gives a scalar.

    Example:

        >>> tl.full((2, 2), float("-inf"), tl.float32)
        float32 [[-inf, -inf], [-inf, -inf]]
        >>> tl.full((), 3, tl.int64)
        int64 3
    """
    shape = _shape.as_shape((tuple(shape) if isinstance(shape, (tuple, list)) else shape,), "tl.full")
    if dtype is None:
        raise LanguageTypeError("tl.full needs a dtype")
    if not isinstance(dtype, _dtype):
        raise LanguageTypeError(f"tl.full needs a type such as tl.float32, got {dtype!r}")
    if isinstance(value, tensor):
        if value.type.is_block():
            raise LanguageTypeError(f"the value of tl.full is a scalar, got {value.type}")
        value = convert.cast(value, dtype)
        return promote.splat(value, shape) if shape else value
    if not convert.is_literal(value):
        raise LanguageTypeError(
            f"the value of tl.full is a number or a scalar, got {convert.describe(value)}"
        )
    convert.check_fits(value, dtype, "the value of tl.full")
    return convert.constant(value, block_type(dtype, shape) if shape else dtype)


@builtin
def zeros(shape, dtype):
    """A block of `shape` filled with zeros of type `dtype`.

    Example:

        >>> tl.zeros((2, 4), dtype=tl.float32)
        float32 [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    """
    return full(shape, 0, dtype)


@builtin
def zeros_like(input):
    """Zeros in the shape and dtype of `input`.

    Example:

        >>> tl.zeros_like(tl.arange(0, 4))
        int32 [0, 0, 0, 0]
    """
    return full(input.shape, 0, input.dtype)
