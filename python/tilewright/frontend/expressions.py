"""Expressions other than calls."""

import ast
import builtins
import difflib
import operator
import types

from ..language.aggregate import aggregate
from ..language.constexpr import constexpr, unwrap
from ..language.semantic import arithmetic
from ..language.semantic.convert import is_literal, operand_hint, spelled, to_bool, to_tensor
from ..language.structure import tuple_type
from ..language.tensor import OPERATORS, tensor
from ..language.tiles import block_pointer
from .calls import not_callable
from .names import is_kernel_function, is_static
from .resolving import is_annotated
from .values import describe, is_constant, static, wrap

_BINARY = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
    ast.MatMult: ("@", operator.matmul),
}
_COMPARE = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
_UNARY = {ast.USub: ("-", operator.neg), ast.UAdd: ("+", operator.pos), ast.Invert: ("~", operator.invert)}


#: Internal attributes of tensors.
_OF_TENSORS = {"handle", "origin", "extent", "trace"}
#: Replacements for methods of lists and of PyTorch's tensors.
_INSTEAD = {
    (tuple, "append"): "lists are not changed in a kernel: values = values + [value]",
    (tensor, "float"): "x.to(tl.float32) converts",
    (tensor, "half"): "x.to(tl.float16) converts",
    (tensor, "double"): "x.to(tl.float64) converts",
    (tensor, "int"): "x.to(tl.int32) converts",
    (tensor, "long"): "x.to(tl.int64) converts",
    (tensor, "size"): "x.shape is the tuple of its dimensions",
    (tensor, "astype"): "x.to(tl.float32) converts",
    (tensor, "type_as"): "x.to(y.dtype) converts",
    (
        tensor,
        "item",
    ): "a scalar of the kernel is a number already; x.sum() of a block with one element gives a scalar",
    (tensor, "any"): "x.to(tl.int32).max() != 0",
    (tensor, "all"): "x.to(tl.int32).min() != 0",
    (tensor, "mean"): "divide the sum: x.sum(axis=0) / n",
    (tensor, "numel"): "multiply the dimensions, x.shape",
    (tensor, "transpose"): "x.trans(1, 0), or x.T",
    (tensor, "matmul"): "tl.dot(x, y)",
    (tensor, "clip"): "tl.clamp(x, low, high)",
    (tensor, "pow"): "multiply, or tl.exp2(y * tl.log2(x))",
    (tensor, "masked_fill"): "tl.where(mask, value, x)",
}
#: Replacements for functions of NumPy and PyTorch that the language does not have.
_ELSEWHERE = {
    "mean": "divide the sum: tl.sum(x, axis=0) / n",
    "matmul": "tl.dot multiplies matrices",
    "mm": "tl.dot multiplies matrices",
    "pow": "multiply, or tl.exp2(y * tl.log2(x))",
    "power": "multiply, or tl.exp2(y * tl.log2(x))",
    "concatenate": "tl.cat concatenates two blocks",
    "concat": "tl.cat concatenates two blocks",
    "stack": "tl.join stacks two blocks along a new last dimension",
    "clip": "tl.clamp(x, low, high)",
    "ones": "tl.full(shape, 1, dtype)",
    "empty": "tl.zeros(shape, dtype)",
    "transpose": "tl.trans(x)",
    "array": "blocks are made by tl.arange, tl.full and tl.load",
    "tensor": "blocks are made by tl.arange, tl.full and tl.load",
    "round": "tl.extra.libdevice.rint rounds to the nearest integer",
    "isnan": "x != x is true for NaN; tl.extra.libdevice.isnan",
    "any": "tl.max(x.to(tl.int32), axis=0) != 0",
    "all": "tl.min(x.to(tl.int32), axis=0) != 0",
    "shape": "x.shape is the tuple of the dimensions of a block",
    "thread_id": "a kernel is about whole blocks: tl.arange gives an index for each element",
}
#: Bits of a number, and elements of a string or tuple, that a constant may have.
_LARGEST = 1 << 20


def _grows_too_large(symbol, left, right):
    """Whether computing a constant would take too much memory or time."""
    if symbol == "*" and isinstance(right, (str, tuple, list)):
        left, right = right, left
    if not isinstance(right, int):
        return False
    if symbol == "*" and isinstance(left, (str, tuple, list)):
        return len(left) * right > _LARGEST
    if not isinstance(left, int) or right < 1:
        return False
    if symbol == "**":
        return abs(left) > 1 and left.bit_length() * right > _LARGEST
    return symbol == "<<" and left.bit_length() + right > _LARGEST


def _is_defined(function, left, right):
    """Whether the class of one of the operands defines the binary operator."""
    name = function.__name__.strip("_")
    named = (left, f"__{name}__"), (right, f"__r{name}__")
    return any(hasattr(value, method) for value, method in named if not is_constant(value))


def _is_block(value):
    return getattr(value, "shape", None) != ()


