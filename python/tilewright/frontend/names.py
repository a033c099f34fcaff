"""Name lookup in kernels: locals, then globals of the module, then Python builtins."""

import difflib
import enum
import inspect
import types

from .. import knobs
from ..language.builtin import is_builtin
from ..language.constexpr import constexpr
from ..language.dtypes import dtype
from .python_calls import HANDLED
from .resolving import resolve
from .values import Undefined, wrap


def is_kernel_function(value):
    """Whether `value` is a function decorated with `@tw.jit`."""
    return getattr(type(value), "is_kernel_function", False)


def is_static(value):
    """Whether a global may be used in a kernel without being marked as a constant."""
    if isinstance(value, (constexpr, types.ModuleType, dtype, enum.Enum)) or is_kernel_function(value):
        return True
    if isinstance(value, type) or is_builtin(value) or getattr(value, "is_constexpr_function", False):
        return True
    if inspect.isbuiltin(value) or isinstance(value, types.FunctionType):
        return True  # whether it may be called is for the call to say
    return isinstance(value, tuple) and bool(value) and all(map(is_static, value))


class Names:
    """Looks up names."""

    def visit_Name(self, node):
        name = node.id
        value = self._variable(name)
        if value is None:
            return self._global(name, node)
        if isinstance(value, Undefined):
            raise self.error(f"{name!r} may have no value here: {value.why}", node)
        return value

    def _variable(self, name):
        """The value of a variable of this function or of those around it, None if there is none."""
        if name in self.scope:
            return self.scope[name]
        if self.closure is None:
            return None
        if name in self.closure.local_names:
            return Undefined(f"it is a variable of {self.closure.__name__}, which assigns it later")
        return self.closure.outer._variable(name)

    def _global(self, name, node):
        scope, value, annotated = resolve(self.fn, name)
        self.unit.reads.note_name(self.fn, name, scope, value)
        if scope in ("closure", "module"):
            return self._checked_global(name, value, annotated, node, scope)
        if name in HANDLED or isinstance(value, type):
            return value
        if scope == "builtins":
            raise self.error(f"the Python builtin {name!r} cannot be used in a kernel", node)
        known = [*self.scope, *self.fn.__globals__, *HANDLED]
        close = difflib.get_close_matches(name, known, 1)
        raise self.error(f"{name!r} is not defined", node, f"did you mean {close[0]!r}?" if close else None)

    def _checked_global(self, name, value, annotated, node, scope):
        is_known = annotated or is_static(value)
        if not is_known and self.reads_all_of_python:
            annotated = is_known = knobs.TRITON_GLOBALS.flag()
        if is_known:
            if annotated or isinstance(value, constexpr):
                self.unit.used_globals[self.fn.__module__, name] = value
            return wrap(value) if annotated else value
        what = (
            f"the global variable {name!r} is not a compile-time constant: it"
            if scope == "module"
            else f"{name} is not defined as a compile-time constant: the variable around the function"
        )
        raise self.error(
            f"{what} is of type {type(value).__name__}",
            node,
            f"declare it as {name}: tl.constexpr = ..., or pass it as an argument",
        )
