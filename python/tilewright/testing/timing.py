"""Measuring the time of kernels."""

import statistics
import sys
import time

import numpy as np

#: The reductions of times by `do_bench`.
MODES = {"median": statistics.median, "mean": statistics.fmean, "min": min, "max": max, "all": list}


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
    from .._tilewright import cuda

    stream = _current_stream()
    size = 2 * cuda.device_properties(device)["l2_bytes"]
    flushed = cuda.alloc(device, size)

    def timed(count):
        pairs = [(cuda.OwnedEvent(device), cuda.OwnedEvent(device)) for _ in range(count)]
        for start, end in pairs:
            cuda.fill(device, flushed, 0, size, stream)  # the runs before leave nothing in L2
            cuda.event_record(device, start.handle, stream)
            fn()
            cuda.event_record(device, end.handle, stream)
        return [cuda.event_elapsed(device, start.handle, end.handle) for start, end in pairs]

    try:
        fn()
        estimate = statistics.median(timed(5))
        timed(max(1, min(1000, int(warmup / max(estimate, 1e-3)))))
        return timed(max(10, min(2000, int(rep / max(estimate, 1e-3)))))
    finally:
        cuda.free(device, flushed)


def summarize(times, quantiles=None, return_mode="median"):
    """Times as `do_bench` gives them. Raises `ValueError` for an unknown mode."""
    if return_mode not in MODES:
        raise ValueError(f"return_mode is one of {', '.join(MODES)}, got {return_mode!r}")
    if quantiles is not None:
        values = [float(value) for value in np.quantile(times, quantiles)]
        return values if len(values) > 1 else values[0]
    return MODES[return_mode](times)


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="median", *, device=None):
    """The time of `fn()` in milliseconds.

    Args:
        warmup, rep: for about how many milliseconds to run without and with measuring.
        grad_to_none: torch tensors whose `grad` is dropped before each run.
        quantiles: of the times, 0 to 1; a list of times is given, for one of them a number.
        return_mode: "median", "mean", "min", "max", or "all" for the list of times.
        device: "cpu", where `fn` returns when it is done, or "cuda" or its number, by default a device if there
            is one. On a device, events on the current stream are measured, and the L2 cache is emptied before
            each run.

    Example:

        >>> from tilewright.testing import do_bench
        >>> do_bench(lambda: sum(range(1000)), warmup=1, rep=1, device="cpu") > 0
        True
    """
    if grad_to_none is not None:
        fn = _without_gradients(fn, grad_to_none)
    if device is None:
        from .. import cuda

        device = "cuda" if cuda.is_available() else "cpu"
    if device == "cpu":
        times = _bench_cpu(fn, warmup, rep)
    else:
        times = _bench_cuda(fn, warmup, rep, 0 if device == "cuda" else device)
    return summarize(times, quantiles, return_mode)


def _without_gradients(fn, tensors):
    def run():
        for tensor in tensors:
            tensor.grad = None
        fn()

    return run


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="median"):
    """As `do_bench` on a GPU, for launches from a CUDA graph, which leave the host out of the time.

    The graph is torch's. Without a GPU, or without torch, it is `do_bench`. Raises `RuntimeError` where the current
    stream is being captured.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> from tilewright.testing import do_bench_cudagraph
        >>> x = tw.from_numpy(np.arange(5))
        >>> out = tw.zeros(5, x.dtype)
        >>> do_bench_cudagraph(lambda: twice[(2,)](x, out, 5, BLOCK=4), rep=1) > 0
        True
    """
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return do_bench(fn, 5, rep, grad_to_none, quantiles, return_mode)
    if torch.cuda.is_current_stream_capturing():
        raise RuntimeError(
            "launches cannot be measured while a CUDA graph is captured. Warm up autotuned kernels before: the first "
            "launch measures"
        )
    if grad_to_none is not None:
        fn = _without_gradients(fn, grad_to_none)
    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        torch.cuda.synchronize()
        single = torch.cuda.CUDAGraph()
        with torch.cuda.graph(single):
            fn()
        torch.cuda.synchronize()
        estimate = statistics.median(_replays(torch, single, 5))
        count = max(1, min(1000, int(rep / max(estimate, 1e-3))))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(count):
                fn()
        torch.cuda.synchronize()
        times = [time / count for time in _replays(torch, graph, 10)]
    return summarize(times, quantiles, return_mode)


def _replays(torch, graph, count):
    times = []
    for _ in range(count):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return times
