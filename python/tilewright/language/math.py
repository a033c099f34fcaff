"""Mathematical functions (`tl.exp`, `tl.math.tanh`, ...).

All work element by element on floats and give the dtype they get; float16 and bfloat16 are computed in
float32.
"""

import builtins

from .builtin import builtin
from .dtypes import float32
from .errors import LanguageTypeError
from .ir import Spelled, builder, emit
from .semantic import arithmetic, convert, promote


def _unary(name, op, text, approximated=False):
    """The function `name` that creates `op`; `approximated` where the numerics of Triton ask for it."""

    def function(x):
        value = convert.to_tensor(x)
        given = value.dtype
        if not given.is_standard_floating():
            raise LanguageTypeError(
                f"{name} takes floats, got {value.type}", hint="cast it with .to(tl.float32)"
            )
        narrow = given.primitive_bitwidth < 32
        value = convert.cast(value, float32) if narrow else value
        fast = approximated and builder().options.numerics == "triton"
        attrs = {"fastmath": Spelled("#arith.fastmath<afn>")} if fast else {}
        return convert.cast(emit(op, [value], value.type, **attrs), given)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{text}, element by element.

    `x`: a block, scalar or number of a float dtype, which is the dtype of the result. Raises
    `LanguageTypeError` for integers and pointers.

    Example: `y = tl.{name}(x)`.
    """
    return builtin(function)


exp = _unary("exp", "math.exp", "e to the power `x`", approximated=True)
exp2 = _unary("exp2", "math.exp2", "2 to the power `x`", approximated=True)
log = _unary("log", "math.log", "Natural logarithm")
log2 = _unary("log2", "math.log2", "Logarithm to base 2")
sqrt = _unary("sqrt", "math.sqrt", "Square root, rounded to nearest")
sqrt_rn = _unary("sqrt_rn", "math.sqrt", "Square root, rounded to nearest")
rsqrt = _unary("rsqrt", "math.rsqrt", "1 over the square root")
sin = _unary("sin", "math.sin", "Sine of an angle in radians")
cos = _unary("cos", "math.cos", "Cosine of an angle in radians")
tanh = _unary("tanh", "math.tanh", "Hyperbolic tangent")
erf = _unary("erf", "math.erf", "Error function")
floor = _unary("floor", "math.floor", "The largest integer not above `x`, as a float")
ceil = _unary("ceil", "math.ceil", "The smallest integer not below `x`, as a float")


@builtin
def abs(x):
    """Absolute value of floats or integers; unsigned integers stay as they are."""
    if convert.is_literal(x):
        return builtins.abs(x)
    value = convert.to_tensor(x)
    if value.dtype.is_ptr():
        raise LanguageTypeError(f"abs takes numbers, got {value.type}")
    promote.check_computes(value, "abs")
    if value.dtype.is_floating():
        return emit("math.absf", [value], value.type)
    return (
        emit("math.absi", [value], value.type)
        if value.dtype.is_int_signed() and not value.dtype.is_bool()
        else value
    )


@builtin
def fma(x, y, z):
    """`x * y + z` rounded once. The three broadcast and promote; raises `LanguageTypeError` unless floats."""
    return arithmetic.fma(x, y, z)


@builtin
def fdiv(x, y, ieee_rounding=False):
    """`x / y` for floats, off by at most 2 ULP in float32; `ieee_rounding` asks for the rounded quotient."""
    return _divide(x, y, "fdiv", fast=not ieee_rounding)


@builtin
def div_rn(x, y):
    """`x / y` for floats, rounded to nearest."""
    return _divide(x, y, "div_rn", fast=False)


def _divide(x, y, name, fast):
    for value in (x, y):
        if isinstance(value, int) or not (isinstance(value, float) or value.dtype.is_floating()):
            raise LanguageTypeError(
                f"{name} takes floats, got {convert.describe(value)}", hint="use / to convert integers"
            )
    return arithmetic.truediv(x, y, fast)


@builtin
def umulhi(x, y):
    """The upper half of the product of two integers of 32 (or 64) bits, read as unsigned."""
    return arithmetic.multiply_high(x, y)
