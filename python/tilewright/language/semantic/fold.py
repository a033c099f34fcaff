"""Constant folding of integer scalars, by the rules of the `arith` ops: two's complement, C's division.

An argument that a kernel is compiled for has a known value. So do the results of integer ops on known values. A
condition on them is decided while compiling.
"""

from .convert import constant


def _signed(number, bits):
    return (number + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def _unsigned(number, bits):
    return number % 2**bits


def _divide(left, right, bits):
    """C's quotient. Returns None for a division that has no result."""
    if right == 0 or (left, right) == (-(2 ** (bits - 1)), -1):
        return None
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left, right, bits):
    quotient = _divide(left, right, bits)
    return None if quotient is None else left - quotient * right


def _shift_left(left, count, bits):
    return left << count if count < bits else None


def _shift_right(left, count, bits):
    return left >> count if 0 <= count < bits else None


#: How ops read their operands, and the result of the operands and their width.
_BINARY = {
    "arith.addi": (_signed, lambda left, right, bits: left + right),
    "arith.subi": (_signed, lambda left, right, bits: left - right),
    "arith.muli": (_signed, lambda left, right, bits: left * right),
    "arith.andi": (_signed, lambda left, right, bits: left & right),
    "arith.ori": (_signed, lambda left, right, bits: left | right),
    "arith.xori": (_signed, lambda left, right, bits: left ^ right),
    "arith.maxsi": (_signed, lambda left, right, bits: max(left, right)),
    "arith.maxui": (_unsigned, lambda left, right, bits: max(left, right)),
    "arith.minsi": (_signed, lambda left, right, bits: min(left, right)),
    "arith.minui": (_unsigned, lambda left, right, bits: min(left, right)),
    "arith.divsi": (_signed, _divide),
    "arith.divui": (_unsigned, _divide),
    "arith.remsi": (_signed, _remainder),
    "arith.remui": (_unsigned, _remainder),
    "arith.shli": (_unsigned, _shift_left),
    "arith.shrsi": (_signed, _shift_right),
    "arith.shrui": (_unsigned, _shift_right),
}

#: Conversions, which wrap around.
_CONVERSIONS = {"arith.extsi": _signed, "arith.extui": _unsigned, "arith.trunci": _signed}

#: The signedness and the comparison of each predicate of `arith.cmpi`, in the order of the enum.
_COMPARISONS = [
    (_signed, lambda left, right: left == right),
    (_signed, lambda left, right: left != right),
    *(
        (read, test)
        for read in (_signed, _unsigned)
        for test in (
            lambda left, right: left < right,
            lambda left, right: left <= right,
            lambda left, right: left > right,
            lambda left, right: left >= right,
        )
    ),
]


def fold(op, operands, type, attrs):
    """The result of `op` as a constant of the scalar `type`; None if it is not known at compile time."""
    numbers = [operand.known for operand in operands]
    if not numbers or any(number is None for number in numbers):
        return None
    bits = operands[0].dtype.primitive_bitwidth
    result = None
    if op in _BINARY:
        read, function = _BINARY[op]
        result = function(*(read(number, bits) for number in numbers), bits)
    elif op in _CONVERSIONS:
        result = _CONVERSIONS[op](*numbers, bits)
    elif op == "arith.cmpi":
        read, test = _COMPARISONS[attrs["predicate"]]
        result = test(*(read(number, bits) for number in numbers))
    elif op == "arith.select" and type.is_int():
        result = numbers[1] if numbers[0] else numbers[2]
    return None if result is None else constant(_unsigned(result, type.primitive_bitwidth), type)
