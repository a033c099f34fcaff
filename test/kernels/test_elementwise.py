import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels.elementwise import reference

FLOATS = ("float32", "float16", "bfloat16")


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1,), (127,), (2048,), (3, 1001), (5, 7, 33)])
def test_add(backend, rng, shape, dtype):
    x, y = (backend.array(rng.standard_normal(shape), dtype) for _ in range(2))
    out = backend.poisoned(shape, dtype)
    assert kernels.add(x, y, out=out) is out
    backend.check(out, reference.add(backend.numpy(x), backend.numpy(y)), dtype)


def test_add_integers(backend, rng):
    x, y = (backend.array(rng.integers(-(2**31), 2**31, 1000), "int32") for _ in range(2))
    with np.errstate(over="ignore"):
        expected = backend.numpy(x) + backend.numpy(y)
    np.testing.assert_array_equal(backend.numpy(kernels.add(x, y)), expected)


def test_add_of_strided(backend, rng):
    x = backend.array(rng.standard_normal((64, 48)), "float32")
    y = backend.array(rng.standard_normal((48, 64)), "float32")
    backend.check(kernels.add(x.T, y), reference.add(backend.numpy(x).T, backend.numpy(y)), "float32")


def test_add_of_nothing(backend):
    x = backend.array(np.zeros((0, 4)), "float32")
    assert kernels.add(x, x).shape == (0, 4)


def test_add_refuses(backend):
    x = backend.array(np.zeros(4), "float32")
    with pytest.raises(ValueError, match=r"y has shape \(5,\), expected \(4,\)"):
        kernels.add(x, backend.array(np.zeros(5), "float32"))
    with pytest.raises(TypeError, match="y is float16, expected float32, the type of x"):
        kernels.add(x, backend.array(np.zeros(4), "float16"))
    with pytest.raises(TypeError, match="x is of type list, expected an array of numpy, torch or cupy"):
        kernels.add([1.0], [2.0])
