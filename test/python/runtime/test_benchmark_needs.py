"""Benchmarks report a missing requirement in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tilewright
from optional_packages import needs

pytestmark = pytest.mark.once

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


def run(script, *options, **environment):
    paths = [str(Path(tilewright.__file__).parents[1]), environment.pop("PYTHONPATH", "")]
    environment = {**os.environ, **environment, "PYTHONPATH": os.pathsep.join(filter(None, reversed(paths)))}
    command = [sys.executable, str(BENCHMARKS / script), *options]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@pytest.mark.parametrize(
    "script",
    [
        "gemm.py",
        "gemm_check.py",
        "gemm_sweep.py",
        "gemm_triton.py",
        "layers.py",
        "published.py",
        "tutorials.py",
    ],
)
def test_without_torch(tmp_path, script):
    missing = "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')"
    (tmp_path / "torch.py").write_text(missing)
    done = run(script, PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == "this benchmark compares with PyTorch, which is not installed: pip install torch\n"


@pytest.mark.parametrize("script", ["gemm.py", "host.py"])
def test_without_a_device(script):
    needs("torch")
    done = run(script, TILEWRIGHT_LIBCUDA="/nowhere/libcuda.so")
    assert (done.returncode, done.stderr) == (
        1,
        "this benchmark needs a CUDA device, and there is none here\n",
    )


def test_with_a_pytorch_for_the_cpu(double, tmp_path):
    (tmp_path / "torch.py").write_text("from types import SimpleNamespace as cuda\n__version__ = '2.0+cpu'\n")
    with open(tmp_path / "torch.py", "a") as file:
        file.write("cuda = cuda(is_available=lambda: False)\n")
    code = "import needs; needs.torch_gpu()"
    paths = [str(tmp_path), str(Path(tilewright.__file__).parents[1]), str(BENCHMARKS)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "TILEWRIGHT_LIBCUDA": str(double("FakeCuda")),
    }
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (
        1,
        "this benchmark needs PyTorch with CUDA, and 2.0+cpu is without\n",
    )
