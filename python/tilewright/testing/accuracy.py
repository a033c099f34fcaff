"""Comparing results with references."""

import math

import numpy as np

#: Relative error that the rounding of one result explains, with room for a few thousand additions.
TOLERANCE = {
    "float64": 1e-12,
    "float32": 2e-6,
    "float16": 1.5e-3,
    "bfloat16": 1e-2,
    "float8_e4m3fn": 8e-2,
    "float8_e5m2": 1.6e-1,
}


def dtype_name(array):
    """The name of an array's dtype as NumPy and `ml_dtypes` spell it: "bfloat16".

    Example:

        >>> import numpy as np
        >>> from tilewright.testing import dtype_name
        >>> dtype_name(np.zeros(1, np.float16))
        'float16'
    """
    return str(array.dtype).removeprefix("torch.")


def to_numpy(array):
    """A NumPy array with the values of `array` (NumPy, torch, CuPy, `tilewright.cuda`) as float64 or
    integers.

    Example:

        >>> import numpy as np
        >>> from tilewright.testing import to_numpy
        >>> to_numpy(np.ones(2, np.float16))
        array([1., 1.])
    """
    if hasattr(array, "detach"):  # torch
        array = array.detach().cpu()
        array = (array.double() if array.dtype.is_floating_point else array).numpy()
    elif isinstance(getattr(array, "nbytes", None), int) and hasattr(array, "numpy"):  # ours
        array = array.numpy()
    elif hasattr(array, "get"):  # CuPy
        array = array.get()
    array = np.asarray(array)
    return array if array.dtype.kind in "biu" else array.astype(np.float64)


def relative_errors(out, reference):
    """The relative error of `out` as (norm of the difference / norm of `reference`, greatest difference /
    greatest value of `reference`). Elements that are NaN or the same infinity in both do not count; such in
    one alone make both errors infinite.

    Example:

        >>> import numpy as np
        >>> from tilewright.testing import relative_errors
        >>> relative_errors(np.ones(4), np.ones(4))
        (0.0, 0.0)
    """
    out, reference = to_numpy(out).astype(np.float64), np.asarray(reference, np.float64)
    if out.shape != reference.shape:
        raise ValueError(f"the result has shape {list(out.shape)}, the reference {list(reference.shape)}")
    finite = np.isfinite(reference)
    special = out[~finite], reference[~finite]
    if not np.array_equal(*special, equal_nan=True) or not np.isfinite(out[finite]).all():
        return math.inf, math.inf
    difference, values = out[finite] - reference[finite], reference[finite]
    if difference.size == 0:
        return 0.0, 0.0
    tiny = np.finfo(np.float64).tiny
    norm = np.linalg.norm(difference) / max(np.linalg.norm(values), tiny)
    return float(norm), float(np.abs(difference).max() / max(np.abs(values).max(), tiny))


def assert_close(out, reference, rtol=None, max_factor=8.0):
    """Check a result against a reference computed in float64.

    `out` has floats of any width, `reference` the same shape. The norm of the error is compared with `rtol`, and the
    greatest error with `max_factor * rtol`. The default of `rtol` is the `TOLERANCE` of the dtype of `out`. Raises
    `AssertionError` with both errors and the worst element.

    Example:

        >>> import numpy as np
        >>> from tilewright.testing import assert_close
        >>> assert_close(np.float32([1.0, 2.0]), np.array([1.0, 2.0]))
    """
    rtol = TOLERANCE[dtype_name(out)] if rtol is None else rtol
    norm, greatest = relative_errors(out, reference)
    if norm <= rtol and greatest <= max_factor * rtol:
        return
    values, reference = to_numpy(out).astype(np.float64), np.asarray(reference, np.float64)
    with np.errstate(invalid="ignore"):
        distance = np.abs(values - reference)
    worst = np.unravel_index(np.nanargmax(np.where(np.isnan(distance), np.inf, distance)), distance.shape)
    raise AssertionError(
        f"relative error {norm:.3g} in norm and {greatest:.3g} at most, allowed are {rtol:.3g} and "
        f"{max_factor * rtol:.3g}; at {tuple(map(int, worst))} the result is {values[worst]}, "
        f"the reference {reference[worst]}"
    )


def poison(array):
    """Fill `array` (NumPy or torch) in place with NaN, or for integers an unlikely value. Returns the array.

    Elements that a kernel then fails to write are visible.

    Example:

        >>> import numpy as np
        >>> from tilewright.testing import poison
        >>> poison(np.zeros(2, np.float32))
        array([nan, nan], dtype=float32)
    """
    floating = (
        np.dtype(array.dtype).kind not in "biu"
        if isinstance(array, np.ndarray)
        else array.is_floating_point()
    )
    array[...] = float("nan") if floating else 0x5B if dtype_name(array) != "bool" else True
    return array
