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


@pytest.mark.parametrize("function", [kernels.gelu, kernels.silu])
def test_far_out(backend, function):
    """Large arguments neither overflow nor lose their sign."""
    x = backend.array(np.array([-100.0, -20.0, 0.0, 20.0, 100.0]), "float32")
    out = backend.numpy(function(x))
    np.testing.assert_allclose(out, [0, 0, 0, 20, 100], atol=1e-6)


def test_gelu_refuses(backend):
    with pytest.raises(ValueError, match="approximate must be 'none' or 'tanh', got 'erf'"):
        kernels.gelu(backend.array(np.zeros(4), "float32"), "erf")
