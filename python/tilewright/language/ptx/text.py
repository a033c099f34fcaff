"""The text of PTX: statements, their operands and the types and modifiers of their instructions."""

import re
from dataclasses import dataclass

from ..errors import LanguageValueError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DECLARATION = re.compile(r"\.reg\s*\.(?P<type>\w+)\s+(?P<names>.*)", re.DOTALL)
_DECLARED = re.compile(r"(?P<name>[A-Za-z_%][\w$]*)(?:<(?P<count>\d+)>)?")
_INSTRUCTION = re.compile(
    r"(?:@(?P<negated>!?)(?P<guard>[\w%$]+)\s+)?(?P<opcode>[a-z]\w*(?:\.\w+(?:::\w+)?)*)(?:\s+(?P<operands>.*))?",
    re.DOTALL,
)
#: One operand: a vector in braces, an address in brackets, or a name or number.
_OPERAND = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]|[^,\s]+")

#: The types of instructions, by their width; `x2` means two f16 or bf16.
WIDTHS = {
    **{f"{kind}{bits}": bits for kind in "sub" for bits in (8, 16, 32, 64)},
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
    "tf32": 32,
    "pred": 1,
    "f16x2": 32,
    "bf16x2": 32,
    "s16x2": 32,
    "u16x2": 32,
    "f32x2": 64,
    "e4m3x2": 16,
    "e5m2x2": 16,
    "e2m1x2": 8,
}


@dataclass(frozen=True)
class Declaration:
    """`.reg .b32 names;`: the type and the names."""

    type: str
    names: tuple


@dataclass(frozen=True)
class Instruction:
    """One instruction: its name, the types and modifiers in its opcode, and the texts of its operands. The guard is
    the name of a predicate (None without one) and whether it is negated."""

    name: str
    types: tuple
    modifiers: frozenset
    operands: tuple
    guard: str | None
    negated: bool
    text: str


def refused(text, why):
    """The error for a text that needs a GPU, or that the evaluator does not support."""
    return LanguageValueError(
        f"inline assembly without a GPU: {why}, in {' '.join(text.split())!r}",
        hint="the CPU back end and the interpreter run the PTX that the reference of tl.inline_asm_elementwise lists; "
        "write this part in the language, or run the kernel on a GPU",
    )


def statements(asm):
    """The parsed text: `Declaration`s, `Instruction`s, and "{" and "}" around scopes."""
    rest = _COMMENT.sub(" ", asm).strip()
    while rest:
        if rest[0] in "{}":
            yield rest[0]
            rest = rest[1:].strip()
            continue
        text, semicolon, rest = rest.partition(";")
        if not semicolon:
            raise refused(text, "a statement ends with ';'")
        text, rest = text.strip(), rest.strip()
        if text:
            yield _statement(text)


def _statement(text):
    declaration = _DECLARATION.fullmatch(text)
    if declaration:
        return _declaration(text, declaration)
    match = _INSTRUCTION.fullmatch(text)
    if not match:
        raise refused(text, "this is neither an instruction nor a declaration of registers")
    name, *parts = match["opcode"].split(".")
    operands = tuple(_OPERAND.findall(match["operands"] or ""))
    return Instruction(
        name,
        tuple(part for part in parts if part in WIDTHS),
        frozenset(part for part in parts if part not in WIDTHS),
        operands,
        match["guard"],
        bool(match["negated"]),
        text,
    )


def _declaration(text, match):
    if match["type"] not in WIDTHS:
        raise refused(text, f"there are no registers of type {match['type']!r}")
    names = []
    for entry in match["names"].split(","):
        declared = _DECLARED.fullmatch(entry.strip())
        if not declared:
            raise refused(text, f"{entry.strip()!r} is no name of a register")
        count = declared["count"]
        names += [f"{declared['name']}{i}" for i in range(int(count))] if count else [declared["name"]]
    return Declaration(match["type"], tuple(names))
