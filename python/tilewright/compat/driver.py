"""`triton.runtime.driver`: the device in use."""

import os
import sys
from typing import NamedTuple


class GPUTarget(NamedTuple):
    """The target of kernels: `backend` is "cuda" or "cpu", `arch` the compute capability times ten."""

    backend: str
    arch: int
    warp_size: int


class _Utilities:
    """Facts of a device, as the driver gives them."""

    def get_device_properties(self, device=0):
        """A dict of facts; for the CPU the counts of a GPU with a multiprocessor for each of its cores."""
        from .. import cuda
        from .._tilewright import cuda as native

        if not cuda.is_available():
            return {
                "max_shared_mem": 1 << 17,
                "max_num_regs": 1 << 16,
                "multiprocessor_count": len(os.sched_getaffinity(0)),
                "warpSize": 32,
                "sm_clock_rate": 0,
                "mem_clock_rate": 0,
                "mem_bus_width": 0,
            }
        facts = native.device_properties(int(device or 0))
        return {
            "max_shared_mem": facts["shared_bytes_per_program"],
            "max_num_regs": 1 << 16,
            "multiprocessor_count": facts["multiprocessors"],
            "warpSize": 32,
            "sm_clock_rate": facts["clock_kilohertz"],
            "mem_clock_rate": facts["memory_clock_kilohertz"],
            "mem_bus_width": facts["memory_bus_bits"],
        }


class CpuDriver:
    """The driver of `triton.backends.backends["cpu"]`. It is active if there is no CUDA device, so that exactly one
    is."""

    @staticmethod
    def is_active():
        """Whether kernels run on the CPU by default."""
        return not ActiveDriver.is_active()


def _torch_of_gpus():
    """PyTorch, where it is in use and a build for CUDA; else None."""
    torch = sys.modules.get("torch")
    return torch if torch and torch.version.cuda else None


class ActiveDriver(CpuDriver):
    """The device in use: the current CUDA device, or the CPU where there is none."""

    utils = _Utilities()

    @staticmethod
    def is_active():
        """Whether there is a CUDA device, also where only the process that this one was forked from can use it: PyTorch's
        workers compile for it."""
        from .. import cuda

        if cuda.is_available():
            return True
        torch = _torch_of_gpus()
        return bool(torch and torch.cuda.is_available())

    def get_current_device(self):
        """The number of the current device; 0 for the CPU."""
        torch = _torch_of_gpus()
        return torch.cuda.current_device() if torch and self.is_active() else 0

    def set_current_device(self, device):
        """Make another device the current one, for torch too."""
        import torch

        torch.cuda.set_device(device)

    def get_device_capability(self, device=0):
        """The compute capability as (major, minor); (0, 0) for the CPU."""
        arch = self.get_current_target().arch
        return divmod(arch, 10)

    def get_current_target(self):
        """The `GPUTarget` of the current device."""
        if not self.is_active():
            return GPUTarget("cpu", 0, 1)
        from .._tilewright import cuda

        return GPUTarget("cuda", cuda.device_properties(self.get_current_device())["compute_capability"], 32)

    def get_active_torch_device(self):
        """The device as torch names it."""
        import torch

        return torch.device("cuda", self.get_current_device()) if self.is_active() else torch.device("cpu")

    def get_device_interface(self):
        """`torch.cuda`, or `torch.cpu` where there is no GPU."""
        import torch

        return torch.cuda if self.is_active() else torch.cpu

    def get_current_stream(self, device=None):
        """The handle of torch's current stream; 0 for the CPU."""
        torch = _torch_of_gpus()
        return torch.cuda.current_stream(device).cuda_stream if torch and self.is_active() else 0

    def get_benchmarker(self):
        """The function that `do_bench` is."""
        from ..testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        """A torch tensor larger than the L2 cache."""
        import torch

        return torch.empty(1 << 26, dtype=torch.int32, device=self.get_active_torch_device())

    def clear_cache(self, cache):
        """Overwrite the result of `get_empty_cache_for_benchmark`, so that the L2 cache holds nothing else."""
        cache.zero_()


class Backend(NamedTuple):
    """An entry of `triton.backends.backends`: the compiler for devices of a kind, and the class of their driver."""

    compiler: object
    driver: type


class Driver:
    """`triton.runtime.driver`; `active` is the one there is."""

    active = default = ActiveDriver()

    def set_active(self, driver):
        """Refused: there is one driver."""
        raise NotImplementedError("Tilewright has one driver for all devices")

    def reset_active(self):
        """Nothing: there is one driver."""


driver = Driver()
