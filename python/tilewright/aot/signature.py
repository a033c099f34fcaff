"""Signatures: the types and constants that a kernel is compiled for, as text.

A signature has one entry for each parameter, in order, between commas:

    *fp16      a pointer to float16          *fp16:16   and its address is a multiple of 16
    i32        an int32                      i32:16     and it is a multiple of 16
    i64:1      the int 1, compiled in        fp32       a float32
    64         the constant 64; also True, None, 0.5, 'text'
"""

import ast

from ..language.dtypes import type_from_signature
from ..language.errors import LanguageError


class SignatureError(ValueError):
    """A signature that does not fit the kernel, or is not one."""


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


def _constant(entry):
    """The value of an entry that is a Python literal; raises `ValueError` for others."""
    try:
        return ast.literal_eval(entry)
    except (ValueError, SyntaxError):
        raise ValueError(entry) from None


def _typed(entry, name):
    """Type and divisor of an entry such as "*fp16:16"."""
    text, _, hint = (part.strip() for part in entry.partition(":"))
    try:
        type_from_signature(text)
    except LanguageError as error:
        detail = f"{error.message}; {error.hint}" if error.hint else error.message
        raise SignatureError(f"parameter {name!r}: {detail}, or a constant") from None
    if hint not in ("", "1", "16") or (hint == "1" and text.startswith("*")):
        raise SignatureError(
            f"parameter {name!r}: no hint {hint!r} for {text}; ':16' is a multiple of 16, ':1' the int 1"
        )
    return text, int(hint or 0)


def parse_signature(text, params):
    """Types, constants and divisors by parameter name, as three dicts, for the `Parameter`s of a kernel.

    Parameters that the text does not reach take their defaults. Raises `SignatureError`.
    """
    entries = split_entries(text)
    if len(entries) > len(params):
        raise SignatureError(f"the signature has {len(entries)} entries, the kernel {len(params)} parameters")
    types, constants, divisors = {}, {}, {}
    for param, entry in zip(params, entries, strict=False):
        try:
            constants[param.name] = _constant(entry)
            continue
        except ValueError:
            type, hint = _typed(entry, param.name)
        if param.is_constexpr:
            raise SignatureError(
                f"parameter {param.name!r} is tl.constexpr: write a constant instead of {entry!r}"
            )
        if hint == 1:
            constants[param.name] = 1
            continue
        types[param.name] = type
        if hint == 16:
            divisors[param.name] = 16
    for param in params[len(entries) :]:
        if not param.has_default:
            raise SignatureError(f"the signature has no entry for parameter {param.name!r}")
        constants[param.name] = param.default
    return types, constants, divisors
