"""The builder that records operations in a module, over the binding's one generic `create`."""

import contextlib
import math

from ..language.dtypes import int32, with_scalar
from ..language.ir import I64, UNIT, Spelled
from ..language.semantic.compare import compare
from ..language.semantic.convert import as_tensors
from ..language.semantic.loop import most_operations, too_many_operations
from ..language.tensor import tensor
from .elements import has_branches
from .diagnostics import name_of_file

_INFINITY = {"fp16": 0x7C00, "bf16": 0x7F80, "fp32": 0x7F800000, "fp64": 0x7FF0000000000000, "fp8e5": 0x7C}
_NAN = {
    "fp16": 0x7E00,
    "bf16": 0x7FC0,
    "fp32": 0x7FC00000,
    "fp64": 0x7FF8000000000000,
    "fp8e5": 0x7E,
    "fp8e4nv": 0x7F,
}


def float_text(value, ty):
    """The spelling of a float in the IR. Numbers without a decimal form are spelled by their bits."""
    if math.isfinite(value):
        mantissa, _, exponent = repr(value).partition("e")
        return (mantissa if "." in mantissa else mantissa + ".0") + ("e" + exponent if exponent else "")
    if math.isnan(value) or ty.name == "fp8e4nv":  # which has no infinity
        return hex(_NAN[ty.name])
    sign = 1 << (ty.primitive_bitwidth - 1) if value < 0 else 0
    return hex(_INFINITY[ty.name] | sign)


def constant_text(value, ty):
    """The attribute that `arith.constant` takes for `value`, repeated if `ty` is a block."""
    scalar = ty.scalar
    if scalar.is_floating():
        text = float_text(value, scalar)
    elif scalar.is_bool():
        text = "true" if value else "false"
    else:
        text = str(value)
    if ty.is_block():
        return f"dense<{text}> : {ty.ir}"
    return text if scalar.is_bool() else f"{text} : {ty.ir}"


