"""`for` and `while`.

A variable with a value before the loop that the body assigns is carried from one iteration to the next, so its type is
fixed. A variable that only the body defines is gone after the loop, which may not have run.
"""

import ast

from ..language import loops
from ..language.constexpr import constexpr, unwrap
from ..language.dtypes import int1
from ..language.semantic import arithmetic
from ..language.semantic.convert import constant
from ..language.semantic.loop import bounds, counted_upwards, direction, may_leave_type, unrolled
from ..language.tensor import tensor
from .assigned import assigned_names
from .builder import attribute_text
from .exits import RETURNED, VALUE, breaks, go_name, returns
from .statements import Exit
from .values import (
    Undefined,
    carried,
    describe,
    flatten,
    is_constant,
    is_spent,
    placeholder,
    rebuild,
    same_kind,
    static,
    type_name,
    wrap,
)

_HINTS = ("num_stages", "loop_unroll_factor")
_FLAGS = ("disallow_acc_multi_buffer", "flatten", "warp_specialize", "disable_licm")


class Loops:
    """Loops."""

    def visit_For(self, node):
        if node.orelse:
            raise self.error("'else' of a loop is not supported in a kernel", node.orelse[0])
        over = self.visit(node.iter)
        if isinstance(over, loops.range) and not isinstance(node.target, ast.Name):
            raise self.error("the loop variable is a name", node.target)
        if isinstance(over, loops.range) and (breaks(node) or returns(node)):
            self._for_with_exits(node, over)
        elif isinstance(over, loops.static_range):
            self._unroll(node, unrolled(over))
        elif isinstance(over, loops.range):
            self._for(node, over)
        elif isinstance(unwrap(over), tuple):
            self._unroll(node, unrolled(over))
        else:
            raise self.error(
                f"a loop runs over range, tl.range, tl.static_range or a tuple, got {describe(over)}",
                node.iter,
            )

    def _unroll(self, node, items):
        self.unit.unroll(len(items))
        go = go_name(self.loop_depth + 1)
        self.scope[go] = constexpr(True)

        def iterate(item):
            self.assign(node.target, wrap(item))
            self.visit_loop_body(node.body)

        def iterate_if_running(item):
            iterate(item)
            self.scope.update({name: self._gone(node) for name in assigned_names([node.target])})

        for item in items:
            running = self.scope[go]
            if not is_constant(running):
                self.both(node, running, [lambda item=item: iterate_if_running(item), lambda: None])
            elif unwrap(running):
                iterate(item)
        del self.scope[go]

    def visit_loop_body(self, statements):
        """Compile the body of a loop."""
        self.loop_depth += 1
        try:
            self.visit_statements(statements)
        finally:
            self.loop_depth -= 1

    def _for(self, node, loop):
        low, high, stride, get_index = counted_upwards(loop)
        names, initial = self._carried([n for n in assigned_names(node.body) if n != node.target.id])
        leaves = flatten(initial)
        op = self.builder.operation(
            "scf.for",
            [value.handle for value in (low, high, stride, *leaves)],
            [leaf.type for leaf in leaves],
            _loop_attributes(loop, low.dtype),
            regions=1,
        )
        before, self.scope = self.scope, dict(self.scope)
        with self.builder.block(op.regions[0], [low.type] + [leaf.type for leaf in leaves]) as block:
            handles = iter(block.args)
            index = tensor(next(handles), low.type)
            self.scope.update(zip(names, rebuild(initial, handles), strict=True))
            self.scope[node.target.id] = get_index(index)
            self.visit_loop_body(node.body)
            self._yield("scf.yield", [], names, initial, node)
        self._leave(before, node, names, rebuild(initial, iter(op.results)))

    def visit_While(self, node):
        if node.orelse:
            raise self.error("'else' of a loop is not supported in a kernel", node.orelse[0])
        exits = breaks(node) or returns(node)

        def test(op):
            condition = self.visit(node.test)
            if isinstance(condition, loops.condition):
                if condition.disable_licm:
                    op.set_attr("tile.disable_licm", self.builder.context.attr("unit"))
                condition = condition.value
            condition = static(condition)
            if not is_constant(condition):
                return self.truth(condition, node.test)
            if unwrap(condition) and not exits:
                raise self.error("this loop never ends: its condition is always true", node.test)
            return constant(bool(unwrap(condition)), int1)

        self._while(node, test, lambda: self.visit_loop_body(node.body))

    def _for_with_exits(self, node, loop):
        """A `for` that may end early, as a `while` over its index."""
        start, end, stride = bounds(loop)
        is_inside = direction(loop, stride).is_inside
        wraps = may_leave_type(loop, start.dtype)
        index, go = f"%index{self.loop_depth}", go_name(self.loop_depth + 1)
        self.scope[index] = start

        def body():
            current = self.scope[index]
            self.scope[node.target.id] = current
            self.visit_loop_body(node.body)
            self.scope[index] = arithmetic.add(current, stride, check=False)
            if wraps:  # a wrapped index would be inside again
                fits = is_inside(current, self.scope[index])
                self.scope[go] = arithmetic.logical(unwrap(self.scope[go]), fits, "arith.andi")

        self._while(node, lambda _: is_inside(self.scope[index], end), body, [index])
        del self.scope[index]

    def _while(self, node, test, body, hidden=()):
        """A loop over `body` while `test`, which is given the loop, gives true and no path has left it."""
        hidden = list(hidden)
        go = go_name(self.loop_depth + 1)
        if breaks(node) or returns(node):
            self.scope[go] = constexpr(True)
            hidden.append(go)
        if returns(node):
            self.scope.setdefault(RETURNED, constexpr(False))
            hidden += [RETURNED, VALUE]
        while True:
            names, initial = self._carried(hidden + assigned_names([node]))
            op, last = self._while_op(node, test, body, names, initial, go if go in hidden else None)
            if not returns(node) or VALUE not in last or VALUE in names:
                break
            # The return value is known only now, and the loop has to carry it.
            op.erase()
            self.scope[VALUE] = placeholder(last[VALUE])
        self._leave(self.scope, node, names, rebuild(initial, iter(op.results)))
        self.scope.pop(go, None)

    def _while_op(self, node, test, body, names, initial, go):
        """The `scf.while` itself, and the scope at the end of its body."""
        leaves = flatten(initial)
        types = [leaf.type for leaf in leaves]
        op = self.builder.operation("scf.while", [leaf.handle for leaf in leaves], types, regions=2)
        before, self.scope = self.scope, dict(self.scope)
        try:
            with self.builder.block(op.regions[0], types) as block:
                self.scope.update(zip(names, rebuild(initial, iter(block.args)), strict=True))
                condition = self._guarded(self.scope[go], lambda: test(op)) if go else test(op)
                self._yield("scf.condition", [condition], names, initial, node)
            self.scope = dict(before)
            with self.builder.block(op.regions[1], types) as block:
                self.scope.update(zip(names, rebuild(initial, iter(block.args)), strict=True))
                self.scope.update(self._tested(node, names))
                body()
                self._yield("scf.yield", [], names, initial, node)
            return op, self.scope
        finally:
            self.scope = before

    def _tested(self, node, names):
        """The values in the body of names that the condition assigns, except those in `names`."""
        line, _ = self.source.position(node)
        why = f"the condition of the loop in line {line} assigns it; give it a value of the same type before the loop"
        tested = assigned_names([node.test]) if isinstance(node, ast.While) else []
        return {name: Undefined(why) for name in tested if name not in names}

    def _guarded(self, go, test):
        """`test`, which may have effects, only while the loop goes on."""
        return self.either_result(go, [lambda: Exit(test()), lambda: Exit(constexpr(False))]).value

    def _carried(self, candidates):
        """Those of the names that have a value before the loop and, as one tuple, these values."""
        names, values = [], []
        for name in candidates:
            value = self.scope.get(name)
            if value is not None and not isinstance(value, Undefined) and not is_spent(value):
                names.append(name)
                values.append(carried(value))
        return names, tuple(values)

    def _yield(self, op, operands, names, initial, node):
        """End a block of a loop with the values of the carried names, whose types must have stayed."""
        values = tuple(carried(self.scope[name]) for name in names)
        for name, first, last in zip(names, initial, values, strict=True):
            if isinstance(last, Undefined):
                raise self.error(
                    f"{name!r} may have no value at the end of the loop's body: {last.why}", node
                )
            if is_spent(self.scope[name]):
                raise self.error(
                    f"{name!r} is carried to the next iteration, but it is a {last.type} that has ended",
                    node,
                    "assign it another one, such as ring.no_slot()",
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

    def _gone(self, node, name=None):
        line, _ = self.source.position(node)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id == name:
            return Undefined(f"the loop in line {line} counts with it; assign it to another name there")
        return Undefined(f"the loop in line {line} assigns it, but may not run")

    def _leave(self, before, node, names, values):
        """Restore the scope after a loop: carried names have their last values, the body's own are gone."""
        self.scope = before
        for name in assigned_names([node]):
            if name not in before or name not in names:
                self.scope[name] = self._gone(node, name)
        self.scope.update(zip(names, values, strict=True))


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
