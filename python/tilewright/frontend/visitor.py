"""Walks the syntax tree of a kernel and builds its operations. The parts are the mixin classes."""

import ast

from ..language.errors import LanguageError
from .branches import Branches
from .calls import Calls, too_deep
from .closures import Closures
from .constructs import refuse
from .diagnostics import from_diagnostics
from .errors import CompilationError
from .expressions import Expressions
from .loops import Loops
from .names import Names
from .source import source_of
from .statements import Statements


class Visitor(Names, Statements, Branches, Loops, Expressions, Calls, Closures):
    """Compiles one call of one function.

    `unit` is the compilation that all calls share (builder, context, used values); `caller` the visitor
    that met the call, or None for the kernel itself; `closure` the nested function, whose text `source` is,
    if it is one.
    """

    def __init__(self, unit, fn, arguments, caller=None, source=None, closure=None):
        self.unit, self.fn, self.caller, self.closure = unit, fn, caller, closure
        self.builder = unit.builder
        self.source = source or source_of(fn)
        unit.sources.add(self.source)
        self.node = self.source.tree
        self.scope = dict(arguments)
        #: Variables that are declared as constants before their assignments.
        self.declared = set()
        self.loop_depth = 0
        self.call_site = caller.location() if caller else None
        self._locations = {}
        #: The call that is a statement of its own, if one is being compiled: its result is dropped.
        self.dropped_call = None

    @property
    def reads_all_of_python(self):
        """Whether attributes of modules are constants and plain Python functions of constants are called, as in
        Triton."""
        return self.builder.options.numerics == "triton"

    @property
    def asserts_while_running(self):
        """Whether `assert` of a constant is checked at run time, with `debug` only, as in Triton."""
        return self.builder.options.numerics == "triton"

    @property
    def depth(self):
        """How many calls led here."""
        return self.caller.depth + 1 if self.caller else 0

    def run(self):
        """Compile the body. Returns the result of the function, None if nothing."""
        self.builder.visitor = self
        try:
            body = self.source.tree.body
            return self.visit_body(body) if isinstance(body, list) else self.visit(body)
        finally:
            self.builder.visitor = self.caller or self

    def visit(self, node):
        """Compile `node`. An error without a location gets that of `node`."""
        method = getattr(self, "visit_" + type(node).__name__, None)
        if method is None:
            self.node = node
            refuse(self, node)
        previous, self.node = self.node, node
        try:
            return method(node)
        except CompilationError:
            raise
        except LanguageError as error:
            failure = self.error(error.message, node, error.hint)
            failure.origin = error
            raise failure from None
        except self.unit.diagnostic_error as error:
            raise from_diagnostics(error, self.unit.sources, self.frames(node)) from None
        except RecursionError:
            message = too_deep(self.fn, self.depth) if self.depth > 1 else "the kernel is nested too deeply"
            raise self.error(message, node) from None
        except Exception as error:  # of a constexpr_function, say, or of an aggregate's own code
            failure = self.error(str(error) or type(error).__name__, node)
            failure.origin = error
            raise failure from None
        finally:
            self.node = previous

    def location(self):
        """The location of the current node in the IR."""
        node = self.node if hasattr(self.node, "lineno") else self.source.tree
        found = self._locations.get(node)
        if found is None:
            found = self.unit.location(self.source, node)
            if self.call_site is not None:
                found = self.unit.context.call_loc(found, self.call_site)
            self._locations[node] = found
        return found

    def frames(self, node=None):
        """The frame of `node` and those of the calls that led here."""
        own = self.source.frame(node if node is not None else self.node)
        return [own] + (self.caller.frames() if self.caller else [])

    def error(self, message, node=None, hint=None):
        """A `CompilationError` at `node`."""
        return CompilationError(message, self.frames(node), hint)

    @staticmethod
    def is_docstring(node):
        """Whether a statement only holds a string."""
        return (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        )
