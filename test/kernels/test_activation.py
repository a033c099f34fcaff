import math

import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels.activation import reference

FLOATS = ("float32", "float16", "bfloat16")
SHAPES = [(1,), (257,), (4096,), (33, 65)]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(backend, rng, shape, dtype, approximate):
    x = backend.array(3 * rng.standard_normal(shape), dtype)
    out = backend.poisoned(shape, dtype)
    kernels.gelu(x, approximate, out=out)
    backend.check(out, reference.gelu(backend.numpy(x), approximate), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_silu(backend, rng, shape, dtype):
    x = backend.array(3 * rng.standard_normal(shape), dtype)
    out = backend.poisoned(shape, dtype)
    kernels.silu(x, out=out)
    backend.check(out, reference.silu(backend.numpy(x)), dtype)


def test_gelu_loses_no_digits(backend):
    """Neither around zero nor where the result is much smaller than its argument. NaN and infinities are exact."""
    x = np.concatenate([np.linspace(-5, 9, 4001), np.linspace(-1e-3, 1e-3, 64)]).astype(np.float32)
    expected = [0.5 * v * math.erfc(-v / math.sqrt(2)) for v in x.tolist()]
    np.testing.assert_allclose(backend.numpy(kernels.gelu(backend.array(x))), expected, rtol=1e-5)
    near = np.abs(x) < 1
    np.testing.assert_allclose(
        backend.numpy(kernels.gelu(backend.array(x[near]))), np.array(expected)[near], rtol=2e-6
    )
    ends = backend.numpy(
        kernels.gelu(backend.array(np.array([np.nan, np.inf, -np.inf, 3e38, -3e38], "float32")))
    )
    np.testing.assert_allclose(ends, [np.nan, np.inf, 0, 3e38, 0], rtol=1e-6, atol=1e-14)


@pytest.mark.parametrize("function", [kernels.gelu, kernels.silu])
def test_far_out(backend, function):
    """Large arguments neither overflow nor lose their sign."""
    x = backend.array(np.array([-100.0, -20.0, 0.0, 20.0, 100.0]), "float32")
    out = backend.numpy(function(x))
    np.testing.assert_allclose(out, [0, 0, 0, 20, 100], atol=1e-6)


def test_gelu_refuses(backend):
    with pytest.raises(ValueError, match="approximate must be 'none' or 'tanh', got 'erf'"):
        kernels.gelu(backend.array(np.zeros(4), "float32"), "erf")
