"""Randomly malformed kernels never end the process; each gets an error at one of its lines."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from malformed_kernels import source

pytestmark = pytest.mark.compiled
ROOT = Path(__file__).resolve().parents[3]
SEEDS = int(os.environ.get("TILEWRIGHT_TEST_MALFORMED", "300"))


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_malformed_kernels_get_an_error(tmp_path, target):
    program = Path(__file__).with_name("malformed_kernels.py")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "TILEWRIGHT_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, program, tmp_path, "0", str(SEEDS), target]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60 + SEEDS)
    last = int(re.findall(r"^seed (\d+)$", run.stdout, re.MULTILINE)[-1])
    assert run.stdout.endswith("done\n"), f"seed {last} ended the process:\n{source(last)[0]}\n{run.stderr}"
    problem = re.search(r"^problem with seed (\d+):.*", run.stdout, re.MULTILINE | re.DOTALL)
    assert not problem, f"{source(int(problem[1]))[0]}\n{problem[0]}"
