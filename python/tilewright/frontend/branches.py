"""`if`, and the merging of variables that its branches assign.

A condition known at compile time selects a branch, and the other is ignored. Otherwise both are compiled into an
`scf.if`, first without results, because the assigned variables are known only then. The final op takes over the
regions. A branch that may return gets the statements after the `if` as its own tail, so that each path ends in one value.
"""

import contextlib

from ..language.constexpr import constexpr, unwrap
from ..language.semantic.convert import to_bool
from ..language.tensor import tensor
from .exits import RETURNED, VALUE, is_hidden, leaves_body, returns
from .statements import Exit
from .values import (
    MISSING,
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
    unchanged,
)


def _any_for_none(values):
    """The results of two paths. A None is replaced by `MISSING` if the other path gives a value."""
    nothing = [is_constant(value) and unwrap(value) is None for (value,) in values]
    if all(nothing):
        return values
    return [[MISSING] if none else found for found, none in zip(values, nothing, strict=True)]


class Branches:
    """Conditional statements and expressions."""

    def condition(self, node):
        """A constant condition as a bool, one of the kernel as an int1 scalar."""
        value = static(self.visit(node))
        if is_constant(value):
            return bool(unwrap(value))
        return self.truth(value, node)

    def truth(self, value, node):
        """A value of the kernel as an int1 scalar; of a block with one element that element counts."""
        if not isinstance(value, tensor):
            raise self.error(f"a condition is a scalar, got {describe(value)}", node)
        if value.numel != 1:
            raise self.error(
                f"a condition is a scalar, got a block of type {value.type}",
                node,
                "choose element by element with tl.where, or reduce the block to a scalar",
            )
        return to_bool(value.item())

    def may_exit(self, node):
        """Whether a path through the statement ends its list of statements."""
        return leaves_body(node) if self.loop_depth else returns(node)

    def visit_If(self, node):
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            return self.visit_statements(node.body if condition else node.orelse)
        bodies = (node.body, node.orelse)
        self.both(node, condition, [lambda body=body: self.visit_statements(body) for body in bodies])
        return None

    def both(self, node, condition, branches):
        """Compile two branches, given as functions, and merge the variables that they leave."""
        with self._draft(condition) as draft:
            scopes = []
            for branch in branches:
                with self._branch(draft):
                    branch()
                    scopes.append(self.scope)
            names = self._merge_scopes(node, scopes)
            values = [[scope.get(name, MISSING) for name in names] for scope in scopes]
            subjects = [f"Mismatched type for {name}: it" for name in names]
            results = self._finish(draft, condition, subjects, values)
        self.scope.update(zip(names, results, strict=True))

    def either_result(self, condition, branches):
        """Compile two branches that end the function. Returns the `Exit` with the result."""
        with self._draft(condition) as draft:
            values = []
            for branch in branches:
                with self._branch(draft):
                    done = branch()
                    values.append([done.value if done else None])
            if self.reads_all_of_python:  # a path that gives no value gives any value, as in Triton
                values = _any_for_none(values)
            subject = "Inconsistent return types: the result of the function"
            return Exit(self._finish(draft, condition, [subject], values)[0])

    def visit_IfExp(self, node):
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            return self.visit(node.body if condition else node.orelse)
        with self._draft(condition) as draft:
            values = []
            for expression in (node.body, node.orelse):
                with self._branch(draft):
                    values.append([self.visit(expression)])
            subject = "Ternary expression with dynamic condition has inconsistent types: it"
            return self._finish(draft, condition, [subject], values)[0]

    def visit_exiting_if(self, node, rest):
        """An `if` with a way out in it, and the statements that follow it."""
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            return self.visit_statements((node.body if condition else node.orelse) + rest)
        paths = (node.body + rest, node.orelse + rest)
        branches = [lambda path=path: self.visit_statements(path) for path in paths]
        return self._both_paths(node, condition, branches)

    def leave_or_go_on(self, node, rest):
        """After a loop with a `return` in it: leave the function if it returned, else go on with `rest`."""
        returned, value = self.scope.get(RETURNED, constexpr(False)), self.scope.get(VALUE)
        self.scope[RETURNED] = constexpr(False)
        leave = (lambda: self.return_from_loop(value)) if self.loop_depth else (lambda: Exit(value))
        if is_constant(returned):
            return leave() if unwrap(returned) else self.visit_statements(rest)
        return self._both_paths(node, returned, [leave, lambda: self.visit_statements(rest)])

    def _both_paths(self, node, condition, branches):
        """Compile two branches with which the list of statements around `node` ends."""
        previous, self.node = self.node, node
        try:
            if not self.loop_depth:
                return self.either_result(condition, branches)
            self.both(node, condition, branches)
            return Exit(None)
        finally:
            self.node = previous

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
            if is_hidden(name) and not unchanged(*(scope.get(name, MISSING) for scope in scopes)):
                names.append(name)
                continue
            if not all(name in scope for scope in scopes):
                line, _ = self.source.position(node)
                self.scope[name] = Undefined(f"only one branch of the 'if' in line {line} assigns it")
                continue
            first, second = (scope[name] for scope in scopes)
            if isinstance(first, Undefined) or isinstance(second, Undefined):
                self.scope[name] = first if isinstance(first, Undefined) else second
            elif unchanged(first, second):
                self.scope[name] = first
            elif is_spent(first) or is_spent(second):
                line, _ = self.source.position(node)
                self.scope[name] = Undefined(f"it ended in a branch of the 'if' in line {line}")
            else:
                names.append(name)
        return names

    def _finish(self, draft, condition, subjects, values):
        """The `scf.if` with results that replaces `draft`.

        `values` are the final ones of its two branches. `subjects` are the beginnings of errors about each.
        """
        op, blocks = draft
        for index, block in enumerate(blocks):
            with self.builder.at_end(block):
                values[index] = [
                    carried(value if value is not MISSING else placeholder(other))
                    for value, other in zip(values[index], values[1 - index], strict=True)
                ]
        for subject, first, second in zip(subjects, *values, strict=True):
            if not same_kind(first, second):
                raise self.error(
                    f"{subject} is {type_name(first)} after one branch and {type_name(second)} after the other",
                    hint="give both the same type, with .to() or tl.full",
                )
        leaves = [[leaf for value in branch for leaf in flatten(value)] for branch in values]
        for block, branch in zip(blocks, leaves, strict=True):
            with self.builder.at_end(block):
                self.builder.operation("scf.yield", [leaf.handle for leaf in branch])
        types = [leaf.type for leaf in leaves[0]]
        final = self.builder.operation("scf.if", [condition.handle], types, regions=2)
        for region, source in zip(final.regions, op.regions, strict=True):
            region.take_blocks(source)
        results = iter(final.results)
        merged = [rebuild(value, results) for value in values[0]]
        for result, first, second in zip(flatten(tuple(merged)), *leaves, strict=True):
            result.origin = first.origin if first.origin == second.origin else result.origin
        return merged
