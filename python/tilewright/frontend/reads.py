"""What a kernel means that its text does not say: the values of names, the functions behind them.

While a kernel is compiled, `Reads` notes everything that is read of Python. What was noted can be read again in
another process, and if it is the same, the same comes of compiling. Only values whose whole meaning can be written
down are noted: plain numbers and strings, types, functions in the language, modules, what the language and Python
define. Anything else (classes, functions that run while compiling, ...) makes the notes incomplete, and good for nothing.
"""

import builtins
import sys
import types

from ..language.constexpr import constexpr
from ..language.debug import static_print
from ..language.dtypes import dtype
from .errors import CompilationError
from .guards import Guards
from .signatures import signature_of
from .source import digest_around, source_of

#: The language itself, which is the same wherever the package is.
_LANGUAGE = "tilewright.language"
#: Modules of Python whose functions always do the same.
_PYTHON = ("builtins", "math", "operator", "_operator")


class Incomplete(Exception):
    """A value that cannot be written down."""


def resolve(fn, name):
    """What a name that is no variable of the function `fn` means in it: where it was found ("closure", "module",
    "builtins", or None), its value, and whether it is annotated as a constant."""
    if name in fn.__code__.co_freevars:
        try:
            return "closure", fn.__closure__[fn.__code__.co_freevars.index(name)].cell_contents, False
        except ValueError:  # not assigned yet
            pass
    module = fn.__globals__
    if name in module:
        return "module", module[name], is_annotated(module.get("__annotations__"), name)
    if hasattr(builtins, name):
        return "builtins", getattr(builtins, name), False
    return None, None, False


def is_annotated(annotations, name):
    """Whether the annotations of a module say that `name` is a constant."""
    return "constexpr" in str((annotations or {}).get(name, ""))


def _is_of_language(module):
    return module == _LANGUAGE or module.startswith(_LANGUAGE + ".")


def _defined(value, modules):
    """The place of something that a module of `modules`, a predicate, defines under its own name."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(module, str) and isinstance(name, str) and modules(module):
        if getattr(sys.modules.get(module), name, None) is value:
            return ["defined", module, name]
    return None


class Reads:
    """The notes on the compilation of the function `fn`. `compiles`: the functions are compiled, too, so that it is
    the text that they are compiled from that counts, not that of their file as it is now."""

    def __init__(self, fn, compiles=True):
        self.is_complete, self.compiles = True, compiles
        #: What was read, for launches of this process. It is complete even where the notes are not.
        self.guards = Guards()
        #: The functions in the order in which they were met, and what each is.
        self.functions, self.described, self._places = [], [], {}
        #: By owner (the number of a function, or the name of a module) and name: what was read.
        self.entries = {}
        #: The owners themselves, by what they are and a name: kept, so that no other one is where they were.
        self._seen = {}
        self._note(lambda: self.function(fn))

    def _note(self, action):
        if self.is_complete:
            try:
                action()
            except Exception:  # `Incomplete`, or an object that does not like to be looked at
                self.is_complete = False

    def _is_first(self, owner, name):
        """Whether `name` is read for the first time from `owner`, a function or a module: the others say the same."""
        key = (id(owner), name)
        is_first = key not in self._seen
        self._seen[key] = owner
        return is_first

    def note_name(self, fn, name, place, value):
        """A name was looked up in the function `fn`, with the result of `resolve`."""
        if self._is_first(fn, name) and not _is_of_language(fn.__module__ or ""):
            self.guards.name(fn, name, place, value)
            self._note(lambda: self.entries.setdefault((self.function(fn, True), name), self.name(fn, name)))

    def note_attribute(self, module, name):
        """An attribute of a module was read."""
        if self._is_first(module, name):
            self.guards.attribute(module, name)
            self._note(lambda: self.entries.setdefault((module.__name__, name), self.attribute(module, name)))

    def note_use(self, value, name):
        """An attribute of `value` was read, which is no module. Functions may have been given any."""
        self.guards.attribute(value, name)
        if getattr(type(value), "is_kernel_function", False):
            self.is_complete = False

    def note_call(self, function):
        """The function `function`, a `KernelFunction`, was compiled in."""
        if not _is_of_language(function.fn.__module__ or ""):
            self.guards.function(function)
            self._note(lambda: self.function(function.fn, True))

    # What things are, as data. All raise `Incomplete`.

    def name(self, fn, name):
        """What a name is in a function."""
        place, value, annotated = resolve(fn, name)
        return [place, annotated, self.value(value)]

    def attribute(self, module, name):
        """What an attribute of a module is."""
        if sys.modules.get(module.__name__) is not module:
            raise Incomplete
        return [
            is_annotated(getattr(module, "__annotations__", None), name),
            self.value(getattr(module, name)),
        ]

    def value(self, value):
        """What a value is."""
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
        """The number of a function in the language, which is described when it is first met. `is_known`: it was
        met, or how it came into the kernel is not known."""
        number = self._places.get(id(fn))
        if number is None:
            if is_known or type(fn) is not types.FunctionType:
                raise Incomplete
            number = self._places[id(fn)] = len(self.functions)
            self.functions.append(fn)
            self.described.append(self._describe(fn))
        return number

    def _describe(self, fn):
        """The text around a function, and what its signature refers to."""
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


#: The hash of a string is another one in each process, attributes may be those of anything, and who prints while
#: compiling wants to see it each time.
_NEVER_NOTED = (hash, hasattr, static_print)

#: The modules of the classes of functions in the language.
_DECORATORS = ("tilewright.runtime.jit", "tilewright.frontend.function", "tilewright.compat.functions")


def notes(reads):
    """What was noted, as data; None where it is not complete."""
    if not reads.is_complete:
        return None
    return [reads.described, [[owner, name, what] for (owner, name), what in reads.entries.items()]]


def guards_if_same(fn, noted):
    """The guards of a compilation of the function `fn`, if reading again what was noted for it gives the same; else
    None."""
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
    except Exception:  # `Incomplete`, something is gone, or an object does not like to be looked at
        return None
    return reads.guards if reads.described == described else None