def attribute_text(value):
    """The spelling of an attribute given as a Python value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is UNIT:
        return "unit"
    if isinstance(value, I64):
        return f"{int(value)} : i64"
    if isinstance(value, int):
        return f"{value} : i32"
    if isinstance(value, Spelled):
        return str(value)
    if isinstance(value, str):
        return quoted(value)
    if value and isinstance(value[0], bool):
        return f"array<i1: {', '.join('true' if flag else 'false' for flag in value)}>"
    return f"array<i32: {', '.join(map(str, value))}>" if value else "array<i1>"


def quoted(text):
    """A string attribute: every byte that is not plain ASCII is escaped."""
    plain = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode())
    return f'"{plain}"'


class NanSites:
    """The operations of a kernel that can make a NaN, numbered from 1.

    A loop may carry the NaN of a later operation to an earlier store, so the list is complete only after the whole kernel.
    So a kernel with `check_nan` is compiled twice, and the checks of the second compilation use the list that the first
    one `finish`ed.
    """

    def __init__(self):
        self._numbers, self._count = {}, None

    def number(self, frames, name):
        """The number of the operation `name` at the chain of `frames`."""
        return self._numbers.setdefault((tuple(frames), name), len(self._numbers) + 1)

    def finish(self):
        """Note that all are known."""
        self._count = len(self._numbers)

    @property
    def is_finished(self):
        """Whether all are known."""
        return self._count is not None

    def known(self):
        """(number, (frames, name)) of each that was known at the last `finish`."""
        return [(number, site) for site, number in self._numbers.items() if number <= (self._count or 0)]


class IRBuilder:
    """Implements `language.ir.Builder` by the binding's builder.

    `visitor` compiles the function whose ops are recorded: it gives their locations and compiles calls.
    `options` and `target` are those of the compilation, for kernels that ask. `nan_sites` are the `NanSites`.
    """

    def __init__(self, context, native, options, target, nan_sites):
        self.context, self.native, self.options, self.target = context, native, options, target
        self.debug, self.checks_overflow = options.debug, options.checks
        self.named_barriers = 0
        self.visitor, self.extents = None, {}
        self.traces_nans, self.nan_sites = options.check_nan, nan_sites
        self.is_draft = options.check_nan and not nan_sites.is_finished
        self._types, self._count = {}, 0
        self._most = most_operations(options.debug or options.check_nan)

    def type(self, ty):
        """The binding's type for a type of the language."""
        text = ty.ir
        found = self._types.get(text)
        if found is None:
            found = self._types[text] = self.context.type(text)
        return found

    def operation(self, op, operands=(), types=(), attrs=None, regions=0):
        """Create any op and give it, attributes spelled as text; `types` None: it infers them."""
        self._count += 1
        if self._count > self._most:
            raise too_many_operations(self._most)
        self.native.set_loc(self.visitor.location())
        types = types if types is None else [self.type(ty) for ty in types]
        return self.native.create(op, list(operands), attrs or {}, types, regions)

    # The interface to the language.

    def create(self, op, operands, types, attrs):
        texts = {name: attribute_text(value) for name, value in attrs.items()}
        return self.operation(op, operands, types, texts).results

    def constant(self, value, type):
        return self.operation("arith.constant", (), [type], {"value": constant_text(value, type)}).results[0]

    def reduce(self, operands, operand_types, result_types, axis, combine):
        return self._combined("tile.reduce", operands, operand_types, result_types, {"axis": axis}, combine)

    def scan(self, operands, operand_types, axis, reverse, combine):
        attrs = {"axis": axis} | ({"reverse": UNIT} if reverse else {})
        return self._combined("tile.scan", operands, operand_types, operand_types, attrs, combine)

    def _combined(self, name, operands, operand_types, result_types, attrs, combine):
        """An op whose region combines two elements of each operand."""
        texts = {key: attribute_text(value) for key, value in attrs.items()}
        op = self.operation(name, operands, result_types, texts, regions=1)
        elements = [ty.scalar for ty in operand_types] * 2
        with self.block(op.regions[0], elements) as block:
            pairs = [tensor(arg, ty) for arg, ty in zip(block.args, elements, strict=True)]
            half = len(operand_types)
            with self._without_checks():
                values = combine(pairs[:half], pairs[half:])
            self._yield(block, values)
        return op.results

    def map(self, operands, operand_types, pack, function):
        draft = self.operation("tile.map", operands, (), {"pack": attribute_text(pack)}, regions=1)
        elements = [ty.scalar for ty in operand_types for _ in range(pack)]
        try:
            with self.block(draft.regions[0], elements) as block, self._without_checks(traces=False):
                values = function([tensor(arg, ty) for arg, ty in zip(block.args, elements, strict=True)])
                self._yield(block, values)
            types = [with_scalar(operand_types[0], value.dtype) for value in values[::pack]]
            final = self.operation("tile.map", operands, types, {"pack": attribute_text(pack)}, regions=1)
            final.regions[0].take_blocks(draft.regions[0])
        finally:
            draft.erase()
        return [tensor(handle, ty) for handle, ty in zip(final.results, types, strict=True)]

    def _yield(self, block, values):
        """End `block`, the region of an elementwise function. Values that the function made only to ask for their type are
        erased: they may be tiles, which such a region cannot hold."""
        self.operation("tile.yield", [value.handle for value in values])
        block.erase_unused()

    @property
    def warp_target(self):
        return self.target

    def specialize(self, roles):
        attrs = {"warps": attribute_text([role.warps for role in roles])}
        if roles[0].registers is not None:
            attrs["registers"] = attribute_text([role.registers for role in roles])
        op = self.operation("warp.specialize", (), (), attrs, regions=len(roles))
        for region, role in zip(op.regions, roles, strict=True):
            with self.block(region):
                role.run()
                self.operation("warp.role_end")

    @contextlib.contextmanager
    def _without_checks(self, traces=True):
        """Disables asserts inside a `with`: an elementwise region has no side effects. Without `traces` NaNs are not followed
        either."""
        before = self.debug, self.checks_overflow, self.extents, self.traces_nans
        self.debug, self.checks_overflow, self.extents = False, False, {}
        self.traces_nans = self.traces_nans and traces
        try:
            yield
        finally:
            self.debug, self.checks_overflow, self.extents, self.traces_nans = before

    def promise(self, handle, name, values):
        self.native.promise(handle, f"tile.{name}", attribute_text(values))

    def assume(self, handle):
        self.native.assume(handle)

    def repeat(self, start, end, values, body):
        types = [value.type for value in values]
        step = tensor(self.constant(1, int32), int32)
        operands = [value.handle for value in (start, end, step, *values)]
        loop = self.operation("scf.for", operands, types, regions=1)
        with self.block(loop.regions[0], [int32, *types]) as block:
            index, *carried = (tensor(handle, ty) for handle, ty in zip(block.args, [int32, *types], strict=True))
            self.operation("scf.yield", [value.handle for value in body(index, carried)])
        return [tensor(handle, ty) for handle, ty in zip(loop.results, types, strict=True)]

    def call(self, function, args, kwargs=None):
        return self.visitor.inline(function, args, kwargs or {})

    def call_on_elements(self, function, args):
        if not (args[0].type.is_block() and has_branches(function)):
            return self.call(function, args)
        operands, types = [arg.handle for arg in args], [arg.type for arg in args]
        return tuple(self.map(operands, types, 1, lambda elements: as_tensors(self.call(function, elements))))

    def concrete(self, handle, type):
        return None

    def describe(self, handle, type):
        return f"tensor of type {type}"

    def user_location(self):
        frame = self.visitor.frames()[0]
        return frame.file, frame.line

    def nan_site(self, name):
        return self.nan_sites.number(self.visitor.frames(), name)

    def report_nan(self, worst, what):
        line = self.visitor.frames()[0].line
        made = compare("ne", worst, 0)
        branch = self.operation("scf.if", [made.handle], regions=2)
        with self.block(branch.regions[0]):
            for number, (frames, name) in self.nan_sites.known():
                other = compare("ne", worst, number)
                self.native.set_loc(self._location(frames))
                message = quoted(f"{name} makes a NaN out of numbers, which {what} writes in line {line}")
                self.native.create("tile.assert", [other.handle], {"message": message}, [], 0)
            self.operation("scf.yield")

    def _location(self, frames):
        """The location in the IR of a chain of frames, the innermost first."""
        own, callers = frames[0], frames[1:]
        end = own.line, own.column + own.width
        location = self.context.loc(name_of_file(own.file), own.line, own.column, *end, own.function)
        return self.context.call_loc(location, self._location(callers)) if callers else location

    # For the front end: regions.

    @contextlib.contextmanager
    def at_end(self, block):
        """Insert at the end of `block` inside a `with`."""
        saved = self.native.save()
        self.native.set_insertion_point_to_end(block)
        try:
            yield
        finally:
            self.native.restore(saved)

    @contextlib.contextmanager
    def block(self, region, types=()):
        """Append a block with arguments of `types` to `region` and insert there."""
        block = region.append_block([self.type(ty) for ty in types], self.visitor.location())
        with self.at_end(block):
            yield block
