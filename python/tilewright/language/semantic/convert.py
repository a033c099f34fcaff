"""Literals to tensors, and the conversions between types."""

import math
import types

from ..aggregate import aggregate
from ..dtypes import float16, float32, float64, int1, int8, int16, int32, int64, uint32, uint64, with_scalar
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import builder, emit
from ..tensor import tensor

_FLOAT32_MAX = (2 - 2**-23) * 2.0**127
_FLOAT32_MIN_NORMAL = 2.0**-126
#: The least magnitude that overflows: the largest number plus half a unit in its last place (ULP).
_OVERFLOW = {
    "fp8e4nv": 464.0,
    "fp8e5": 61440.0,
    "fp16": 65520.0,
    "bf16": (2 - 2**-8) * 2.0**127,
    "fp32": (2 - 2**-24) * 2.0**127,
}
_ROUNDING = ("rtne", "rtz")
_INTEGERS = {8: int8, 16: int16, 32: int32}


def is_literal(value):
    """Whether `value` is a plain Python number, which takes part in promotion by its kind only."""
    return isinstance(value, (bool, int, float))


def constant_hint(value):
    """How to mend `value`, which is no int that is known while compiling."""
    if isinstance(value, tensor):
        return "mark the kernel's argument as tl.constexpr"
    return "give an int, which quotients by // are" if isinstance(value, float) else "give an int"


def literal_type(value):
    """The type that a Python number has on its own: the first of int32, uint32, int64, uint64 (or float32,
    float64) that holds it."""
    if isinstance(value, bool):
        return int1
    if isinstance(value, float):
        magnitude = abs(value)
        fits = magnitude == 0 or not math.isfinite(value) or _FLOAT32_MIN_NORMAL <= magnitude <= _FLOAT32_MAX
        return float32 if fits else float64
    for candidate in (int32, uint32, int64, uint64):
        if candidate.get_int_min_value() <= value <= candidate.get_int_max_value():
            return candidate
    raise LanguageValueError(f"the integer {value} does not fit in 64 bits")


def check_fits(value, ty, what):
    """Raise `LanguageValueError` where `value` is a number that the integers of type `ty` do not hold, signed or not.
    Under the numerics of Triton it wraps around, as there."""
    scalar = ty.scalar
    if not is_literal(value) or not scalar.is_int() or scalar.is_bool():
        return
    if builder().options.numerics == "triton":
        return
    bits = scalar.int_bitwidth
    if not (math.isfinite(value) and -(2 ** (bits - 1)) <= int(value) < 2**bits):
        raise LanguageValueError(f"{what} is {value}, which does not fit in {scalar}")


def constant(value, ty):
    """A tensor of type `ty` (scalar or block) with `value` everywhere; ints wrap around, floats round."""
    scalar = ty.scalar
    if scalar.is_ptr():
        raise LanguageTypeError(f"cannot make a {scalar} from the number {value}")
    if scalar.is_stored_float():
        from .stored import stored_constant

        return stored_constant(value, ty)
    if scalar.is_floating():
        value = float(value)
        if abs(value) >= _OVERFLOW.get(scalar.name, math.inf):
            value = math.copysign(math.inf, value)
    elif scalar.is_bool():
        value = bool(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise LanguageValueError(f"{value} cannot become an integer")
    else:
        bits = scalar.int_bitwidth
        value = ((int(value) + 2 ** (bits - 1)) % 2**bits) - 2 ** (bits - 1)
    return _with_known(tensor(builder().constant(value, ty), ty), value if ty.is_int() else None)


def _with_known(made, value):
    """The new tensor `made`, with its known value, an int that wraps around, or None where it is not known."""
    ty = made.dtype
    if value is not None and ty.is_int():
        least = ty.get_int_min_value()
        made.known = bool(value) if ty.is_bool() else (value - least) % 2**ty.int_bitwidth + least
    return made


def to_tensor(value):
    """A tensor as it is, a Python number as a scalar. Raises `LanguageTypeError` for anything else."""
    if isinstance(value, tensor):
        return value
    if is_literal(value):
        return constant(value, literal_type(value))
    builder()  # raises outside of a kernel
    raise LanguageTypeError(
        f"expected a block, a scalar or a number, got {describe(value)}", hint=operand_hint(value)
    )


def operand_hint(value):
    """How to mend `value`, which is no block, scalar or number."""
    if value is None:
        return "None is an argument that was given as None, or what a function without a result gives"
    return getattr(value, "operand_hint", None)


def as_tensors(given):
    """The result of a function, a value or a tuple of them, as a list of tensors."""
    return [to_tensor(value) for value in (given if isinstance(given, tuple) else (given,))]


def describe(value):
    """How an error names a value."""
    if isinstance(value, tensor):
        return str(value.type)
    if isinstance(value, types.ModuleType):
        return spelled(value)
    if isinstance(value, aggregate):
        return f"a {value.type}"
    return f"{spelled(value)} of type {type(value).__name__}"


def spelled(value):
    """How an error spells a constant: as Python does, but modules and functions by name only."""
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, types.FunctionType):
        return f"function {value.__name__}"
    text = " ".join(repr(value).split()) if hasattr(value, "dtype") else repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."


