"""The dependencies of a kernel: global constants that it reads, and functions that it calls."""

import ast
import hashlib
import inspect
import re
from dataclasses import dataclass

from ..frontend.names import is_kernel_function
from ..frontend.resolving import resolve
from ..frontend.source import source_of
from ..language.constexpr import constexpr, unwrap
from ..language.dtypes import dtype


@dataclass(frozen=True)
class Constant:
    """A constant that the function `fn` reads under a `name` of its module, or of the function around it, and its
    `value`."""

    fn: object
    name: str
    value: object

    def check(self):
        """Raise `RuntimeError` if the name means something else by now."""
        value = unwrap(resolve(self.fn, self.name)[1])
        if value is not self.value and (type(value) is not type(self.value) or value != self.value):
            raise RuntimeError(
                f"Global variable {self.name} has changed since we compiled this kernel, from "
                f"{constexpr(self.value)!r} to {constexpr(value)!r}: pass what changes as an argument"
            )


def _names(fn):
    loaded = {node.id for node in ast.walk(source_of(fn).tree) if isinstance(node, ast.Name)}
    return sorted(loaded - {*inspect.signature(fn).parameters})


#: Modules whose functions always do the same.
_KNOWN = ("builtins", "math", "copy", "tilewright", "triton")


def foreign_calls(fn):
    """The impure calls by name of the Python function `fn`: those that are neither functions of constants nor of the
    language, of Python itself or of `math`."""
    found = []
    for node in ast.walk(source_of(fn).tree):
        value = _meant(fn, node.func) if isinstance(node, ast.Call) else None
        if not callable(value) or isinstance(value, type) or is_kernel_function(value):
            continue
        module = getattr(value, "__module__", None) or "builtins"
        is_known = getattr(value, "is_constexpr_function", False) or inspect.isbuiltin(value)
        if not is_known and module.partition(".")[0] not in _KNOWN:
            found.append(value)
    return found


def _meant(fn, node):
    """The value of a name, or of an attribute of one, outside of the function `fn`; None for other nodes."""
    if isinstance(node, ast.Name):
        return resolve(fn, node.id)[1]
    if isinstance(node, ast.Attribute):
        return getattr(_meant(fn, node.value), node.attr, None)
    return None


class Dependencies:
    """The dependencies of the function `fn` and all functions that it calls: `constants`, and `functions`, `fn` first."""

    def __init__(self, fn):
        self.constants, self.functions = [], []
        self._visit(fn)

    def _visit(self, fn):
        if fn in self.functions:
            return
        self.functions.append(fn)
        for name in _names(fn):
            _, value, annotated = resolve(fn, name)
            if is_kernel_function(value):
                self._visit(value.fn)
            elif getattr(value, "is_constexpr_function", False):
                self.functions.append(value.fn)
            elif annotated or isinstance(value, (constexpr, dtype)):
                self.constants.append(Constant(fn, name, unwrap(value)))

    def digest(self, *more):
        """A digest of the texts and locations of the functions, of the constants, and of `more`."""
        parts = [*map(repr, more)]
        for fn in self.functions:
            text = source_of(fn).text  # without decorators, which a replaced text lacks
            parts += [
                text[re.search(r"^def\s", text, re.MULTILINE).start() :],
                str(fn.__code__.co_firstlineno),
            ]
        parts += [f"{constant.name}={constant.value!r}" for constant in self.constants]
        return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()
