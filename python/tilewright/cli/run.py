"""`tilewright run`: a script, with the switches that one wants while working on kernels."""

import argparse
import os
import runpy
import sys
from pathlib import Path

from .. import knobs
from ..frontend.errors import CompilationError

_DESCRIPTION = (
    "Run a Python script that uses kernels. Errors in a kernel are shown at the line of the kernel, "
    "without the traceback through the compiler."
)


def add_parser(commands):
    """Add the command to the parsers `commands`."""
    parser = commands.add_parser("run", help="run a script", description=_DESCRIPTION)
    parser.add_argument("--interpret", action="store_true", help="run kernels in the interpreter (pdb works)")
    parser.add_argument("--debug", action="store_true", help="compile the checks into kernels")
    parser.add_argument("--always-compile", action="store_true", help="do not read the disk cache")
    parser.add_argument("file", metavar="FILE.py", help="the script")
    parser.add_argument("args", nargs=argparse.REMAINDER, metavar="ARG", help="its arguments")
    parser.set_defaults(execute=execute)


def execute(arguments):
    """Run the script as `__main__`; gives the exit status."""
    switches = (
        (knobs.INTERPRET, arguments.interpret),
        (knobs.DEBUG, arguments.debug),
        (knobs.ALWAYS_COMPILE, arguments.always_compile),
    )
    for knob, wanted in switches:
        if wanted:
            os.environ[knob.name] = "1"
    if not Path(arguments.file).is_file():
        print(f"tilewright run: no file {arguments.file}", file=sys.stderr)
        return 1
    sys.argv = [arguments.file, *arguments.args]
    sys.path.insert(0, str(Path(arguments.file).resolve().parent))
    try:
        runpy.run_path(arguments.file, run_name="__main__")
    except CompilationError as error:
        print(f"tilewright run: {error}", file=sys.stderr)
        return 1
    return 0
