"""What only NVIDIA GPUs have."""

from ..builtin import builtin
from ..ir import builder
from . import libdevice

__all__ = ["gdc_launch_dependents", "gdc_wait", "libdevice", "num_threads", "num_warps"]


@builtin
def num_warps():
    """Warps that run one program, as given at the launch."""
    return builder().options.num_warps


@builtin
def num_threads():
    """Threads that run one program: 32 for each warp."""
    return 32 * builder().options.num_warps


@builtin
def gdc_wait():
    """Wait for the kernels before on the stream. Nothing to do: a kernel starts when they are done."""


@builtin
def gdc_launch_dependents():
    """Let the next kernel on the stream start. A hint that changes no result."""
