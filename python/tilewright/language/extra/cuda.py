"""Functions for NVIDIA GPUs only."""

from ..assembly import inline_asm_elementwise
from ..builtin import builtin
from ..dtypes import int32, int64
from ..ir import builder, emit_effect
from . import libdevice

__all__ = [
    "gdc_launch_dependents",
    "gdc_wait",
    "globaltimer",
    "libdevice",
    "num_threads",
    "num_warps",
    "smid",
]


@builtin
def num_warps():
    """Warps that run one program, as given at the launch.

    Example:

        >>> tl.extra.cuda.num_warps()
        4
    """
    return builder().options.num_warps


@builtin
def num_threads():
    """Threads that run one program: 32 for each warp.

    Example:

        >>> tl.extra.cuda.num_threads()
        128
    """
    return 32 * builder().options.num_warps


@builtin
def gdc_wait():
    """Wait until the earlier kernels on the stream are done and their writes are visible.

    For kernels launched with `launch_pdl=True`, which start earlier. Memory that earlier kernels write or still use may
    only be accessed after the wait. Elsewhere, also on devices
    before compute capability 9.0, on the CPU and in the interpreter, there is nothing to wait for.

    Example:

        >>> tl.extra.cuda.gdc_wait()
    """
    emit_effect("tile.launch_wait", [])


@builtin
def gdc_launch_dependents():
    """Let the next kernel on the stream start once each program of this one has called this or ended.

    A hint that changes no result: that kernel starts early only if it was launched with `launch_pdl=True`. Its
    `gdc_wait` waits for the end of this kernel, so the call may precede stores.

    Example:

        >>> tl.extra.cuda.gdc_launch_dependents()
    """
    emit_effect("tile.launch_dependents", [])


def _read(register, ty, what, claim):
    """A builtin that reads a special register of the GPU anew each time."""
    wide = ty.primitive_bitwidth == 64

    def function():
        text = f"mov.u{ty.primitive_bitwidth} $0, %{register};"
        return inline_asm_elementwise(text, "=l" if wide else "=r", [], ty, is_pure=False, pack=1)

    function.__name__ = function.__qualname__ = register
    function.__doc__ = f"""{what}, as {ty}. On GPUs only: the CPU back end and the interpreter refuse it.

    Example:

        >>> tl.extra.cuda.{register}() {claim}
        int1 True
    """
    return builtin(function)


globaltimer = _read("globaltimer", int64, "The nanoseconds of a clock that all of the GPU shares", "> 0")
smid = _read("smid", int32, "The number of the multiprocessor that runs the program", ">= 0")
