"""Helpers for tests and benchmarks of kernels."""

import math
import statistics
import sys
import time

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
    """The name of an array's dtype as NumPy and `ml_dtypes` spell it: "bfloat16"."""
    return str(array.dtype).removeprefix("torch.")


def to_numpy(array):
    """A NumPy array with the values of `array` (NumPy, torch, CuPy, `tilewright.cuda`) as float64 or
    integers."""
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

    `out` has floats of any width, `reference` the same shape. Both the norm of the error and, less strictly
    by `max_factor`, the greatest error are compared with `rtol`, by default the `TOLERANCE` of the dtype of
    `out`. Raises `AssertionError` with both errors and the worst element.
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
    """Fill `array` (NumPy or torch) in place with NaN, or for integers a wild value; gives it back.

    What a kernel then fails to write shows.
    """
    floating = (
        np.dtype(array.dtype).kind not in "biu"
        if isinstance(array, np.ndarray)
        else array.is_floating_point()
    )
    array[...] = float("nan") if floating else 0x5B if dtype_name(array) != "bool" else True
    return array


def _bench_cpu(fn, warmup, rep):
    def timed():
        start = time.perf_counter()
        fn()
        return 1e3 * (time.perf_counter() - start)

    first = timed()
    deadline = time.perf_counter() + 1e-3 * warmup
    while time.perf_counter() < deadline:
        first = timed()
    return [timed() for _ in range(max(3, min(10_000, int(rep / max(first, 1e-6)))))]


def _current_stream():
    torch = sys.modules.get("torch")
    return torch.cuda.current_stream().cuda_stream if torch and torch.cuda.is_available() else 0


def _bench_cuda(fn, warmup, rep, device):
    from ._tilewright import cuda

    stream = _current_stream()
    size = 2 * cuda.device_properties(device)["l2_bytes"]
    flushed = cuda.alloc(device, size)
    events = []

    def timed(count):
        pairs = [(cuda.event_create(device), cuda.event_create(device)) for _ in range(count)]
        events.extend(event for pair in pairs for event in pair)
        for start, end in pairs:
            cuda.fill(device, flushed, 0, size, stream)  # the runs before leave nothing in L2
            cuda.event_record(device, start, stream)
            fn()
            cuda.event_record(device, end, stream)
        return [cuda.event_elapsed(device, start, end) for start, end in pairs]

    try:
        fn()
        estimate = statistics.median(timed(5))
        timed(max(1, min(1000, int(warmup / max(estimate, 1e-3)))))
        return timed(max(10, min(2000, int(rep / max(estimate, 1e-3)))))
    finally:
        cuda.free(device, flushed)
        for event in events:
            cuda.event_destroy(device, event)


def do_bench(fn, warmup=25, rep=100, quantiles=None, device=None):
    """The time of `fn()` in milliseconds: the median of many runs, or a list of `quantiles` (0 to 1) of them.

    `warmup` and `rep` say for about how many milliseconds to run without and with measuring. `device` is
    "cpu", where `fn` returns when it is done, or "cuda" or its number, where events on the current stream
    are measured and the L2 cache is emptied before each run; by default a device if there is one.
    """
    if device is None:
        from . import cuda

        device = "cuda" if cuda.is_available() else "cpu"
    if device == "cpu":
        times = _bench_cpu(fn, warmup, rep)
    else:
        times = _bench_cuda(fn, warmup, rep, 0 if device == "cuda" else device)
    if quantiles is None:
        return statistics.median(times)
    return [float(value) for value in np.quantile(times, quantiles)]
