"""`tilewright explain`: the result of compiling a kernel, and the reasons."""

import argparse
import ast
import contextlib
import dataclasses
import json
import sys
import traceback
from pathlib import Path

from ..frontend.errors import CompilationError

_DESCRIPTION = """Compile a kernel and say what became of it: its source with what passes did to each line,
and what they did not do and why; registers, spills, shared memory, occupancy, roles of warps, advice of the
assembler, and how long its compilation took.

Needs no GPU; registers need an assembler of PTX: nvJitLink or ptxas."""
_EPILOG = """What the kernel is compiled for is either a signature, as `tilewright compile` takes it, or a call:
a function without parameters, run once, that calls the kernel. Without either it is main() of the file.

examples:
  tilewright explain add.py:add --signature "*fp32:16, *fp32:16, *fp32:16, i32, 1024"
  tilewright explain examples/vector_add.py:add_kernel
  tilewright explain attention.py:attention_kernel --call test.py:run_once --json
"""


def add_parser(commands):
    """Add the command to the parsers `commands`."""
    parser = commands.add_parser(
        "explain",
        help="show what the compiler made of a kernel, and why",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kernel", metavar="FILE.py:KERNEL", help="the kernel")
    arguments = parser.add_mutually_exclusive_group()
    arguments.add_argument("--signature", help='e.g. "*fp16:16, i32, 64"; see tilewright compile --help')
    arguments.add_argument(
        "--call", metavar="[FILE.py:]FUNCTION", help="the function that calls the kernel (default: main)"
    )
    parser.add_argument(
        "--constant",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a constant instead of the call's; may be repeated",
    )
    parser.add_argument("--target", default="sm_90a", help="cpu, sm_80, ... (default: %(default)s)")
    parser.add_argument("--num-warps", type=int, help="warps of a program (default: 4, or the call's)")
    parser.add_argument("--num-stages", type=int, help="depth of pipelines (default: 3, or the call's)")
    parser.add_argument(
        "--num-ctas", type=int, help="programs of a cluster at most (default: 1, or the call's)"
    )
    parser.add_argument(
        "--ping-pong",
        action=argparse.BooleanOptionalAction,
        help="whether two warpgroups alternate on tiles (default: no, or as in the call)",
    )
    parser.add_argument(
        "--single-wave",
        action=argparse.BooleanOptionalAction,
        help="whether each program has a multiprocessor to itself (default: no, or as in the call)",
    )
    parser.add_argument("--html", metavar="FILE", help="write a page that shows all stages in adjacent panes")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(execute=execute)


def _constants(entries, known):
    """The constants that entries "NAME=VALUE" give; `known` are those that there are."""
    constants = {}
    for entry in entries:
        name, _, text = entry.partition("=")
        if name not in known:
            there = ", ".join(known) or "none"
            raise ValueError(f"the call has no constant {name!r}; it has {there}")
        try:
            constants[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            raise ValueError(f"a constant is given as NAME=VALUE, got {entry!r}") from None
    return constants


def _request(kernel, arguments):
    """The arguments of `explain` after the kernel."""
    from .. import aot
    from ..aot.compile import options_of
    from ..explain import NoCall, record_call

    names = ("num_warps", "num_stages", "num_ctas", "ping_pong", "single_wave")
    given = {name: getattr(arguments, name) for name in names}
    given = {name: value for name, value in given.items() if value is not None}
    if arguments.signature is not None:
        if arguments.constant:
            raise ValueError("--constant is for a call; a signature has the constants in it")
        types, constants, divisors, trees = aot.parse_signature(arguments.signature, kernel.params)
        return types, constants, divisors, arguments.target, options_of(kernel, given), trees
    file, _, name = (arguments.call or "main").rpartition(":")
    function = aot.load_function(f"{file or arguments.kernel.rpartition(':')[0]}:{name}")
    try:
        call = record_call(kernel, function)
    except (CompilationError, NoCall):
        raise
    except Exception as error:
        raise NoCall(_failure_of(function, error)) from error
    options = dataclasses.replace(call.options, **given)
    constants = call.constants | _constants(arguments.constant, call.constants)
    return call.types, constants, call.divisors, arguments.target, options, call.trees


def _failure_of(function, error):
    """The error of a call of the user's function, with its location in the file."""
    file = function.__code__.co_filename
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    location = f"\n  at {file}:{lines[-1].lineno}\n      {lines[-1].line}" if lines else ""
    return f"{function.__name__}() failed: {type(error).__name__}: {error}{location}"


def execute(arguments):
    """Explain; gives the exit status."""
    from .. import aot
    from ..explain import NoCall, explain, format_html, format_text

    # Standard output is for the result. Output of files and kernels goes to standard error.
    printed = contextlib.redirect_stdout(sys.stderr)
    try:
        with printed:
            kernel = aot.load_kernel(arguments.kernel)
    except aot.KernelNotFound as error:
        return _fail(error)
    try:
        with printed:
            explanation = explain(kernel, *_request(kernel, arguments))
    except (CompilationError, ValueError, NoCall, aot.KernelNotFound) as error:
        return _fail(error)
    if arguments.html:
        try:
            Path(arguments.html).write_text(format_html(explanation), encoding="utf-8")
        except OSError as error:
            return _fail(error)
        print(arguments.html)
    elif arguments.json:
        json.dump(explanation.to_dict(), sys.stdout, indent=2)
        print()
    else:
        print(format_text(explanation))
    return 0


def _fail(error):
    print(f"tilewright explain: {error}", file=sys.stderr)
    return 1
