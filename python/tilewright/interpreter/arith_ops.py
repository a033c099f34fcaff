"""The ops of `arith` on NumPy arrays."""

import numpy as np

from .numpy_types import numpy_dtype, signed, unsigned
from .rounding import narrow, odd_float64

_I_PREDICATES = [
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.less, np.less_equal, np.greater, np.greater_equal,
]  # fmt: skip
_F_PREDICATES = {
    1: np.equal,
    2: np.greater,
    3: np.greater_equal,
    4: np.less,
    5: np.less_equal,
    13: np.not_equal,
}


def _same(function):
    return lambda operands, types, attrs: [function(*operands)]


def _as_unsigned(function):
    return lambda operands, types, attrs: [signed(function(*map(unsigned, operands)))]


def _wrapping(function, on_bools):
    """Integer arithmetic modulo 2^n, that of bools included."""
    return lambda operands, types, attrs: [
        (on_bools if operands[0].dtype == np.bool_ else function)(*operands)
    ]


def _truncating_divide(a, b):
    quotient = np.floor_divide(a, b)
    remainder = a - quotient * b
    return quotient + ((remainder != 0) & ((a < 0) != (b < 0))).astype(a.dtype)


def _remainder(a, b):
    return np.where(b == 0, a, np.fmod(a, np.where(b == 0, b.dtype.type(1), b)))


def _cmpi(operands, types, attrs):
    predicate = int(attrs["predicate"])
    if predicate >= 6:
        operands = list(map(unsigned, operands))
    return [_I_PREDICATES[predicate](*operands)]


def _cmpf(operands, types, attrs):
    return [_F_PREDICATES[int(attrs["predicate"])](*operands)]


def _select(operands, types, attrs):
    condition, left, right = operands
    return [np.where(condition, left, right).astype(left.dtype, copy=False)]


def _to(operands, types, attrs):
    return [operands[0].astype(numpy_dtype(types[0]))]


def _zero_extend(operands, types, attrs):
    value = unsigned(operands[0])
    target = numpy_dtype(types[0])
    return [signed(value.astype(f"u{target.itemsize}"))]


def _sign_extend(operands, types, attrs):
    value = operands[0].astype(numpy_dtype(types[0]))
    return [-value if operands[0].dtype == np.bool_ else value]


def _from_unsigned(operands, types, attrs):
    return _to_float([unsigned(operands[0])], types, attrs)


def _to_unsigned(operands, types, attrs):
    target = numpy_dtype(types[0])
    return [signed(operands[0].astype(f"u{target.itemsize}"))]


def _to_float(operands, types, attrs):
    value, target = operands[0], numpy_dtype(types[0])
    if target.itemsize > 2:
        return [value.astype(target)]
    if value.dtype.kind in "bui":
        value = odd_float64(value)
    elif value.dtype != np.float64:
        value = value.astype(np.float32)
    return [narrow(value, target)]


OPS = {
    "arith.addi": _wrapping(np.add, np.logical_xor),
    "arith.subi": _wrapping(np.subtract, np.logical_xor),
    "arith.muli": _wrapping(np.multiply, np.logical_and),
    "arith.divsi": _same(_truncating_divide),
    "arith.divui": _as_unsigned(np.floor_divide),
    "arith.remsi": _same(_remainder),
    "arith.remui": _as_unsigned(_remainder),
    "arith.maxsi": _same(np.maximum),
    "arith.minsi": _same(np.minimum),
    "arith.maxui": _as_unsigned(np.maximum),
    "arith.minui": _as_unsigned(np.minimum),
    "arith.andi": _same(np.bitwise_and),
    "arith.ori": _same(np.bitwise_or),
    "arith.xori": _same(np.bitwise_xor),
    "arith.shli": _same(np.left_shift),
    "arith.shrsi": _same(np.right_shift),
    "arith.shrui": _as_unsigned(np.right_shift),
    "arith.addf": _same(np.add),
    "arith.subf": _same(np.subtract),
    "arith.mulf": _same(np.multiply),
    "arith.divf": _same(np.divide),
    "arith.remf": _same(np.fmod),
    "arith.negf": _same(np.negative),
    "arith.maxnumf": _same(np.fmax),
    "arith.minnumf": _same(np.fmin),
    "arith.maximumf": _same(np.maximum),
    "arith.minimumf": _same(np.minimum),
    "arith.cmpi": _cmpi,
    "arith.cmpf": _cmpf,
    "arith.select": _select,
    "arith.extf": _to,
    "arith.truncf": _to_float,
    "arith.extsi": _sign_extend,
    "arith.extui": _zero_extend,
    "arith.trunci": _to,
    "arith.sitofp": _to_float,
    "arith.uitofp": _from_unsigned,
    "arith.fptosi": _to,
    "arith.fptoui": _to_unsigned,
    "arith.bitcast": lambda operands, types, attrs: [operands[0].view(numpy_dtype(types[0]))],
}
