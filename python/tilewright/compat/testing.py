"""`triton.testing`, with Triton's signatures and defaults."""

import contextlib
import gc
import subprocess

import numpy as np

from .. import testing
from ..testing import Benchmark, Mark, perf_report

__all__ = [
    "Benchmark",
    "Mark",
    "assert_close",
    "cublas",
    "cuda_graph_without_gc",
    "do_bench",
    "do_bench_cudagraph",
    "do_bench_cudagraph_proton",
    "do_bench_proton",
    "get_dram_gbps",
    "get_max_simd_tflops",
    "get_max_tensorcore_tflops",
    "nvsmi",
    "perf_report",
]


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of `fn()`; see `tilewright.testing.do_bench`."""
    return testing.do_bench(fn, warmup, rep, grad_to_none, quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of `fn()` in a CUDA graph; see `tilewright.testing.do_bench_cudagraph`."""
    return testing.do_bench_cudagraph(fn, rep, grad_to_none, quantiles, return_mode)


#: In Triton these two measure kernels by its profiler, without other work of the device.
do_bench_proton, do_bench_cudagraph_proton = do_bench, do_bench_cudagraph


@contextlib.contextmanager
def cuda_graph_without_gc(*args, **kwargs):
    """`torch.cuda.graph` with the collection of garbage put off: kernels that it finds may not be unloaded meanwhile."""
    import torch

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with torch.cuda.graph(*args, **kwargs) as graph:
            yield graph
    finally:
        if was_enabled:
            gc.enable()


def cublas():
    """An object with cuBLAS' matmul, through PyTorch."""
    from .libtriton import CublasLt

    return CublasLt(None)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raise `AssertionError` unless all elements of `x` and `y` differ by at most atol + rtol * |y|.

    Both tolerances are numbers, or functions of the dtype; 0.01 and 0 by default.
    """
    dtype = getattr(x, "dtype", None)
    atol, rtol = (limit(dtype) if callable(limit) else limit for limit in (atol, rtol))
    x, y = (testing.to_numpy(value) if hasattr(value, "dtype") else np.asarray(value) for value in (x, y))
    np.testing.assert_allclose(
        x,
        y,
        atol=1e-2 if atol is None else atol,
        rtol=0 if rtol is None else rtol,
        err_msg=err_msg,
        equal_nan=True,
    )


def nvsmi(attrs):
    """The attributes `attrs` ("clocks.max.sm", ...) of the first device from nvidia-smi, as a list of ints. Raises
    `OSError` if there is no such program."""
    query = [f"--query-gpu={','.join(attrs)}", "--format=csv,noheader,nounits"]
    found = subprocess.run(["nvidia-smi", "-i", "0", *query], check=True, capture_output=True, text=True)
    return [int(value) for value in found.stdout.split(",")]


def _properties(device):
    from .driver import driver

    facts = driver.active.utils.get_device_properties(device)
    return facts, driver.active.get_current_target().arch


def get_dram_gbps(device=None):
    """The bandwidth of the device's memory in GB/s."""
    facts, _ = _properties(device)
    return facts["mem_clock_rate"] * facts["mem_bus_width"] * 2 / 1e6 / 8


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """TFLOP/s of `dtype` without tensor cores at `clock_rate`, in kHz."""
    facts, _ = _properties(device)
    per_clock = {"fp32": 256, "fp16": 512, "bf16": 512}[dtype.name]
    return facts["multiprocessor_count"] * clock_rate * per_clock / 1e9


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """Dense TFLOP/s of `dtype` of the tensor cores at `clock_rate`, in kHz."""
    facts, arch = _properties(device)
    per_clock = {8: 8192, 16: 4096, 32: 2048}[dtype.primitive_bitwidth] // (1 if arch >= 90 else 2)
    return facts["multiprocessor_count"] * clock_rate * per_clock / 1e9
