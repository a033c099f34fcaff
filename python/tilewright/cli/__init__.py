"""The command `tilewright`."""

import argparse
import os
import sys
import traceback

from . import cache, compile, explain, info, run, tune

_DESCRIPTION = "Compile and run kernels written in Tilewright."
_EPILOG = """examples:
  tilewright info
  tilewright run script.py --size 1024
  tilewright explain script.py:kernel
  tilewright compile kernels.py:add --target sm_90a --emit ptx \\
    --signature "*fp32:16, *fp32:16, *fp32:16, i32, 1024"
"""


def parser():
    """The parser of the whole command."""
    main = argparse.ArgumentParser(
        "tilewright",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    main.add_argument("--version", action="store_true", help="print the version and exit")
    commands = main.add_subparsers(dest="command", metavar="COMMAND")
    for module in (compile, explain, run, tune, cache, info):
        module.add_parser(commands)
    return main


def main(argv=None):
    """Run the command with `argv` (without the program's name); gives the exit status."""
    arguments = parser().parse_args(argv)
    if arguments.version:
        from .._tilewright import __version__

        print(f"tilewright {__version__}")
        return 0
    if not arguments.command:
        parser().print_help()
        return 2
    try:
        status = arguments.execute(arguments) or 0
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of our output had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if not _show_error_of_file(error):
            raise
        return 1


def _show_error_of_file(error):
    """Print the traceback of an error of the user's file, from that file on. False if it is none: no file was imported
    or run when it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    frozen = [frame.filename.startswith("<frozen ") for frame in frames]  # of importlib and runpy
    if True not in frozen:
        return False
    first = frozen.index(True)
    count = next((i for i, other in enumerate(frozen[first:]) if not other), len(frames))
    lines = traceback.format_list(frames[first + count :])
    head = ["Traceback (most recent call last):\n"] if lines else []
    print(*head, *lines, *traceback.format_exception_only(error), sep="", end="", file=sys.stderr)
    return True
