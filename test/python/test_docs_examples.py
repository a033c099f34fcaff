"""Examples of the docs, run in an empty directory as a reader would run them."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def blocks():
    """`blocks(page)`: the Python code of a page of the docs."""
    return lambda page: re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "docs" / page).read_text(), re.MULTILINE | re.DOTALL
    )


@pytest.fixture
def run(tmp_path):
    """`run(*command)`: the output of the interpreter with these arguments in the directory."""

    def run(*command):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        done = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, env=environment, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.compiled
def test_file_of_exports(blocks, run, tmp_path):
    shutil.copy(ROOT / "examples" / "matmul.py", tmp_path)
    (tmp_path / "exports.py").write_text(blocks("ahead-of-time.md")[0])
    command = ("compile", "exports.py", "--library", "mine", "--target", "cpu", "--target", "sm_90a")
    assert "mine.twlib" in run("-m", "tilewright", *command, "--image", "ptx")
    script = """
import numpy as np, tilewright as tw
a, b, c = np.ones((64, 32), np.float16), np.ones((32, 128), np.float16), np.zeros((64, 128), np.float16)
tw.load("mine.twlib").matmul_f16(a, b, c, 64, 128, 32)
print((c == 32).all())
"""
    assert run("-c", script) == "True\n"


@pytest.mark.compiled
def test_tuned_kernel(blocks, run, tmp_path):
    prelude = "import numpy as np, tilewright as tw, tilewright.language as tl\nn = 5000\nx = np.ones(n, np.float32)\n"
    script = tmp_path / "tuned.py"
    script.write_text(
        prelude + blocks("autotuning.md")[0] + "print((x == 2).all(), scale.best_config.num_warps)\n"
    )
    assert run(script) in ("True 4\n", "True 8\n")
