"""Signatures: the types and constants that a kernel is compiled for, as text.

A signature has one entry for each parameter, in order, between commas:

    *fp16      a pointer to float16          *fp16:16   and its address is a multiple of 16
    i32        an int32                      i32:16     and it is a multiple of 16; i32:8 one of 8
    i64:1      the int 1, compiled in        fp32       a float32
    64         the constant 64; also True, None, 0.5, 'text'
"""

import ast
import re
from dataclasses import dataclass

from ..language.dtypes import type_from_signature
from ..language.errors import LanguageError

_ALIASES = {"u1": "i1", "B": "i1"}


class SignatureError(ValueError):
    """A signature that does not fit the kernel, or is not one."""


@dataclass(frozen=True)
class Entry:
    """What a signature says of the parameter `name`.

    `type` is its type as text, "" for a constant, which `value` then is. `hint`: 16 or 8 for a multiple of
    that, 1 for the int 1, 0 for nothing known.
    """

    name: str
    type: str = ""
    hint: int = 0
    value: object = None


def split_entries(text):
    """The entries of a signature. Commas in quotes, brackets and parentheses do not divide."""
    entries, depth, quote, current = [], 0, None, ""
    for letter in text:
        if quote:
            quote = None if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        if letter == "," and not depth and not quote:
            entries.append(current.strip())
            current = ""
        else:
            current += letter
    return [*entries, current.strip()] if text.strip() else []


def constant_of(entry):
    """The value of an entry that is a Python literal; raises `ValueError` for others."""
    try:
        return ast.literal_eval(entry)
    except (ValueError, SyntaxError):
        raise ValueError(entry) from None


def _typed(entry, param):
    """The `Entry` of a text such as "*fp16:16"."""
    text, _, hint = (part.strip() for part in entry.partition(":"))
    try:
        type_from_signature(text)
    except LanguageError as error:
        detail = f"{error.message}; {error.hint}" if error.hint else error.message
        raise SignatureError(f"parameter {param.name!r}: {detail}, or a constant") from None
    if hint not in ("", "1", "8", "16") or (hint == "1" and text.startswith("*")):
        raise SignatureError(
            f"parameter {param.name!r}: no hint {hint!r} for {text}; ':16' is a multiple of 16, ':8' one of 8, ':1' "
            "the int 1"
        )
    if param.is_constexpr:
        raise SignatureError(
            f"parameter {param.name!r} is tl.constexpr: write a constant instead of {entry!r}"
        )
    stars, name = re.fullmatch(r"(\*k?)?(\w+)", text).groups("")
    return Entry(param.name, stars + _ALIASES.get(name, name), int(hint or 0))


def read_signature(text, params, given=None):
    """An `Entry` for each of the `Parameter`s of a kernel.

    `given` are constants by name: the text has no entry for these. Parameters that the text does not reach
    take their defaults. Raises `SignatureError`.
    """
    given = given or {}
    for name in given:
        if name not in [param.name for param in params]:
            raise SignatureError(f"the kernel has no parameter {name!r}")
    texts, open_params = split_entries(text), [param for param in params if param.name not in given]
    if len(texts) > len(open_params):
        raise SignatureError(
            f"the signature has {len(texts)} entries, the kernel {len(open_params)} "
            f"{'other ' if given else ''}parameters"
        )
    entries = {name: Entry(name, value=value) for name, value in given.items()}
    for param, entry in zip(open_params, texts, strict=False):
        try:
            entries[param.name] = Entry(param.name, value=constant_of(entry))
        except ValueError:
            entries[param.name] = _typed(entry, param)
    for param in open_params[len(texts) :]:
        if not param.has_default:
            raise SignatureError(f"the signature has no entry for parameter {param.name!r}")
        entries[param.name] = Entry(param.name, value=param.default)
    return [entries[param.name] for param in params]


def as_request(entries):
    """Types, constants and divisors by parameter name, as three dicts, of what `read_signature` gave."""
    types = {entry.name: entry.type for entry in entries if entry.type and entry.hint != 1}
    constants = {
        entry.name: entry.value if not entry.type else 1 for entry in entries if entry.name not in types
    }
    return types, constants, {entry.name: entry.hint for entry in entries if entry.hint > 1}


def parse_signature(text, params):
    """Types, constants and divisors by parameter name, as three dicts, for the `Parameter`s of a kernel.

    Parameters that the text does not reach take their defaults. Raises `SignatureError`.
    """
    return as_request(read_signature(text, params))
