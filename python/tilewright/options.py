"""`Options` of a compilation, passed to a launch next to its arguments."""

from dataclasses import dataclass, fields

from .errors import OutOfResources


class WarpsError(ValueError, AssertionError):
    """An invalid number of warps. Code for Triton expects an `AssertionError`."""


class ThreadsError(WarpsError, OutOfResources):
    """More warps than a thread block can have."""


@dataclass(frozen=True)
class Options:
    """Options of a compilation.

    - `num_warps`: warps of 32 lanes that run one program on a GPU, a power of two up to 32.
    - `num_stages`: depth of software pipelining, 1 to 16.
    - `debug`: compile checks. Without `sanitize_overflow`, no checks of array bounds and integer overflow.
    - `check_nan`: stop the launch if a NaN that an operation makes out of numbers reaches memory.
    - `deterministic`: equal launches give equal bits.
    - `num_ctas`: maximum number of adjacent programs in a cluster of thread blocks, a power of two up to 16. A cluster
      loads shared data once. A hint for compute capability 9.0.
    - `ping_pong`: two warpgroups alternate on the tiles of a program, each with the 4 warps of `num_warps`. One stores
      its tile while the other computes. A hint for compute capability 9.0. It applies to kernels with a loop over
      independent tiles, or with one tile per program.
    - `single_wave`: grids have at most as many programs as the GPU has multiprocessors. Each program has a multiprocessor
      to itself and takes all shared memory, and the code to run several tiles in sequence is omitted. Larger grids still
      run. A hint for compute capability 9.0.
    - `maxnreg`: maximum registers per thread; None lets the compiler choose.
    - `numerics`: "ieee", or "triton" for the defaults of Triton where the kernel does not choose: float32 dots in TF32,
      divisions with a relative error of 2 ULP, and fast exponentials without subnormal results.
    - `launch_cooperative_grid`: all programs of a launch run at once on a GPU, or it fails. On the CPU programs may
      wait for each other in any grid.
    - `enable_fp_fusion`: a multiplication and an addition are rounded once on a GPU; the CPU always rounds both.
    - `launch_pdl`: a kernel that calls `tl.extra.cuda.gdc_wait` may start before the earlier kernels on its stream are
      done. A hint for devices from compute capability 9.0 on.
    - `extern_libs`: files of libraries by name, accepted for compatibility and ignored.
    - `arch`: None, or the architecture as text ("sm90"), accepted for compatibility and ignored: kernels are compiled
      for the device that they are launched on.

    The CPU uses only `debug`, `check_nan`, `deterministic` and `numerics`.

    Raises `TypeError` and `ValueError`.
    """

    num_warps: int = 4
    num_stages: int = 3
    debug: bool = False
    num_ctas: int = 1
    ping_pong: bool = False
    single_wave: bool = False
    maxnreg: int | None = None
    check_nan: bool = False
    deterministic: bool = False
    numerics: str = "ieee"
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    enable_fp_fusion: bool = True
    extern_libs: object = None
    arch: str | None = None
    sanitize_overflow: bool = True

    def __post_init__(self):
        for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
            value = getattr(self, name)
            if value is None and name == "maxnreg":
                continue
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name} is an int, got {value!r}")
        if self.num_warps not in (1, 2, 4, 8, 16, 32):
            wrong = f"num_warps must be a power of 2 up to 32, got {self.num_warps}"
            if self.num_warps > 32:
                raise ThreadsError(
                    f"{wrong}: out of resource: threads, Required: {32 * self.num_warps}, Hardware limit: 1024"
                )
            raise WarpsError(wrong)
        if not 1 <= self.num_stages <= 16:
            raise ValueError(f"num_stages is between 1 and 16, got {self.num_stages}")
        if self.num_ctas not in (1, 2, 4, 8, 16):
            raise ValueError(f"num_ctas is 1, 2, 4, 8 or 16, got {self.num_ctas}")
        if self.maxnreg is not None and self.maxnreg < 16:
            raise ValueError(f"maxnreg is at least 16, got {self.maxnreg}")
        if self.numerics not in ("ieee", "triton"):
            raise ValueError(f"numerics is 'ieee' or 'triton', got {self.numerics!r}")
        if self.extern_libs is not None and not isinstance(self.extern_libs, (dict, tuple)):
            raise TypeError(f"extern_libs maps names of libraries to files, got {self.extern_libs!r}")
        if self.arch is not None and not isinstance(self.arch, str):
            raise TypeError(f"arch is text such as 'sm90', got {self.arch!r}")
        for name in (
            "debug",
            "check_nan",
            "deterministic",
            "launch_cooperative_grid",
            "launch_pdl",
            "enable_fp_fusion",
            "sanitize_overflow",
            "ping_pong",
            "single_wave",
        ):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} is True or False, got {getattr(self, name)!r}")

    @property
    def checks(self):
        """Whether the code checks where arrays end and whether integers overflow."""
        return self.debug and self.sanitize_overflow

    def request(self):
        """The options for the compiler, by name."""
        return {
            "num_warps": self.num_warps,
            "num_stages": self.num_stages,
            "num_ctas": self.num_ctas,
            "ping_pong": self.ping_pong,
            "single_wave": self.single_wave,
            "maxnreg": min(self.maxnreg or 0, 255),  # no thread can have more
            "debug": self.checks,
            "deterministic": self.deterministic,
            "cut_tf32": self.numerics == "triton",
            "fuse_mul_add": self.enable_fp_fusion,
        }

    def items(self):
        """Pairs of name and value."""
        return [(field.name, getattr(self, field.name)) for field in fields(self)]


OPTION_NAMES = tuple(field.name for field in fields(Options))
