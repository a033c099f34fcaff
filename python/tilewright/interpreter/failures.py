"""Errors of kernels that fail in the interpreter.

The compiler refuses most failing kernels too, with a location, a hint and the chain of calls. So the kernel is compiled,
and a compilation error at the failing line replaces the failure.
"""

import bdb
import os
import traceback

from ..frontend.compile import compile_to_tile
from ..frontend.errors import CompilationError
from ..language.errors import LanguageError
from ..language.tensor import tensor
from .memory import OutOfBounds

_OWN_FILES = os.path.dirname(os.path.dirname(__file__)) + os.sep
#: Errors of running kernels only.
_OF_RUNS = (AssertionError, OutOfBounds, bdb.BdbQuit)


def refusal(error, fn, leaves, trees, options):
    """The `CompilationError` of the kernel `fn` at the line where it failed with `error`, or None. `leaves` are the
    arguments and their parts by name, as the kernel sees them, and constants. `trees` are as for `compile_to_tile`."""
    if isinstance(error, (CompilationError, *_OF_RUNS)):
        return None
    reached = _lines_of(error)
    if not reached and not isinstance(error, LanguageError):
        return None
    types = {name: value.type for name, value in leaves.items() if isinstance(value, tensor)}
    constants = {name: value for name, value in leaves.items() if name not in types}
    try:
        compile_to_tile(fn, types, constants, options=options, trees=trees)
    except CompilationError as found:
        return found if not reached or (found.file, found.line) in reached else None
    return None


def _lines_of(error):
    """The lines of the kernel, and of functions that it calls, that were being run when `error` was raised."""
    lines = set()
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith(_OWN_FILES):
            last = getattr(frame, "end_lineno", None) or frame.lineno
            lines.update((frame.filename, line) for line in range(frame.lineno, last + 1))
    return lines
