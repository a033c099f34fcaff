"""Element types of arrays: as NumPy has them, and as signatures spell them."""

import numpy as np

#: The signature spelling of each NumPy dtype, by its name.
FROM_NUMPY = {
    "bool": "i1",
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
    "float16": "fp16",
    "float32": "fp32",
    "float64": "fp64",
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
    "float8_e4m3fnuz": "fp8e4b8",
    "float8_e5m2fnuz": "fp8e5b16",
}
_SPELLINGS = FROM_NUMPY | {"int1": "i1"}  # as the language says it
_NUMPY_NAMES = {spelling: name for name, spelling in FROM_NUMPY.items()}


def spelling_of(dtype):
    """An element type as signatures spell it. `dtype` is one of NumPy, ml_dtypes, torch or the language, or a
    name. Raises `TypeError` for types that no kernel takes."""
    if hasattr(dtype, "primitive_bitwidth"):  # of the language, which NumPy would take for an object
        name = dtype.name
    else:
        name = str(dtype).removeprefix("torch.")
        if name not in _SPELLINGS and name not in _NUMPY_NAMES:
            try:
                name = np.dtype(dtype).name
            except TypeError:
                known = ", ".join(FROM_NUMPY)
                raise TypeError(f"no kernel takes elements of dtype {dtype!r}; there is {known}") from None
    name = _SPELLINGS.get(name, name)
    if name not in _NUMPY_NAMES:
        raise TypeError(f"no kernel takes elements of dtype {dtype!r}")
    return name


def numpy_dtype(spelling):
    """NumPy's type for one of a signature. Raises `ImportError` where that needs ml_dtypes, which is missing."""
    name = _NUMPY_NAMES[spelling]
    if spelling != "bf16" and not spelling.startswith("fp8"):
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise ImportError(f"arrays of {name} need the package ml_dtypes") from None
    return np.dtype(getattr(ml_dtypes, name))
