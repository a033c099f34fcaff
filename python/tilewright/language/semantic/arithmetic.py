"""Arithmetic, bitwise and logical operations."""

from ...user_location import warn
from ..dtypes import float32, int8, int64, uint32, uint64, with_scalar
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import Spelled, builder, emit, emit_effect
from .compare import compare
from .convert import bitcast, cast, constant, describe, is_literal, to_bool, to_tensor
from .promote import broadcast_pair, check_computes, check_operand, computation_type, operands


def _pick(ty, floating, signed, unsigned=None):
    """The op for elements of type `ty`."""
    if ty.is_floating():
        return floating
    return unsigned if unsigned and ty.is_int_unsigned() else signed


def _is_pointer(value):
    return not is_literal(value) and value.dtype.is_ptr()


def _binary(left, right, what, floating, signed, unsigned=None):
    left, right = operands(left, right, what)
    return emit(_pick(left.dtype, floating, signed, unsigned), [left, right], left.type)


def is_overflow_checked(ty):
    """Whether integers of type `ty` are asserted not to overflow: with the option for it, signed ones that int64
    has room for."""
    return builder().checks_overflow and ty.is_int_signed() and ty.int_bitwidth < 64


def check_exact(result, exact, what):
    """Assert that `result` of `what` has not wrapped around: it is `exact`, of int64."""
    held = compare("eq", exact, cast(result, int64))
    emit_effect("tile.assert", [held], message=f"{result.dtype} overflow in {what}")


def _checked(left, right, symbol, floating, integer, check):
    """An op that may overflow; with the option for it, signed integers are asserted not to."""
    left, right = operands(left, right, symbol)
    result = emit(_pick(left.dtype, floating, integer), [left, right], left.type)
    if check and is_overflow_checked(left.dtype):
        wide = [cast(value, int64) for value in (left, right)]
        check_exact(result, emit(integer, wide, wide[0].type), symbol)
    return result


def _as_offset(value, pointer, what):
    """The offset of a pointer, in a type that the sign-extending op reads unchanged."""
    value = to_tensor(value)
    if not value.dtype.is_int():
        raise LanguageTypeError(
            f"{what} does not take {describe(pointer)} and {describe(value)}",
            hint="a pointer moves by an integer number of elements",
        )
    narrow = value.dtype.is_int_unsigned() and value.dtype.int_bitwidth < 64
    return cast(value, int64) if narrow else value


def _move(pointer, offset):
    pointer, offset = broadcast_pair(pointer, offset)
    return emit("tile.addptr", [pointer, offset], pointer.type)


def add(left, right, check=True):
    """The sum; of a pointer and an integer, the pointer moved by that many elements."""
    check_operand(left, "+")
    check_operand(right, "+")
    if _is_pointer(left) and _is_pointer(right):
        raise LanguageTypeError("cannot add two pointers", hint="add an integer offset to a pointer")
    if _is_pointer(right):
        left, right = right, left
    if _is_pointer(left):
        return _move(left, _as_offset(right, left, "+"))
    return _checked(left, right, "+", "arith.addf", "arith.addi", check)


def sub(left, right, check=True):
    """The difference; of a pointer and an integer, the pointer moved back."""
    check_operand(left, "-")
    check_operand(right, "-")
    if _is_pointer(left) and not _is_pointer(right):
        return _move(left, negate(_as_offset(right, left, "-")))
    return _checked(left, right, "-", "arith.subf", "arith.subi", check)


def mul(left, right, check=True):
    """Multiplication."""
    return _checked(left, right, "*", "arith.mulf", "arith.muli", check)


def truediv(left, right, fast=None, whole_range=True):
    """Division of floats. Integers are converted first, two of them to float32. `fast` allows a reciprocal; by
    default the numerics of the kernel decide. Without `whole_range`, divisors above 2^126 may give zero, and
    subnormal numbers count as zero."""
    fast = builder().options.numerics == "triton" if fast is None else fast
    check_operand(left, "/")
    check_operand(right, "/")
    if _is_integer(left) and _is_integer(right):
        if builder().options.numerics == "triton" and not (is_literal(left) or is_literal(right)):
            computation_type(left.dtype, right.dtype, division=True)  # refuses integers of different sign
        left, right = (cast(to_tensor(value), float32) for value in (left, right))
    left, right = operands(left, right, "/", division=True)
    flags = "arcp" if whole_range else "arcp,afn"
    attrs = {"fastmath": Spelled(f"#arith.fastmath<{flags}>")} if fast else {}
    return emit("arith.divf", [left, right], left.type, **attrs)


def _is_integer(value):
    return isinstance(value, int) if is_literal(value) else value.dtype.is_int()


def floordiv(left, right):
    """Division of integers, rounded towards zero as in C."""
    left, right = operands(left, right, "//", division=True)
    if not left.dtype.is_int():
        raise LanguageTypeError(
            f"// takes integers, got {left.dtype}", hint="use / for floats, and tl.floor of it to round down"
        )
    return emit(_pick(left.dtype, None, "arith.divsi", "arith.divui"), [left, right], left.type)


def mod(left, right):
    """Remainder with the sign of the dividend, as in C."""
    left, right = operands(left, right, "%", division=True)
    return emit(_pick(left.dtype, "arith.remf", "arith.remsi", "arith.remui"), [left, right], left.type)


def maximum(left, right, propagate_nan=False):
    """The larger operand; the other one of a NaN unless NaNs propagate."""
    floating = "arith.maximumf" if propagate_nan else "arith.maxnumf"
    return _binary(left, right, "maximum", floating, "arith.maxsi", "arith.maxui")


