"""Calls: of other kernel functions, of the language, and of Python functions on constants."""

import ast
import builtins
import inspect
import re
import types

from ..language.builtin import is_builtin
from ..language.constexpr import constexpr, unwrap
from ..language.dtypes import dtype
from ..language.errors import LanguageError
from ..language.structure import structure
from .closures import Closure
from .names import is_kernel_function
from .python_calls import HANDLED
from .signatures import bind, signature_of
from .values import describe, is_constant, static, wrap

#: How deep calls may be nested.
MAX_DEPTH = 64
_PURE_MODULES = ("math", "operator", "_operator")


class Calls:
    """Calls."""

    def visit_Call(self, node):
        function = self.visit(node.func)
        if node is self.dropped_call:
            self._check_dropped(node, unwrap(function))
        args, kwargs = self._arguments(node)
        if isinstance(function, constexpr) and isinstance(function.value, types.FunctionType):
            return wrap(self._evaluate(function.value, args, kwargs))
        return wrap(self._dispatch(node, unwrap(function), args, kwargs))

    def _check_dropped(self, node, function):
        """Raise if the result of `function` must not be dropped, which it says by an attribute: True, or why."""
        needed = getattr(function, "_must_use_result", False)
        if needed:
            why = f" {needed}" if isinstance(needed, str) else ""
            raise self.error(
                f"The result of {ast.unparse(node.func)} is not being used.{why}",
                node,
                "assign it, or leave out the call",
            )

    def _arguments(self, node):
        args = []
        for entry in node.args:
            if isinstance(entry, ast.Starred):
                value = self.visit(entry.value)
                value = unwrap(value) if isinstance(value, constexpr) else value
                if not isinstance(value, (tuple, list)):
                    raise self.error(f"'*' takes a tuple, got {describe(value)}", entry)
                args += map(wrap, value)
            else:
                args.append(self.visit(entry))
        kwargs = {}
        for entry in node.keywords:
            if entry.arg is None:
                raise self.error(
                    "'**' is not supported in a kernel", entry.value, "name the arguments one by one"
                )
            kwargs[entry.arg] = self.visit(entry.value)
        return args, kwargs

    def _dispatch(self, node, function, args, kwargs):
        if is_kernel_function(function):
            return self._inline(function, args, kwargs)
        if is_builtin(function):
            return self._call(function, args, kwargs)
        if getattr(function, "is_constexpr_function", False):
            return self._look_at(function, args, kwargs)
        if function is builtins.getattr:
            return self._getattr(node, *args)
        name = getattr(function, "__name__", None)
        if name in HANDLED and function is getattr(builtins, name, None):
            if function is hasattr and len(args) == 2:
                self.unit.reads.guards.attribute(*map(unwrap, args))
            return HANDLED[name](*args, **kwargs)
        if isinstance(function, type) and function.__module__.startswith("tilewright.language"):
            return self._call(function, args, kwargs)
        if isinstance(function, type) and issubclass(function, structure):
            return self._call(function, args, kwargs)
        if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
            return function(*args, **kwargs)
        of_constants = callable(function) and is_constant([*args, *kwargs.values()])
        if self.reads_all_of_python and _is_of_aggregate(function):
            self.unit.reads.guards.python(function)
            return function(*args, **kwargs)
        if self._is_pure(function) or (self.reads_all_of_python and of_constants):
            return self._evaluate(function, args, kwargs)
        raise self.error(*not_callable(function, node))

    def _getattr(self, node, value, name, *default):
        """`getattr(value, name)`, which means `value.name`."""
        name = unwrap(name)
        if not isinstance(name, str):
            raise self.error(f"the name of an attribute is a constant string, got {describe(name)}", node)
        plain = unwrap(value) if isinstance(value, constexpr) else value
        if default and not hasattr(plain, name):
            self.unit.reads.guards.attribute(plain, name)
            return default[0]
        return self.attribute(node, value, name)

    @staticmethod
    def _is_pure(function):
        if isinstance(getattr(function, "__self__", None), (str, int, float, tuple, dtype)):
            return True
        return inspect.isbuiltin(function) and function.__module__ in _PURE_MODULES

    @staticmethod
    def _call(function, args, kwargs):
        """Call a function of the language. The arguments are checked against its parameters only if it fails, since
        binding takes about as long as the call.
        """
        try:
            return function(*args, **kwargs)
        except TypeError:
            _check_arguments(function, args, kwargs)
            raise

    def _evaluate(self, function, args, kwargs):
        """Call a Python function on constants."""
        name = getattr(function, "__name__", function)
        self.unit.reads.guards.python(function)
        args, kwargs = static(tuple(args)), {key: static(value) for key, value in kwargs.items()}
        for value in [*args, *kwargs.values()]:
            if not is_constant(value):
                raise LanguageError(
                    f"{name}() is evaluated while compiling, but an argument is {describe(value)}",
                    hint=_namesake(name),
                )
        return _of_python(function, args, kwargs)

    def _look_at(self, function, args, kwargs):
        """Call a `constexpr_function`. Of values of the kernel it sees compile-time facts, such as their types."""
        self.unit.reads.guards.python(function)
        args, kwargs = static(tuple(args)), {key: static(value) for key, value in kwargs.items()}
        result = unwrap(_of_python(function, args, kwargs))
        if not is_constant(result):
            raise LanguageError(
                f"{function.__name__}() is evaluated while compiling, but gives {describe(result)}",
                hint="decorate it with @tw.jit",
            )
        return result

    def _inline(self, function, args, kwargs):
        """Inline a call of another kernel function."""
        if self.depth >= MAX_DEPTH:
            raise self.error(too_deep(function))
        bound = self._bind(function, args, kwargs)
        if isinstance(function, Closure):
            return function.visitor(bound, caller=self).run()
        self.unit.called.append(function)
        self.unit.reads.note_call(function)
        return type(self)(self.unit, function.fn, bound, caller=self).run()

    def _bind(self, function, args, kwargs):
        """The values of the parameters of `function`, defaults filled in.

        A parameter annotated `tl.constexpr` also takes a run-time value: existing kernels pass blocks to such
        parameters. A use that needs a constant raises the error.
        """
        try:
            signature = signature_of(function.fn)
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self.error(f"{function.__name__}(): {error}", hint=_usage(function.fn)) from None
        for name, parameter in signature.parameters.items():
            if name not in bound.arguments:
                rest = parameter.kind is parameter.VAR_POSITIONAL
                bound.arguments[name] = () if rest else parameter.default
        return {name: wrap(value) for name, value in bound.arguments.items()}

    def inline(self, function, args, kwargs):
        """Compile a call that the language itself makes, of a combine function."""
        return self._inline(function, args, kwargs)


