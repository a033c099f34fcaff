import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels.gemm import reference

FLOATS = ("float32", "float16", "bfloat16")
SHAPES = [(1, 1, 1), (64, 64, 64), (128, 256, 96), (130, 67, 200), (16, 300, 33), (5, 513, 1000)]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_matmul(backend, rng, shape, dtype):
    M, N, K = shape
    a = backend.array(rng.standard_normal((M, K)), dtype)
    b = backend.array(rng.standard_normal((K, N)), dtype)
    out = backend.poisoned((M, N), dtype)
    kernels.matmul(a, b, out=out)
    backend.check(out, reference.matmul(backend.numpy(a), backend.numpy(b)), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("activation", ["none", "relu", "gelu", "gelu_tanh", "silu"])
def test_epilogue(backend, rng, dtype, activation):
    a = backend.array(rng.standard_normal((70, 40)) / 6, dtype)
    b = backend.array(rng.standard_normal((40, 90)), dtype)
    bias = backend.array(rng.standard_normal(90), dtype)
    expected = reference.matmul(*(backend.numpy(x) for x in (a, b, bias)), activation)
    backend.check(kernels.matmul(a, b, bias, activation), expected, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("layout", ["NT", "TN", "TT", "sliced"])
def test_strides(backend, rng, dtype, layout):
    a = backend.array(rng.standard_normal((100, 70)), dtype)
    b = backend.array(rng.standard_normal((70, 120)), dtype)
    if layout == "sliced":
        a, b = a[::2, 3:67], b[1:65, ::3]
    else:
        # The same values laid out the other way round.
        copy = (lambda x: x.T.contiguous().T) if backend.name == "cuda" else np.asfortranarray
        a = copy(a) if layout[0] == "T" else a
        b = copy(b) if layout[1] == "T" else b
    backend.check(kernels.matmul(a, b), reference.matmul(backend.numpy(a), backend.numpy(b)), dtype)


def test_tf32(backend, rng):
    a = backend.array(rng.standard_normal((64, 128)), "float32")
    b = backend.array(rng.standard_normal((128, 64)), "float32")
    expected = reference.matmul(backend.numpy(a), backend.numpy(b))
    backend.check(kernels.matmul(a, b, precision="tf32"), expected, "float32", factor=500)


def test_matmul_refuses(backend):
    a = backend.array(np.zeros((4, 5)), "float32")
    with pytest.raises(ValueError, match=r"expected shapes \(M, K\) and \(K, N\), got \(4, 5\) and \(4, 5\)"):
        kernels.matmul(a, a)
    with pytest.raises(ValueError, match="activation must be one of none, relu"):
        kernels.matmul(a, a.T, activation="tanh")
    with pytest.raises(TypeError, match=r"a is .*float32 of"):
        kernels.matmul(a, backend.array(np.zeros((5, 4)), "float16"))