def to_bool(value):
    """`value != 0` as int1; an int1 as it is; whether a pointer points anywhere."""
    if value.dtype.is_bool():
        return value
    from .compare import compare

    value = _convert("tile.ptr_to_int", value, int64) if value.dtype.is_ptr() else value
    return compare("ne", value, 0)


def cast(value, target, rounding=None):
    """Convert the elements of `value` to the type `target` (an element type), keeping the shape."""
    source, target = value.dtype, target.scalar
    if source == target:
        return value
    if rounding is not None and rounding not in _ROUNDING:
        raise LanguageValueError(f"fp_downcast_rounding is 'rtne' or 'rtz', got {rounding!r}")
    narrows = (
        source.is_floating()
        and target.is_floating()
        and source.primitive_bitwidth > target.primitive_bitwidth
    )
    if rounding is not None and not narrows:
        raise LanguageValueError(
            f"fp_downcast_rounding only applies to narrowing of floats, not {source} to {target}"
        )
    if source.is_ptr() or target.is_ptr():
        return _cast_pointer(value, source, target)
    if source.is_stored_float() or target.is_stored_float():
        return _cast_stored(value, source, target, rounding)
    if source.is_floating():
        return _cast_float(value, source, target, rounding)
    return _cast_int(value, source, target)


def _convert(op, value, target, **attrs):
    return emit(op, [value], with_scalar(value.type, target), **attrs)


def _cast_pointer(value, source, target):
    if source.is_ptr() and target.is_ptr():
        return _convert("tile.bitcast", value, target)
    if source.is_ptr() and target.is_int():
        address = _convert("tile.ptr_to_int", value, int64)
        return to_bool(address) if target.is_bool() else cast(address, target)
    if target.is_ptr() and source.is_int() and not source.is_bool():
        return _convert("tile.int_to_ptr", cast(value, int64), target)
    raise LanguageTypeError(f"cannot cast {source} to {target}")


def _cast_stored(value, source, target, rounding):
    from .stored import decode, to_stored

    value = decode(value) if source.is_stored_float() else value
    return to_stored(value, target, rounding) if target.is_stored_float() else cast(value, target)


def _cast_float(value, source, target, rounding):
    if target.is_bool():
        return to_bool(value)
    if target.is_int() and target.int_bitwidth < 32:
        # Values out of range lose their high bits, as in NumPy: the op itself leaves them undefined.
        return cast(_convert("arith.fptosi", value, int32), target)
    if target.is_int():
        return _convert("arith.fptosi" if target.is_int_signed() else "arith.fptoui", value, target)
    if source.primitive_bitwidth == target.primitive_bitwidth:  # float16 and bfloat16, or the two of 8 bits
        wide = float32 if source.primitive_bitwidth == 16 else float16
        return _convert("arith.truncf", _convert("arith.extf", value, wide), target)
    if source.primitive_bitwidth < target.primitive_bitwidth:
        return _convert("arith.extf", value, target)
    nearest = _convert("arith.truncf", value, target)
    return _toward_zero(nearest, value) if rounding == "rtz" else nearest


def _toward_zero(nearest, value):
    """`value` narrowed toward zero, from `nearest`: one step back where the magnitude grew."""
    back = _convert("arith.extf", nearest, value.dtype)
    back, size = (emit("math.absf", [number], number.type) for number in (back, value))
    from .compare import compare

    grew = compare("gt", back, size)
    bits = _INTEGERS[nearest.dtype.primitive_bitwidth]
    stepped = emit("arith.subi", [bitcast(nearest, bits), cast(grew, bits)], with_scalar(nearest.type, bits))
    return bitcast(stepped, nearest.dtype)


def _cast_int(value, source, target):
    unsigned = source.is_int_unsigned()
    if target.is_floating():
        if target.is_fp8():
            return cast(cast(value, float32), target)
        return _convert("arith.uitofp" if unsigned else "arith.sitofp", value, target)
    if target.is_bool():
        return to_bool(value)
    if source.int_bitwidth == target.int_bitwidth:  # only the sign differs, which the IR does not see
        return _with_known(tensor(value.handle, with_scalar(value.type, target)), value.known)
    if source.int_bitwidth > target.int_bitwidth:
        return _convert("arith.trunci", value, target)
    return _convert("arith.extui" if unsigned else "arith.extsi", value, target)


def bitcast(value, target):
    """Reinterpret the bits of each element as `target`, of the same width."""
    source, target = value.dtype, target.scalar
    if source == target:
        return value
    if source.is_ptr() or target.is_ptr():
        return cast(value, target)
    if source.primitive_bitwidth != target.primitive_bitwidth:
        bits = source.primitive_bitwidth
        raise LanguageValueError(
            f"cannot bitcast {source} ({bits} bits) to {target} ({target.primitive_bitwidth} bits)",
            hint="leave out bitcast=True to convert the value",
        )
    codes = [ty.is_int() or ty.is_stored_float() for ty in (source, target)]
    if all(codes):  # the IR has the same integers
        return _with_known(tensor(value.handle, with_scalar(value.type, target)), value.known)
    return _convert("arith.bitcast", value, target)


def memory_type(element):
    """The type in which memory holds `element`: bools are bytes."""
    return int8 if element.is_bool() else element
