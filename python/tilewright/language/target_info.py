"""The target of a kernel, known at compile time. Outside of kernels, the target of the current device."""

from .builtin import builtin
from .ir import builder, is_active


class Target(str):
    """A target as `tilewright compile --target` spells it, with its parts as code for Triton reads them."""

    @property
    def arch(self):
        """The compute capability times ten; 0 for the CPU."""
        return (
            int("".join(c for c in self.removeprefix("sm_") if c.isdigit())) if self.backend == "cuda" else 0
        )

    @property
    def backend(self):
        """ "cuda" or "cpu"."""
        return "cuda" if self.startswith("sm_") else "cpu"

    @property
    def warp_size(self):
        """How many threads run in step; 1 on the CPU."""
        return 32 if self.backend == "cuda" else 1


def _of_current_device():
    from ..devices import ordinal_of, target_of

    return target_of(ordinal_of(None))


@builtin
def current_target():
    """The target as `tilewright compile --target` spells it: "sm_90a" or "cpu".

    It is a string with the attributes `backend`, "cuda" or "cpu", `arch`, the compute capability times ten, and
    `warp_size`. Outside of kernels, it is the target of the current device. Raises `DriverError` for a
    device that runs none.

    Example:

        >>> tl.target_info.current_target() != "sm_20"
        True
        >>> tl.target_info.current_target().backend in ("cuda", "cpu")
        True
    """
    return Target(builder().target if is_active() else _of_current_device())


@builtin
def is_cuda():
    """Whether the kernel is compiled for an NVIDIA GPU; outside of kernels, whether there is one.

    Example:

        >>> tl.target_info.is_cuda() == (tl.target_info.current_target() != "cpu")
        True
    """
    return current_target().backend == "cuda"


@builtin
def cuda_capability_geq(major, minor=0):
    """Whether the kernel is compiled for an NVIDIA GPU of this compute capability or a later one; outside of kernels,
    whether the current device is one.

    Example:

        >>> tl.target_info.cuda_capability_geq(100, 0)
        False
    """
    target = current_target()
    return target.backend == "cuda" and target.arch >= 10 * major + minor


@builtin
def is_hip():
    """False: kernels are not compiled for GPUs of AMD.

    Example:

        >>> tl.target_info.is_hip()
        False
    """
    return False


@builtin
def is_hip_cdna3():
    """False, as `is_hip`.

    Example:

        >>> tl.target_info.is_hip_cdna3()
        False
    """
    return False


@builtin
def is_hip_cdna4():
    """False, as `is_hip`.

    Example:

        >>> tl.target_info.is_hip_cdna4()
        False
    """
    return False


@builtin
def is_hip_gfx1250():
    """False, as `is_hip`.

    Example:

        >>> tl.target_info.is_hip_gfx1250()
        False
    """
    return False
