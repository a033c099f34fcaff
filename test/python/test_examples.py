"""Every example runs, as a reader would run it."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.compiled

SAYS = {"matmul.py": "matmul True", "stages.py": "tile.func @scale", "vector_add.py": "cpu True"}
#: Those that only a GPU, or the interpreter, runs.
INTERPRETED = {"warp_attention.py": "warp_attention True", "warp_gemm.py": "warp_gemm True"}


def test_every_example_is_known():
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == {*SAYS, *INTERPRETED}


def run_example(name, **variables):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), **variables}
    command = [sys.executable, ROOT / "examples" / name]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    assert "False" not in run.stdout
    return run.stdout


@pytest.mark.parametrize("name", SAYS)
def test_example(name):
    assert SAYS[name] in run_example(name)


@pytest.mark.parametrize("name", INTERPRETED)
def test_interpreted_example(name):
    assert INTERPRETED[name] in run_example(name, TILEWRIGHT_INTERPRET="1")
    said = run_example(name)
    assert INTERPRETED[name] in said or "needs a Hopper GPU" in said


def test_the_tutorial_is_short():
    """Kernel and driver, as a reader counts lines."""
    lines = (ROOT / "examples" / "warp_gemm.py").read_text().splitlines()
    assert len(lines) < 80


def test_cpp_program(tmp_path):
    """Kernels compiled ahead of time, checked by a program without Python."""
    if not shutil.which("cmake"):
        pytest.skip("no CMake on this machine")
    compilers = {} if shutil.which("cc") else {"CC": "clang-22", "CXX": "clang++-22"}
    environment = {**os.environ, **compilers, "PYTHON": sys.executable}
    command = [ROOT / "examples" / "aot_cpp" / "run.sh", "cpu", tmp_path / "build"]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    results = [line.split()[-1] for line in run.stdout.splitlines()]
    assert results == ["ok"] * 7, run.stdout
