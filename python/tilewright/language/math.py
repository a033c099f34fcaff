"""Mathematical functions (`tl.exp`, `tl.math.tanh`, ...).

All work element by element on floats and give the dtype they get; float16 and bfloat16 are computed in
float32.
"""

import builtins

from .builtin import builtin
from .dtypes import float32
from .errors import LanguageTypeError, LanguageValueError
from .ir import Spelled, builder, emit
from .semantic import arithmetic, convert, promote


def _unary(name, op, text, argument, result, approximated=False):
    """The function `name` that creates `op`; `approximated` where the numerics of Triton ask for it.

    Its example has this `argument` and `result`.
    """

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

    Example:

        >>> tl.{name}(tl.full((2,), {argument}, tl.float32))
        float32 [{result}, {result}]
    """
    return builtin(function)


exp = _unary("exp", "math.exp", "e to the power `x`", 1.0, 2.7183, approximated=True)
exp2 = _unary("exp2", "math.exp2", "2 to the power `x`", 3.0, 8.0, approximated=True)
log = _unary("log", "math.log", "Natural logarithm", 10.0, 2.3026)
log2 = _unary("log2", "math.log2", "Logarithm to base 2", 8.0, 3.0)
sqrt = _unary("sqrt", "math.sqrt", "Square root, rounded to nearest", 2.0, 1.4142, approximated=True)
sqrt_rn = _unary("sqrt_rn", "math.sqrt", "Square root, rounded to nearest", 2.0, 1.4142)
rsqrt = _unary("rsqrt", "math.rsqrt", "1 over the square root", 4.0, 0.5)
sin = _unary("sin", "math.sin", "Sine of an angle in radians", 1.0, 0.84147)
cos = _unary("cos", "math.cos", "Cosine of an angle in radians", 1.0, 0.5403)
tanh = _unary("tanh", "math.tanh", "Hyperbolic tangent", 0.5, 0.46212)
erf = _unary("erf", "math.erf", "Error function", 0.5, 0.5205)
floor = _unary("floor", "math.floor", "The largest integer not above `x`, as a float", -1.5, -2.0)
ceil = _unary("ceil", "math.ceil", "The smallest integer not below `x`, as a float", -1.5, -1.0)


@builtin
def abs(x):
    """Absolute value of floats or integers; unsigned integers stay as they are.

    Example:

        >>> tl.abs(tl.arange(0, 4) - 2)
        int32 [2, 1, 0, 1]
    """
    if convert.is_literal(x):
        return builtins.abs(x)
    value = convert.to_tensor(x)
    if value.dtype.is_ptr():
        raise LanguageTypeError(f"abs takes numbers, got {value.type}")
    promote.check_computes(value, "abs")
    if value.dtype.is_fp8():
        return arithmetic.with_sign(value, "arith.andi", 127)
    if value.dtype.is_floating():
        return emit("math.absf", [value], value.type)
    return emit("math.absi", [value], value.type) if value.dtype.is_int_signed() else value


@builtin
def fma(x, y, z):
    """`x * y + z` rounded once. The three broadcast and promote; raises `LanguageTypeError` unless floats.

    Example:

        >>> tl.fma(tl.arange(0, 4).to(tl.float32), 2.0, 1.0)
        float32 [1.0, 3.0, 5.0, 7.0]
    """
    return arithmetic.fma(x, y, z)


@builtin
def fdiv(x, y, ieee_rounding=False, approx=False):
    """`x / y` for floats, one of them at least, off by at most 2 ULP in float32.

    `ieee_rounding` asks for the rounded quotient. `approx` allows larger errors, but has no effect. Raises
    `LanguageValueError` for both.

    Example:

        >>> tl.fdiv(tl.arange(0, 4).to(tl.float32), 4.0)
        float32 [0.0, 0.25, 0.5, 0.75]
    """
    if ieee_rounding and approx:
        raise LanguageValueError("fdiv is asked for the rounded quotient and for any near it")
    return _divide(x, y, "fdiv", fast=not ieee_rounding)


@builtin
def div_rn(x, y):
    """`x / y` for floats, rounded to nearest.

    Example:

        >>> tl.div_rn(tl.arange(0, 4).to(tl.float32), 3.0)
        float32 [0.0, 0.33333, 0.66667, 1.0]
    """
    return _divide(x, y, "div_rn", fast=False)


def _is_floating(value):
    return isinstance(value, float) if convert.is_literal(value) else value.dtype.is_floating()


def _divide(x, y, name, fast):
    if not (_is_floating(x) or _is_floating(y)):
        raise LanguageTypeError(
            f"{name} takes floats, got {convert.describe(x)} and {convert.describe(y)}",
            hint="use / to convert integers",
        )
    return arithmetic.truediv(x, y, fast)


@builtin
def umulhi(x, y):
    """The upper half of the product of two integers of 32 (or 64) bits, read as unsigned.

    Example:

        >>> tl.umulhi(tl.full((), 2**31, tl.uint32), tl.full((), 6, tl.uint32))
        uint32 3
    """
    return arithmetic.multiply_high(x, y)
