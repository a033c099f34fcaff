"""The devices of arrays, and facts about them: `device_info`, `memory_info`."""

from dataclasses import dataclass

from ._tilewright import cuda as _driver
from .errors import DriverError


def cuda_available():
    """Whether there is a driver and a device."""
    try:
        return _driver.device_count() > 0
    except RuntimeError:
        return False


def ordinal_of(device):
    """The number of a CUDA device, or -1 for the CPU.

    `device` is "cpu", "cuda", "cuda:1", a number, a torch device, or None: the current CUDA device where there
    is one, else the CPU. Raises `ValueError` for anything else, and `DriverError` without a driver.
    """
    if device is None:
        return _driver.current_device() if cuda_available() else -1
    if isinstance(device, bool) or not isinstance(device, int):
        kind, _, number = str(device).partition(":")
        if kind == "cpu" and number in ("", "0"):
            return -1
        if kind != "cuda" or not (number == "" or number.isdecimal()):
            raise ValueError(f'device is "cpu", "cuda", "cuda:NUMBER" or a number, got {device!r}')
        device = int(number) if number else _driver.current_device()
    count = _driver.device_count()
    if not 0 <= device < count:
        raise ValueError(f"there is no CUDA device {device}: this machine has {count}")
    return device


def name_of(ordinal):
    """ "cpu" or "cuda:NUMBER"."""
    return "cpu" if ordinal < 0 else f"cuda:{ordinal}"


def target_of(ordinal):
    """The target of kernels for a device: "cpu", or the architecture of the CUDA device, with the Hopper-specific suffix.

    Raises `DriverError` for devices before compute capability 8.0.
    """
    if ordinal < 0:
        return "cpu"
    properties = _driver.device_properties(ordinal)
    capability = properties["compute_capability"]
    if capability < 80:
        raise DriverError(
            f"CUDA device {ordinal} ({properties['name']}) has compute capability "
            f"{capability // 10}.{capability % 10}; kernels need 8.0 or newer"
        )
    return "sm_90a" if capability == 90 else f"sm_{capability}"


@dataclass(frozen=True)
class DeviceInfo:
    """Facts of a device. Numbers are 0 if they do not apply to the CPU.

    `tensor_cores` names the element types that the device multiplies in hardware. `memory_bandwidth` is the
    bus's, in bytes a second.
    """

    device: str
    name: str
    architecture: str
    multiprocessors: int
    shared_bytes_per_program: int = 0
    shared_bytes_per_multiprocessor: int = 0
    registers_per_program: int = 0
    warp_size: int = 0
    global_bytes: int = 0
    l2_bytes: int = 0
    clock_megahertz: float = 0.0
    memory_bandwidth: float = 0.0
    tensor_cores: tuple = ()


def _tensor_cores(capability):
    """By compute capability; those before 8.0 run no kernels."""
    if capability < 80:
        return ()
    types = ("fp16", "bf16", "tf32", "fp64", "int8")
    return (*types, "fp8e4nv", "fp8e5") if capability >= 89 else types


def device_info(device=None):
    """The `DeviceInfo` of a device, see `ordinal_of`; of None the current one.

    Example:

        >>> import tilewright as tw
        >>> tw.device_info("cpu").device
        'cpu'
    """
    ordinal = ordinal_of(device)
    if ordinal < 0:
        from . import _tilewright

        triple, processor, *_ = _tilewright.host_target().split(";")
        return DeviceInfo("cpu", processor, triple, _tilewright.host_thread_count())
    found = _driver.device_properties(ordinal)
    capability = found["compute_capability"]
    return DeviceInfo(
        name_of(ordinal),
        found["name"],
        f"sm_{capability}",
        found["multiprocessors"],
        found["shared_bytes_per_program"],
        found["shared_bytes_per_multiprocessor"],
        found["registers_per_program"],
        found["warp_size"],
        found["global_bytes"],
        found["l2_bytes"],
        found["clock_kilohertz"] / 1e3,
        # Two transfers a clock.
        2e3 * found["memory_clock_kilohertz"] * found["memory_bus_bits"] / 8,
        _tensor_cores(capability),
    )


@dataclass(frozen=True)
class MemoryInfo:
    """Bytes of a CUDA device: `free` of `total`; `reserved` by this process's array pool; `used` by arrays of the
    pool."""

    free: int
    total: int
    reserved: int
    used: int


def memory_info(device=None):
    """The `MemoryInfo` of a CUDA device. Raises `ValueError` for the CPU.

    Example:

        >>> import tilewright as tw
        >>> tw.memory_info().used <= tw.memory_info().total
        True
    """
    return MemoryInfo(*_driver.memory_use(_cuda(device, "memory_info")))


def trim_memory(device=None, keep=0):
    """Give memory that no array uses back to the driver, but for `keep` bytes of the pool.

    Example:

        >>> import tilewright as tw
        >>> tw.trim_memory()
    """
    _driver.trim(_cuda(device, "trim_memory"), keep)


def _cuda(device, what):
    ordinal = ordinal_of(device)
    if ordinal < 0:
        raise ValueError(f"{what} is about CUDA devices, got the CPU")
    return ordinal
