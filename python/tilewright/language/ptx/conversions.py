"""cvt: between integers and floating-point numbers of all widths, also two at once."""

from ..dtypes import float16, float32, int32, int64, uint32, uint64
from ..extra import libdevice
from ..semantic import compare, convert
from ..semantic.arithmetic import maximum, minimum, where
from .four_bits import from_codes, to_codes
from .rule import check_count, check_modifiers, finished, flushed, write
from .text import WIDTHS, refused
from .words import SIGNED, UNSIGNED, as_word, constant, element_type, lanes, resized, seen_as

_MODIFIERS = frozenset({"rn", "rna", "rz", "rni", "rzi", "rmi", "rpi", "ftz", "sat", "satfinite", "relu"})
#: Rounding of float to integer, as suffixes of the functions of libdevice.
_DIRECTIONS = {"rni": "rn", "rzi": "rz", "rmi": "rd", "rpi": "ru"}
_INTEGRAL = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_LARGEST = {"e4m3": 448.0, "e5m2": 57344.0}
#: Bits of float32 that tf32 does not have.
_DROPPED = 13


class _Conversion:
    """The instruction cvt."""

    types = tuple(WIDTHS)

    def execute(self, instruction, registers, guard):
        """As `Rule.execute`."""
        check_modifiers(instruction, _MODIFIERS)
        to, source = instruction.types
        if to.endswith("x2") or source.endswith("x2"):
            word = _two(instruction, registers, to, source)
        else:
            check_count(instruction, 2)
            word = as_word([_one(instruction, _operand(instruction, registers, 1, source)[0], to)])
        destination = instruction.operands[0]
        width = max(registers.width(destination, instruction.text), word.dtype.primitive_bitwidth)
        write(registers, destination, resized(word, width, to[0] == "s"), instruction, guard)


def _operand(instruction, registers, position, name):
    return seen_as(registers.read_low(instruction.operands[position], WIDTHS[name], instruction.text), name)


def _two(instruction, registers, to, source):
    """Converts two numbers, of one register or of two (the upper half first), to two in one register."""
    if source == "e2m1x2":
        check_count(instruction, 2)
        codes = registers.read_low(instruction.operands[1], WIDTHS[source], instruction.text)
        values = [from_codes(codes & 15), from_codes(codes >> 4)]
    elif source.endswith("x2"):
        check_count(instruction, 2)
        values = _operand(instruction, registers, 1, source)
    else:
        check_count(instruction, 3)
        values = [_operand(instruction, registers, position, source)[0] for position in (2, 1)]
    element, count = lanes(to)
    if element == "e2m1":
        low, high = (to_codes(value) for value in values)
        return low | (high << 4)
    if count != 2:
        raise refused(instruction.text, "two numbers become two")
    return as_word([_one(instruction, value, element) for value in values])


def _one(instruction, value, to):
    ty = element_type(to)
    if "ftz" in instruction.modifiers:
        value = flushed(value)
    if value.dtype.is_floating():
        result = _of_float(instruction, value, to, ty)
    elif ty.is_floating():
        if instruction.modifiers - {"rn", "sat"}:
            raise refused(instruction.text, "an integer becomes a float to nearest")
        result = convert.cast(value, ty)
    else:
        result = _of_integer(value, ty, "sat" in instruction.modifiers)
    return finished(instruction, result)


def _of_integer(value, ty, saturates):
    if saturates and value.dtype != ty:
        low = max(value.dtype.get_int_min_value(), ty.get_int_min_value())
        high = min(value.dtype.get_int_max_value(), ty.get_int_max_value())
        value = maximum(value, constant(low, value.dtype, value))
        value = minimum(value, constant(high, value.dtype, value))
    return convert.cast(value, ty)


def _of_float(instruction, value, to, ty):
    if to == "tf32":
        return _as_tf32(instruction, value)
    if ty.is_int():
        return _to_integer(instruction, value, ty)
    directions = instruction.modifiers & set(_INTEGRAL)
    if directions and value.dtype == ty:
        function = getattr(libdevice, _INTEGRAL[next(iter(directions))])
        wide = convert.cast(value, float32) if ty.primitive_bitwidth == 16 else value
        return convert.cast(function(wide), ty)
    if to in _LARGEST:
        return _to_fp8(instruction, value, to, ty)
    narrows = ty.primitive_bitwidth < value.dtype.primitive_bitwidth
    return convert.cast(value, ty, "rtz" if narrows and "rz" in instruction.modifiers else None)


def _to_fp8(instruction, value, to, ty):
    """Saturates to the largest number."""
    if "satfinite" not in instruction.modifiers:
        raise refused(instruction.text, f"{to} is made with .satfinite")
    value = convert.cast(value, float32) if value.dtype == float16 else value
    largest = constant(_LARGEST[to], value.dtype, value)
    return convert.cast(maximum(minimum(value, largest, True), -largest, True), ty)


def _to_integer(instruction, value, ty):
    """Rounds in the direction of the instruction and saturates, also to narrow integers."""
    directions = [end for modifier, end in _DIRECTIONS.items() if modifier in instruction.modifiers]
    if len(directions) != 1:
        raise refused(instruction.text, "a float becomes an integer with .rni, .rzi, .rmi or .rpi")
    if value.dtype.primitive_bitwidth == 16:
        value = convert.cast(value, float32)
    source = "float" if value.dtype == float32 else "double"
    wide = (SIGNED if ty.is_int_signed() else UNSIGNED)[max(32, ty.primitive_bitwidth)]
    kind = {int32: "int", uint32: "uint", int64: "ll", uint64: "ull"}[wide]
    whole = getattr(libdevice, f"{source}2{kind}_{directions[0]}")(value)
    return _of_integer(convert.bitcast(whole, wide), ty, True)


def _as_tf32(instruction, value):
    """float32 with 10 bits of mantissa, rounded to nearest: ties away from zero (.rna) or to even (.rn)."""
    bits = convert.bitcast(value, uint32)
    half = constant(1 << (_DROPPED - 1), uint32, bits)
    if "rn" in instruction.modifiers:
        half = half - 1 + ((bits >> _DROPPED) & 1)
    rounded = (bits + half) & (2**32 - 2**_DROPPED)
    is_finite = compare.compare("ne", bits & 0x7F800000, 0x7F800000)
    return convert.bitcast(where(is_finite, rounded, bits), float32)


RULES = {"cvt": _Conversion()}
