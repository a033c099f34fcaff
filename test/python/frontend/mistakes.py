"""Kernels that must fail, with the expected messages."""

import re
import sys

import pytest
from tilewright.frontend import CompilationError


class Mistakes(list):
    """The mistakes of one test file, as parameters of a test that calls `check_mistake`."""

    names = "fn, signature, constants, message, hint, caret"

    def add(self, signature, message, hint=None, caret=None, **constants):
        """A decorator: the kernel must fail at its line marked `# !` with a message (and a hint) that match;
        `caret` is the text underlined.
        """

        def register(fn):
            self.append(pytest.param(fn, signature.split(), constants, message, hint, caret, id=fn.__name__))
            return fn

        return register


def check_mistake(tile, fn, signature, constants, message, hint, caret, is_marked=True):
    """Compiles the kernel and checks the error; `is_marked` tells whether its line is marked."""
    file = sys.modules[fn.__module__].__file__
    with pytest.raises(CompilationError) as caught:
        tile(fn, *signature, **constants)
    error = caught.value
    assert re.search(message, error.message), error
    frame = error.frames[0]
    assert frame.file == file
    if is_marked:
        assert "# !" in frame.text, error
    if hint:
        assert error.hint and re.search(hint, error.hint), error
    if caret:
        assert frame.text[frame.column - 1 : frame.column - 1 + frame.width] == caret, error
    shown = str(error)
    assert f"{file}:{frame.line}" in shown and "^" in shown
    assert "site-packages" not in shown and "tilewright/frontend" not in shown
