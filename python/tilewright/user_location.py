"""The location of the user's code that calls the package."""

import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)
#: The warnings so far.
_shown = {}


def user_location():
    """File and line of the innermost running function outside of the package."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def warn(message, location=None):
    """Warns once for each location, a file and a line. The default is `user_location()`."""
    warnings.warn_explicit(message, UserWarning, *(location or user_location()), registry=_shown)
