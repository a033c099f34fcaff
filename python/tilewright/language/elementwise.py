"""Elementwise functions that are not mathematics proper: choice, bounds, casts, operators by name."""

import enum

from .builtin import builtin
from .dtypes import bfloat16, float32
from .dtypes import dtype as _dtype
from .errors import LanguageTypeError
from .semantic import arithmetic, convert, promote


class PropagateNan(enum.Enum):
    """The result of `maximum`, `minimum` and `clamp` if an operand is NaN: the other operand, or NaN.

    Example:

        >>> x = tl.full((), float("nan"), tl.float32)
        >>> tl.minimum(x, 1.0, propagate_nan=tl.PropagateNan.NONE)
        float32 1.0
    """

    NONE = 0
    ALL = 0xFFFF


def _propagates(option):
    if not isinstance(option, PropagateNan):
        raise LanguageTypeError(f"propagate_nan is a tl.PropagateNan, got {option!r}")
    return option is PropagateNan.ALL


def _compared(*values):
    """The operands of `maximum` and the like. Under Triton's numerics literals have types of their own, and bfloat16 is
    compared in float32, which is the type of the result."""
    if not promote.follows_triton():
        return values
    tensors = map(convert.to_tensor, values)
    return [convert.cast(value, float32) if value.dtype == bfloat16 else value for value in tensors]


@builtin
def where(condition, x, y):
    """`x` where `condition` holds, `y` elsewhere. Both `x` and `y` are computed.

    The operands broadcast; `x` and `y` promote to one dtype, or are pointers of one type.

    Example:

        >>> i = tl.arange(0, 4)
        >>> tl.where(i < 2, i, -1)
        int32 [0, 1, -1, -1]
        >>> tl.where(i < 2, i, 0.5)
        float32 [0.0, 1.0, 0.5, 0.5]
    """
    return arithmetic.where(condition, x, y)


@builtin
def to_tensor(x):
    """A number that is known while compiling as a scalar of the kernel; a tensor as it is.

    An integer is the first of int32, uint32, int64 and uint64 that can hold it, a float is a float32.

    Example:

        >>> tl.to_tensor(3)
        int32 3
        >>> tl.to_tensor(1 << 31)
        uint32 2147483648
    """
    return convert.to_tensor(x)


@builtin
def maximum(x, y, propagate_nan=PropagateNan.NONE):
    """The larger of `x` and `y`, element by element, in their promoted dtype.

    With `PropagateNan.NONE` the result is the other operand where one is NaN, with `ALL` it is NaN.

    Example:

        >>> tl.maximum(tl.arange(0, 4), 2)
        int32 [2, 2, 2, 3]
        >>> x = tl.full((2,), float("nan"), tl.float32)
        >>> tl.maximum(x, 1.0)
        float32 [1.0, 1.0]
        >>> tl.maximum(x, 1.0, propagate_nan=tl.PropagateNan.ALL)
        float32 [nan, nan]
    """
    return arithmetic.maximum(*_compared(x, y), _propagates(propagate_nan))


@builtin
def minimum(x, y, propagate_nan=PropagateNan.NONE):
    """The smaller of `x` and `y`, element by element; NaN as for `maximum`.

    Example:

        >>> tl.minimum(tl.arange(0, 4), 2)
        int32 [0, 1, 2, 2]
    """
    return arithmetic.minimum(*_compared(x, y), _propagates(propagate_nan))


@builtin
def clamp(x, min, max, propagate_nan=PropagateNan.NONE):
    """`x` limited to the range from `min` to `max`, in the promoted dtype of the three.

    Example:

        >>> tl.clamp(tl.arange(0, 4) - 0.5, 0.0, 2.0)
        float32 [0.0, 0.5, 1.5, 2.0]
    """
    propagate = _propagates(propagate_nan)
    x, min, max = _compared(x, min, max)
    return arithmetic.minimum(arithmetic.maximum(x, min, propagate), max, propagate)


@builtin
def add(x, y, sanitize_overflow=True):
    """`x + y`; with `sanitize_overflow=False` it may overflow also in kernels compiled with `debug`.

    Example:

        >>> tl.add(tl.arange(0, 4), 10)
        int32 [10, 11, 12, 13]
    """
    return arithmetic.add(x, y, sanitize_overflow)


@builtin
def sub(x, y, sanitize_overflow=True):
    """`x - y`; with `sanitize_overflow=False` it may overflow also in kernels compiled with `debug`.

    Example:

        >>> tl.sub(tl.arange(0, 4), 10)
        int32 [-10, -9, -8, -7]
    """
    return arithmetic.sub(x, y, sanitize_overflow)


@builtin
def mul(x, y, sanitize_overflow=True):
    """`x * y`; with `sanitize_overflow=False` it may overflow also in kernels compiled with `debug`.

    Example:

        >>> tl.mul(tl.arange(0, 4), 10)
        int32 [0, 10, 20, 30]
    """
    return arithmetic.mul(x, y, sanitize_overflow)


@builtin
def cast(input, dtype, fp_downcast_rounding=None, bitcast=False):
    """Convert to the element type `dtype`; the shape stays.

    1. Floats become integers by truncation, 8-bit and 16-bit integers by way of int32. Floats out of range and NaN
       give an undefined number.
    2. Integers become narrower by dropping bits. A cast to `tl.int1` compares with zero.
    3. Numbers too large for an 8-bit float become its largest number.
    4. `fp_downcast_rounding` ("rtne", the default, or "rtz") is the rounding of narrowing float casts.
    5. `bitcast=True` reinterprets the bits as `dtype`, which must be as wide; raises `LanguageValueError` otherwise.

    Example:

        >>> x = tl.arange(0, 4) - 1.5
        >>> tl.cast(x, tl.int32)
        int32 [-1, 0, 0, 1]
        >>> x.to(tl.int1)
        int1 [True, True, True, True]
        >>> tl.cast(tl.full((), 2049.0, tl.float32), tl.float16)
        float16 2048.0
        >>> tl.cast(1.9, tl.bfloat16, fp_downcast_rounding="rtz")
        bfloat16 1.8984
        >>> tl.cast(1.0, tl.uint32, bitcast=True)
        uint32 1065353216
        >>> tl.full((), 300, tl.int32).to(tl.uint8)
        uint8 44
    """
    if not isinstance(dtype, _dtype):
        raise LanguageTypeError(f"a cast needs a type such as tl.float32, got {dtype!r}")
    value = convert.to_tensor(input)
    if bitcast:
        return convert.bitcast(value, dtype)
    return convert.cast(value, dtype, fp_downcast_rounding)


@builtin
def to(self, dtype, fp_downcast_rounding=None, bitcast=False):
    """`tl.cast` as a method: `x.to(tl.float32)`.

    Example:

        >>> tl.arange(0, 4).to(tl.float32)
        float32 [0.0, 1.0, 2.0, 3.0]
    """
    return cast(self, dtype, fp_downcast_rounding, bitcast)


@builtin
def logical_and(x, y):
    """Whether both are true (non-zero), element by element, as int1.

    Example:

        >>> i = tl.arange(0, 4)
        >>> (i > 0).logical_and(i < 3)
        int1 [False, True, True, False]
    """
    return arithmetic.logical(x, y, "arith.andi")


@builtin
def logical_or(x, y):
    """Whether one of both is true (non-zero), element by element, as int1.

    Example:

        >>> i = tl.arange(0, 4)
        >>> (i < 1).logical_or(i > 2)
        int1 [True, False, False, True]
    """
    return arithmetic.logical(x, y, "arith.ori")
