"""Whole kernels: statements, control flow, loads and stores around expressions."""

from expressions import Expressions
from memory_statements import MemoryStatements
from types_and_shapes import (
    ATOMICS,
    COUNTS,
    INPUTS,
    INTS,
    MOST,
    NUMBERS,
    OUTPUTS,
    SLOTS,
    SPAN,
    Variable,
    is_float,
    numel,
    spell,
)
from value_statements import ValueStatements

#: Text before each kernel: imports of the functions that it may call. Their module is read once.
_HEADER = "import tilewright as tw\nimport tilewright.language as tl\nfrom called import *\n\n"
_INEXACT = (
    "tl.exp(x * 0.05)", "tl.exp2(x * 0.05)", "tl.log(tl.abs(x) + 1.5)", "tl.log2(tl.abs(x) + 1.5)", "tl.sin(x)",
    "tl.cos(x)", "tl.tanh(x * 0.1)", "tl.erf(x * 0.1)", "tl.sigmoid(x)", "tl.sqrt(tl.abs(x))",
    "tl.rsqrt(tl.abs(x) + 0.5)", "x / 3.0", "tl.fdiv(x, 7.0)", "tl.div_rn(x, 9.0)", "tl.fma(x, 0.3, 0.7)",
    "x * tl.rand(5, tl.arange(0, x.shape[0]))", "x + tl.randn(6, tl.arange(0, x.shape[0]))", "tl.extra.libdevice.atan(x)",
    "tl.extra.libdevice.log1p(tl.abs(x))", "tl.extra.libdevice.cbrt(x)", "tl.extra.libdevice.hypot(x, 3.0)",
    "tl.extra.libdevice.pow(tl.abs(x) + 1.0, 0.3)", "x * 0.1 - 0.73", "tl.extra.libdevice.tan(x * 0.02)",
)  # fmt: skip
_INEXACT_OF_BLOCKS = (
    "tl.softmax(x * 0.1)",
    "tl.sum(x * 0.1, 0, keep_dims=True) + x",
    "tl.cumsum(x * 0.1, 0)",
)


