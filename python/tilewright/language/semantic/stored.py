"""Storage-only 8-bit floats: codes that are decoded before arithmetic.

A code has a sign, an exponent and a mantissa. A shift moves the fields to their position in the wide float. One
multiplication by a power of two corrects the exponent by the difference of the biases, also for subnormal numbers.
"""

from ..dtypes import float32, float64, int8, uint8, uint32, uint64, with_scalar
from ..ir import builder, emit
from ..tensor import tensor
from . import arithmetic
from .compare import compare
from .convert import bitcast, cast, constant

#: Of each type: the bits of the mantissa, the bias, and whether the code 0x80 is NaN instead of -0.
LAYOUTS = {"fp8e4b15": (3, 15, False), "fp8e4b8": (3, 8, True), "fp8e5b16": (2, 16, True)}
_NAN = 0x80
_WIDE = {32: (23, 127, uint32), 64: (52, 1023, uint64)}


def _codes(value):
    """The codes as uint8; the IR holds them as i8 anyway."""
    return tensor(value.handle, with_scalar(value.type, uint8))


def _from_codes(codes, ty):
    narrow = cast(codes, int8)
    return tensor(narrow.handle, with_scalar(narrow.type, ty))


def _both(x, y):
    return arithmetic.bitwise(x, y, "arith.ori", "|")


def _and(x, mask):
    return arithmetic.bitwise(x, mask, "arith.andi", "&")


def decode(value):
    """The numbers as float32, which holds all of them."""
    mantissa, bias, has_nan = LAYOUTS[value.dtype.name]
    codes = cast(_codes(value), uint32)
    magnitude = arithmetic.shift(_and(codes, 0x7F), 23 - mantissa, "<<")
    sign = arithmetic.shift(_and(codes, 0x80), 24, "<<")
    wide = arithmetic.mul(bitcast(_both(magnitude, sign), float32), 2.0 ** (127 - bias))
    if not has_nan:
        return wide
    number = arithmetic.where(compare("eq", codes, _NAN), float("nan"), wide)
    number.trace = value.trace
    return number


def _round_normal(pattern, shift, towards_zero):
    """The bits without the lowest `shift`, rounded to the nearest, ties to even, or towards zero."""
    kept = arithmetic.shift(pattern, shift, ">>")
    if towards_zero:
        return kept
    more = arithmetic.add(_and(kept, 1), (1 << (shift - 1)) - 1)
    return arithmetic.shift(arithmetic.add(pattern, more), shift, ">>")


def encode(value, ty, rounding=None):
    """float32 or float64 rounded to the nearest number of type `ty`. Values too large become the largest one.

    NaN becomes NaN where the type has one, else the largest number.
    """
    mantissa, bias, has_nan = LAYOUTS[ty.name]
    bits = value.dtype.primitive_bitwidth
    wide_mantissa, wide_bias, unsigned = _WIDE[bits]
    towards_zero = rounding == "rtz"
    pattern = bitcast(value, unsigned)
    size = _and(pattern, (1 << (bits - 1)) - 1)
    normal = _round_normal(size, wide_mantissa - mantissa, towards_zero)
    normal = arithmetic.sub(normal, (wide_bias - bias) << mantissa)
    # Below the least normal number all steps are of one size.
    least = 2.0 ** (1 - bias)
    magnitude = bitcast(size, value.dtype)
    small = compare("lt", magnitude, least)
    steps = arithmetic.mul(arithmetic.where(small, magnitude, 0.0), 2.0 ** (bias - 1 + mantissa))
    whole = emit("math.floor" if towards_zero else "math.roundeven", [steps], steps.type)
    largest = constant(0x7F, normal.type)
    code = arithmetic.where(compare("lt", magnitude, 2.0**17), normal, largest)
    code = arithmetic.where(small, cast(whole, unsigned), arithmetic.minimum(code, largest))
    sign = _and(arithmetic.shift(pattern, bits - 8, ">>"), 0x80)
    is_nan = compare("ne", value, value)
    if has_nan:
        sign = arithmetic.where(compare("eq", code, 0), 0, sign)  # there is no -0
        code = arithmetic.where(is_nan, _NAN, _both(code, sign))
    else:
        code = _both(arithmetic.where(is_nan, largest, code), sign)
    encoded = _from_codes(cast(code, uint8), ty)
    encoded.trace = value.trace if has_nan else None
    return encoded


def to_stored(value, ty, rounding=None):
    """Numbers of any type as `ty`."""
    if value.dtype == ty:
        return value
    if value.dtype != float64:
        value = cast(value, float32)
    return encode(value, ty, rounding)


def stored_constant(value, ty):
    """The number `value` everywhere."""
    return to_stored(
        tensor(builder().constant(float(value), with_scalar(ty, float64)), with_scalar(ty, float64)),
        ty.scalar,
    )
