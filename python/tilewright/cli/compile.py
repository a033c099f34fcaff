"""`tilewright compile`: code for a signature, without a GPU."""

import argparse
import contextlib
import sys

from ..explain import format_times
from ..frontend.errors import CompilationError

_DESCRIPTION = """Compile kernels ahead of time: one kernel for one signature and target, or with --library a
library of functions for C, C++ and Python, for several of each.

Needs no GPU; a cubin needs an assembler of PTX: nvJitLink or ptxas."""
_EPILOG = """signature, one entry for each parameter of the kernel:
  *fp16, *i32      pointers; *fp16:16 if the address is a multiple of 16
  i32, i64, fp32   scalars; i32:16 for a multiple of 16 (:8 of 8), i32:1 for the int 1
  64, True, None   constants, for tl.constexpr parameters and others
  tensordesc<fp16[128, BK]>   descriptors, with the shape of their blocks; :16 if address, strides and last size are
                   multiples of 16
element types:
  i1 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64 fp8e4nv fp8e5

examples:
  tilewright compile add.py:add --target sm_90a --emit ptx -o out \\
    --signature "*fp32:16, *fp32:16, *fp32:16, i32, 1024"
  tilewright compile add.py:add --library vectors --target cpu --target sm_80 --target sm_90a -o out \\
    --signature "*fp32:16, *fp32:16, *fp32:16, i32" --grid "cdiv(n, BLOCK)" \\
    --variant "BLOCK=1024, num_warps=8 if n >= 65536" --variant "BLOCK=128"
  tilewright compile exports.py --library vectors --target cpu -o out
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
    parser.add_argument(
        "kernel", metavar="FILE.py[:KERNEL]", help="the kernel; without a name, what the file exports"
    )
    parser.add_argument(
        "--target",
        action="append",
        required=True,
        help="cpu, cpu:x86-64-v3, sm_80, sm_90a, ...; may be repeated with --library",
    )
    parser.add_argument(
        "--signature",
        action="append",
        help='e.g. "*fp16:16, i32, 64"; see below; may be repeated with --library, as NAME="..." for functions '
        "of other types",
    )
    _add_library_arguments(parser)
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


def _add_library_arguments(parser):
    group = parser.add_argument_group("libraries")
    group.add_argument("--library", metavar="NAME", help="make NAME.h, NAME.c, NAME.twlib and NAME_cpu.a")
    group.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="TEXT",
        help='constants and options, "BLOCK=128, num_warps=8 if n > 4096"; may be repeated: a call uses the '
        "first whose condition holds",
    )
    group.add_argument("--grid", default="", metavar="TEXT", help='"cdiv(n, BLOCK)"; else callers give it')
    group.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="NAME",
        help="one more argument, a 64-bit integer, for the grid and the conditions alone; may be repeated",
    )
    group.add_argument(
        "--no-fallback",
        action="store_true",
        help="do not compile for arguments that no signature fits; such calls are errors",
    )
    group.add_argument(
        "--image",
        action="append",
        choices=("cubin", "ptx"),
        help="what of GPU kernels the library holds; may be repeated (default: cubin)",
    )


def execute(arguments):
    """Compile and write; gives the exit status."""
    from .. import aot

    if arguments.library:
        return _execute_library(arguments)
    if len(arguments.target) > 1 or not arguments.signature or len(arguments.signature) > 1:
        return _fail("without --library, give one --target and one --signature")
    (target,), (signature,) = arguments.target, arguments.signature
    # Standard output is for the result. Output of files and kernels goes to standard error.
    printed = contextlib.redirect_stdout(sys.stderr)
    try:
        with printed:
            kernel = aot.load_kernel(arguments.kernel)
    except aot.KernelNotFound as error:  # other errors are those of the file: they keep their traceback
        return _fail(error)
    stages = arguments.emit or [aot.default_stage(target)]
    try:
        with printed:
            compiled = aot.compile(
                kernel, signature, target, stages, report=arguments.time, **_options(arguments)
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


def _options(arguments):
    options = {"num_warps": arguments.num_warps, "num_stages": arguments.num_stages}
    return options | ({"debug": True} if arguments.debug else {})


def _execute_library(arguments):
    """Compile a library and write its files; gives the exit status."""
    from .. import aot

    if arguments.emit or arguments.time or arguments.output == "-":
        return _fail("--emit, --time and -o - are for single kernels; leave them out with --library")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            exports = _exports(arguments)
    except aot.KernelNotFound as error:
        return _fail(error)
    except aot.ExportError as error:
        return _fail(error)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            library = aot.compile_library(
                arguments.library, exports, arguments.target, arguments.image or ("cubin",)
            )
        for path in aot.write_library(library, arguments.output):
            print(path)
    except (CompilationError, OSError, ValueError, aot.NoAssembler) as error:
        return _fail(error)
    return 0


def _exports(arguments):
    """The exports of the file, or an export for each function that the command line describes."""
    from .. import aot

    if not arguments.signature:
        exports = aot.exports_of(aot.load_module(arguments.kernel))
        if not exports:
            raise aot.ExportError(
                f"{arguments.kernel} exports nothing: call tilewright.aot.export there, or name a kernel and "
                "give its --signature"
            )
        return exports
    kernel = aot.load_kernel(arguments.kernel)
    variants = [aot.Variant.parse(text, **_options(arguments)) for text in arguments.variant or [""]]
    functions = {}
    for text in arguments.signature:
        name, equals, signature = text.partition("=")
        named = equals and name.strip().isidentifier()
        functions.setdefault(name.strip() if named else kernel.__name__, []).append(
            signature if named else text
        )
    return [
        aot.Export(
            kernel,
            name,
            tuple(signatures),
            tuple(variants),
            arguments.grid,
            not arguments.no_fallback,
            tuple(arguments.size),
        )
        for name, signatures in functions.items()
    ]


def _fail(error):
    print(f"tilewright compile: {error}", file=sys.stderr)
    return 1
