"""The README's example, run as a reader would run it."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def test_readme_example(tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    example = tmp_path / "example.py"
    example.write_text("\n".join(blocks))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    run = subprocess.run(
        [sys.executable, example], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    error, matmul = re.fullmatch(r"largest error: (\S+)\nmatmul: (\w+)\n", run.stdout).groups()
    assert float(error) < 1e-6
    assert matmul == "True"
