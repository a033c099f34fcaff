"""Every environment variable that Tilewright reads.

`python -m tilewright.cli info` prints this list with the values in force. A variable that is set but empty
counts as not set. The ones marked as read by the library are looked up in C++; they are here to have one list.
"""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Knob:
    """One variable: its name, its effect, and its default as shown to users."""

    name: str
    help: str
    default: str = ""

    def text(self):
        """The value as set, or `None`."""
        return os.environ.get(self.name) or None

    def flag(self):
        """The value as a bool. Raises `ValueError` for anything but 0/1, true/false, on/off, yes/no."""
        text = (self.text() or "0").lower()
        if text in ("1", "true", "on", "yes"):
            return True
        if text in ("0", "false", "off", "no"):
            return False
        raise ValueError(f"{self.name} is {self.text()!r}; write 1 or 0")

    def choice(self, *allowed):
        """The value, one of `allowed`. The first is the default. Raises `ValueError` for another
        one."""
        text = self.text() or allowed[0]
        if text not in allowed:
            raise ValueError(f"{self.name} is {text!r}; write one of {', '.join(allowed)}")
        return text


INTERPRET = Knob(
    "TILEWRIGHT_INTERPRET",
    "1: run kernels in the NumPy interpreter, where a debugger works; read when a kernel is decorated",
    "0",
)
TRITON_INTERPRET = Knob(
    "TRITON_INTERPRET", "1: the same for kernels of the `triton.jit` that tilewright.compat gives", "0"
)
TRITON_GLOBALS = Knob(
    "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS",
    "1: kernels of that `triton.jit` take global variables of the program for constants",
    "0",
)
TRITON_F32_DEFAULT = Knob(
    "TRITON_F32_DEFAULT",
    "the `input_precision` of `tl.dot` on float32 in kernels that do not set it",
    "tf32",
)
TRITON_PRINT_AUTOTUNING = Knob(
    "TRITON_PRINT_AUTOTUNING",
    "1: kernels of the `triton.autotune` of tilewright.compat print what they chose",
    "0",
)
DEBUG = Knob(
    "TILEWRIGHT_DEBUG", "1: compile kernels with their debug checks (overflow of integers, asserts)", "0"
)
CHECK = Knob(
    "TILEWRIGHT_CHECK",
    "1: the compiler checks its own use of shared memory, rings and barriers in each kernel for a GPU",
    "0",
)
CHECK_NAN = Knob(
    "TILEWRIGHT_CHECK_NAN", "1: stop a launch before it writes a NaN that the kernel made, at its line", "0"
)
DETERMINISTIC = Knob(
    "TILEWRIGHT_DETERMINISTIC",
    "1: compile kernels so that equal launches give equal bits",
    "0",
)
ALWAYS_COMPILE = Knob("TILEWRIGHT_ALWAYS_COMPILE", "1: do not read compiled kernels from the disk cache", "0")
AUTOTUNE = Knob(
    "TILEWRIGHT_AUTOTUNE",
    "measure: autotuned kernels use the fastest configuration; first: the first one, without measuring",
    "measure",
)
ASSEMBLER = Knob("TILEWRIGHT_ASSEMBLER", "assembler of PTX: auto, nvjitlink, ptxas or driver", "auto")
NVJITLINK = Knob("TILEWRIGHT_NVJITLINK", "path of the nvJitLink library (read by the library)", "found")
NVDISASM = Knob(
    "TILEWRIGHT_NVDISASM", "path of the program nvdisasm, for `tilewright explain --html`", "found"
)
PTXAS = Knob("TILEWRIGHT_PTXAS", "path of the program ptxas (read by the library)", "found")
DUMP_DIR = Knob(
    "TILEWRIGHT_DUMP_DIR", "directory for every stage of each kernel that is compiled or found on disk"
)
CACHE_DIR = Knob(
    "TILEWRIGHT_CACHE_DIR",
    "directory of the disk cache (read by the library)",
    "$XDG_CACHE_HOME/tilewright or ~/.cache/tilewright",
)
CACHE_SIZE = Knob(
    "TILEWRIGHT_CACHE_SIZE", "bound of the disk cache, with K, M or G (read by the library)", "2G"
)
NUM_THREADS = Knob(
    "TILEWRIGHT_NUM_THREADS",
    "threads of a launch on the CPU (read by the library)",
    "the CPUs of this process",
)
SYNC = Knob(
    "TILEWRIGHT_SYNC",
    "1: each launch on a GPU waits for its kernel, so that an error names the kernel (read by the library)",
    "0",
)
NVTX = Knob(
    "TILEWRIGHT_NVTX",
    "1, or the path of NVTX's library: launches are ranges on the timeline of profilers (read by the library)",
    "0",
)
LIBCUDA = Knob("TILEWRIGHT_LIBCUDA", "path of the CUDA driver library (read by the library)", "libcuda.so.1")

ALL = (
    INTERPRET,
    TRITON_INTERPRET,
    TRITON_GLOBALS,
    TRITON_F32_DEFAULT,
    TRITON_PRINT_AUTOTUNING,
    DEBUG,
    CHECK,
    CHECK_NAN,
    DETERMINISTIC,
    ALWAYS_COMPILE,
    AUTOTUNE,
    ASSEMBLER,
    NVJITLINK,
    PTXAS,
    NVDISASM,
    DUMP_DIR,
    CACHE_DIR,
    CACHE_SIZE,
    NUM_THREADS,
    SYNC,
    NVTX,
    LIBCUDA,
)


def switches():
    """The options that the environment sets, by name."""
    return {"debug": DEBUG.flag(), "check_nan": CHECK_NAN.flag(), "deterministic": DETERMINISTIC.flag()}
