"""Arrays of JAX, which are computed later and may not be written."""

import os

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs

# JAX would take most of the memory that other tests need.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
jax = needs("jax")
pytestmark = pytest.mark.compiled


@tw.jit
def double(out, x, n, BLOCK: tl.constexpr = 256):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * 2, i < n)


@pytest.fixture
def device(backend):
    """JAX's device for the back end."""
    try:
        return jax.devices("gpu" if backend.name == "cuda" else "cpu")[0]
    except RuntimeError:
        pytest.skip("JAX has no such device here")


@pytest.fixture
def run(device):
    """`run(x)`: the result of `double` on an array of JAX, as an array of Tilewright."""

    def run(x):
        out = tw.empty(x.shape, np.float32, "cuda" if device.platform == "gpu" else "cpu")
        double[tw.cdiv(x.size, 256)](out, x, x.size)
        return out

    return run


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "bfloat16", "float8_e4m3fn", "int8", "uint16", "bool"]
)
def test_dtypes(device, run, dtype):
    x = jax.device_put((jax.numpy.arange(1000) % 16).astype(dtype), device)
    expected = 2 * np.asarray(x).astype(np.float32) if dtype != "int8" else np.asarray(x) * np.int8(2)
    np.testing.assert_array_equal(run(x).to_numpy(), expected)


def test_values_that_are_still_computed(device, run):
    x = jax.device_put(np.full((1500, 1500), 1 / 1500, np.float32), device)

    @jax.jit
    def work(x):
        return (x @ x @ x @ x).reshape(-1)[:1000]

    work(x).block_until_ready()
    np.testing.assert_allclose(run(work(x + x)).to_numpy(), 32 / 1500, rtol=1e-3)


def test_results_go_back(device, run):
    x = jax.device_put(np.arange(1000, dtype=np.float32), device)
    out = run(x)
    tw.cuda.synchronize() if device.platform == "gpu" else None
    np.testing.assert_array_equal(np.asarray(jax.dlpack.from_dlpack(out) + x), 3 * np.arange(1000))


def test_writing_is_refused(device):
    x = jax.device_put(np.arange(1000, dtype=np.float32), device)
    with pytest.raises(
        ValueError, match=r"argument 'out' of kernel double.* is read-only, and the kernel writes"
    ):
        double[4](x, x, 1000)
    assert x[5] == 5
