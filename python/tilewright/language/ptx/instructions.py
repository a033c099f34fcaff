"""The table of the instructions that run without a GPU: a name has a rule for each group of types."""

from . import conversions, floats, integers, memory, moves
from .text import refused

_TABLES = (integers.RULES, floats.RULES, moves.RULES, conversions.RULES, memory.RULES)

#: The rules of each instruction, which have `types` and `execute(instruction, registers, guard)`.
INSTRUCTIONS = {
    name: tuple(table[name] for table in _TABLES if name in table) for name in sorted(set().union(*_TABLES))
}


def find_rule(instruction):
    """The rule for an instruction of its types. Raises `LanguageValueError` if there is none."""
    rules = INSTRUCTIONS.get(instruction.name)
    if rules is None:
        raise refused(instruction.text, f"the instruction {instruction.name!r} is not known")
    count = 2 if instruction.name == "cvt" else 1
    if len(instruction.types) != count:
        named = "one type" if count == 1 else "two types"
        raise refused(instruction.text, f"{instruction.name} names {named}")
    for rule in rules:
        if instruction.types[0] in rule.types:
            return rule
    known = ", ".join(name for rule in rules for name in rule.types)
    raise refused(instruction.text, f"{instruction.name} is known for {known}")
