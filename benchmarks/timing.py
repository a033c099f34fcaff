"""Timing of one call, in seconds."""

import statistics
import time


def gpu_time(call, repetitions=50, budget=1.0):
    """Returns the median time of ``call`` on the GPU, by events, with the L2 cache flushed before each.

    ``budget`` bounds the seconds spent; at least five calls are timed.
    """
    import torch

    call()
    torch.cuda.synchronize()
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    begun = time.perf_counter()
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    once = (time.perf_counter() - begun) / 3
    count = int(min(repetitions, max(5, budget / max(once, 1e-5))))
    events = []
    for _ in range(count):
        flush.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        events.append((start, end))
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in events) * 1e-3


def cpu_time(call, repetitions=20, budget=2.0):
    """Returns the median wall-clock time of ``call``; ``budget`` bounds the seconds spent."""
    call()
    times = []
    begun = time.perf_counter()
    while len(times) < 3 or (len(times) < repetitions and time.perf_counter() - begun < budget):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)
