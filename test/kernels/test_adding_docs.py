"""The example of docs/adding-a-kernel.md, run as a reader would."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.compiled, pytest.mark.once]


def test_example_runs(tmp_path):
    page = (ROOT / "docs" / "adding-a-kernel.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    script = tmp_path / "example.py"
    script.write_text("\n".join(blocks))
    run = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
    )
    assert run.returncode == 0, run.stderr
    printed = re.findall(r"^# (.*)$", blocks[2], re.MULTILINE)
    assert len(printed) == 3 and run.stdout.splitlines()[-3:] == printed
