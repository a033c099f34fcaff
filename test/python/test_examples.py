"""Every example runs, as a reader would run it."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.compiled

SAYS = {"vector_add.py": "cpu True", "stages.py": "tile.func @scale"}


def test_every_example_is_known():
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_example(name):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, ROOT / "examples" / name]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    assert SAYS[name] in run.stdout
    assert "False" not in run.stdout
