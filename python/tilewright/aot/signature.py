"""Signatures: the types and constants that a kernel is compiled for, as text.

A signature has one entry for each parameter, in order, between commas:

    *fp16      a pointer to float16          *fp16:16   and its address is a multiple of 16
    i32        an int32                      i32:16     and it is a multiple of 16; i32:8 one of 8
    i64:1      the int 1, compiled in        fp32       a float32
    64         the int 64, compiled in; for a tl.constexpr the constant 64; also True, None, 0.5, 'text'
    tensordesc<fp16[128, BK]>   a descriptor of an array that is accessed by blocks of 128 x BK, BK being a constant;
               ":16" after it: its address, its strides and its last size, in elements, are multiples of 16

A descriptor is passed as its parts: of a matrix `a` the address `a`, the sizes `a_shape0` and `a_shape1` (i32) and the
stride `a_stride0` (i64); the last stride is 1.

An int that is compiled in for a parameter that is no tl.constexpr is a scalar of the kernel: of the type that is given,
or of the type that a launch passes the int in.
"""

import ast
import re
from dataclasses import dataclass

from ..language.dtypes import type_from_signature
from ..language.errors import LanguageError
from ..language.known import KnownInt, of_launch
from ..language.trees import Group

_ALIASES = {"u1": "i1", "B": "i1"}


class SignatureError(ValueError):
    """A signature that does not fit the kernel, or is not one."""


@dataclass(frozen=True)
class Entry:
    """The entry of a signature for the parameter `name`, or for a part of one, with the name of its leaf (see
    `language.trees`): "a.base", "a.shape0".

    `type` is its type as text, "" for a constant, which `value` then is. `hint`: 16 or 8 for a multiple of
    that, 1 for the int 1, 0 for nothing known. `tree`: of the address of a descriptor, how the kernel puts the parts
    together.
    """

    name: str
    type: str = ""
    hint: int = 0
    value: object = None
    tree: Group | None = None

    @property
    def argument(self):
        """Its name as an argument of a C function."""
        return argument_of(self.name)


def argument_of(leaf):
    """The argument name of the leaf of a parameter: "a" for "a.base", "a_shape0" for "a.shape0"."""
    return leaf.removesuffix(".base").replace(".", "_")


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
    if hint == "1" and not type_from_signature(text).is_int():
        raise SignatureError(f"parameter {param.name!r}: ':1' is the int 1, which is no {text}")
    stars, name = re.fullmatch(r"(\*k?)?(\w+)", text).groups("")
    return Entry(param.name, stars + _ALIASES.get(name, name), int(hint or 0))


def _constant(param, value):
    """The `Entry` of a parameter that gets a value while compiling."""
    is_scalar = type(value) is int and not param.is_constexpr
    return Entry(param.name, value=of_launch(value) if is_scalar else value)


_DESCRIPTOR = re.compile(r"tensordesc<\s*(\w+)\s*\[(.*)\]\s*>(?:\s*:\s*(\w+))?")


def _descriptor(entry, param, constants):
    """The entries of the parts of a text such as "tensordesc<fp16[64, BK]>"; `constants` are the kernel's."""
    found = _DESCRIPTOR.fullmatch(entry)
    if not found:
        raise SignatureError(
            f"parameter {param.name!r}: a descriptor is written tensordesc<fp16[128, 64]>, got {entry!r}"
        )
    element, dims, hint = found.groups()
    if hint not in (None, "16"):
        raise SignatureError(
            f"parameter {param.name!r}: no hint {hint!r} for a descriptor; ':16' says that address, strides and "
            "last size are multiples of 16"
        )
    hint = int(hint or 0)
    base = _typed(f"*{element}", param)
    block = tuple(_dim(text, param, constants) for text in split_entries(dims))
    if not 1 <= len(block) <= 5:
        raise SignatureError(
            f"parameter {param.name!r}: a descriptor block has one to five dimensions, got {entry!r}"
        )
    shape = [Entry(f"{param.name}.shape{i}", "i32") for i in range(len(block) - 1)]
    # The tensor memory accelerator only stores rows whose size is a multiple of 16.
    shape.append(Entry(f"{param.name}.shape{len(block) - 1}", "i32", hint))
    strides = [Entry(f"{param.name}.stride{i}", "i64", hint) for i in range(len(block) - 1)]
    name = f"{param.name}.base"
    tree = Group((name, *(part.name for part in (*shape, *strides))), None, block)
    return [Entry(name, base.type, hint, tree=tree), *shape, *strides]


def _dim(text, param, constants):
    dim = int(text) if text.isdecimal() else constants.get(text)
    if isinstance(dim, bool) or not isinstance(dim, int) or dim < 1:
        raise SignatureError(
            f"parameter {param.name!r}: a block dimension is a positive int or a constant of the kernel, got {text!r}"
        )
    return dim


def read_signature(text, params, given=None):
    """The `Entry`s of the `Parameter`s of a kernel: one for each, of a descriptor one for each part.

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
    entries = {param.name: [_constant(param, given[param.name])] for param in params if param.name in given}
    descriptors = []
    for param, entry in zip(open_params, texts, strict=False):
        if entry.startswith("tensordesc") and not param.is_constexpr:
            descriptors.append((param, entry))
            continue
        try:
            entries[param.name] = [_constant(param, constant_of(entry))]
        except ValueError:
            entries[param.name] = [_typed(entry, param)]
    for param in open_params[len(texts) :]:
        if not param.has_default:
            raise SignatureError(f"the signature has no entry for parameter {param.name!r}")
        entries[param.name] = [_constant(param, param.default)]
    constants = {name: entry.value for name, (entry,) in entries.items() if not entry.type}
    for param, entry in descriptors:
        entries[param.name] = _descriptor(entry, param, constants)
    return [entry for param in params for entry in entries[param.name]]


def as_request(entries):
    """Types, constants, divisors and trees by name, as four dicts, from the result of `read_signature`."""
    types = {entry.name: entry.type for entry in entries if entry.type and entry.hint != 1}
    constants = {
        entry.name: KnownInt(1, entry.type) if entry.type else entry.value
        for entry in entries
        if entry.name not in types
    }
    divisors = {entry.name: entry.hint for entry in entries if entry.hint > 1}
    trees = {entry.name.removesuffix(".base"): entry.tree for entry in entries if entry.tree}
    return types, constants, divisors, trees


def parse_signature(text, params):
    """Types, constants, divisors and trees (of parameters with parts) by name, as four dicts, for the `Parameter`s of a
    kernel, as `compile_kernel` takes them.

    Parameters that the text does not reach take their defaults. Raises `SignatureError`.
    """
    return as_request(read_signature(text, params))
