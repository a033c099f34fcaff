"""The benchmark of launches runs, here on the double of the driver."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tilewright

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parents[3]


def test_host_benchmark(double, tmp_path):
    script = ROOT / "benchmarks" / "host.py"
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(tilewright.__file__).parents[1]),
        "TILEWRIGHT_LIBCUDA": str(double("FakeCuda")),
    }
    command = [sys.executable, str(script), "--out", "host.json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "host.json").read_text())
    assert results["facts"]["device"] == "Fake H100"
    times = results["microseconds"]
    assert 0 < times["tilewright bound"] < times["tilewright kernel[grid](...)"]
    assert times["tilewright 4 descriptors, bound"] > 0
    assert "tilewright kernel[grid](...)" in done.stdout
    page = (tmp_path / "host.html").read_text()
    assert "Fake H100" in page and "tilewright 4 descriptors, bound" in page
