"""Copies of operands with unaligned rows."""

import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels._arrays import address, strides
from tilewright.kernels.gemm import operands, reference
from tilewright.kernels.gemm.rows import with_aligned_rows

DTYPES = ("float32", "float16", "int8", "float8_e4m3fn")


def cut(x):
    """Returns matrices with gaps that do not start at the first element of the array."""
    return x[..., 1:, 3:]


VIEWS = [
    ((33, 45), lambda x: x),
    ((2, 70, 131), cut),
    ((2, 3, 9, 130), lambda x: x[:, ::2]),
    ((64, 101), lambda x: x.swapaxes(-1, -2)),
    ((1, 1), lambda x: x),
    ((5, 1), lambda x: x),
]


@pytest.mark.parametrize("axis", [None, -1, -2])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "view"), VIEWS, ids=lambda x: str(x) if isinstance(x, tuple) else "")
def test_copies(backend, rng, shape, view, dtype, axis):
    x = view(backend.array(rng.integers(-100, 100, shape), dtype))
    y = with_aligned_rows(x, axis)
    np.testing.assert_array_equal(backend.numpy(y), backend.numpy(x))
    unit = -1 if strides(y)[-1] == 1 else -2
    assert strides(y)[unit] == 1 or x.shape[unit] == 1
    assert axis is None or x.shape[axis] == 1 or strides(y)[axis] == 1
    others = [step * x.dtype.itemsize for i, step in enumerate(strides(y)) if i - y.ndim != unit]
    assert address(y) % 16 == 0 and all(step % 16 == 0 for step in others)


def test_aligned_matrices_are_not_copied(backend, rng):
    x = backend.array(rng.standard_normal((6, 64, 40)), "float16")
    assert with_aligned_rows(x) is x
    transposed = x.swapaxes(-1, -2)
    assert address(with_aligned_rows(transposed)) == address(x)
    assert address(with_aligned_rows(transposed, -1)) != address(x)


@pytest.mark.parametrize("dtype", ["float16", "float8_e4m3fn"])
def test_matmuls_of_copies(backend, rng, dtype, monkeypatch):
    monkeypatch.setattr(operands, "COPY_FROM", 0)
    monkeypatch.setattr(operands, "on_gpu", lambda x: True)
    for M, N, K in ((70, 45, 131), (5, 33, 64)):
        a = backend.array(rng.integers(-8, 8, (M, K)), dtype)
        b = backend.array(rng.integers(-8, 8, (K, N)), dtype)
        expected = reference.matmul(backend.numpy(a), backend.numpy(b))
        for _ in range(2):  # as it is, and repeated
            out = backend.poisoned((M, N), "float32")
            kernels.matmul(a, b, out=out)
            backend.check(out, expected, "float32")
