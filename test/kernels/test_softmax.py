import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels.softmax import reference


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(1, 1), (7, 100), (3, 1024), (2, 3, 781), (5, 8192)])
def test_softmax(backend, rng, shape, dtype):
    x = backend.array(4 * rng.standard_normal(shape), dtype)
    out = backend.poisoned(shape, dtype)
    kernels.softmax(x, out=out)
    backend.check(out, reference.softmax(backend.numpy(x)), dtype)


@pytest.mark.parametrize("n", [16385, 20000, 40960])
def test_long_rows(backend, rng, n):
    x = backend.array(4 * rng.standard_normal((2, n)), "float32")
    out = backend.poisoned((2, n), "float32")
    kernels.softmax(x, out=out)
    backend.check(out, reference.softmax(backend.numpy(x)), "float32")


@pytest.mark.parametrize("n", [100, 20000])
def test_infinities(backend, rng, n):
    x = rng.standard_normal((3, n))
    x[0, : n // 2] = -np.inf
    x[1, 1:] = -np.inf
    x = backend.array(x, "float32")
    backend.check(kernels.softmax(x), reference.softmax(backend.numpy(x)), "float32")


def test_rows_of_a_wider_array(backend, rng):
    x = backend.array(rng.standard_normal((9, 300)), "float32")[:, 10:267]
    backend.check(kernels.softmax(x), reference.softmax(backend.numpy(x)), "float32")
