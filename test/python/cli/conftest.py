"""The command, run as a user runs it."""

import os
import subprocess
import sys

import pytest

ADD = """
import numpy as np
import tilewright as tw
import tilewright.language as tl


@tw.jit
def add(x, y, out, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@tw.jit
def wrong(x):
    tl.store(x, undefined)


def not_a_kernel():
    pass


def fails():
    int("none")


def refuses():
    raise ValueError("of the caller's own")
"""


@pytest.fixture
def source(tmp_path):
    """A file with the kernels `add` and `wrong`."""
    path = tmp_path / "kernels_of_a_user.py"
    path.write_text(ADD)
    return path


@pytest.fixture
def tilewright(tmp_path):
    """`tilewright(*arguments)`: the finished process of the command, run in a directory of its own; with
    `tilewright.python` that of Python."""

    def python(*arguments, **environment):
        import tilewright

        package = os.path.dirname(os.path.dirname(tilewright.__file__))
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": package, "COLUMNS": "100", **environment},
        )

    def command(*arguments, **environment):
        return python("-m", "tilewright", *arguments, **environment)

    command.python = python
    return command
