"""e2m1: floating-point numbers of four bits, which no type of the language holds."""

from ..dtypes import float32, uint8, uint32
from ..semantic import compare, convert
from ..semantic.arithmetic import where
from .words import constant

#: The lower bounds of the magnitudes of the codes from 1 on. A bound itself goes to the even code.
_BEGINS = ((0.25, "gt"), (0.75, "ge"), (1.25, "gt"), (1.75, "ge"), (2.5, "gt"), (3.5, "ge"), (5.0, "gt"))
_LARGEST = 7


def to_codes(value):
    """The codes nearest to floats, ties to even, as uint8; numbers too large and NaN become the largest one."""
    value = convert.cast(value, float32)
    bits = convert.bitcast(value, uint32)
    magnitude = convert.bitcast(bits & 0x7FFFFFFF, float32)
    code = constant(0, uint8, value)
    for bound, name in _BEGINS:
        begun = compare.compare(name, magnitude, constant(bound, float32, value))
        code = code + convert.cast(begun, uint8)
    code = code | convert.cast((bits >> 31) << 3, uint8)
    return where(compare.compare("ne", value, value), constant(_LARGEST, uint8, code), code)


def from_codes(code):
    """The float32 values of codes, which are uint8 below 16."""
    code = convert.cast(code, uint32)
    exponent, digit = (code >> 1) & 3, code & 1
    normal = ((exponent + 126) << 23) | (digit << 22)
    half = digit * 0x3F000000
    bits = where(compare.compare("eq", exponent, 0), half, normal) | ((code >> 3) << 31)
    return convert.bitcast(bits, float32)
