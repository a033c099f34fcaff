"""ld and st: elements at addresses that registers hold."""

import re

from ..dtypes import int64, pointer_type
from ..memory import load, store
from ..semantic import convert
from .moves import names_in
from .rule import check_count, check_modifiers, write
from .text import WIDTHS, refused
from .words import UNSIGNED, constant, resized

_MODIFIERS = frozenset(
    {"global", "weak", "volatile", "ca", "cg", "cs", "cv", "lu", "nc", "wb", "wt", "v2", "v4"}
)
_ADDRESS = re.compile(r"\[\s*(?P<register>[\w$%]+)\s*(?:\+\s*(?P<offset>-?\d+)\s*)?\]")


class _Access:
    """Loads or stores of elements at consecutive addresses."""

    types = tuple(name for name, bits in WIDTHS.items() if bits >= 8)

    def __init__(self, is_load):
        self._is_load = is_load

    def execute(self, instruction, registers, guard):
        """As `Rule.execute`."""
        check_count(instruction, 2)
        check_modifiers(instruction, _MODIFIERS)
        (ty,) = instruction.types
        given, address = instruction.operands if self._is_load else reversed(instruction.operands)
        names = names_in(given)
        for position, name in enumerate(names):
            pointer = _pointer(instruction, registers, address, ty, position * WIDTHS[ty] // 8)
            move = _load if self._is_load else _store
            move(instruction, registers, name, pointer, guard)


def _pointer(instruction, registers, operand, ty, offset):
    match = _ADDRESS.fullmatch(operand)
    if not match:
        raise refused(
            instruction.text, "an address is a register in brackets, with or without a number added"
        )
    address = registers.read(match["register"], 64, instruction.text)
    address = address + constant(int(match["offset"] or 0) + offset, address.dtype, address)
    return convert.cast(convert.bitcast(address, int64), pointer_type(UNSIGNED[WIDTHS[ty]]))


def _load(instruction, registers, name, pointer, guard):
    ty = instruction.types[0]
    word = load(pointer, guard, volatile="volatile" in instruction.modifiers)
    width = max(registers.width(name, instruction.text), WIDTHS[ty])
    write(registers, name, resized(word, width, ty[0] == "s"), instruction, guard)


def _store(instruction, registers, name, pointer, guard):
    word = registers.read_low(name, WIDTHS[instruction.types[0]], instruction.text)
    store(pointer, word, guard)


RULES = {"ld": _Access(True), "st": _Access(False)}
