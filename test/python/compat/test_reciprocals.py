"""Approximate division follows IEEE for zeros and infinities."""

import numpy as np
import pytest
import tilewright.compat

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def reciprocals_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, 1.0 / tl.sqrt(x * x))
    tl.store(out_ptr + N + i, 3.0 / tl.sqrt(x + x))
    tl.store(out_ptr + 2 * N + i, 1.0 / (x + x))
    tl.store(out_ptr + 3 * N + i, tl.rsqrt(x + x))


@pytest.mark.parametrize("n", [1, 4, 8, 16, 64])
def test_of_zeros_and_infinities(backend, n):
    x = np.resize(np.array([0.0, np.inf, 4.0, 2.0], np.float32), n)
    out = backend.poisoned((4, n), "float32")
    reciprocals_kernel[1,](backend.array(x), out, n)
    with np.errstate(divide="ignore"):
        expected = [1 / x, 3 / np.sqrt(2 * x), 0.5 / x, 1 / np.sqrt(2 * x)]
    np.testing.assert_allclose(backend.numpy(out), expected, rtol=1e-5)
