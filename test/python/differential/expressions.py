"""Expressions of a wanted type and shape, as source text."""

from types_and_shapes import (
    BITS,
    BOUNDS,
    BYTE_FLOATS,
    EXTENTS,
    FLOATS,
    INTS,
    MOST,
    is_float,
    is_signed,
    numel,
    spell,
)


class Expressions:
    """Makes expressions of the variables in `scope`; `integer(low, high)` draws a number.

    The text has exactly the requested type and shape.
    """

    def __init__(self, integer):
        self.integer = integer
        self.scope = []

    # Draws.

    def pick(self, options):
        return options[self.integer(0, len(options) - 1)]

    def chance(self, one_in):
        return self.integer(0, one_in - 1) == one_in - 1

    def shape(self, most=MOST):
        rank = self.pick((1, 2, 1, 2, 3, 0))
        shape = tuple(self.pick(EXTENTS) for _ in range(rank))
        while numel(shape) > most:
            shape = tuple(max(1, extent // 2) for extent in shape)
        return shape

    def type(self):
        return self.pick((*FLOATS, *INTS, "int1"))

    # Everything.

    def expression(self, type_, shape, depth):
        """An expression of this type and shape."""
        if depth <= 0:
            return self.leaf(type_, shape)
        general = [self._where, self._converted] + ([self._moved] * 3 if shape else [self._reduced])
        if is_float(type_):
            own = (
                [self._float_arithmetic] * 3
                + [self._float_function] * 2
                + [self._float_reduction, self._float_of]
            )
        elif type_ == "int1":
            own = [self._comparison] * 3 + [self._logic] * 2
        else:
            own = [self._int_arithmetic] * 3 + [self._int_function] * 2 + [self._int_reduction, self._int_of]
        return self.pick([self._simple, *own, *general])(type_, shape, depth - 1)

    def _simple(self, type_, shape, depth):
        return self.leaf(type_, shape)

    def leaf(self, type_, shape):
        """A variable if one fits, else a constant."""
        fitting = [v for v in self.scope if v.type == type_ and v.shape == shape]
        if fitting and not self.chance(6):
            return self.pick(fitting).name
        stretched = [
            v for v in self.scope if v.type == type_ and v.shape != shape and _stretches(v.shape, shape)
        ]
        if stretched and shape and self.chance(2):
            return f"tl.broadcast_to({self.pick(stretched).name}, {spell(shape)})"
        others = [v for v in self.scope if v.shape == shape]
        if others and self.chance(2):
            other = self.pick(others)
            return self.convert(other.name, other.type, type_)
        return self.constant(type_, shape)

    def constant(self, type_, shape):
        if type_ == "int1":
            value = self.pick(("True", "False"))
        elif is_float(type_):
            value = f"{self.integer(-7, 7)}.0"
        else:
            value = str(self.integer(-7 if is_signed(type_) else 0, 9))
        if value in ("0", "0.0") and shape:
            return f"tl.zeros({spell(shape)}, tl.{type_})"
        if shape and not is_float(type_) and len(shape) == 1 and type_ != "int1" and self.chance(2):
            return f"tl.arange(0, {shape[0]}).to(tl.{type_})"
        return f"tl.full({spell(shape)}, {value}, tl.{type_})"

    def convert(self, text, source, target):
        """A conversion in which no float rounds and none leaves the range of an integer."""
        if source == target:
            return text
        if target == "int1" or source == "int1":
            return f"({text}).to(tl.{target})"
        if is_float(source) and is_float(target):
            return f"tl.clamp({text}, -{BOUNDS[target]}, {BOUNDS[target]}).to(tl.{target})"
        if is_float(source):
            whole = text if is_signed(target) else f"tl.abs({text})"
            return f"({whole}).to(tl.{target})"
        return (
            f"({text} % {self.pick((8, 5, 7))}).to(tl.{target})"
            if is_float(target)
            else f"({text}).to(tl.{target})"
        )

    # Floats.

    def _bounded(self, text, type_):
        return f"tl.clamp({text}, -{BOUNDS[type_]}.0, {BOUNDS[type_]}.0).to(tl.{type_})"

    def _float_arithmetic(self, type_, shape, depth):
        a, b = self.expression(type_, shape, depth), self.expression(type_, shape, depth - 1)
        op = self.pick(("+", "-", "*"))
        return self._bounded(f"({a} {op} {b})", type_)

    def _float_function(self, type_, shape, depth):
        a, b = self.expression(type_, shape, depth), self.expression(type_, shape, depth - 1)
        texts = [
            f"(-({a}))", f"tl.abs({a})", f"tl.maximum({a}, {b})", f"tl.minimum({a}, {b})",
            f"tl.maximum({a}, {b}, propagate_nan=tl.PropagateNan.ALL)", f"tl.floor({a} * 0.5)", f"tl.ceil({a} * 0.25)",
            f"tl.fma({a}, {b}, {self.leaf(type_, shape)})", f"tl.sqrt({a} * {a})", f"({a} % {self.pick((3, 5, 8))}.0)",
            f"tl.clamp({a}, {self.integer(-4, 0)}, {self.integer(0, 6)})", f"tl.floor({a} / {self.pick((2, 4))}.0)",
            f"tl.extra.libdevice.{self.pick(('trunc', 'rint', 'floor', 'ceil'))}({a})",
            f"tl.map_elementwise(pick_larger, {a}, {b})", f"tl.div_rn({a} * {b}, {self.pick((1, 2))}.0)",
            f"tl.extra.libdevice.copysign({a}, {b} + 0.5)", f"halve({a})", f"(lambda value: value + value)({a})",
        ]  # fmt: skip
        text = self.pick(texts)
        if "div_rn" in text:
            text = f"tl.floor({text})"
        return self._bounded(text, type_)

    def _float_reduction(self, type_, shape, depth):
        wide = "float64" if type_ == "float64" else "float32"
        longer, axis = self._longer(shape)
        inner = self.expression(wide, longer, depth - 1)
        texts = [f"tl.sum({inner}, {axis})", f"tl.max({inner}, {axis})", f"tl.min({inner}, {axis})"]
        texts += [
            f"tl.reduce({inner}, {axis}, {self.pick(('lambda a, b: tl.maximum(a, b)', 'pick_larger'))})"
        ]
        if len(shape) == 2 and min(shape) >= 16 and numel(shape) <= 256:
            texts += [self._dot(type_, shape)] * 3
        return self._bounded(self.pick(texts), type_)

    def _dot(self, type_, shape):
        inner = self.pick((16, 32, 24))
        element = self.pick(("float16", "bfloat16", "float32", "int8", "float8e4nv", "float8e5"))
        a, b = (self._operand(element, extent) for extent in ((shape[0], inner), (inner, shape[1])))
        if element == "int8":
            return f"(tl.dot({a}, {b}) % 50).to(tl.{type_})"
        return (
            f"tl.dot({a}, {b})"
            if self.chance(2)
            else f"tl.dot({a}, {b}, tl.full({spell(shape)}, 3.0, tl.float32))"
        )

    def _operand(self, element, shape):
        if self.chance(4):
            order = (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2)
            turned = self._operand(element, tuple(shape[axis] for axis in order))
            return f"tl.trans({turned})" if len(shape) == 2 else f"tl.permute({turned}, {spell(order)})"
        small = f"(({self.leaf('int32', shape)}) % 5)"
        return (
            f"{small}.to(tl.float32).to(tl.{element})" if "float8" in element else f"{small}.to(tl.{element})"
        )

    def _float_of(self, type_, shape, depth):
        other = self.pick((*FLOATS, *INTS, "int1"))
        if self.chance(3):
            inner = self.expression(type_, shape, depth - 1)
            byte = self.pick(BYTE_FLOATS)
            return f"tl.clamp({inner}, -7.0, 7.0).to(tl.float32).to(tl.{byte}).to(tl.{type_})"
        return self.convert(self.expression(other, shape, depth - 1), other, type_)

    # Integers.

    def _int_arithmetic(self, type_, shape, depth):
        a, b = self.expression(type_, shape, depth), self.expression(type_, shape, depth - 1)
        other = self.pick(INTS)
        texts = [
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} & {b})", f"({a} | {b})", f"({a} ^ {b})",
            f"({a} // ({b} % 5 + 9))", f"({a} % ({b} % 3 + 7))", f"(~({a}))", f"({a} << {self.integer(0, 7)})",
            f"({a} >> {self.integer(0, 7)})", f"({a} >> ({b} & 7))", f"(({a}) + {self.leaf(other, shape)})",
            f"({a} * {self.integer(-3 if is_signed(type_) else 0, 9)})", f"({a} // {self.integer(2, 9)})",
            f"({a} % {self.pick((2, 3, 8, 16))})",
        ]  # fmt: skip
        return f"{self.pick(texts)}.to(tl.{type_})"

    def _int_function(self, type_, shape, depth):
        a, b = self.expression(type_, shape, depth), self.expression(type_, shape, depth - 1)
        texts = [
            f"tl.maximum({a}, {b})", f"tl.minimum({a}, {b})", f"tl.abs({a})", f"tl.clamp({a}, {b}, {b})",
            f"tl.cdiv({a} % 16, {self.integer(1, 5)})", f"tl.map_elementwise(count_steps, {a} % 9)",
            f"tl.map_elementwise(pick_larger, {a}, {b})", f"twice_and_sum({a}, {b})[0]", f"twice_and_sum({a}, {b})[1]",
            f"tl.randint({self.integer(0, 99)}, {self.leaf('int32', shape)})", f"tl.program_id({self.integer(0, 2)})",
            f"tl.num_programs(0) + {a}", f"(lambda value: value * 3 - 1)({a})",
        ]  # fmt: skip
        if BITS[type_] >= 32:
            texts += [f"tl.umulhi({a}, {b})"]
        if type_ in ("int32", "int64"):
            texts += [f"tl.extra.libdevice.{self.pick(('popc', 'clz', 'ffs', 'brev'))}({a})"]
        text = self.pick(texts)
        if text.startswith("tl.program_id") and shape:
            text = f"({a} + {text})"
        return f"({text}).to(tl.{type_})"

    def _int_reduction(self, type_, shape, depth):
        longer, axis = self._longer(shape)
        inner = self.expression(type_, longer, depth - 1)
        texts = [
            f"tl.sum({inner}, {axis})", f"tl.xor_sum({inner}, {axis})", f"tl.max({inner}, {axis})",
            f"tl.min({inner}, {axis})", f"tl.argmax({inner}, {axis})", f"tl.argmin({inner}, {axis})",
            f"tl.reduce({inner}, {axis}, lambda a, b: a * b)", f"tl.reduce_or({inner}, {axis})",
            f"tl.reduce({inner}, {axis}, pick_larger)",
            f"tl.sum({self.expression('int1', longer, depth - 1)}, {axis})",
            f"tl.max({inner}, {axis}, return_indices=True)[{self.integer(0, 1)}]",
            f"tl.reduce(({inner}, {inner}), {axis}, lambda a, b, c, d: (a + c, tl.maximum(b, d)))[{self.integer(0, 1)}]",
        ]  # fmt: skip
        if len(shape) == 1 and shape[0] <= 64:
            longer = self.shape(128) or (8,)
            mask = f", mask={self.expression('int1', longer, depth - 1)}" if self.chance(2) else ""
            texts += [f"tl.histogram({self.expression('int32', longer, depth - 1)}, {shape[0]}{mask})"] * 2
        return f"({self.pick(texts)}).to(tl.{type_})"

    def _int_of(self, type_, shape, depth):
        twin = {"int32": "float32", "int64": "float64", "int16": "float16", "uint16": "bfloat16"}.get(type_)
        if twin and self.chance(2):
            # The sign of a zero result is unspecified.
            return f"({self.expression(twin, shape, depth - 1)} + 0.0).to(tl.{type_}, bitcast=True)"
        other = self.pick((*INTS, *FLOATS, "int1"))
        return self.convert(self.expression(other, shape, depth - 1), other, type_)

    # Conditions.

    def _comparison(self, type_, shape, depth):
        other = self.type()
        a, b = self.expression(other, shape, depth), self.expression(other, shape, depth - 1)
        if other == "int1":
            return f"(({a}) == ({b}))"
        if self.chance(6):
            low = self.integer(-9, 0) if is_float(other) or is_signed(other) else 1
            return f"({low} < {a} <= {self.integer(2, 9)})"
        return f"({a} {self.pick(('<', '<=', '==', '!=', '>', '>='))} {b})"

    def _logic(self, type_, shape, depth):
        a, b = self.expression(type_, shape, depth), self.expression(type_, shape, depth - 1)
        texts = [f"({a} {op} {b})" for op in ("&", "|", "^", "and", "or")] + [f"(~({a}))", f"(not ({a}))"]
        if shape:
            longer, axis = self._longer(shape)
            texts += [f"(tl.reduce_or({self.expression('int32', longer, depth - 1)}, {axis}) > 3)"]
        return self.pick(texts)

    # Of any type.

    def _where(self, type_, shape, depth):
        condition = self.expression("int1", shape, depth - 1)
        a, b = self.expression(type_, shape, depth), self.leaf(type_, shape)
        return f"tl.where({condition}, {a}, {b}).to(tl.{type_})"

    def _converted(self, type_, shape, depth):
        other = self.type()
        return self.convert(self.expression(other, shape, depth), other, type_)

    def _reduced(self, type_, shape, depth):
        """A scalar of a block."""
        extent = self.pick(EXTENTS[1:])
        inner = self.expression(type_, (extent,), depth)
        if type_ == "int1":
            return f"(tl.sum({inner}, 0) > {self.integer(0, 4)})"
        if self.chance(3):
            return f"{inner}[{self.integer(0, extent - 1)}]"
        return f"tl.{self.pick(('max', 'min'))}({inner}).to(tl.{type_})"

    def _longer(self, shape):
        """The shape with one more axis, and the index of that axis."""
        room = max(1, MOST // max(1, numel(shape)))
        extent = self.pick([extent for extent in (2, 4, 8, 16, 1, 3, 6, 20) if extent <= room])
        axis = self.integer(0, len(shape))
        return (*shape[:axis], extent, *shape[axis:]), axis

    def _moved(self, type_, shape, depth):
        """Rearranged elements of another expression, in this shape."""
        options = [
            self._reshaped,
            self._permuted,
            self._flipped,
            self._stretched,
            self._sliced,
            self._gathered,
        ]
        if numel(shape) > 1 and max(shape) > 1:
            options += [self._combined, self._picked]
        if type_ != "int1" and shape[-1] <= 64:
            options += [self._sorted, self._scanned]
        return self.pick(options)(type_, shape, depth)

    def _reshaped(self, type_, shape, depth):
        source_shape = [numel(shape)]
        if self.chance(2) and source_shape[0] % 4 == 0:
            source_shape = [source_shape[0] // 4, 4]
        inner = self.expression(type_, tuple(source_shape), depth)
        return f"tl.{self.pick(('reshape', 'view'))}({inner}, {spell(shape)})"

    def _permuted(self, type_, shape, depth):
        if len(shape) == 1:
            return f"tl.ravel({self.expression(type_, (*shape, 1), depth)})"
        order = list(range(len(shape)))
        for i in range(len(order) - 1):
            j = self.integer(i, len(order) - 1)
            order[i], order[j] = order[j], order[i]
        inner = [0] * len(shape)
        for i, axis in enumerate(order):
            inner[axis] = shape[i]
        text = self.expression(type_, tuple(inner), depth)
        return f"tl.trans({text})" if order == [1, 0] else f"tl.permute({text}, {spell(order)})"

    def _flipped(self, type_, shape, depth):
        return f"tl.flip({self.expression(type_, shape, depth)}, {self.integer(0, len(shape) - 1)})"

    def _stretched(self, type_, shape, depth):
        axis = self.integer(0, len(shape) - 1)
        if len(shape) > 1:
            less = (*shape[:axis], *shape[axis + 1 :])
            inner = self.expression(type_, less, depth)
            inserted = self.pick((f"tl.expand_dims({inner}, {axis})", f"tl.unsqueeze({inner}, {axis})"))
            return f"tl.broadcast_to({inserted}, {spell(shape)})"
        squeezed = self.expression(type_, (1, *shape), depth)
        return f"tl.squeeze({squeezed}, 0)"

    def _sliced(self, type_, shape, depth):
        axis = self.integer(0, len(shape) - 1)
        if 2 * numel(shape) > MOST:
            return self._flipped(type_, shape, depth)
        double = (*shape[:axis], 2 * shape[axis], *shape[axis + 1 :])
        inner = self.expression(type_, double, depth)
        part = self.pick((f"{shape[axis]}:", f":{shape[axis]}", "::2", "1::2"))
        return f"({inner})[{', '.join([':'] * axis + [part])}]"

    def _gathered(self, type_, shape, depth):
        axis = self.integer(0, len(shape) - 1)
        extent = self.pick((2, 4, 8, 3, 12))
        source = (*shape[:axis], extent, *shape[axis + 1 :])
        if numel(source) > MOST:
            return self._flipped(type_, shape, depth)
        index = self.expression("uint32", shape, depth - 1)
        return (
            f"tl.gather({self.expression(type_, source, depth)}, (({index}) % {extent}).to(tl.int32), {axis})"
        )

    def _combined(self, type_, shape, depth):
        """Two blocks joined, interleaved or concatenated."""
        axis = max(range(len(shape)), key=lambda i: (shape[i] % 2 == 0, shape[i]))
        if shape[axis] % 2:
            return self._flipped(type_, shape, depth)
        half = (*shape[:axis], shape[axis] // 2, *shape[axis + 1 :])
        a, b = self.expression(type_, half, depth), self.expression(type_, half, depth - 1)
        if shape[-1] == 2 and len(shape) > 1:
            a, b = self.expression(type_, shape[:-1], depth), self.expression(type_, shape[:-1], depth - 1)
            return f"tl.join({a}, {b})"
        if axis == len(shape) - 1 and self.chance(2):
            return f"tl.interleave({a}, {b})"
        return f"tl.cat({a}, {b}, dim={axis})"

    def _picked(self, type_, shape, depth):
        """One half of a block."""
        if 2 * numel(shape) > MOST:
            return self._flipped(type_, shape, depth)
        return f"tl.split({self.expression(type_, (*shape, 2), depth)})[{self.integer(0, 1)}]"

    def _sorted(self, type_, shape, depth):
        inner = self.expression(type_, shape, depth)
        if self.chance(3) and 2 * numel(shape) <= MOST:
            double = (*shape[:-1], 2 * shape[-1])
            return f"tl.topk({self.expression(type_, double, depth)}, {shape[-1]})"
        return f"tl.sort({inner}, descending={self.pick(('False', 'True'))})"

    def _scanned(self, type_, shape, depth):
        axis = self.integer(0, len(shape) - 1)
        inner = self.expression(type_, shape, depth)
        reverse = self.pick(("", ", reverse=True"))
        if is_float(type_):
            if type_ in ("float32", "float64") and self.chance(2):
                return self._bounded(f"tl.cumsum({inner}, {axis}{reverse})", type_)
            return f"tl.associative_scan({inner}, {axis}, lambda a, b: tl.maximum(a, b){reverse})"
        texts = [
            f"tl.cumsum({inner}, {axis}{reverse})", f"tl.cumprod({inner}, {axis}{reverse})",
            f"tl.associative_scan({inner}, {axis}, lambda a, b: a ^ b{reverse})",
            f"tl.associative_scan({inner}, {axis}, pick_larger{reverse})",
            f"tl.associative_scan(({inner}, {self.leaf(type_, shape)}), {axis}, "
            f"lambda a, b, c, d: (a * c, b * c + d){reverse})[{self.integer(0, 1)}]",
        ]  # fmt: skip
        return f"({self.pick(texts)}).to(tl.{type_})"


def _stretches(shape, target):
    """Whether a shape broadcasts to another one."""
    return len(shape) <= len(target) and all(a in (1, b) for a, b in zip(reversed(shape), reversed(target)))
