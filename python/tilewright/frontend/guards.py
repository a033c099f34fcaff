"""Guards: assumptions of a compiled kernel about Python values other than its arguments.

The front end adds a guard for each value that it reads: a global of a module, a variable of a closure, an attribute.
A launch compares each guard with the present value (`python/launcher/Guards.h`). Where a guard of a compiled kernel
fails, the launch compiles the kernel again, or takes an earlier compilation whose guards hold.

Modules of the language and of Python get no guards: their attributes are taken as fixed.
"""

import dis
import enum
import sysconfig
import types

from ..language.constexpr import constexpr
from ..language.dtypes import dtype
from .resolving import resolve

_FIXED_MODULES = ("tilewright", "triton", "builtins", "math", "operator", "_operator")
_PLAIN = (bool, int, str, bytes, type(None))
_CONTAINERS = (tuple, list, dict, set, frozenset)


def same_value(left, right):
    """Whether two objects mean the same to a kernel. Objects of unknown classes never do."""
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is constexpr:
        return same_value(left.value, right.value)
    if kind is tuple:
        return len(left) == len(right) and all(a is b or same_value(a, b) for a, b in zip(left, right))
    if kind is float:
        return left.hex() == right.hex()  # which tells -0.0 from 0.0
    if kind is dtype:
        return left.name == right.name
    return kind in _PLAIN and left == right


def content(value):
    """A snapshot of a mutable value, for `same_value`."""
    if isinstance(value, constexpr):
        return constexpr, content(value.value)
    if isinstance(value, dict):
        return dict, *(content(item) for item in value.items())
    if isinstance(value, _CONTAINERS):
        return type(value), *map(content, value)
    return value


def same_content(snapshot, value):
    """Whether `value` still has the content of the `snapshot`."""
    return same_value(snapshot, content(value))


def _may_change(value):
    """Whether a value, other than a `constexpr` itself, may change while its identity stays."""
    if isinstance(value, (tuple, frozenset)):
        return any(isinstance(item, constexpr) or _may_change(item) for item in value)
    return isinstance(value, (list, dict, set))


def _root(module):
    return (module or "").partition(".")[0]


def _of_language(value):
    return _root(type(value).__module__) == "tilewright"


class Guards:
    """The guards of one compilation: tuples of a kind, an owner, a name, the value if there was one, and the value
    inside if it was a `constexpr`.

    Kinds are "item" (of a dict), "cell" (of a closure), "attribute", and "content" of a mutable object, whose value is a
    snapshot.
    """

    def __init__(self):
        self._found, self._visited = {}, set()

    def __iter__(self):
        return iter(self._found.values())

    def __len__(self):
        return len(self._found)

    def __reduce__(self):
        """Pickles without guards, which mean nothing in another process."""
        return Guards, ()

    def name(self, fn, name, scope, value):
        """Add the guard of a name that the function `fn` reads, as `resolve` found it."""
        if name in fn.__code__.co_freevars:
            cell = fn.__closure__[fn.__code__.co_freevars.index(name)]
            self._add("cell", cell, None, *([value] if scope == "closure" else ()))
            if scope == "closure":
                return
        self._add("item", fn.__globals__, name, *([value] if scope == "module" else ()))

    def attribute(self, owner, name):
        """Add the guard of `owner.name`, for a module, a class or an object of the program. A property that gives
        a new object each time has none."""
        if isinstance(owner, types.ModuleType):
            if _root(owner.__name__) in _FIXED_MODULES:
                return
            if name in vars(owner) or not hasattr(owner, name):
                self._add("item", vars(owner), name, *([vars(owner)[name]] if name in vars(owner) else ()))
                return
        elif getattr(owner, "is_runtime_value", False):
            owner = type(owner)  # objects of the compilation are never read again
            if not hasattr(owner, name):
                return
        if isinstance(owner, (enum.EnumMeta, enum.Enum, constexpr, tuple, *_PLAIN, float)) or _of_language(
            owner
        ):
            return
        if isinstance(owner, type) and _root(owner.__module__) in _FIXED_MODULES:
            return
        missing = object()
        value, again = getattr(owner, name, missing), getattr(owner, name, missing)
        if value is missing:
            self._add("attribute", owner, name)
        elif value is again or same_value(value, again):
            self._add("attribute", owner, name, value)

    def function(self, function):
        """Add the guard of the Python function of a function that kernels call, if it may get another text."""
        if getattr(function, "has_replaceable_text", False):
            self._add("item", vars(function), "fn", function.fn)

    def python(self, function):
        """Add guards for a Python function that runs while compiling: of the globals, closure variables and
        attributes of modules that it and the functions of the program that it calls by name read."""
        function = getattr(function, "__func__", function)
        if getattr(function, "is_constexpr_function", False):
            self.function(function)
            function = function.fn
        if not isinstance(function, types.FunctionType) or function in self._visited:
            return
        self._visited.add(function)
        if _root(function.__module__) not in _FIXED_MODULES:
            self._code(function, function.__code__)

    def _code(self, fn, code):
        value = None
        for instruction in dis.get_instructions(code):
            name, operation = instruction.argval, instruction.opname
            if operation in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
                scope, value, _ = resolve(fn, name)
                if operation != "LOAD_DEREF" or name in fn.__code__.co_freevars:
                    self.name(fn, name, scope, value)
            elif operation in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, (types.ModuleType, type)):
                self.attribute(value, name)
                value = getattr(value, name, None)
            else:
                value = None
            if value is not None and not _is_installed_elsewhere(value, fn):
                self.python(value)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(fn, constant)

    def _add(self, kind, owner, name, *value):
        key = kind, id(owner), name
        if key in self._found:
            return
        held = tuple(item.value for item in value if type(item) is constexpr)
        self._found[key] = kind, owner, name, value, held
        for item in held or value:
            if _may_change(item):
                self._found["content", id(item), None] = "content", item, None, (content(item),), ()


def _is_installed_elsewhere(value, fn):
    """Whether a function belongs to an installed package that is not the one of `fn`."""
    module = getattr(value, "__module__", None)
    if _root(module) == _root(fn.__module__):
        return False
    code = getattr(getattr(value, "fn", value), "__code__", None)
    paths = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
    return code is not None and code.co_filename.startswith(paths)