def minimum(left, right, propagate_nan=False):
    """The smaller operand; the other one of a NaN unless NaNs propagate."""
    floating = "arith.minimumf" if propagate_nan else "arith.minnumf"
    return _binary(left, right, "minimum", floating, "arith.minsi", "arith.minui")


def with_sign(value, op, bits):
    """A float of 8 bits with another sign, by an op on its bits: such floats are computed with in wider types, and
    going back infinities become the largest number."""
    changed = emit(
        op,
        [bitcast(value, int8), constant(bits, with_scalar(value.type, int8))],
        with_scalar(value.type, int8),
    )
    return bitcast(changed, value.dtype)


def negate(value):
    """Unary minus."""
    _no_pointer(value, "unary -")
    if value.dtype.is_fp8():
        return with_sign(value, "arith.xori", -128)
    if value.dtype.is_floating():
        return emit("arith.negf", [value], value.type)
    return _checked(constant(0, value.type), value, "unary -", None, "arith.subi", True)


def plus(value):
    """Unary plus."""
    _no_pointer(value, "unary +")
    return value


def invert(value):
    """All bits flipped."""
    _no_pointer(value, "~")
    if value.dtype.is_floating():
        raise LanguageTypeError(f"~ takes integers, got {value.dtype}")
    ones = True if value.dtype.is_bool() else -1
    return emit("arith.xori", [value, constant(ones, value.type)], value.type)


def _no_pointer(value, what):
    check_computes(value, what)
    if value.dtype.is_ptr():
        raise LanguageTypeError(f"{what} does not take {value.dtype}")


def bitwise(left, right, op, symbol):
    """`&`, `|` or `^`, as `op` says, on integers."""
    for value in (left, right):
        check_operand(value, symbol)
        if isinstance(value, float) or (not is_literal(value) and not value.dtype.is_int()):
            raise LanguageTypeError(
                f"invalid operands of type {describe(left)} and {describe(right)}: {symbol} takes integers"
            )
    left, right = operands(left, right, symbol)
    return emit(op, [left, right], left.type)


def shift(left, right, symbol):
    """`<<` or `>>`; `>>` keeps the sign of signed integers."""
    for value in (left, right):
        check_operand(value, symbol)
        if not _is_integer(value):
            raise LanguageTypeError(
                f"invalid operands of type {describe(left)} and {describe(right)}: {symbol} takes integers"
            )
    given = None if is_literal(left) else left.dtype
    count = right if is_literal(right) else None
    left, right = operands(left, right, symbol)
    # The type of both: bools are shifted by a number as int32.
    if given is not None and count is not None and not 0 <= count < left.dtype.primitive_bitwidth:
        raise LanguageValueError(f"{symbol} by {count} is out of range for {given}")
    # An unsigned count makes the common type unsigned, but the shifted value keeps its sign.
    op = "arith.shli" if symbol == "<<" else _pick(given or left.dtype, None, "arith.shrsi", "arith.shrui")
    return emit(op, [left, right], left.type)


def logical(left, right, op):
    """`and` and `or` on truth values, element by element."""
    left, right = broadcast_pair(*(to_bool(to_tensor(value)) for value in (left, right)))
    return emit(op, [left, right], left.type)


def logical_not(value):
    """Whether `value` is zero, as int1."""
    return invert(to_bool(to_tensor(value)))


def where(condition, left, right):
    """`left` where `condition`, `right` elsewhere."""
    condition = to_tensor(condition)
    if not condition.dtype.is_bool() and builder().options.numerics == "triton":  # Triton rejects it
        warn(
            f"tl.where takes a condition of int1, got {condition.dtype}: what is not zero counts as true",
            builder().user_location(),
        )
    condition = to_bool(condition)
    left, right = operands(left, right, "where", pointers=True)
    if condition.type.is_block():
        condition, left = broadcast_pair(condition, left)
        left, right = broadcast_pair(left, right)
    return emit("arith.select", [condition, left, right], left.type)


def fma(x, y, z):
    """`x * y + z` with one rounding; all three are brought to one type and shape."""
    x, y = operands(x, y, "fma")
    x, z = operands(x, z, "fma")
    x, y = operands(x, y, "fma")
    if not x.dtype.is_floating():
        raise LanguageTypeError(f"fma takes floats, got {x.dtype}")
    return emit("math.fma", [x, y, z], x.type)


def multiply_high(x, y):
    """The upper half of an unsigned multiplication."""
    x, y = operands(x, y, "umulhi")
    given = x.dtype
    if not given.is_int() or given.int_bitwidth < 32:
        raise LanguageTypeError(f"umulhi takes integers of 32 or 64 bits, got {given}")
    if given.int_bitwidth == 32:
        wide = mul(*(cast(cast(value, uint32), uint64) for value in (x, y)))
        return cast(shift(wide, 32, ">>"), given)
    x, y = cast(x, uint64), cast(y, uint64)
    (x_low, x_high), (y_low, y_high) = (
        (bitwise(value, 2**32 - 1, "arith.andi", "&"), shift(value, 32, ">>")) for value in (x, y)
    )
    middle = add(mul(x_high, y_low), shift(mul(x_low, y_low), 32, ">>"))
    other = add(mul(x_low, y_high), bitwise(middle, 2**32 - 1, "arith.andi", "&"))
    high = add(mul(x_high, y_high), add(shift(middle, 32, ">>"), shift(other, 32, ">>")))
    return cast(high, given)
