import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels.norm import reference

FLOATS = ("float32", "float16", "bfloat16")
SHAPES = [(1, 1), (7, 100), (2, 3, 781), (4, 4096)]


def operands(backend, rng, shape, dtype):
    x = backend.array(2 * rng.standard_normal(shape) + 3, dtype)
    weight = backend.array(rng.standard_normal(shape[-1]), dtype)
    bias = backend.array(rng.standard_normal(shape[-1]), dtype)
    return x, weight, bias


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("affine", [True, False])
def test_layer_norm(backend, rng, shape, dtype, affine):
    x, weight, bias = operands(backend, rng, shape, dtype)
    out = backend.poisoned(shape, dtype)
    extra = (weight, bias) if affine else (None, None)
    kernels.layer_norm(x, *extra, out=out)
    arrays = [None if v is None else backend.numpy(v) for v in (x, *extra)]
    backend.check(out, reference.layer_norm(*arrays), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_rms_norm(backend, rng, shape, dtype):
    x, weight, _ = operands(backend, rng, shape, dtype)
    out = backend.poisoned(shape, dtype)
    kernels.rms_norm(x, weight, out=out)
    backend.check(out, reference.rms_norm(backend.numpy(x), backend.numpy(weight)), dtype)


@pytest.mark.parametrize("n", [16385, 20000])
def test_long_rows(backend, rng, n):
    x, weight, bias = operands(backend, rng, (2, n), "float32")
    arrays = [backend.numpy(v) for v in (x, weight, bias)]
    backend.check(kernels.layer_norm(x, weight, bias), reference.layer_norm(*arrays), "float32")
    backend.check(kernels.rms_norm(x, weight), reference.rms_norm(*arrays[:2]), "float32")


def test_norm_refuses(backend):
    x = backend.array(np.zeros((2, 8)), "float32")
    with pytest.raises(ValueError, match=r"weight has shape \(7,\), expected \(8,\)"):
        kernels.layer_norm(x, backend.array(np.zeros(7), "float32"))
    with pytest.raises(ValueError, match="bias must be contiguous, its stride is 2"):
        kernels.layer_norm(x, None, backend.array(np.zeros(16), "float32")[::2])
