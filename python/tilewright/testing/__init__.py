"""Helpers for tests and benchmarks of kernels."""

from .accuracy import TOLERANCE, assert_close, dtype_name, poison, relative_errors, to_numpy
from .report import Benchmark, Mark, perf_report
from .timing import do_bench, do_bench_cudagraph

__all__ = [
    "TOLERANCE",
    "Benchmark",
    "Mark",
    "assert_close",
    "do_bench",
    "do_bench_cudagraph",
    "dtype_name",
    "perf_report",
    "poison",
    "relative_errors",
    "to_numpy",
]
