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


def command_in(directory):
    """`tilewright(*arguments)`: the finished process of the command, run in a directory. `tilewright.python` runs
    Python there."""

    def python(*arguments, **environment):
        import tilewright

        package = os.path.dirname(os.path.dirname(tilewright.__file__))
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=directory,
            env={**os.environ, "PYTHONPATH": package, "COLUMNS": "100", **environment},
        )

    def command(*arguments, **environment):
        return python("-m", "tilewright", *arguments, **environment)

    command.python = python
    return command


@pytest.fixture
def tilewright(tmp_path):
    """The command, run in a new directory."""
    return command_in(tmp_path)


@pytest.fixture(scope="session")
def filled_cache(tmp_path_factory):
    """A disk cache, to be copied, that holds `add` for blocks of 32 and 64 without notes. The second is newer."""
    directory = tmp_path_factory.mktemp("filled")
    source, cache = directory / "kernels_of_a_user.py", directory / "cache"
    source.write_text(ADD)
    for i, block in enumerate((32, 64)):
        signature = f"*fp32, *fp32, *fp32, i32, {block}"
        options = ["--target", "cpu", "--signature", signature, "-o", "out"]
        done = command_in(directory)("compile", f"{source}:add", *options, TILEWRIGHT_CACHE_DIR=str(cache))
        assert done.returncode == 0, done.stderr
        for path in cache.iterdir():
            if b'"kind": "notes"' in path.read_bytes():
                path.unlink()
        for path in cache.iterdir():
            os.utime(path, ns=(0, path.stat().st_mtime_ns - 10**10 * (1 - i)))
    return cache
