"""Arithmetic and conversions with a direction of rounding, on machines that round to the nearest.

The result rounded to nearest is at most one step off. The sign of its error, which is computed exactly, decides on the
step. For float32 the error is computed in float64, which is exact for products and, with the remainder of a sum, for
all other cases. For float64 it is computed by the error-free transformations of J.-M. Muller et al., "Handbook of
Floating-Point Arithmetic", chapters 4 and 5.
"""

from ... import dtypes
from ...semantic import arithmetic, convert
from .arguments import floats, make_function, typed_function
from .numbers import (
    call,
    fma,
    is_finite,
    is_negative,
    like,
    magnitude,
    next_down,
    next_up,
    two_sum,
    where,
    width,
)

#: The suffixes of function names and their meaning.
MODES = {"rn": "to nearest", "rz": "towards zero", "rd": "down", "ru": "up"}


def step(x, above, below, mode):
    """`x`, moved one step down or up where it is `above` or `below` the exact result and `mode` requires it."""
    if mode == "rd":
        return where(above, next_down(x), x)
    if mode == "ru":
        return where(below, next_up(x), x)
    x = where(above & (x > 0), next_down(x), x)
    return where(below & (x < 0), next_up(x), x)


def narrow(total, rest, mode):
    """The float64 `total + rest` as float32. `rest` is None or less than half a step of `total`."""
    x = convert.cast(total, dtypes.float32)
    error = convert.cast(x, dtypes.float64) - total
    rest = like(total, 0.0) if rest is None else rest
    return step(x, error > rest, error < rest, mode)


def _wide(*values):
    return [convert.cast(value, dtypes.float64) for value in values]


def _opaque(value, witness):
    """`value`, which compilers cannot contract with a following addition."""
    return where(witness == witness, value, witness)


def _step_by_error(x, error, overflows, mode):
    """`x` corrected by the sign of `exact - x`; where the exact result overflowed `x` is infinite."""
    below = (error > 0) | (overflows & (x < 0))
    above = (error < 0) | (overflows & (x > 0))
    return step(x, above, below, mode)


def _overflows(x, *operands):
    finite = ~is_finite(x)
    for operand in operands:
        finite = finite & is_finite(operand)
    return finite


_TINY, _UP, _HALF_UP = 2.0**-700, 2.0**200, 2.0**100


def _scaled(x, factor, condition):
    return where(condition, x * factor, x)


def _add(x, y, mode):
    if mode == "rn":
        return x + y
    if width(x) == 32:
        result = narrow(*two_sum(*_wide(x, y)), mode)
    else:
        total, rest = two_sum(x, y)
        result = _step_by_error(total, rest, _overflows(total, x, y), mode)
    if mode == "rd":  # exact zeros are negative unless both terms are positive zeros
        result = where((result == 0) & (is_negative(x) | is_negative(y)), -0.0, result)
    return result


def _mul(x, y, mode):
    if mode == "rn":
        return x * y
    if width(x) == 32:
        wide_x, wide_y = _wide(x, y)
        return narrow(wide_x * wide_y, None, mode)
    result = x * y
    tiny = magnitude(result) < _TINY
    smaller = magnitude(x) < magnitude(y)
    least, other = where(smaller, x, y), where(smaller, y, x)
    error = fma(_scaled(least, _UP, tiny), other, -_scaled(result, _UP, tiny))
    vanished = (result == 0) & (x != 0) & (y != 0)
    error = where(vanished, where(is_negative(result), -1.0, 1.0), error)
    return _step_by_error(result, error, _overflows(result, x, y), mode)


def _div(x, y, mode):
    if mode == "rn":
        return x / y
    if width(x) == 32:
        x, y = _wide(x, y)
        result = x / y
        return narrow(result, fma(-result, y, x) / y, mode)
    result = x / y
    tiny = magnitude(x) < _TINY
    small_result = magnitude(result) < 1.0
    factor = _scaled(result, _UP, tiny & small_result)
    divisor = _scaled(y, _UP, tiny & ~small_result)
    error = fma(-factor, divisor, _scaled(x, _UP, tiny))
    error = where(is_negative(y), -error, error)
    vanished = (result == 0) & (x != 0) & is_finite(y)
    error = where(vanished, where(is_negative(result), -1.0, 1.0), error)
    return _step_by_error(result, error, _overflows(result, x) & (y != 0), mode)


def _sqrt(x, mode):
    if mode == "rn":
        return call("sqrt", x)
    if width(x) == 32:
        (x,) = _wide(x)
        result = call("sqrt", x)
        return narrow(result, fma(-result, result, x) / (result * 2.0), mode)
    result = call("sqrt", x)
    tiny = magnitude(x) < _TINY
    root = _scaled(result, _HALF_UP, tiny)
    error = fma(-root, root, _scaled(x, _UP, tiny))
    return _step_by_error(result, error, result != result, mode)


