"""The examples of docs/gemm.md, run as a reader would."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.compiled


def test_examples_run(tmp_path):
    page = (ROOT / "docs" / "gemm.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    script = tmp_path / "examples.py"
    script.write_text("\n".join(blocks))
    subprocess.run(
        [sys.executable, script], check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")}
    )
