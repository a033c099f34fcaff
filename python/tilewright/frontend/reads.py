"""The Python state that a kernel depends on: the values of names, and the functions that they refer to.

While a kernel is compiled, `Reads` records all values that are read from Python. Another process can read them again: if
they are equal, the compilation gives the same result. Only serialisable values are recorded: plain numbers and strings,
types, functions in the language, modules, and definitions of the language and of Python. Any other value (classes,
functions that run while compiling, ...) makes the record incomplete and unusable.
"""

import sys
import types

from ..language.constexpr import constexpr
from ..language.debug import static_print
from ..language.dtypes import dtype
from .errors import CompilationError
from .guards import Guards
from .resolving import is_annotated, resolve
from .signatures import signature_of
from .source import digest_around, source_of

#: The language itself, which is the same wherever the package is.
_LANGUAGE = "tilewright.language"
#: Modules of Python whose functions always do the same.
_PYTHON = ("builtins", "math", "operator", "_operator")


class Incomplete(Exception):
    """A value that cannot be serialised."""


def _is_of_language(module):
    return module == _LANGUAGE or module.startswith(_LANGUAGE + ".")


def _defined(value, modules):
    """The module and the name of a value that a module of `modules`, a predicate, defines under its own name."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(module, str) and isinstance(name, str) and modules(module):
        if getattr(sys.modules.get(module), name, None) is value:
            return ["defined", module, name]
    return None


class Reads:
    """The notes on the compilation of the function `fn`. With `compiles`, functions are digested by the text that they
    are compiled from, not by the present text of their file."""

    def __init__(self, fn, compiles=True):
        self.is_complete, self.compiles = True, compiles
        #: The guards of all values read, for launches of this process. They are complete even if the notes are not.
        self.guards = Guards()
        #: The functions in the order of first use, and their descriptions.
        self.functions, self.described, self._numbers = [], [], {}
        #: By owner (the number of a function, or the name of a module) and name: the description of the value.
        self.entries = {}
        #: The owners themselves, by kind and name. They are kept alive, so that their ids stay unique.
        self._seen = {}
        self._note(lambda: self.function(fn))

    def _note(self, action):
        if self.is_complete:
            try:
                action()
            except Exception:  # `Incomplete`, or an object that fails on inspection
                self.is_complete = False

    def _is_first(self, owner, name):
        """Whether `name` is read for the first time from `owner`, a function or a module. Later reads give the same."""
        key = (id(owner), name)
        is_first = key not in self._seen
        self._seen[key] = owner
        return is_first

    def note_name(self, fn, name, scope, value):
        """A name was looked up in the function `fn`, with the result of `resolve`."""
        if self._is_first(fn, name) and not _is_of_language(fn.__module__ or ""):
            self.guards.name(fn, name, scope, value)
            self._note(lambda: self.entries.setdefault((self.function(fn, True), name), self.name(fn, name)))

    def note_attribute(self, module, name):
        """An attribute of a module was read."""
        if self._is_first(module, name):
            self.guards.attribute(module, name)
            self._note(lambda: self.entries.setdefault((module.__name__, name), self.attribute(module, name)))

    def note_use(self, value, name):
        """An attribute of `value`, which is no module, was read. Functions may have user attributes."""
        self.guards.attribute(value, name)
        if getattr(type(value), "is_kernel_function", False):
            self.is_complete = False

    def note_call(self, function):
        """The function `function`, a `KernelFunction`, was compiled in."""
        if not _is_of_language(function.fn.__module__ or ""):
            self.guards.function(function)
            self._note(lambda: self.function(function.fn, True))

    # Descriptions as plain data. All raise `Incomplete`.

    def name(self, fn, name):
        """The description of a name in a function."""
        scope, value, annotated = resolve(fn, name)
        return [scope, annotated, self.value(value)]

    def attribute(self, module, name):
        """The description of an attribute of a module."""
        if sys.modules.get(module.__name__) is not module:
            raise Incomplete
        return [
            is_annotated(getattr(module, "__annotations__", None), name),
            self.value(getattr(module, name)),
        ]

    def value(self, value):
        """The description of a value."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return [kind.__name__, value]
        if kind is float:
            return ["float", value.hex()]
        if kind is constexpr:
            return ["constexpr", self.value(value.value)]
        if kind is tuple:
            return ["tuple", [self.value(item) for item in value]]
        if kind is dtype:
            return ["dtype", value.name]
        if kind is types.ModuleType and sys.modules.get(value.__name__) is value:
            return ["module", value.__name__]
        if any(value is never for never in _NEVER_NOTED):
            raise Incomplete
        found = _defined(value, _is_of_language) or _defined(value, _PYTHON.__contains__)
        if found is None and getattr(kind, "is_kernel_function", False) and kind.__module__ in _DECORATORS:
            found = ["function", self.function(value.fn)]
            if not self.compiles:  # else `note_call` adds the guard of those that are called
                self.guards.function(value)
        if found is None:
            raise Incomplete
        return found

    def function(self, fn, is_known=False):
        """The number of a function in the language, which is described on its first use. `is_known`: it was used
        before, or its origin is not known."""
        number = self._numbers.get(id(fn))
        if number is None:
            if is_known or type(fn) is not types.FunctionType:
                raise Incomplete
            number = self._numbers[id(fn)] = len(self.functions)
            self.functions.append(fn)
            self.described.append(self._describe(fn))
        return number

    def _describe(self, fn):
        """The text around a function, and the references of its signature."""
        code = fn.__code__
        parameters = [
            [name, int(parameter.kind), self._default(parameter), self._annotation(parameter)]
            for name, parameter in signature_of(fn).parameters.items()
        ]
        digest = self._digest(fn)
        if digest is None:
            raise Incomplete
        return [code.co_filename, digest, code.co_firstlineno, fn.__module__, fn.__qualname__, parameters]

    def _digest(self, fn):
        if not self.compiles:
            return digest_around(fn)
        try:
            return source_of(fn).digest
        except CompilationError:
            return None

    def _default(self, parameter):
        return None if parameter.default is parameter.empty else self.value(parameter.default)

    def _annotation(self, parameter):
        return None if parameter.annotation is parameter.empty else self.value(parameter.annotation)


#: `hash` of a string differs between processes, `hasattr` may inspect any object, and `static_print` has to print each
#: time.
_NEVER_NOTED = (hash, hasattr, static_print)

#: The modules of the classes of functions in the language.
_DECORATORS = ("tilewright.runtime.jit", "tilewright.language.function", "tilewright.compat.functions")


def notes(reads):
    """The notes as plain data; None if they are incomplete."""
    if not reads.is_complete:
        return None
    return [reads.described, [[owner, name, what] for (owner, name), what in reads.entries.items()]]


def guards_if_same(fn, noted):
    """The guards of a compilation of the function `fn` if all noted values are unchanged, else None."""
    described, entries = noted
    reads = Reads(fn, compiles=False)
    try:
        if not reads.is_complete or reads.described[0] != described[0]:
            return None
        for owner, name, what in entries:
            if isinstance(owner, int):
                if owner >= len(reads.functions):
                    return None
                reads.guards.name(reads.functions[owner], name, *resolve(reads.functions[owner], name)[:2])
                now = reads.name(reads.functions[owner], name)
            else:
                reads.guards.attribute(sys.modules[owner], name)
                now = reads.attribute(sys.modules[owner], name)
            if now != what:
                return None
    except Exception:  # `Incomplete`, something is gone, or an object fails on inspection
        return None
    return reads.guards if reads.described == described else None
