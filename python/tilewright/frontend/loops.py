"""`for` and `while`.

A variable that the body assigns and that had a value before is carried from one iteration to the next, so
its type stays. What only the body defines is gone after it: the loop may not have run.
"""

import ast

from ..language import loops
from ..language.constexpr import constexpr, unwrap
from ..language.dtypes import int1
from ..language.semantic import arithmetic
from ..language.semantic.convert import constant
from ..language.semantic.loop import bounds, static_step
from ..language.tensor import tensor
from .builder import attribute_text
from .values import (
    Undefined,
    describe,
    flatten,
    is_constant,
    materialize,
    rebuild,
    same_kind,
    type_name,
    wrap,
)

_HINTS = ("num_stages", "loop_unroll_factor")
_FLAGS = ("disallow_acc_multi_buffer", "flatten", "warp_specialize", "disable_licm")


def assigned_names(statements):
    """The names that statements assign, in order, constants declared as such left out."""
    found = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id] = None
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.AnnAssign) and "constexpr" in ast.unparse(node.annotation):
                found.pop(getattr(node.target, "id", None), None)
    return list(found)


class Loops:
    """Loops."""

    def visit_For(self, node):
        if node.orelse:
            raise self.error("'else' of a loop is not supported in a kernel", node.orelse[0])
        over = self.visit(node.iter)
        if isinstance(over, loops.static_range):
            self._unroll(node, map(constexpr, over.values()))
        elif isinstance(over, loops.range):
            self._for(node, over)
        elif isinstance(unwrap(over), tuple):
            self._unroll(node, over)
        else:
            raise self.error(
                f"a loop runs over range, tl.range, tl.static_range or a tuple, got {describe(over)}",
                node.iter,
            )

    def _unroll(self, node, items):
        for item in items:
            self.assign(node.target, wrap(item))
            self.visit_loop_body(node.body)

    def visit_loop_body(self, statements):
        """Compile the body of a loop, in which `return` is refused."""
        self.loop_depth += 1
        try:
            self.visit_statements(statements)
        finally:
            self.loop_depth -= 1

    def _for(self, node, loop):
        if not isinstance(node.target, ast.Name):
            raise self.error("the loop variable is a name", node.target)
        step = static_step(loop)
        start, end, stride = bounds(loop)
        backwards = step is not None and step < 0
        if backwards:  # the op counts upwards: i = start + end - j for j from end to start
            low, high, stride = end, start, constant(-step, start.type)
        else:
            low, high = start, end
        names, initial = self._carried(node.body, skip=node.target.id)
        leaves = flatten(initial)
        op = self.builder.operation(
            "scf.for",
            [value.handle for value in (low, high, stride, *leaves)],
            [leaf.type for leaf in leaves],
            _loop_attributes(loop, start.dtype),
            regions=1,
        )
        before, self.scope = self.scope, dict(self.scope)
        with self.builder.block(op.regions[0], [start.type] + [leaf.type for leaf in leaves]) as block:
            handles = iter(block.args)
            index = tensor(next(handles), start.type)
            self.scope.update(zip(names, rebuild(initial, handles), strict=True))
            self.scope[node.target.id] = _mirror(low, high, index) if backwards else index
            self.visit_loop_body(node.body)
            self._yield("scf.yield", [], names, initial, node)
        self._leave(before, node, names, rebuild(initial, iter(op.results)))

    def visit_While(self, node):
        if node.orelse:
            raise self.error("'else' of a loop is not supported in a kernel", node.orelse[0])
        names, initial = self._carried([node])
        leaves = flatten(initial)
        types = [leaf.type for leaf in leaves]
        op = self.builder.operation("scf.while", [leaf.handle for leaf in leaves], types, regions=2)
        before, self.scope = self.scope, dict(self.scope)
        with self.builder.block(op.regions[0], types) as block:
            self.scope.update(zip(names, rebuild(initial, iter(block.args)), strict=True))
            condition = self.visit(node.test)
            if is_constant(condition):
                if unwrap(condition):
                    raise self.error("this loop never ends: its condition is always true", node.test)
                condition = constant(False, int1)
            self._yield("scf.condition", [self.truth(condition, node.test)], names, initial, node)
        self.scope = dict(before)
        with self.builder.block(op.regions[1], types) as block:
            self.scope.update(zip(names, rebuild(initial, iter(block.args)), strict=True))
            self.visit_loop_body(node.body)
            self._yield("scf.yield", [], names, initial, node)
        self._leave(before, node, names, rebuild(initial, iter(op.results)))

    def _carried(self, statements, skip=None):
        """The names carried by a loop over `statements` and, as one tuple, the values they start with."""
        names, values = [], []
        for name in assigned_names(statements):
            value = self.scope.get(name)
            if name == skip or value is None or isinstance(value, Undefined):
                continue
            value = materialize(value)
            names.append(name)
            values.append(value)
        return names, tuple(values)

    def _yield(self, op, operands, names, initial, node):
        """End a block of a loop with the values of the carried names, whose types must have stayed."""
        values = tuple(materialize(self.scope[name]) for name in names)
        for name, first, last in zip(names, initial, values, strict=True):
            if isinstance(last, Undefined):
                raise self.error(
                    f"{name!r} may have no value at the end of the loop's body: {last.why}", node
                )
            if not same_kind(first, last):
                raise self.error(
                    f"{name!r} is {type_name(first)} before the loop and {type_name(last)} after its body",
                    self._last_assignment(node, name),
                    "a variable keeps its type in a loop: convert it with .to(), or start with the last type",
                )
        self.builder.operation(op, [value.handle for value in operands + flatten(values)])

    @staticmethod
    def _last_assignment(node, name):
        stores = [
            inner
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store) and inner.id == name
        ]
        return stores[-1] if stores else node

    def _leave(self, before, node, names, values):
        """Restore the scope after a loop: carried names have their last values, the body's own are gone."""
        line, _ = self.source.position(node)
        inner = assigned_names([node])
        self.scope = before
        for name in inner:
            if name not in before or name not in names:
                self.scope[name] = Undefined(f"the loop in line {line} assigns it, but may not run")
        self.scope.update(zip(names, values, strict=True))


def _mirror(low, high, index):
    """The value of the loop variable of a loop that counts down."""
    return arithmetic.sub(arithmetic.add(low, high), index)


def _loop_attributes(loop, ty):
    """The hints of a `tl.range` as attributes of the loop."""
    attrs = {}
    for name in _HINTS:
        value = getattr(loop, name)
        if value is not None:
            attrs[f"tile.{name}"] = attribute_text(value)
    attrs.update({f"tile.{name}": "unit" for name in _FLAGS if getattr(loop, name)})
    if ty.is_int_unsigned():
        attrs["unsignedCmp"] = "unit"
    return attrs
