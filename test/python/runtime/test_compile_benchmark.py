"""The benchmark of compiling runs, where there is no GPU too."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tilewright

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parents[3]


def run(script, *arguments, cwd):
    """What a script of the benchmarks prints."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(tilewright.__file__).parents[1]),
        # An assembler is on some machines only.
        "TILEWRIGHT_ASSEMBLER": "driver",
    }
    command = [sys.executable, str(ROOT / "benchmarks" / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_compile_benchmark(tmp_path):
    shown = run("compile.py", "--processes", "1", "--out", "c.json", cwd=tmp_path)
    results = json.loads((tmp_path / "c.json").read_text())
    assert results["facts"]["target"] == "sm_90a"
    ours = results["seconds"]["tilewright"]
    assert ours["import"] > 0
    for name in results["kernels"]:
        row = ours[name]
        assert row["ptx"] > 1000 and row["disk"] > 0
        assert row["phases"]["PTX"] > 0 and row["phases"]["front end"] > 0
        assert name in shown
        assert name in (tmp_path / "c.html").read_text()


def test_phases_of_a_compilation_are_all_of_it(tmp_path):
    """Of each by itself: medians of several have different sums on a busy machine."""
    results = json.loads(run("compile_worker.py", "tilewright", "cold", "sm_90a", "1", cwd=tmp_path))
    del results["first"]
    for (row,) in results.values():
        assert sum(row["phases"].values()) == pytest.approx(row["seconds"], rel=1e-6)
        assert min(row["phases"].values()) >= 0
