"""Statements other than branches and loops."""

import ast
import copy

from ..language import debug
from ..language.constexpr import constexpr, unwrap
from ..language.semantic.index import setitem
from ..language.structure import structure
from ..language.tensor import tensor
from .exits import RETURNED, VALUE, go_name, returns
from .values import describe, is_constant, materialize, static, wrap


class Exit:
    """Early end of a list of statements. A function body ends by `return`, with its value (None for a bare one). A
    loop body ends by `break`, `continue` or `return`, which the scope distinguishes.
    """

    def __init__(self, value):
        self.value = value


class Statements:
    """Assignments, expressions as statements, return, assert."""

    def visit_body(self, statements):
        """Compile the body of a function. Returns its result."""
        done = self.visit_statements(statements)
        return done.value if done else None

    def visit_statements(self, statements):
        """Compile statements in order; gives an `Exit` where one returns, else None."""
        for index, statement in enumerate(statements):
            rest = statements[index + 1 :]
            if isinstance(statement, ast.If) and self.may_exit(statement):
                return self.visit_exiting_if(statement, rest)
            done = self.visit(statement)
            if isinstance(statement, (ast.For, ast.While)) and returns(statement):
                return self.leave_or_go_on(statement, rest)
            if isinstance(done, Exit):
                return done
        return None

    def visit_Expr(self, node):
        if not self.is_docstring(node):
            self.dropped_call = node.value
            self.visit(node.value)

    def visit_Pass(self, node):
        pass

    def visit_Return(self, node):
        value = None if node.value is None else self.visit(node.value)
        if self.caller is None and value is not None and unwrap(value) is not None:
            raise self.error("a kernel returns nothing", node, "store the result through a pointer")
        return self.return_from_loop(value) if self.loop_depth else Exit(value)

    def return_from_loop(self, value):
        """Record that the function returns: the enclosing loops end, and then the function."""
        self.scope[go_name(self.loop_depth)] = constexpr(False)
        self.scope[RETURNED] = constexpr(True)
        if value is not None and unwrap(value) is not None:
            self.scope[VALUE] = materialize(value)
        return Exit(None)

    def visit_Break(self, node):
        self.scope[go_name(self.loop_depth)] = constexpr(False)
        return Exit(None)

    def visit_Continue(self, node):
        return Exit(None)

    def visit_Assert(self, node):
        condition = self.visit(node.test)
        message = unwrap(self.visit(node.msg)) if node.msg else "assertion failed"
        if not is_constant(condition):
            debug.device_assert(condition, message)
        elif not self.asserts_while_running:
            debug.static_assert(condition, message)
        elif not unwrap(condition):
            debug.device_assert(False, str(message))

    def visit_Assign(self, node):
        value = self.visit(node.value)
        stays = len(node.targets) == 1 and self._stays_constant(node.targets[0], value)
        value = static(value) if stays else materialize(value)
        for target in node.targets:
            self.assign(target, value)

    def _stays_constant(self, target, value):
        return isinstance(target, ast.Name) and target.id in self.declared and is_constant(static(value))

    def visit_AnnAssign(self, node):
        if node.value is None:  # declares later assignments
            if unwrap(self.visit(node.annotation)) is constexpr and isinstance(node.target, ast.Name):
                self.declared.add(node.target.id)
            return None
        value = self.visit(node.value)
        if unwrap(self.visit(node.annotation)) is not constexpr:
            return self.assign(node.target, materialize(value))
        value = static(value)
        if not is_constant(value):
            if self.unit.builder.options.numerics == "triton":  # where the annotation is no promise
                return self.assign(node.target, value)
            raise self.error(
                f"the value of a tl.constexpr must be known while compiling, got {describe(value)}",
                node.value,
            )
        if isinstance(node.target, ast.Name) and isinstance(self.scope.get(node.target.id), tensor):
            raise self.error(
                f"{node.target.id!r} was a value of the kernel and cannot become a constant", node.target
            )
        self.assign(node.target, wrap(unwrap(value)))

    def visit_AugAssign(self, node):
        left = copy.copy(node.target)
        left.ctx = ast.Load()
        self.assign(
            node.target, materialize(self.binary(node, node.op, self.visit(left), self.visit(node.value)))
        )

    def visit_NamedExpr(self, node):
        value = materialize(self.visit(node.value))
        self.assign(node.target, value)
        return value

    def assign(self, target, value):
        """Bind `value` to the target of an assignment."""
        if isinstance(target, ast.Name):
            self.scope[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            self._assign_elements(target, value)
        elif isinstance(target, ast.Attribute):
            self._assign_field(target, value)
        else:
            raise self.error("this cannot be assigned to in a kernel", target, "assign to a variable")

    def _assign_field(self, target, value):
        """`p.x = value` binds p to another aggregate."""
        owner = self.visit(target.value)
        if not isinstance(owner, structure):
            raise self.error(
                f"{describe(owner)} has no fields that can be assigned", target, "assign to a variable"
            )
        previous, self.node = self.node, target
        try:
            changed = owner._with(target.attr, value)
        finally:
            self.node = previous
        self.assign(target.value, changed)

    def _assign_elements(self, target, value):
        """`x[0:16] = value` binds x to another block."""
        if not isinstance(target.value, ast.Name):
            raise self.error(
                "only elements of a variable are assigned", target, "give the block a name first"
            )
        block = self.visit(target.value)
        if not isinstance(block, tensor):
            raise self.error(
                f"{describe(block)} has no elements that can be assigned", target, "make a new tuple"
            )
        index = self.visit(target.slice)
        previous, self.node = self.node, target
        try:
            self.scope[target.value.id] = setitem(block, index, value)
        finally:
            self.node = previous

    def _unpack(self, target, value):
        value = unwrap(value) if isinstance(value, constexpr) else value
        if not isinstance(value, (tuple, list)):
            raise self.error(f"cannot unpack {describe(value)}", target)
        value = self._with_rest(target, value)
        if len(value) != len(target.elts):
            few = "too many" if len(value) > len(target.elts) else "not enough"
            counts = f"(expected {len(target.elts)}, got {len(value)})"
            raise self.error(f"{few} values to unpack {counts}", target)
        for element, item in zip(target.elts, value, strict=True):
            if isinstance(element, ast.Subscript):
                raise self.error("elements of a block are assigned one by one", element)
            self.assign(element.value if isinstance(element, ast.Starred) else element, item)

    @staticmethod
    def _with_rest(target, value):
        """`value` with all that the `*name` of the target takes, if it has one, as one tuple."""
        start = next((at for at, name in enumerate(target.elts) if isinstance(name, ast.Starred)), None)
        count = len(value) - len(target.elts) + 1
        if start is None or count < 0:
            return value
        return (*value[:start], tuple(value[start : start + count]), *value[start + count :])
