"""The common path of instructions from operands to destination."""

from dataclasses import dataclass, field

from ..dtypes import float32, uint32
from ..semantic import compare, convert
from ..semantic.arithmetic import maximum, minimum, where
from .text import WIDTHS, refused
from .words import UNSIGNED, as_word, constant, lanes, seen_as

#: Kinds of sources: one of the type in the opcode, and one as wide as the result of the multiplication it is added to.
TYPE, ADDEND = "type", "addend"


@dataclass(frozen=True)
class Rule:
    """`function(instruction, *values)` gives the result of an instruction for one element.

    `types`: the types it applies to. `sources`: TYPE, ADDEND or the name of a PTX type for each. `modifiers`: the
    accepted modifiers.
    """

    function: object
    types: tuple
    sources: tuple = (TYPE, TYPE)
    modifiers: frozenset = field(default_factory=frozenset)

    def execute(self, instruction, registers, guard):
        """Read the operands, compute, and write the destination where `guard` is true (None: everywhere)."""
        check_modifiers(instruction, self.modifiers)
        check_count(instruction, 1 + len(self.sources))
        (ty,) = instruction.types
        destination, *operands = instruction.operands
        values = [
            self._read(source, ty, operand, instruction, registers)
            for source, operand in zip(self.sources, operands, strict=True)
        ]
        count = lanes(ty)[1]
        results = [
            self._compute(instruction, [value[lane % len(value)] for value in values])
            for lane in range(count)
        ]
        write(registers, destination, as_word(results), instruction, guard)

    def _read(self, source, ty, operand, instruction, registers):
        is_wide = source == ADDEND and "wide" in instruction.modifiers
        name = f"{ty[0]}{2 * WIDTHS[ty]}" if is_wide else ty if source in (TYPE, ADDEND) else source
        values = seen_as(registers.read(operand, WIDTHS[name], instruction.text), name)
        return [flushed(value) for value in values] if "ftz" in instruction.modifiers else values

    def _compute(self, instruction, values):
        result = self.function(instruction, *values)
        return finished(instruction, result)


def check_modifiers(instruction, known):
    """Refuse modifiers that are not `known`."""
    unknown = sorted(instruction.modifiers - known)
    if unknown:
        raise refused(instruction.text, f"{instruction.name} is not known with .{unknown[0]}")


def check_count(instruction, count):
    """Refuse another number of operands."""
    if len(instruction.operands) != count:
        raise refused(
            instruction.text, f"{instruction.name} has {count} operands, here are {len(instruction.operands)}"
        )


def write(registers, destination, word, instruction, guard):
    """Write a word to the register, which is as wide."""
    width, bits = registers.width(destination, instruction.text), word.dtype.primitive_bitwidth
    if width != bits:
        text = instruction.text
        raise refused(text, f"register {destination} has {width} bits, the instruction gives {bits}")
    registers.write(destination, word, instruction.text, guard)


def finished(instruction, result):
    """Applies the modifiers to a result: flushes subnormals, clamps to 0 to 1, clamps to positive."""
    if not result.dtype.is_floating():
        return result
    modifiers = instruction.modifiers
    if "sat" in modifiers:  # a NaN becomes 0
        result = minimum(
            maximum(result, constant(0.0, result.dtype, result)), constant(1.0, result.dtype, result)
        )
    if "relu" in modifiers:
        result = maximum(result, constant(0.0, result.dtype, result), propagate_nan=True)
    return flushed(result) if "ftz" in modifiers else result


def flushed(value):
    """Subnormal float32 as zeros of their sign; other types as they are."""
    if value.dtype != float32:
        return value
    bits = convert.bitcast(value, uint32)
    is_subnormal = compare.compare("eq", bits & 0x7F800000, 0)
    return convert.bitcast(where(is_subnormal, bits & 0x80000000, bits), float32)


def unsigned(value):
    """An integer as the unsigned one of its width."""
    return convert.bitcast(value, UNSIGNED[value.dtype.primitive_bitwidth])