def _of_python(function, args, kwargs):
    return function(*map(unwrap, args), **{name: unwrap(value) for name, value in kwargs.items()})


def _check_arguments(function, args, kwargs):
    """Raise if `args` and `kwargs` do not fit the parameters of `function`."""
    try:
        bind(function, args, kwargs)
    except TypeError as error:
        raise LanguageError(f"{function.__name__}(): {error}", f"{_usage(function)}") from None


def not_callable(function, node):
    """The error of a call of `function`: message, node and hint."""
    if isinstance(function, (types.FunctionType, types.MethodType)):
        return (
            f"{function.__name__}() is a plain Python function and cannot be called in a kernel",
            node,
            "decorate it with @tw.jit, or with @tl.constexpr_function if it only computes with constants",
        )
    if callable(function):
        name = getattr(function, "__name__", function)
        return f"{name!r} cannot be called in a kernel", node, _namesake(name)
    hint = f"x.to({function!r}) converts" if isinstance(function, dtype) else None
    return f"{describe(function)} is not a function", node.func if isinstance(node, ast.Call) else node, hint


def too_deep(function, depth=MAX_DEPTH):
    """The message for a call of `function` that is nested too deep."""
    return f"calls are nested more than {depth} deep: does {function.__name__}() call itself?"


def _usage(function):
    text = f"it is called as {function.__name__}{inspect.signature(function)}"
    return re.sub(r"constexpr\[(.*?)\]", r"\1", re.sub(r"tilewright\.language\.(\w+\.)*", "tl.", text))


def _namesake(name):
    """The hint that the language has a function of the name of one of Python's or NumPy's, if it has."""
    from .. import language

    return f"tl.{name} is for values of the kernel" if callable(getattr(language, str(name), None)) else None


def _is_of_aggregate(function):
    """Whether it is a method of an aggregate, a class method or a static one. Those assemble values in plain Python."""
    if getattr(function, "is_of_aggregate", False):
        return True
    owner = getattr(function, "__self__", None)
    return isinstance(owner, structure) or (isinstance(owner, type) and issubclass(owner, structure))
