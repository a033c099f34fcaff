"""Packages that some tests need: missing ones skip these tests, but not where the environment installs them."""

import importlib
import os
import re
from functools import cache
from pathlib import Path

import pytest

_REQUIREMENTS = Path(__file__).resolve().parents[1] / "packaging" / "pip.txt"


def needs(name):
    """The module `name`. Skips the test or the file that calls this where it is missing.

    In continuous integration (`CI` is set) a missing package of `packaging/pip.txt` is a failure instead.
    """
    if _is_ci() and name.partition(".")[0] in _installed():
        return importlib.import_module(name)
    return pytest.importorskip(name)


def _is_ci():
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


@cache
def _installed():
    """The names in `packaging/pip.txt`, spelled as modules."""
    names = re.findall(r"^[\w-]+", _REQUIREMENTS.read_text(), re.MULTILINE)
    return {name.replace("-", "_") for name in names}