class Expressions:
    """Operators, attributes, subscripts, literals."""

    def visit_Constant(self, node):
        if node.value is Ellipsis:
            return Ellipsis
        if isinstance(node.value, (complex, bytes)):
            raise self.error(f"a {type(node.value).__name__} literal is not supported in a kernel", node)
        return constexpr(node.value)

    def visit_Tuple(self, node):
        items = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                items += self.visit(element.value)
            else:
                items.append(self.visit(element))
        return tuple(items)

    visit_List = visit_Tuple

    def visit_BinOp(self, node):
        return self.binary(node, node.op, self.visit(node.left), self.visit(node.right))

    def binary(self, node, op, left, right):
        """Apply a binary operator; constants give a constant."""
        symbol, function = _BINARY[type(op)]
        if isinstance(left, tuple) or isinstance(right, tuple):
            return self._on_tuples(node, symbol, function, left, right)
        if is_constant(left) and is_constant(right):
            return self._fold(node, symbol, function, left, right)
        if symbol in ("**", "@"):
            hint = "use tl.exp2(y * tl.log2(x)), or multiply" if symbol == "**" else "use tl.dot"
            raise self.error(f"{symbol} is not defined for values of the kernel", node, hint)
        if not _is_defined(function, left, right):
            hint = operand_hint(left) or operand_hint(right)
            hint = "use tl.advance" if isinstance(left, block_pointer) else hint
            raise self.error(f"{symbol} does not take {describe(left)} and {describe(right)}", node, hint)
        return function(left, right)

    def _on_tuples(self, node, symbol, function, left, right):
        left, right = (value if isinstance(value, tuple) else unwrap(value) for value in (left, right))
        pair = (type(left), type(right))
        if _grows_too_large(symbol, left, right):
            raise self.error(f"the result of {symbol} is too large for a constant", node)
        if (symbol == "+" and pair == (tuple, tuple)) or (symbol == "*" and set(pair) == {tuple, int}):
            return function(left, right)
        raise self.error(f"{symbol} does not take {describe(left)} and {describe(right)}", node)

    def _fold(self, node, symbol, function, left, right):
        left, right = unwrap(left), unwrap(right)
        if _grows_too_large(symbol, left, right):
            raise self.error(f"the result of {symbol} is too large for a constant", node)
        try:
            return wrap(function(left, right))
        except TypeError:
            hint = operand_hint(None) if left is None or right is None else None
            raise self.error(
                f"{symbol} does not take {spelled(left)} and {spelled(right)}", node, hint
            ) from None

    def visit_UnaryOp(self, node):
        value = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return self._not(value)
        symbol, function = _UNARY[type(node.op)]
        if not is_constant(value):
            return function(value)
        try:
            return wrap(function(unwrap(value)))
        except TypeError:
            raise self.error(f"{symbol} does not take {spelled(unwrap(value))}", node) from None

    @staticmethod
    def _not(value):
        return wrap(not unwrap(value)) if is_constant(value) else arithmetic.logical_not(value)

    def visit_BoolOp(self, node):
        """`and`, `or`: constants and known scalars decide at compile time, at any position among numbers. Other values
        of the kernel are all computed and combined.
        """
        is_and = isinstance(node.op, ast.And)
        values = []
        for entry in node.values:
            value = self.visit(entry)
            if not is_constant(value):
                known = getattr(value, "known", None)
                if known is not None and bool(known) is not is_and and not any(map(_is_block, values)):
                    return to_bool(value)
                values.append(value)
                continue
            if bool(unwrap(value)) is not is_and:
                if any(map(_is_block, values)):
                    return self._combine([*values, value], is_and)  # the result has the shape of the blocks
                return wrap(not is_and) if values else value
            last = value
        return self._combine(values, is_and) if values else last

    @staticmethod
    def _combine(values, is_and):
        result = values[0]
        for value in values[1:]:
            result = arithmetic.logical(result, unwrap(value), "arith.andi" if is_and else "arith.ori")
        return result

    def visit_Compare(self, node):
        left = self.visit(node.left)
        result = None
        for op, entry in zip(node.ops, node.comparators, strict=True):
            right = self.visit(entry)
            one = self._compare(node, op, left, right)
            if result is None:
                result = one
            elif is_constant(result) and is_constant(one):
                result = wrap(bool(unwrap(result)) and bool(unwrap(one)))
            else:
                result = arithmetic.logical(unwrap(result), unwrap(one), "arith.andi")
            left = right
        return result

    def _compare(self, node, op, left, right):
        if isinstance(op, (ast.Is, ast.IsNot)):
            same = self._identical(left, right)
            return wrap(same if isinstance(op, ast.Is) else not same)
        if isinstance(op, (ast.In, ast.NotIn)):
            left, right = static(left), static(right)
            if not (is_constant(left) and is_constant(right)):
                raise self.error(
                    "'in' is evaluated while compiling and takes constants",
                    node,
                    "compare a value of the kernel with each: n == 1 or n == 2",
                )
            return wrap((unwrap(left) in unwrap(right)) is isinstance(op, ast.In))
        symbol, function = _COMPARE[type(op)]
        if is_constant(left) and is_constant(right):
            return self._fold(node, symbol, function, left, right)
        for value in (left, right):
            if isinstance(unwrap(value), (str, tuple, type(None))):
                hint = "compare with None by 'is'" if unwrap(value) is None else None
                raise self.error(f"{symbol} does not take {describe(left)} and {describe(right)}", node, hint)
        return function(left, right)

    @staticmethod
    def _identical(left, right):
        if is_constant(left) and is_constant(right):
            return unwrap(left) is unwrap(right) or (
                unwrap(left) == unwrap(right) and unwrap(left) is not None
            )
        return left is right

    def visit_Attribute(self, node):
        return self.attribute(node, self.visit(node.value), node.attr)

    def attribute(self, node, value, name):
        """`value.name`, whose text is `node`."""
        if isinstance(value, types.ModuleType):
            return self._module_attribute(node, value, name)
        if isinstance(value, constexpr) and name not in ("value", "type"):
            value = value.value
            # Under Triton's numerics an argument of 1 is a constant, but the kernel uses it as a scalar.
            if is_literal(value) and (name in OPERATORS or not hasattr(value, name)):
                value = to_tensor(value)
        if isinstance(value, tuple) and name == "type" and not hasattr(value, name):
            return tuple_type.of(value)
        self.unit.reads.note_use(value, name)
        hidden = _OF_TENSORS if isinstance(value, tensor) else {"handle"}
        is_operator = isinstance(value, tensor) and name in OPERATORS
        if (is_operator or not name.startswith("_")) and name not in hidden and hasattr(value, name):
            return wrap(getattr(value, name))
        what = f"a value of type {value.type}" if isinstance(value, tensor) else describe(value)
        known = [entry for entry in dir(value) if entry[0] != "_" and entry not in hidden]
        close = difflib.get_close_matches(name, known, 1)
        hint = _INSTEAD.get((tuple if isinstance(value, tuple) else type(value), name))
        raise self.error(
            f"{what} has no attribute {name!r}",
            node,
            hint or (f"did you mean {close[0]!r}?" if close else None),
        )

    def _module_attribute(self, node, module, name):
        if not hasattr(module, name):
            close = difflib.get_close_matches(name, dir(module), 1)
            hint = _ELSEWHERE.get(name) if module.__name__.endswith("language") else None
            hint = hint or (f"did you mean {close[0]!r}?" if close else None)
            raise self.error(f"module {module.__name__!r} has no attribute {name!r}", node, hint)
        value = getattr(module, name)
        self.unit.reads.note_attribute(module, name)
        annotated = is_annotated(getattr(module, "__annotations__", None), name)
        if callable(value) and not (annotated or is_static(value) or self.reads_all_of_python):
            raise self.error(*not_callable(value, node))
        if annotated or is_static(value) or module.__name__ == "math" or self.reads_all_of_python:
            if annotated or isinstance(value, constexpr):
                self.unit.used_globals[module.__name__, name] = value
            return wrap(value)
        raise self.error(
            f"'{module.__name__}.{name}' is no compile-time constant: it is of type {type(value).__name__}",
            node,
            f"declare it as {name}: tl.constexpr = ..., or pass it as an argument",
        )

    def visit_Subscript(self, node):
        value, index = self.visit(node.value), static(self.visit(node.slice))
        if isinstance(value, (tensor, aggregate)):
            return value[unwrap(index)]
        if not is_constant(index):
            raise self.error(
                "the index into a tuple must be known while compiling",
                node.slice,
                "loop over tl.static_range, or over the tuple itself",
            )
        container = value.value if isinstance(value, constexpr) else value
        if is_kernel_function(container):
            raise self.error(
                f"a kernel launches no other one, as {container.__name__}[...] would",
                node,
                f"call it, which compiles it in: {container.__name__}(...)",
            )
        if isinstance(container, type) and container in (builtins.tuple, builtins.list):
            return container
        try:
            return wrap(container[unwrap(index)])
        except TypeError:
            raise self.error(f"{describe(value)} cannot be indexed", node) from None
        except IndexError:
            raise self.error(
                f"index {unwrap(index)} is out of range for {len(container)} elements",
                node,
                self._missing_dim(node.value),
            ) from None

    def _missing_dim(self, node):
        """The hint for a dimension of a value without a shape: `x.shape[0]` of an argument."""
        if not isinstance(node, ast.Attribute) or node.attr != "shape":
            return None
        value = self.visit(node.value)
        if not isinstance(value, tensor) or not value.dtype.is_ptr():
            return None
        return "a pointer does not know the shape of its array: pass the dimensions as arguments"

    def visit_Slice(self, node):
        parts = [part and static(self.visit(part)) for part in (node.lower, node.upper, node.step)]
        return slice(*parts)

    def visit_JoinedStr(self, node):
        return constexpr("".join(self._format(part) for part in node.values))

    def _format(self, part):
        if isinstance(part, ast.Constant):
            return part.value
        value = self.visit(part.value)
        if isinstance(value, tensor):
            return str(value.type)
        value = unwrap(value)
        if isinstance(value, types.ModuleType):
            value = spelled(value)
        value = {"s": str, "r": repr, "a": ascii}.get(
            chr(part.conversion) if part.conversion > 0 else "", lambda v: v
        )(value)
        spec = "".join(self._format(inner) for inner in part.format_spec.values) if part.format_spec else ""
        return format(value, spec)
