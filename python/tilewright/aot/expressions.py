"""Expressions over the integers that a kernel is called with: grids, and conditions for variants.

They are text in Python's syntax: names of parameters and constants, `+ - * // %`, comparisons, `and or not`,
`cdiv(a, b)`, `min`, `max`. Python evaluates them when a library is loaded there; the generated C source holds
them as C. Both compute with 64 bits, and a result that does not fit or a division by zero is an error.
"""

import ast

_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Mod: "mod"}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_FUNCTIONS = ("cdiv", "min", "max")
_CHOICES = {"min": min, "max": max}


class ExpressionError(ValueError):
    """A text that is no expression, or one without a value."""


def _parse(text):
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"{text!r} is no expression: {error.msg}") from None


class Expression:
    """One expression; `names` may occur in it. Raises `ExpressionError` for anything that it can not be."""

    def __init__(self, text, names):
        self.text, self.names = text.strip(), frozenset(names)
        self._root = _parse(text)
        self._check(self._root)

    def _reject(self, node, reason):
        raise ExpressionError(f"{self.text!r}: {ast.unparse(node)!r} {reason}")

    def _check(self, node):
        """Every node is of a kind that both evaluations know."""
        children = []
        match node:
            case ast.Constant(value=int(value)) if value < 2**63:
                pass
            case ast.Name(id=name):
                if name not in self.names:
                    known = ", ".join(sorted(self.names)) or "no int"
                    self._reject(node, f"is not an int that is known here; there is {known}")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                children = [left, right]
            case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
                children = [operand]
            case ast.Compare(left=left, ops=ops, comparators=others) if all(
                type(op) in _COMPARE for op in ops
            ):
                children = [left, *others]
            case ast.BoolOp(values=values):
                children = values
            case ast.Call(func=ast.Name(id=name), args=[left, right], keywords=[]) if name in _FUNCTIONS:
                children = [left, right]
            case _:
                self._reject(node, "is not + - * // %, a comparison, and, or, not, cdiv, min or max of ints")
        for child in children:
            self._check(child)

    def evaluate(self, values):
        """The int (or bool) for `values` by name. Raises `ExpressionError` where it has none."""
        try:
            return self._value(self._root, values)
        except (ZeroDivisionError, OverflowError) as error:
            raise ExpressionError(f"{self.text!r} has no value: {error}") from None

    def _value(self, node, values):
        match node:
            case ast.Constant(value=value):
                return int(value)
            case ast.Name(id=name):
                return int(values[name])
            case ast.BinOp(left=left, op=op, right=right):
                return _fit(_apply(_BINARY[type(op)], self._value(left, values), self._value(right, values)))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return int(not self._value(operand, values))
            case ast.UnaryOp(operand=operand):
                return _fit(-self._value(operand, values))
            case ast.Compare(left=left, ops=ops, comparators=others):
                parts = zip(ops, (left, *others), others)
                return int(
                    all(_holds(op, self._value(a, values), self._value(b, values)) for op, a, b in parts)
                )
            case ast.BoolOp(op=ast.And(), values=parts):
                return int(all(self._value(part, values) for part in parts))
            case ast.BoolOp(values=parts):
                return int(any(self._value(part, values) for part in parts))
            case ast.Call(func=ast.Name(id=name), args=[left, right]):
                return _fit(_apply(name, self._value(left, values), self._value(right, values)))

    def to_c(self, spell):
        """The expression in C, of type int64_t; `spell(name)` gives the C of a name.

        It calls the functions `tw_add` and so on of the support code with a pointer `failed`.
        """
        return self._c(self._root, spell)

    def _c(self, node, spell):
        def call(function, *operands):
            return f"tw_{function}({', '.join(self._c(part, spell) for part in operands)}, failed)"

        match node:
            case ast.Constant(value=value):
                return f"INT64_C({int(value)})"
            case ast.Name(id=name):
                return spell(name)
            case ast.BinOp(left=left, op=op, right=right):
                return call(_BINARY[type(op)], left, right)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"(int64_t)!{self._c(operand, spell)}"
            case ast.UnaryOp(operand=operand):
                return f"tw_sub(0, {self._c(operand, spell)}, failed)"
            case ast.Compare(left=left, ops=ops, comparators=others):
                parts = [self._c(part, spell) for part in (left, *others)]
                tests = [f"{a} {_COMPARE[type(op)]} {b}" for op, a, b in zip(ops, parts, parts[1:])]
                return f"(int64_t)({' && '.join(f'({test})' for test in tests)})"
            case ast.BoolOp(op=op, values=values):
                joint = " && " if isinstance(op, ast.And) else " || "
                return f"(int64_t)({joint.join(self._c(part, spell) for part in values)})"
            case ast.Call(func=ast.Name(id=name), args=operands):
                return call(name, *operands)


def _fit(value):
    if not -(2**63) <= value < 2**63:
        raise OverflowError("a result does not fit 64 bits")
    return value


def _apply(name, a, b):
    match name:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "floordiv":
            return a // b
        case "mod":
            return a % b
        case "cdiv":
            return -(-a // b)
    return _CHOICES[name](a, b)


def _holds(op, a, b):
    match op:
        case ast.Lt():
            return a < b
        case ast.LtE():
            return a <= b
        case ast.Gt():
            return a > b
        case ast.GtE():
            return a >= b
        case ast.Eq():
            return a == b
    return a != b


def grid_expressions(text, names):
    """The one to three `Expression`s, between commas, of a grid."""
    root = _parse(text)
    parts = root.elts if isinstance(root, ast.Tuple) else [root]
    if not 1 <= len(parts) <= 3:
        raise ExpressionError(f"the grid {text!r} has {len(parts)} dimensions, not one to three")
    return [Expression(ast.unparse(part), names) for part in parts]
