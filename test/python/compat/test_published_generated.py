"""Code in the style of compilers that generate Triton, and PyTorch's helper functions for it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tilewright
from optional_packages import needs

from .published import generated as kernels


def test_reduction(backend, rng):
    x, index = rng.standard_normal((6, 50)), rng.integers(-10, 10, 6)
    total, most = (backend.poisoned((6,), "float32") for _ in range(2))
    kernels.reduction_kernel[(2,)](
        backend.array(x, "float32"), backend.array(index, "int64"), total, most, 6, 50, XBLOCK=4, RBLOCK=16
    )
    backend.check(total, x.sum(1), "float32", 4)
    backend.check(most, x.max(1) + index % 10, "float32")


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_smoothed_loss(backend, rng, smoothing):
    x, labels = rng.standard_normal((5, 70)), rng.integers(0, 70, 5)
    labels[2] = -100
    logits, loss = backend.array(x, "float32"), backend.array(np.zeros(5), "float32")
    kernels.smoothed_loss_kernel[(5,)](
        logits, backend.array(labels, "int64"), loss, 70, -100, 32, label_smoothing=smoothing
    )
    log_p = x - np.log(np.exp(x).sum(1, keepdims=True))
    expected = -(1 - smoothing) * log_p[np.arange(5), np.maximum(labels, 0)] - smoothing * log_p.mean(1)
    backend.check(loss, np.where(labels == -100, 0, expected), "float32", 4)
    assert (backend.numpy(logits)[2] == 0).all()


@pytest.mark.parametrize("lengths", [None, (10, 16)])
def test_chunk_sum(backend, rng, lengths):
    heads, dim, chunk = 2, 32, 16
    batch, length = (2, 16) if lengths is None else (1, sum(lengths))
    x = rng.standard_normal((batch, length, heads, dim))
    out = backend.poisoned(x.shape, "float32")
    starts = None if lengths is None else backend.array(np.cumsum([0, *lengths]), "int64")
    chunks = None if lengths is None else backend.array([[0, 0], [1, 0]], "int32")
    grid = (dim // 16, 1 if lengths is None else 2, batch * heads)
    kernels.chunk_sum_kernel[grid](
        backend.array(x, "float32"), out, starts, chunks, length, H=heads, D=dim, BT=chunk, BD=16
    )
    parts = np.split(x, [] if lengths is None else [lengths[0]], axis=1)
    expected = np.concatenate([part.cumsum(1) for part in parts], axis=1)
    backend.check(out, expected + x[..., :1], "float32", 4)


HELPERS = """
import tilewright.compat
tilewright.compat.install()
import numpy as np, triton, triton.language as tl
from torch._inductor.runtime import triton_helpers as helpers


@triton.jit
def kernel(x_ptr, out_ptr, N: tl.constexpr):
    index = tl.arange(0, N)[:]
    x = tl.load(x_ptr + index, None)
    most = helpers.promote_to_tensor(helpers.max2(x[None, :], 1))
    total = helpers.promote_to_tensor(tl.sum(x, 0))
    value, position = helpers.max_with_index(x[None, :], index[None, :], 1)
    tl.store(out_ptr + index, helpers.minimum(x, helpers.maximum(most, total)))
    tl.store(out_ptr + N + tl.arange(0, 1), position.to(tl.float32) + 0 * value)


x = np.random.default_rng(0).standard_normal(16).astype(np.float32)
out = np.full(17, np.nan, np.float32)
kernel[(1,)](x, out, 16)
np.testing.assert_array_equal(out, [*x, x.argmax()])
"""


def test_helpers_of_pytorch(tmp_path):
    """Runs in a new process: PyTorch caches its choice of Triton."""
    needs("torch")
    program = tmp_path / "helpers.py"
    program.write_text(HELPERS)
    environment = {**os.environ, "PYTHONPATH": str(Path(tilewright.__file__).parents[1])}
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.compiled
def test_warmup_with_dtypes():
    torch = needs("torch")
    compiled = kernels.reduction_kernel.warmup(
        torch.float32, torch.int64, torch.float32, torch.float32, 6, 50, XBLOCK=4, RBLOCK=16, grid=(2,)
    )
    assert compiled.metadata.num_warps == 4
