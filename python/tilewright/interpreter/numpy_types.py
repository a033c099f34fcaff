"""Element types of the language as NumPy dtypes.

As in the IR, integers are signless: they are kept signed, and operations that read them as unsigned view
them so. Pointers are kept as 64-bit addresses.
"""

import functools

import numpy as np

from ..language.errors import LanguageTypeError

_BUILTIN = {
    "int1": np.bool_,
    "int8": np.int8,
    "uint8": np.int8,
    "int16": np.int16,
    "uint16": np.int16,
    "int32": np.int32,
    "uint32": np.int32,
    "int64": np.int64,
    "uint64": np.int64,
    "fp8e4b15": np.int8,
    "fp8e4b8": np.int8,
    "fp8e5b16": np.int8,
    "fp16": np.float16,
    "fp32": np.float32,
    "fp64": np.float64,
}
_EXTENDED = {"bf16": "bfloat16", "fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2"}


@functools.cache
def _extended(name):
    try:
        import ml_dtypes
    except ImportError:
        raise LanguageTypeError(f"the interpreter needs the package ml_dtypes for {name}") from None
    return np.dtype(getattr(ml_dtypes, _EXTENDED[name]))


def numpy_dtype(ty):
    """The dtype in which the interpreter keeps elements of `ty`."""
    scalar = ty.scalar
    if scalar.is_ptr():
        return np.dtype(np.int64)
    found = _BUILTIN.get(scalar.name)
    return np.dtype(found) if found else _extended(scalar.name)


def size_in_memory(ty):
    """Bytes of an element in memory, where bools are bytes."""
    return 1 if ty.is_bool() else ty.primitive_bitwidth // 8


def unsigned(array):
    """The same bits, read as unsigned."""
    return array if array.dtype == np.bool_ else array.view(f"u{array.dtype.itemsize}")


def signed(array):
    """The same bits, read as signed."""
    return array if array.dtype == np.bool_ else array.view(f"i{array.dtype.itemsize}")


def as_numbers(array, ty):
    """The numbers that `array` represents, as elements of type `ty`."""
    return unsigned(array) if ty.scalar.is_int_unsigned() and not ty.scalar.is_bool() else array
