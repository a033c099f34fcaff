"""Elementwise functions that are not mathematics proper: choice, bounds, casts, operators by name."""

import enum

from .builtin import builtin
from .dtypes import dtype as _dtype
from .errors import LanguageTypeError
from .semantic import arithmetic, convert


class PropagateNan(enum.Enum):
    """What `maximum`, `minimum` and `clamp` give where an operand is NaN: the other operand, or NaN."""

    NONE = 0
    ALL = 0xFFFF


def _propagates(option):
    if not isinstance(option, PropagateNan):
        raise LanguageTypeError(f"propagate_nan is a tl.PropagateNan, got {option!r}")
    return option is PropagateNan.ALL


@builtin
def where(condition, x, y):
    """`x` where `condition` holds, `y` elsewhere. Both `x` and `y` are computed.

    The operands broadcast; `x` and `y` promote to one dtype, or are pointers of one type.

    Example: `tl.where(offsets < n, values, 0.0)`.
    """
    return arithmetic.where(condition, x, y)


@builtin
def maximum(x, y, propagate_nan=PropagateNan.NONE):
    """The larger of `x` and `y`, element by element, in their promoted dtype.

    With `PropagateNan.NONE` the result is the other operand where one is NaN, with `ALL` it is NaN.
    """
    return arithmetic.maximum(x, y, _propagates(propagate_nan))


@builtin
def minimum(x, y, propagate_nan=PropagateNan.NONE):
    """The smaller of `x` and `y`, element by element; NaN as for `maximum`."""
    return arithmetic.minimum(x, y, _propagates(propagate_nan))


@builtin
def clamp(x, min, max, propagate_nan=PropagateNan.NONE):
    """`x` limited to the range from `min` to `max`, in the promoted dtype of the three."""
    propagate = _propagates(propagate_nan)
    return arithmetic.minimum(arithmetic.maximum(x, min, propagate), max, propagate)


@builtin
def add(x, y, sanitize_overflow=True):
    """`x + y`; with `sanitize_overflow=False` it may overflow also in kernels compiled with `debug`."""
    return arithmetic.add(x, y, sanitize_overflow)


@builtin
def sub(x, y, sanitize_overflow=True):
    """`x - y`; with `sanitize_overflow=False` it may overflow also in kernels compiled with `debug`."""
    return arithmetic.sub(x, y, sanitize_overflow)


@builtin
def mul(x, y, sanitize_overflow=True):
    """`x * y`; with `sanitize_overflow=False` it may overflow also in kernels compiled with `debug`."""
    return arithmetic.mul(x, y, sanitize_overflow)


@builtin
def cast(input, dtype, fp_downcast_rounding=None, bitcast=False):
    """Convert to the element type `dtype`; the shape stays.

    Floats become integers towards zero, integers become narrower by dropping bits, anything becomes
    `tl.int1` by comparison with zero. `fp_downcast_rounding` ("rtne", the default, or "rtz") says how
    floats narrow. With `bitcast=True` the bits are kept and read as `dtype`, which must be as wide; raises
    `LanguageValueError` else.

    Example: `x.to(tl.float16)`, `tl.cast(x, tl.uint32, bitcast=True)`.
    """
    if not isinstance(dtype, _dtype):
        raise LanguageTypeError(f"a cast needs a type such as tl.float32, got {dtype!r}")
    value = convert.to_tensor(input)
    if bitcast:
        return convert.bitcast(value, dtype)
    return convert.cast(value, dtype, fp_downcast_rounding)


@builtin
def to(self, dtype, fp_downcast_rounding=None, bitcast=False):
    """`tl.cast` as a method: `x.to(tl.float32)`."""
    return cast(self, dtype, fp_downcast_rounding, bitcast)


@builtin
def logical_and(x, y):
    """Whether both are true (non-zero), element by element, as int1."""
    return arithmetic.logical(x, y, "arith.andi")


@builtin
def logical_or(x, y):
    """Whether one of both is true (non-zero), element by element, as int1."""
    return arithmetic.logical(x, y, "arith.ori")
