"""bar, barrier, fence and membar: a program is one thread here, whose accesses are in order anyway."""

from .rule import check_modifiers

#: The forms that order accesses and wait, and give nothing.
_FORMS = {
    "bar": frozenset({"sync", "cta", "warp"}),
    "barrier": frozenset({"sync", "cta", "aligned"}),
    "membar": frozenset({"cta", "gl", "sys"}),
    "fence": frozenset(
        {
            "sc",
            "acq_rel",
            "acquire",
            "release",
            "cta",
            "cluster",
            "gpu",
            "sys",
            "proxy",
            "alias",
            "async",
            "global",
        }
    ),
}


def only_orders(instruction):
    """Whether the instruction does nothing here. Raises `LanguageValueError` for forms that would."""
    if instruction.name not in _FORMS:
        return False
    check_modifiers(instruction, _FORMS[instruction.name])
    return True
