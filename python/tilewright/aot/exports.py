"""Exports of a file for ahead-of-time compilation: kernels with signatures, variants and grids."""

import re
import sys
from dataclasses import dataclass, field, replace

from ..options import OPTION_NAMES, Options
from ..runtime.jit import JITFunction
from .expressions import Expression, ExpressionError, grid_expressions
from .signature import SignatureError, constant_of, read_signature, split_entries

#: Types whose values an expression can use: those that an int64 holds.
INTEGERS = ("i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32")
_VARIABLE = "__tilewright_exports__"


class ExportError(ValueError):
    """An export that contradicts itself or its kernel."""


class Variant:
    """One way to compile an exported kernel.

    Args:
        constants: values of parameters by name, such as `{"BLOCK": 128}`; signatures have no entries for them.
        when: condition on the arguments under which a call uses it, see `expressions`; "" is always.
        targets: the targets that have it, all if empty.
        options: `num_warps` and so on, see `Options`; those of the kernel's decorator where not given.
    """

    def __init__(self, constants=None, when="", targets=(), **options):
        self.constants, self.when = dict(constants or {}), when
        self.targets = (targets,) if isinstance(targets, str) else tuple(targets)
        self.options = options
        Options(**options)  # for its errors

    @classmethod
    def parse(cls, text, **options):
        """A variant from text such as "BLOCK=128, num_warps=8 if n > 4096", with these options where it gives
        no others. Raises `ExportError`."""
        assignments, _, when = text.partition(" if ")
        constants = {}
        for entry in split_entries(assignments):
            name, equals, value = (part.strip() for part in entry.partition("="))
            try:
                found = constant_of(value)
            except ValueError:
                equals = ""
            if not equals or not name.isidentifier():
                raise ExportError(f"a variant is written NAME=CONSTANT, ... [if CONDITION], got {text!r}")
            (options if name in OPTION_NAMES else constants)[name] = found
        try:
            return cls(constants, when.strip(), **options)
        except (TypeError, ValueError) as error:
            raise ExportError(f"variant {text!r}: {error}") from error


def is_small_int(value):
    """Whether expressions can hold `value`."""
    # The least int64 has no literal in C.
    return isinstance(value, int) and abs(value) < 2**63


@dataclass
class Export:
    """One function of a library: see `export`."""

    kernel: JITFunction
    name: str
    signatures: tuple
    variants: tuple
    grid: str = ""
    fallback: bool = True
    sizes: tuple = ()
    #: The arguments of the function: `(name, type)`.
    arguments: list = field(default_factory=list)

    def __post_init__(self):
        if not isinstance(self.kernel, JITFunction):
            raise ExportError(f"an export is a kernel (decorated with @tilewright.jit), got {self.kernel!r}")
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", self.name):
            raise ExportError(f"an export is called by a name of C, got {self.name!r}")
        self._check_constants()
        self.arguments = self._arguments()
        try:
            for variant in self.variants:
                self.condition(variant)
                self.grid_of(variant)
        except ExpressionError as error:
            raise ExportError(f"export {self.name}: {error}") from None

    def _check_constants(self):
        names = [set(variant.constants) for variant in self.variants]
        if any(other != names[0] for other in names):
            raise ExportError(f"export {self.name}: its variants give values to different parameters")

    def entries(self, signature, variant):
        """The entries of the text `signature`, with the constants of `variant`."""
        try:
            return read_signature(signature, self.kernel.params, variant.constants)
        except SignatureError as error:
            raise ExportError(f"export {self.name}: {error}") from None

    def _arguments(self):
        lists = []
        for signature in self.signatures:
            entries = self.entries(signature, self.variants[0])
            lists.append([(entry.argument, entry.type) for entry in entries if entry.type])
        for signature, other in zip(self.signatures, lists):
            if other != lists[0]:
                raise ExportError(
                    f"export {self.name}: {signature!r} has other types than {self.signatures[0]!r}; a function "
                    "has one list of types, so export them under two names"
                )
        names = [name for name, _ in lists[0]]
        for name in names:
            if names.count(name) > 1:
                raise ExportError(
                    f"export {self.name}: two arguments are called {name!r}, of which one is a part of a descriptor"
                )
        for i, name in enumerate(self.sizes):
            if not name.isidentifier():
                raise ExportError(f"export {self.name}: a size is called by a name of C, got {name!r}")
            if name in (*names, *(param.name for param in self.kernel.params), *self.sizes[:i]):
                raise ExportError(f"export {self.name}: the size {name!r} is called as another parameter")
        return lists[0] + [(name, "i64") for name in self.sizes]

    def _names(self, variant):
        """The names for expressions: integer arguments and constants."""
        entries = self.entries(self.signatures[0], variant)
        constants = [entry.argument for entry in entries if is_small_int(entry.value)]
        return [name for name, type in self.arguments if type in INTEGERS] + constants

    def condition(self, variant):
        """The `Expression` for when `variant` is used; None for always."""
        return Expression(variant.when, self._names(variant)) if variant.when else None

    def grid_of(self, variant):
        """The `Expression`s of the grid; empty where the caller gives it."""
        return grid_expressions(self.grid, self._names(variant)) if self.grid else []

    def specializations(self, variant):
        """The lists of entries to compile for, those that assume the most first."""
        lists = [self.entries(signature, variant) for signature in self.signatures]
        if self.fallback:
            lists.append([replace(entry, hint=0) for entry in lists[0]])
        unique = [entries for i, entries in enumerate(lists) if entries not in lists[:i]]
        return sorted(unique, key=_strictness, reverse=True)


def _strictness(entries):
    """How much is assumed of arguments: of how many, and how strictly."""
    hints = [entry.hint for entry in entries]
    return sum(hint != 0 for hint in hints), sum(hints)


def export(kernel, signature, name=None, variants=(), grid="", fallback=True, sizes=()):
    """Offer `kernel` for `tilewright compile FILE.py --library NAME`, when called in that file's module.

    Args:
        kernel: a `JITFunction`.
        signature: text as of `tilewright compile`, or several with different assumptions (`:16`, `:8`, `:1`).
        name: the function's name in the library; the kernel's where not given.
        variants: `Variant`s; a call uses the first that its target has and whose condition holds.
        grid: expressions of the grid, such as "cdiv(n, BLOCK)"; where not given the caller gives the grid.
        fallback: also compile without assumptions, for the calls that none of the signatures fits.
        sizes: names of more arguments, 64-bit integers, for the grid and the conditions alone.

    Raises `ExportError`.
    """
    signatures = (signature,) if isinstance(signature, str) else tuple(signature)
    name = getattr(kernel, "__name__", "") if name is None else name
    made = Export(kernel, name, signatures, tuple(variants) or (Variant(),), grid, fallback, tuple(sizes))
    module = sys._getframe(1).f_globals
    present = module.setdefault(_VARIABLE, [])
    if any(other.name == name for other in present):
        raise ExportError(f"two exports are called {name}; give one another name")
    present.append(made)
    return made


def exports_of(module):
    """The exports of a module, in order."""
    return list(vars(module).get(_VARIABLE, ()))
