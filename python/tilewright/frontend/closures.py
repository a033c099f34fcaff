"""Functions defined inside a kernel, and comprehensions.

A nested function or a lambda is inlined at each call, as any other function. It sees the present values of the enclosing
variables. A comprehension is unrolled and gives a tuple.
"""

import ast
import inspect

from ..language.constexpr import unwrap
from ..language.ir import builder
from ..language.semantic.loop import unrolled
from .assigned import assigned_names
from .values import describe, is_constant, static


class Closure:
    """A function defined in the function that `outer`, a visitor, compiles."""

    is_kernel_function = True

    def __init__(self, outer, node, name, signature):
        self.outer, self.node = outer, node
        self.__name__, self.__signature__ = name, signature
        self.fn = self  # its signature is bound
        parameters = list(signature.parameters)
        body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
        self.local_names = {*parameters, *assigned_names(body)}

    def visitor(self, arguments, caller):
        """The visitor that compiles a call of it."""
        source = self.outer.source.nested(self.node, self.__name__)
        return type(self.outer)(self.outer.unit, self.outer.fn, arguments, caller, source, self)

    def __call__(self, *args, **kwargs):
        """Call it from the language."""
        return builder().call(self, args, kwargs)

    def __repr__(self):
        return f"function {self.__name__}"


class Closures:
    """Definitions of functions, and comprehensions."""

    def visit_FunctionDef(self, node):
        for decorator in node.decorator_list:
            if ast.unparse(decorator).rpartition(".")[2] != "jit":
                raise self.error("a nested function has no decorator but @tw.jit", decorator)
        self.scope[node.name] = Closure(self, node, node.name, self._signature(node.args))

    def visit_Lambda(self, node):
        return Closure(self, node, "<lambda>", self._signature(node.args))

    def _signature(self, arguments):
        """The signature of a nested function, with its defaults as they are now."""
        for entry in (arguments.vararg, arguments.kwarg):
            if entry is not None:
                raise self.error(
                    f"a nested function has a fixed number of parameters, without '*{entry.arg}'", entry
                )
        parameters = []
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
        for index, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
            only = index < len(arguments.posonlyargs)
            kind = inspect.Parameter.POSITIONAL_ONLY if only else inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(self._parameter(argument, kind, default))
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            parameters.append(self._parameter(argument, inspect.Parameter.KEYWORD_ONLY, default))
        return inspect.Signature(parameters)

    def _parameter(self, argument, kind, default):
        value = inspect.Parameter.empty if default is None else self.visit(default)
        return inspect.Parameter(argument.arg, kind, default=value)

    def visit_ListComp(self, node):
        own = assigned_names([generator.target for generator in node.generators])
        before = {name: self.scope[name] for name in own if name in self.scope}
        try:
            return tuple(self._comprehend(node.elt, node.generators))
        finally:
            for name in own:
                self.scope.pop(name, None)
            self.scope.update(before)

    visit_GeneratorExp = visit_ListComp

    def _comprehend(self, element, generators):
        if not generators:
            return [self.visit(element)]
        first, rest = generators[0], generators[1:]
        results = []
        for item in self._items(first.iter):
            self.assign(first.target, item)
            if all(self._is_chosen(test) for test in first.ifs):
                results += self._comprehend(element, rest)
        return results

    def _items(self, node):
        previous, self.node = self.node, node
        try:
            items = unrolled(self.visit(node))
            self.unit.unroll(len(items))
            return items
        finally:
            self.node = previous

    def _is_chosen(self, test):
        condition = static(self.visit(test))
        if not is_constant(condition):
            raise self.error(
                f"the condition of a comprehension must be known while compiling, got {describe(condition)}",
                test,
                "write a loop with an 'if' in it, or choose elements with tl.where",
            )
        return bool(unwrap(condition))
