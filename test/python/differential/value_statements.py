"""Statements that derive blocks from others: assigned slices, scatter, large blocks, loop-carried tuples."""

from types_and_shapes import INTS, Variable, numel


class ValueStatements:
    """Statements around `Expressions`."""

    def _assigned_slice(self, indent, depth):
        """A copy with a slice or an element replaced."""
        type_, shape = self.type(), self.shape(256) or (8,)
        name, axis = self._name(), self.integer(0, len(shape) - 1)
        extent = shape[axis]
        self._add(indent, f"{name} = {self.expression(type_, shape, 1)}")
        before, after = [":"] * axis, shape[axis + 1 :]
        if self.chance(3):
            at = self.pick(
                (str(self.integer(0, extent - 1)), f"((phase & 255) % {extent})" if extent > 1 else "0", "-1")
            )
            inner = (*shape[:axis], *after)
        else:
            start, stop = sorted((self.integer(0, extent - 1), self.integer(1, extent)))
            stop, step = max(stop, start + 1), self.pick((1, 1, 2, 3))
            at = f"{start}:{stop}" + (f":{step}" if step > 1 else "")
            inner = (*shape[:axis], len(range(start, stop, step)), *after)
        new = self.expression(type_, inner if self.chance(2) else (), 1)
        self._add(indent, f"{name}[{', '.join([*before, at])}] = {new}")
        self.scope.append(Variable(name, type_, shape))

    def _scattered(self, indent, depth):
        type_, shape = self.type(), self.shape(256) or (8,)
        axis = self.integer(0, len(shape) - 1)
        count = self.pick((1, 2, 5, 8, 16))
        given = (*shape[:axis], count, *shape[axis + 1 :])
        if numel(given) > 256:
            given = shape
        index = f"({self.expression('uint32', given, 1)} % {shape[axis] + 1}).to(tl.int32)"
        text = f"tl.scatter({self.expression(type_, shape, 1)}, {index}, {self.expression(type_, given, 1)}, {axis})"
        self._define(indent, type_, shape, text)

    def _large(self, indent, depth):
        """A scalar of a block so large that loops scan and sort it."""
        extent, name = self.pick((600, 1024, 1500, 2048, 3000)), self._name()
        self._add(
            indent,
            f"{name} = (tl.arange(0, {extent}) * {self.pick((7919, 613, 31))} + (phase & 1023)) % 1009",
        )
        k = self.pick((1, 5, 64))
        texts = [
            f"tl.sort({name}, descending={self.pick(('True', 'False'))})", f"tl.cumsum({name}, 0)",
            f"tl.associative_scan({name}, 0, pick_larger, reverse=True)", f"tl.flip({name})",
            f"tl.scatter({name}, {name}, tl.arange(0, {extent}), 0)",
            f"tl.gather({name}, (({name} * 3) % {extent}), 0)", f"tl.gather(tl.topk({name}, {k}), {name} % {k}, 0)",
            f"tl.cat({name}, tl.topk({name}, {k}))[{k}:]",
        ]  # fmt: skip
        self._add(indent, f"{name} = {self.pick(texts)}")
        weights = f"(tl.arange(0, {extent}) % {self.pick((7, 13))} + 1)"
        self._define(indent, "int32", (), f"tl.sum({name} * {weights})")

    def _carried_tuple(self, indent, depth):
        """A tuple or aggregate that a loop and a branch modify."""
        type_, shape = self.pick(INTS[:4]), self.shape(128)
        name, index = self._name(), self._name()
        a, b, c = (self.expression(type_, shape, 1) for _ in range(3))
        is_pair = self.chance(2)
        make, first, second = ("Pair({}, {})", ".a", ".b") if is_pair else ("({}, {})", "[0]", "[1]")
        self._add(indent, f"{name} = {make.format(a, b)}")
        self._add(indent, f"for {index} in range(n % {self.integer(2, 5)}):")
        left, right = f"{name}{first}", f"{name}{second}"
        self._add(indent + 1, f"{name} = {make.format(f'({right} + {left})', f'({right} ^ {c})')}")
        self._add(indent + 1, f"if {self._condition()}:")
        changed = f"{name}.turned()" if is_pair else f"({right}, {left})"
        self._add(indent + 2, self.pick((f"{name} = {changed}", "break", "continue")))
        both = f"{name}.total()" if is_pair else f"{left} - {right}"
        self._define(indent, type_, shape, f"({both}).to(tl.{type_})")

    def _function_with_exits(self, indent, depth):
        """A call of a function that returns from inside loops."""
        type_, shape = self.pick(INTS[:3]), self.shape(128)
        a, b = (self.expression(type_, shape, 1) for _ in range(2))
        limit = self.pick(("n", "phase % 7", "3", "pid + 2"))
        text = self.pick((f"search({a}, {b}, {limit})", f"tuple_of({a}, {b}, {self.integer(1, 3)})[0]"))
        self._define(indent, type_, shape, f"({text}).to(tl.{type_})")

    def _mixed(self, indent, depth):
        """Arithmetic on integers of two types."""
        one, other, shape = self.pick(INTS), self.pick(INTS), self.shape(128)
        a, b = self.expression(one, shape, 1), self.expression(other, shape, 1)
        texts = [f"({a}) {op} ({b})" for op in ("+", "-", "*", "&", "|", "^")]
        texts += [f"({a}) {op} (({b}) & 7)" for op in ("<<", ">>")]
        if (one[0] == "u") == (other[0] == "u"):
            texts += [f"({a}) {op} ((({b}) & 15) + 1)" for op in ("//", "%")]
        compared = f"tl.where(({a}) {self.pick(('<', '<=', '==', '!=', '>', '>='))} ({b}), 1, 0)"
        type_ = self.pick(INTS)
        self._define(indent, type_, shape, f"({self.pick([*texts, compared])}).to(tl.{type_})")
