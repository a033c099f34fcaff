"""Libraries for the tests, from Python and as a C program uses them."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tilewright import aot

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared")


@pytest.fixture(scope="session")
def c_compiler():
    """The name of a C compiler."""
    found = next(filter(shutil.which, ("cc", "gcc", "clang", "clang-22")), None)
    return found or pytest.skip("no C compiler on this machine")


@pytest.fixture(scope="session")
def cc(c_compiler):
    """`cc(output, *inputs)`: a shared library of C sources and archives."""

    def compile_(output, *inputs):
        command = [c_compiler, *STRICT, "-o", str(output), *map(str, inputs), "-lm", "-ldl", "-lpthread"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return output

    return compile_


@pytest.fixture
def make(tmp_path, cc):
    """`make(exports, targets)`: a library and its directory, with NAME.so of its C files in it."""

    def make_(exports, targets, images=("ptx",), name="made"):
        library = aot.compile_library(name, exports, targets, images)
        paths = aot.write_library(library, tmp_path)
        inputs = [path for path in paths if path.suffix in (".c", ".a")]
        cc(tmp_path / f"{name}.so", *inputs)
        return library, tmp_path

    return make_


@pytest.fixture
def c_library(make):
    """`c_library(exports, targets)`: the loaded shared library; its functions take ctypes values."""

    def make_(exports, targets=("cpu",), **options):
        _, directory = make(exports, targets, **options)
        loaded = ctypes.CDLL(str(directory / "made.so"))
        loaded.made_error.restype = ctypes.c_char_p
        return loaded

    return make_


@pytest.fixture(scope="session")
def fake_cuda(tmp_path_factory, cc):
    """The path of a test double of the driver."""
    return cc(tmp_path_factory.mktemp("driver") / "libfake.so", HERE / "fake_cuda.c")


@pytest.fixture
def on_fake_gpu(make, fake_cuda):
    """`on_fake_gpu(exports, script)`: the output of a Python script that finds `made` (the library), `fake`, and
    `show(status)`, run in a new process with the test double as driver."""
    prologue = """
import ctypes
from ctypes import *
made, fake = CDLL({made!r}), CDLL({fake!r})
made.made_error.restype = fake.fake_log.restype = c_char_p
fake.fake_set_context.argtypes = [c_void_p]
def show(status):
    print(status, made.made_error().decode() if status else "ok")
    print(fake.fake_log().decode(), end="")
    fake.fake_clear()
"""

    def run(exports, script, targets=("sm_80", "sm_90a"), images=("ptx",), **environment):
        _, directory = make(exports, targets, images)
        text = prologue.format(made=str(directory / "made.so"), fake=str(fake_cuda)) + script
        done = subprocess.run(
            [sys.executable, "-c", text],
            capture_output=True,
            text=True,
            env={**os.environ, "TILEWRIGHT_LIBCUDA": str(fake_cuda), **environment},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
