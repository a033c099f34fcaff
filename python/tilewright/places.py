"""Where the code of the user's stands that calls us."""

import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)
#: The warnings so far.
_shown = {}


def users_place():
    """File and line of the innermost function that runs and is none of ours."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def warn(message, place=None):
    """Warn, once at each place, at a file and line: that of the innermost function of the user's, unless given."""
    warnings.warn_explicit(message, UserWarning, *(place or users_place()), registry=_shown)