def _fma(x, y, z, mode):
    if mode == "rn":
        return fma(x, y, z)
    if width(x) == 32:
        x, y, z = _wide(x, y, z)
        return narrow(*two_sum(x * y, z), mode)
    result = fma(x, y, z)
    product = _opaque(x * y, z)
    low = fma(x, y, -product)
    sum_low, rest = two_sum(z, low)
    total, sum_rest = two_sum(product, sum_low)
    error, last = two_sum((total - result) + sum_rest, rest)
    error = where(error == 0, last, error)
    return _step_by_error(result, error, _overflows(result, x, y, z), mode)


_ARITHMETIC = {
    "add": (2, _add, "`x + y`"),
    "sub": (2, lambda x, y, mode: _add(x, -y, mode), "`x - y`"),
    "mul": (2, _mul, "`x * y`"),
    "div": (2, _div, "`x / y`"),
    "fma": (3, _fma, "`x * y + z`"),
    "sqrt": (1, _sqrt, "The square root of `x`"),
    "rcp": (1, lambda x, mode: _div(like(x, 1.0), x, mode), "`1 / x`"),
}


def _arithmetic(name, mode):
    arity, compute, text = _ARITHMETIC[name]
    full = f"{name}_{mode}"

    def run(values):
        return compute(*floats(full, values, takes_narrow=False)[0], mode)

    return make_function(full, arity, run, f"{text}, rounded {MODES[mode]}", "Takes float32 or float64.")


def _saturate(x, target, narrow_nan):
    """Integral floats as integers, saturated; NaN as in PTX."""
    least, greatest = target.get_int_min_value(), target.get_int_max_value()
    inside = (x >= float(least)) & (x < float(greatest + 1))
    converted = convert.cast(where(inside, x, 0.0), target)
    low, high = (convert.constant(value, converted.type) for value in (least, greatest))
    nan = convert.constant(0 if narrow_nan else 1 << (target.int_bitwidth - 1), converted.type)
    outside = where(x >= 0.0, high, where(x < 0.0, low, nan))
    return where(inside, converted, outside)


_ROUND = {"rn": "roundeven", "rz": "trunc", "rd": "floor", "ru": "ceil"}
INTEGERS = {"int": dtypes.int32, "uint": dtypes.uint32, "ll": dtypes.int64, "ull": dtypes.uint64}
_NAMES = {"int": "i32", "uint": "u32", "ll": "i64", "ull": "u64"}


def to_integer(x, target, op):
    """Floats made integral by `math.op`, as integers."""
    return _saturate(call(op, x), target, width(x) == 32 and target.int_bitwidth == 32)


def _parts(x):
    """64-bit integers as a sum of two float64: the nearest, and the rest."""
    low = convert.cast(arithmetic.bitwise(x, 2**32 - 1, "arith.andi", "&"), dtypes.float64)
    high = convert.cast(arithmetic.shift(x, 32, ">>"), dtypes.float64) * 2.0**32
    return two_sum(high, low)


def _from_integer(x, target, mode):
    if mode == "rn":
        return convert.cast(x, target)
    if x.dtype.int_bitwidth == 32:
        return narrow(convert.cast(x, dtypes.float64), None, mode)
    total, rest = _parts(x)
    if target == dtypes.float32:
        return narrow(total, rest, mode)
    return step(total, rest < 0, rest > 0, mode)


def _double2float(x, mode):
    return convert.cast(x, dtypes.float32) if mode == "rn" else narrow(x, None, mode)


def _conversions(mode):
    """The functions of one direction, by name."""
    said = f"rounded {MODES[mode]}"
    found = {
        "double2float": ("fp64", lambda x: _double2float(x, mode), f"float64 to float32, {said}"),
    }
    for name, target in INTEGERS.items():
        for kind, source in (("float", "fp32"), ("double", "fp64")):
            text = f"{source} to {target}, {said}; the nearest where there is none"
            found[f"{kind}2{name}"] = (source, lambda x, t=target: to_integer(x, t, _ROUND[mode]), text)
        results = {"float": dtypes.float32, "double": dtypes.float64}
        for kind, result in results.items():
            if kind == "double" and target.int_bitwidth == 32 and mode != "rn":
                continue  # always exact
            found[f"{name}2{kind}"] = (
                _NAMES[name],
                lambda x, r=result: _from_integer(x, r, mode),
                f"{target} to {result}, {said}",
            )
    return {
        f"{name}_{mode}": typed_function(f"{name}_{mode}", [(source,)], compute, text)
        for name, (source, compute, text) in found.items()
    }


def functions():
    """All functions of this module, by name."""
    found = {}
    for mode in MODES:
        for name in _ARITHMETIC:
            found[f"{name}_{mode}"] = _arithmetic(name, mode)
        found.update(_conversions(mode))
    return found