class Kernels(MemoryStatements, ValueStatements, Expressions):
    """Makes the source of modules with a kernel named `kernel`."""

    def __init__(self, integer):
        super().__init__(integer)
        self.lines, self.count, self.used = [], 0, 0

    def source(self):
        """The text of a module."""
        parameters = [*OUTPUTS, *(f"p_{type_}" for type_ in INPUTS)]
        arguments = self.pick(COUNTS), self.pick(NUMBERS)
        self.scope.append(Variable("m", "int32" if -(2**31) <= arguments[1] < 2**31 else "int64", ()))
        self._begin()
        for _ in range(self.integer(0, 4)):
            self._statement(1, 2)
        self._end()
        head = f"ARGUMENTS = {arguments}\n\n\n@tw.jit\ndef kernel({', '.join(parameters)}, n, m):\n"
        return _HEADER + head + "\n".join(self.lines) + "\n"

    def _add(self, indent, text):
        self.lines.append("    " * indent + text)

    def _name(self):
        self.count += 1
        return f"v{self.count}"

    def _define(self, indent, type_, shape, text):
        name = self._name()
        self._add(indent, f"{name} = {text}")
        self.scope.append(Variable(name, type_, shape))

    # Loads.

    def _begin(self):
        self._add(1, "pid = tl.program_id(0)")
        self._add(1, "phase = pid + n")
        self.scope.append(Variable("phase", "int32", ()))
        for _ in range(self.integer(0, 3)):
            self._load(1)

    def _load(self, indent):
        type_, shape = self.type(), self.shape(256)
        if len(shape) == 2 and self.chance(2):
            return self._load_block(indent, type_, shape)
        offsets = (
            f"tl.reshape(tl.arange(0, {numel(shape)}), {spell(shape)})" if shape else str(self.integer(0, 9))
        )
        spread = self.pick(("{}", "({} * 7 + 3) % 512", "511 - {}", "{} // 2"))
        pointer = f"p_{type_} + pid * {SPAN} + {spread.format(offsets)}"
        mask = ""
        if shape and self.chance(2):
            other = "" if type_ == "int1" else f", other={self.integer(0, 5)}"
            other = ", other=False" if type_ == "int1" else other
            mask = f", mask={offsets} < {self.pick(('n * 9', '20', '1'))}{other}"
        return self._define(indent, type_, shape, f"tl.load({pointer}{mask})")

    def _load_block(self, indent, type_, shape):
        """A load by a block pointer or a descriptor, which may reach out of the array."""
        if type_ == "int1":
            type_ = "int8"
        rows, columns = 16, 32
        offset = [self.integer(-1, rows), self.integer(0, 2) * 16]
        base = f"p_{type_} + pid * {SPAN}"
        if self.chance(2) and shape[1] * (8 if type_[-1] == "8" else 2) >= 16 and type_ != "bfloat16":
            name, block = self._name(), list(shape)
            self._add(
                indent,
                f"{name} = tl.make_tensor_descriptor({base}, [{rows}, {columns}], [{columns}, 1], {block})",
            )
            return self._define(indent, type_, shape, f"{name}.load([{offset[0]}, {offset[1]}])")
        name = self._name()
        parts = f"({rows}, {columns}), ({columns}, 1), ({offset[0]}, 0), {spell(shape)}, (1, 0)"
        self._add(indent, f"{name} = tl.make_block_ptr({base}, {parts})")
        self._add(indent, f"{name} = tl.advance({name}, (0, {offset[1]}))")
        return self._define(
            indent, type_, shape, f'tl.load({name}, boundary_check=(0, 1), padding_option="zero")'
        )

    # Statements.

    def _statement(self, indent, depth):
        plain = [
            self._assign,
            self._assign,
            self._update,
            self._several,
            self._atomic,
            self._matmul,
            self._special,
            self._assigned_slice,
            self._scattered,
            self._mixed,
            self._carried_tuple,
            self._function_with_exits,
            self._write_block,
            self._read_block,
            self._rows,
            self._exchange,
        ]
        if self.chance(8):
            plain = [self._large, self._leave]
        nested = [self._if, self._for, self._while, self._static_loop] if depth > 0 else []
        statement = self.pick([*plain, *nested])
        statement(indent, depth)

    def _assign(self, indent, depth):
        type_, shape = self.type(), self.shape()
        self._define(indent, type_, shape, self.expression(type_, shape, 2))

    def _update(self, indent, depth):
        """A variable of an outer scope gets another value of its type."""
        variable = self.pick(self.scope)
        self._add(indent, f"{variable.name} = {self.expression(variable.type, variable.shape, 2)}")

    def _several(self, indent, depth):
        """A tuple, taken apart."""
        type_, shape = self.pick(INTS[:4]), self.shape(128) or (4,)
        a, b = (self.expression(type_, shape, 1) for _ in range(2))
        axis = self.integer(0, len(shape) - 1)
        texts = [
            f"twice_and_sum({a}, {b})",
            f"({a}, {b})",
            f"tl.associative_scan(({a}, {b}), {axis}, lambda a, b, c, d: (a + c, b * d))",
            f"tl.split(tl.join({a}, {b}))",
        ]
        first, second = self._name(), self._name()
        text = self.pick(texts)
        self._add(indent, f"{first}, {second} = {text}")
        self.scope += [Variable(first, type_, shape), Variable(second, type_, shape)]

    def _matmul(self, indent, depth):
        """A dot of whole numbers, which no precision rounds."""
        rows, inner, columns = (self.pick((16, 32, 8, 4, 2, 1, 64, 24, 48, 3)) for _ in range(3))
        batch = (2,) if self.chance(4) else ()
        while numel((*batch, rows, columns)) > MOST:
            rows, columns = max(1, columns // 2), rows
        element = self.pick(("float16", "bfloat16", "float32", "int8", "float8e4nv", "float8e5", "float64"))
        a, b = (self._operand(element, (*batch, *extents)) for extents in ((rows, inner), (inner, columns)))
        type_ = {"int8": "int32", "float64": "float64"}.get(element, "float32")
        more = self.pick(("", f", {self.constant(type_, (*batch, rows, columns))}"))
        if element == "float32":
            more += self.pick(
                ("", ', input_precision="tf32"', ', input_precision="tf32x3"', ', input_precision="bf16x3"')
            )
        text = f"tl.dot({a}, {b}{more})"
        text = self._bounded(text, type_) if is_float(type_) else text
        self._define(indent, type_, (*batch, rows, columns), text)

    def _special(self, indent, depth):
        """Operations on infinities and NaN, mapped to a finite block."""
        extent = self.pick((8, 2, 16, 64))
        name, offset = self._name(), self.integer(0, 3) * 64
        self._add(indent, f"{name} = tl.load(p_special + pid * {SPAN} + {offset} + tl.arange(0, {extent}))")
        for _ in range(self.integer(1, 3)):
            other = self.pick((f"{name} * 2.0", f"tl.flip({name})", "1.0", f"-{name}", 'float("inf")'))
            texts = [
                f"tl.maximum({name}, {other})", f"tl.minimum({name}, {other}, propagate_nan=tl.PropagateNan.ALL)",
                f"tl.where({name} {self.pick(('<', '>=', '!=', '=='))} {other}, {name}, {other})", f"{name} + {other}",
                f"tl.sort({name})", f"{name} - {other}", f"{name} * {other}", f"tl.abs({name})",
                f"tl.broadcast_to(tl.{self.pick(('max', 'min', 'sum'))}({name}, 0, keep_dims=True), ({extent},))",
                f"tl.associative_scan({name}, 0, lambda a, b: tl.minimum(a, b))", f"tl.clamp({name}, -4.0, 4.0)",
                f"{name}.to(tl.{self.pick(('float16', 'bfloat16', 'float64'))}).to(tl.float32)",
                f"tl.cumsum(tl.where({name} == {name}, 1.0, 0.0), 0)", f"tl.fma({name}, 2.0, {other})",
                f"tl.floor({name})", f"tl.sqrt({name})", f"tl.where(tl.extra.libdevice.isinf({name}), 9.0, {name})",
            ]  # fmt: skip
            self._add(indent, f"{name} = ({self.pick(texts)}).to(tl.float32)")
        finite = f"tl.where({name} == {name}, tl.clamp(tl.floor({name}), -64.0, 64.0), 63.0)"
        self._define(indent, "float32", (extent,), f"{finite}.to(tl.float32)")

    def _atomic(self, indent, depth):
        """An atomic operation whose order does not matter; elements may share an address."""
        shape = self.shape(128)
        index = f"(({self.expression('uint32', shape, 1)}) % 64).to(tl.int32)"
        array, type_ = self.pick((("counters", "int32"), ("wide_counters", "int64"), ("sums", "float32")))
        offset = 0 if is_float(type_) else self.integer(0, len(ATOMICS) - 1)
        mask = f", mask={self.expression('int1', shape, 1)}" if self.chance(2) else ""
        self._add(
            indent,
            f"tl.atomic_{ATOMICS[offset]}({array} + {64 * offset} + {index}, {self.expression(type_, shape, 1)}{mask})",
        )

    def _condition(self):
        return self.pick(("phase % 2 == 0", "n > pid", self.expression("int1", (), 1)))

    def _body(self, indent, depth):
        """Statements whose new variables go out of scope after them."""
        before = list(self.scope)
        for _ in range(self.integer(1, 2)):
            self._statement(indent, depth - 1)
        self._update(indent, depth)
        self.scope = before

    def _if(self, indent, depth):
        self._add(indent, f"if {self._condition()}:")
        self._body(indent + 1, depth)
        if self.chance(3):
            self._add(indent, f"elif {self._condition()}:")
            self._body(indent + 1, depth)
        if self.chance(2):
            self._add(indent, "else:")
            self._body(indent + 1, depth)

    def _for(self, indent, depth):
        name = self._name()
        bounds = self.pick(("n % 4", "0, 3", "n % 5, 0, -1", "1, n + 2, 2", "0, pid + 2"))
        hints = self.pick(
            ("", "", "num_stages=2", "loop_unroll_factor=2", "loop_unroll_factor=3", "disable_licm=True")
        )
        loop = (
            f"tl.range({bounds}, {hints})"
            if hints
            else self.pick(("range({})", "tl.range({})")).format(bounds)
        )
        self._add(indent, f"for {name} in {loop}:")
        before = list(self.scope)
        self.scope.append(Variable(name, "int32", ()))
        self._body(indent + 1, depth)
        if self.chance(2):
            self._add(indent + 1, f"if ({name} + phase) % 3 == {self.integer(0, 2)}:")
            self._add(indent + 2, self.pick(("continue", "break")))
            self._update(indent + 1, depth)
        self.scope = before

    def _static_loop(self, indent, depth):
        name = self._name()
        self._add(indent, f"for {name} in tl.static_range({self.integer(1, 3)}):")
        self._body(indent + 1, depth - 1)

    def _while(self, indent, depth):
        name = self._name()
        self._add(indent, f"{name} = n % 3 + 1")
        tests = (
            f"{name} > 0",
            f"tl.condition({name} > 0)",
            f"tl.condition({name} > 0, disable_licm=True)",
            f"not ({name} <= 0) and n < 99",
            f"0 < {name} < 9 or n > 99",
        )
        self._add(indent, f"while {self.pick(tests)}:")
        self._add(indent + 1, f"{name} -= 1")
        before = list(self.scope)
        self._body(indent + 1, depth)
        if self.chance(3):
            self._add(indent + 1, f"if {name} == phase % 3:")
            self._add(indent + 2, "break")
        self.scope = before

    # Stores.

    def _end(self):
        for _ in range(self.integer(1, 2)):
            type_ = self.type()
            self._define(1, type_, shape := self.shape(), self.expression(type_, shape, 3))
        kept = self.scope[::-1][:SLOTS]
        stores = [self._store(variable, slot) for slot, variable in enumerate(kept)]
        stores.append(self._inexact())
        if self.chance(4):
            stores.insert(1, [f"if {self._condition()}:", "    return"])
        for lines in stores:
            for line in lines:
                self._add(1, line)

    def _store(self, variable, slot):
        array, type_ = ("out_floats", "float64") if is_float(variable.type) else ("out_ints", "int64")
        offset = f"{array} + (pid * {SLOTS} + {slot}) * {SPAN}"
        if variable.shape:
            offset += f" + tl.reshape(tl.arange(0, {numel(variable.shape)}), {spell(variable.shape)})"
        mask = ""
        if variable.shape and self.chance(4):
            mask = f", mask={self.expression('int1', variable.shape, 0)}"
        return [f"tl.store({offset}, {variable.name}.to(tl.{type_}){mask})"]

    def _inexact(self):
        """Functions that round; nothing else is computed from their results."""
        type_, extent = self.pick(("float32", "float64")), self.pick((8, 16, 64, 128, 100, 24))
        lines = [f"x = {self.expression(type_, (extent,), 1)}"]
        for _ in range(self.integer(1, 2)):
            functions = (*_INEXACT, *_INEXACT_OF_BLOCKS)
            lines.append(f"x = ({self.pick(functions)}).to(tl.{type_})")
        return [*lines, f"tl.store(out_inexact + pid * {SPAN} + tl.arange(0, {extent}), x)"]
