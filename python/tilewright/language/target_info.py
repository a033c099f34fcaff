"""What a kernel is compiled for, known while compiling."""

from .builtin import builtin
from .ir import builder


def _capability():
    target = builder().target
    digits = "".join(c for c in target.removeprefix("sm_") if c.isdigit())
    return int(digits) if target.startswith("sm_") else None


@builtin
def current_target():
    """The target as `tilewright compile --target` spells it: "sm_90a" or "cpu".

    Example:

        >>> tl.target_info.current_target() != "sm_20"
        True
    """
    return builder().target


@builtin
def is_cuda():
    """Whether the kernel is compiled for an NVIDIA GPU.

    Example:

        >>> tl.target_info.is_cuda() == (tl.target_info.current_target() != "cpu")
        True
    """
    return _capability() is not None


@builtin
def is_hip():
    """False: kernels are not compiled for GPUs of AMD.

    Example:

        >>> tl.target_info.is_hip()
        False
    """
    return False


@builtin
def cuda_capability_geq(major, minor=0):
    """Whether the kernel is compiled for an NVIDIA GPU of this compute capability or a later one.

    Example:

        >>> tl.target_info.cuda_capability_geq(100, 0)
        False
    """
    capability = _capability()
    return capability is not None and capability >= 10 * major + minor
