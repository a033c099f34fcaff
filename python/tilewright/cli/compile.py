"""`tilewright compile`: code for a signature, without a GPU."""

import argparse
import sys

from ..explain import format_times
from ..frontend.errors import CompilationError

_DESCRIPTION = """Compile one kernel for one signature and target.

Needs no GPU; a cubin needs an assembler of PTX: nvJitLink or ptxas."""
_EPILOG = """signature, one entry for each parameter of the kernel:
  *fp16, *i32      pointers; *fp16:16 if the address is a multiple of 16
  i32, i64, fp32   scalars; i32:16 for a multiple of 16, i32:1 for the int 1
  64, True, None   constants, for tl.constexpr parameters and others
element types:
  i1 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64 fp8e4nv fp8e5

example:
  tilewright compile add.py:add --target sm_90a --emit ptx -o out \\
    --signature "*fp32:16, *fp32:16, *fp32:16, i32, 1024"
"""


def add_parser(commands):
    """Add the command to the parsers `commands`."""
    parser = commands.add_parser(
        "compile",
        help="compile a kernel ahead of time",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kernel", metavar="FILE.py:KERNEL", help="the kernel")
    parser.add_argument("--target", required=True, help="cpu, sm_80, sm_90a, ...")
    parser.add_argument("--signature", required=True, help='e.g. "*fp16:16, i32, 64"; see below')
    parser.add_argument(
        "--emit",
        action="append",
        metavar="STAGE",
        help="tile, warp, llvm, ptx, cubin or obj; may be repeated (default: cubin, for the CPU obj)",
    )
    parser.add_argument(
        "-o", "--output", metavar="DIR", default=".", help="where to write ('-': standard output)"
    )
    parser.add_argument("--num-warps", type=int, default=4, help="warps of a program (default: %(default)s)")
    parser.add_argument(
        "--num-stages", type=int, default=3, help="depth of software pipelining (default: %(default)s)"
    )
    parser.add_argument("--debug", action="store_true", help="compile the checks in")
    parser.add_argument(
        "--time",
        action="store_true",
        help="compile anew and print to standard error how long each pass, code generation and the assembler took",
    )
    parser.set_defaults(execute=execute)


def execute(arguments):
    """Compile and write; gives the exit status."""
    from .. import aot

    try:
        kernel = aot.load_kernel(arguments.kernel)
    except aot.KernelNotFound as error:  # other errors are those of the file: they keep their traceback
        return _fail(error)
    stages = arguments.emit or [aot.default_stage(arguments.target)]
    options = {name: getattr(arguments, name) for name in ("num_warps", "num_stages", "debug")}
    try:
        compiled = aot.compile(
            kernel, arguments.signature, arguments.target, stages, report=arguments.time, **options
        )
        if arguments.time:
            print(format_times(compiled.report["times"]), file=sys.stderr)
        if arguments.output == "-":
            for stage in stages:
                sys.stdout.buffer.write(compiled.binary(stage))
            sys.stdout.flush()
            return 0
        for path in aot.write(compiled, stages, arguments.output):
            print(path)
    except (CompilationError, OSError, ValueError, aot.NoAssembler) as error:
        return _fail(error)
    return 0


def _fail(error):
    print(f"tilewright compile: {error}", file=sys.stderr)
    return 1
