"""PTX without a GPU: its instructions become operations of the language on blocks of registers.

All groups of elements go through an instruction together, so a register of the text is a block with one word for each
group. The result is ordinary ops: the CPU back end compiles them, the interpreter evaluates them.
"""

from ..ir import without_checks
from .instructions import find_rule
from .ordering import only_orders
from .registers import Registers, elements, groups, letters, packed, plain_names, widths
from .text import Declaration, statements
from .words import UNSIGNED, constant


def evaluate(asm, constraints, operands, types, pack):
    """The results, of the given element `types`, of the text on `operands` of one shape."""
    outputs, inputs = letters(constraints)
    output_widths = widths(outputs, types, pack, "output", constraints)
    input_widths = widths(inputs, [operand.dtype for operand in operands], pack, "input", constraints)
    asm = plain_names(asm, len(outputs) + len(inputs))
    with without_checks():
        numbered = [(width, None) for of_one in output_widths for width in of_one]
        like = None
        for operand, of_one in zip(operands, input_widths, strict=True):
            words = packed(groups(operand, pack), of_one)
            like = words[0] if like is None else like
            numbered += zip(of_one, words, strict=True)
        registers = Registers(numbered, like)
        if not _run(asm, registers):
            _fill(registers, output_widths, like, asm)
        shape = operands[0].shape if operands else ()
        return _results(registers, output_widths, types, pack, shape, asm)


def _run(asm, registers):
    """Whether the text computes anything."""
    computes = False
    for statement in statements(asm):
        if statement == "{":
            registers.open()
        elif statement == "}":
            registers.close(statement)
        elif isinstance(statement, Declaration):
            registers.declare(statement)
        elif not only_orders(statement):
            _execute(statement, registers)
            computes = True
    return computes


def _fill(registers, output_widths, like, asm):
    """Writes some value to the results of a text that computes none: Triton requires a result of each text."""
    for number, width in enumerate(width for of_one in output_widths for width in of_one):
        registers.write(f"${number}", constant(0, UNSIGNED[width], like), asm)


def _execute(instruction, registers):
    guard = None
    if instruction.guard:
        guard = registers.read(instruction.guard, 1, instruction.text)
        guard = ~guard if instruction.negated else guard
    find_rule(instruction).execute(instruction, registers, guard)


def _results(registers, output_widths, types, pack, shape, asm):
    results, number = [], 0
    for ty, of_one in zip(types, output_widths, strict=True):
        words = []
        for width in of_one:
            words.append(registers.read(f"${number}", width, asm))
            number += 1
        results.append(elements(words, ty, pack, shape))
    return results
