"""Finds lost carries in SASS: 64-bit differences whose lower word is a multiply-add of a 32-bit negation.

`-b` in 32 bits has no carry where b is 0, so an upper word that adds -1 and the carry of `x + -b` is too small.
"""

import re

_PREDICATE = r"(?:@!?U?P\d+ )?"
_REGISTER = r"U?R(?:\d+|Z)"
# The destination may be followed by unused carries, as on compute capability 10.0.
_NEGATION = re.compile(
    _PREDICATE
    + rf"(?:U?IADD3 (?P<a>{_REGISTER}), (?:U?PT, )*(?:U?RZ, -{_REGISTER}, U?RZ|-{_REGISTER}, U?RZ, U?RZ)"
    rf"|(?:V?IADD|IMAD\.MOV(?:\.U32)?) (?P<b>{_REGISTER}), (?:U?RZ, )*-{_REGISTER}(?:, U?RZ)?)$"
)
_MOVE = re.compile(
    _PREDICATE + rf"(?:U?MOV|IMAD\.MOV(?:\.U32)?|IMAD\.U32) ({_REGISTER}), (?:U?RZ, U?RZ, )?({_REGISTER})$"
)
_FUSED = re.compile(
    _PREDICATE + rf"U?IMAD\.(?:HI|WIDE)(?:\.U32)? {_REGISTER}, (U?P\d), [^,]+, [^,]+, ({_REGISTER})$"
)
_UPPER_WORD = re.compile(r"\S+\.X(?:\.\S+)? .*(?:-0x1\b|0xffffffff\b|~U?R)")
_DEFINITION = re.compile(_PREDICATE + rf"(?!ST|RED|BAR)(\S+) ({_REGISTER})\b")


def instructions(lines):
    """The instructions of a listing of nvdisasm, without addresses and marks of reuse."""
    found = (re.match(r"\s*/\*[0-9a-f]{4,}\*/\s*(.*?)\s*;", line) for line in lines)
    return [re.sub(r"\s+", " ", match[1]).replace(".reuse", "") for match in found if match]


def _upper(register):
    """The second register of a pair."""
    name, number = re.fullmatch(r"(U?R)(\d+|Z)", register).groups()
    return register if number == "Z" else f"{name}{int(number) + 1}"


def _takes_carry(rest, predicate):
    """Whether the first use of the predicate in the instructions `rest` computes the upper word of a difference."""
    user = next((text for text in rest if re.search(rf"\b{predicate}\b", text)), "")
    return _UPPER_WORD.match(user.partition(" ")[2] if user.startswith("@") else user)


def lost_carries(lines):
    """The instructions of a listing that lose a carry."""
    listing, negated, found = instructions(lines), set(), []
    for index, text in enumerate(listing):
        fused = _FUSED.match(text)
        if fused and _upper(fused[2]) in negated and _takes_carry(listing[index + 1 :], fused[1]):
            found.append(text)
        negation, move, definition = _NEGATION.match(text), _MOVE.match(text), _DEFINITION.match(text)
        result = (negation["a"] or negation["b"]) if negation else None
        if move and move[2] in negated:
            result = move[1]
        if definition:
            negated.discard(definition[2])
            if "WIDE" in definition[1] or ".64" in definition[1]:
                negated.discard(_upper(definition[2]))
        if result:
            negated.add(result)
    return found
