"""The compile benchmark runs, also without a GPU."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tilewright

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parents[3]


def test_compile_benchmark(tmp_path):
    script = ROOT / "benchmarks" / "compile.py"
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(tilewright.__file__).parents[1]),
        # only some machines have an assembler
        "TILEWRIGHT_ASSEMBLER": "driver",
    }
    command = [sys.executable, str(script), "--processes", "1", "--out", "c.json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "c.json").read_text())
    assert results["facts"]["target"] == "sm_90a"
    ours = results["seconds"]["tilewright"]
    assert ours["import"] > 0
    for name in results["kernels"]:
        row = ours[name]
        assert row["ptx"] > 1000 and row["disk"] > 0
        assert row["phases"]["PTX"] > 0 and row["phases"]["front end"] > 0
        assert sum(row["phases"].values()) == pytest.approx(row["seconds"], rel=1e-6)
        assert name in done.stdout
        assert name in (tmp_path / "c.html").read_text()
