"""`if`, and the merging of what its branches assign.

A condition known while compiling picks a branch; the other is not even looked at. Otherwise both are
compiled into an `scf.if`, first without results: what they assigned is known only then. The final op takes
over the regions. A branch that may return gets the statements after the `if` as its own tail, so that each
path ends in one value.
"""

import ast
import contextlib

from ..language.constexpr import unwrap
from ..language.semantic.convert import to_bool
from ..language.tensor import tensor
from .statements import Exit
from .values import (
    Undefined,
    describe,
    flatten,
    is_constant,
    materialize,
    rebuild,
    same_kind,
    type_name,
    unchanged,
)


class Branches:
    """Conditional statements and expressions."""

    def condition(self, node):
        """A constant condition as a bool, one of the kernel as an int1 scalar."""
        value = self.visit(node)
        if is_constant(value):
            return bool(unwrap(value))
        return self.truth(value, node)

    def truth(self, value, node):
        """A value of the kernel as an int1 scalar."""
        if not isinstance(value, tensor):
            raise self.error(f"a condition is a scalar, got {describe(value)}", node)
        if value.type.is_block():
            raise self.error(
                f"a condition is a scalar, got a block of type {value.type}",
                node,
                "choose element by element with tl.where, or reduce the block to a scalar",
            )
        return to_bool(value)

    @staticmethod
    def may_exit(node):
        """Whether a `return` stands somewhere in the statement."""
        return any(isinstance(inner, ast.Return) for inner in ast.walk(node))

    def visit_If(self, node):
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            return self.visit_statements(node.body if condition else node.orelse)
        with self._draft(condition) as draft:
            scopes = []
            for statements in (node.body, node.orelse):
                with self._branch(draft):
                    self.visit_statements(statements)
                    scopes.append(self.scope)
            names = self._merge_scopes(node, scopes)
            values = [[scope[name] for name in names] for scope in scopes]
            results = self._finish(draft, condition, [f"{name!r}" for name in names], values)
        self.scope.update(zip(names, results, strict=True))
        return None

    def visit_IfExp(self, node):
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            return self.visit(node.body if condition else node.orelse)
        with self._draft(condition) as draft:
            values = []
            for expression in (node.body, node.orelse):
                with self._branch(draft):
                    values.append([self.visit(expression)])
            return self._finish(draft, condition, ["the conditional expression"], values)[0]

    def visit_exiting_if(self, node, rest):
        """An `if` with a `return` in it, and the statements that follow it in its function."""
        if self.loop_depth:
            return self.visit(node)  # which meets the return and refuses it
        previous, self.node = self.node, node
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            self.node = previous
            return self.visit_statements((node.body if condition else node.orelse) + rest)
        with self._draft(condition) as draft:
            values = []
            for statements in (node.body, node.orelse):
                with self._branch(draft):
                    done = self.visit_statements(statements + rest)
                    values.append([done.value if done else None])
            (result,) = self._finish(draft, condition, ["the result of the function"], values)
        self.node = previous
        return Exit(result)

    @contextlib.contextmanager
    def _draft(self, condition):
        """An `scf.if` without results, gone when the `with` ends; as (op, blocks of its regions compiled so
        far).
        """
        draft = self.builder.operation("scf.if", [condition.handle], (), regions=2)
        yield draft, []
        draft.erase()

    @contextlib.contextmanager
    def _branch(self, draft):
        """Compile the next branch into the draft, on a copy of the scope."""
        op, blocks = draft
        before, self.scope = self.scope, dict(self.scope)
        try:
            with self.builder.block(op.regions[len(blocks)]) as block:
                yield
            blocks.append(block)
        finally:
            self.scope = before

    def _merge_scopes(self, node, scopes):
        """The names whose values the branches changed, with both brought to one type in `scopes`."""
        names = []
        for name in dict.fromkeys([*scopes[0], *scopes[1]]):
            if not all(name in scope for scope in scopes):
                line, _ = self.source.position(node)
                self.scope[name] = Undefined(f"only one branch of the 'if' in line {line} assigns it")
                continue
            first, second = (scope[name] for scope in scopes)
            if isinstance(first, Undefined) or isinstance(second, Undefined):
                self.scope[name] = first if isinstance(first, Undefined) else second
            elif unchanged(first, second):
                self.scope[name] = first
            else:
                names.append(name)
        return names

    def _finish(self, draft, condition, names, values):
        """The `scf.if` with results that replaces `draft`.

        `values` are those that its two branches end with, `names` what an error calls them.
        """
        op, blocks = draft
        for index, block in enumerate(blocks):
            with self.builder.at_end(block):
                values[index] = [materialize(value) for value in values[index]]
        for name, first, second in zip(names, *values, strict=True):
            if not same_kind(first, second):
                raise self.error(
                    f"{name} is {type_name(first)} after one branch and {type_name(second)} after the other",
                    hint="give both the same type, with .to() or tl.full",
                )
        leaves = [[leaf for value in side for leaf in flatten(value)] for side in values]
        for block, side in zip(blocks, leaves, strict=True):
            with self.builder.at_end(block):
                self.builder.operation("scf.yield", [leaf.handle for leaf in side])
        types = [leaf.type for leaf in leaves[0]]
        final = self.builder.operation("scf.if", [condition.handle], types, regions=2)
        for region, source in zip(final.regions, op.regions, strict=True):
            region.take_blocks(source)
        results = iter(final.results)
        return [rebuild(value, results) for value in values[0]]
