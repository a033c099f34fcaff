"""The types, shapes and inputs of generated kernels.

All floats, except those marked inexact, are whole numbers so small that no operation rounds them. Every back end gives
the same bits in any order of addition.
"""

from dataclasses import dataclass

import ml_dtypes
import numpy as np

#: The largest magnitude of exact floats, by type. Multiplying two of them is exact.
BOUNDS = {"float32": 64, "float64": 64, "float16": 32, "bfloat16": 8}
FLOATS = tuple(BOUNDS)
INTS = ("int32", "int64", "uint32", "uint8", "int8", "int16", "uint16", "uint64")
BITS = {"float32": 32, "float64": 64, "float16": 16, "bfloat16": 16, "int1": 1} | {
    name: int(name.lstrip("uint")) for name in INTS
}
#: Eight-bit floats hold whole numbers up to 8.
BYTE_FLOATS = ("float8e5", "float8e4nv", "float8e4b15", "float8e4b8", "float8e5b16")
#: Powers of two, and extents that the compiler pads or splits.
EXTENTS = (1, 2, 4, 8, 16, 32, 3, 6, 24, 40)
MOST = 512
PROGRAMS = 2
#: Values of the arguments `n` (bounds loops) and `m` (used in expressions only). Kernels are compiled for 1,
#: and for multiples of 16.
COUNTS = (5, 1, 0, -1, 16)
NUMBERS = (1, 0, -1, 16, 2**31 - 1, 2**31, 2**40, -(2**40), -(2**31))
#: Elements of each input that belong to one program, and of each output.
SPAN = 512
SLOTS = 6
#: Atomic operations whose order does not matter; each uses 64 separate counters.
ATOMICS = ("add", "max", "min", "xor", "or", "and")


@dataclass(frozen=True)
class Variable:
    """A name of the kernel with its type and shape, `()` for scalars."""

    name: str
    type: str
    shape: tuple


def is_float(type_):
    return type_ in BOUNDS


def is_signed(type_):
    return type_.startswith("int") and type_ != "int1"


def numel(shape):
    return int(np.prod(shape, dtype=int))


def spell(shape):
    """A shape as source text."""
    return "(" + "".join(f"{extent}, " for extent in shape).strip() + ")"


def _values(type_, rng):
    count = PROGRAMS * SPAN
    if type_ == "int1":
        return rng.integers(0, 2, count).astype(bool)
    if is_float(type_):
        bound = BOUNDS[type_] // 2
        dtype = ml_dtypes.bfloat16 if type_ == "bfloat16" else type_
        return rng.integers(-bound, bound, count, endpoint=True).astype(dtype)
    info = np.iinfo(type_)
    values = rng.integers(-20 if is_signed(type_) else 0, 40, count).astype(type_)
    extremes = rng.integers(0, 8, count)
    values[extremes == 0] = info.max
    values[extremes == 1] = info.min
    return values


INPUTS = {type_: _values(type_, np.random.default_rng(7)) for type_ in (*FLOATS, *INTS, "int1")}
#: Whole numbers among which are infinities, NaN and zeros of both signs.
_SPECIAL = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, *range(-5, 6)], np.float32)
INPUTS["special"] = np.random.default_rng(8).choice(_SPECIAL, PROGRAMS * SPAN)
#: Types of the arrays that programs write and read again.
BLOCKS = ("int32", "float32", "int8", "float16")
#: Outputs by name: the type and the initial values.
OUTPUTS = {
    "out_ints": ("int64", PROGRAMS * SLOTS * SPAN),
    "out_floats": ("float64", PROGRAMS * SLOTS * SPAN),
    "out_inexact": ("float64", PROGRAMS * SPAN),
    "counters": ("int32", 64 * len(ATOMICS)),
    "wide_counters": ("int64", 64 * len(ATOMICS)),
    "sums": ("float32", 64),
    **{f"blocks_{type_}": (type_, PROGRAMS * SPAN) for type_ in BLOCKS},
}
