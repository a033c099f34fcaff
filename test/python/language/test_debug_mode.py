"""Kernels compiled with `debug`: their checks pass where they should, also in functions that kernels call."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

pytestmark = pytest.mark.compiled


@tw.jit
def checked_sum(x, limit):
    tl.device_assert(x < limit, "too large")
    return x + limit


@tw.jit
def kernel(out_ptr, limit, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, checked_sum(i, limit))


def test_checks_that_hold(backend):
    out = backend.array(np.zeros(16, np.int32))
    kernel[1,](out, 16, N=16, debug=True)
    np.testing.assert_array_equal(backend.numpy(out), np.arange(16, 32))


@tw.jit
def loops_kernel(out_ptr, last, N: tl.constexpr):
    count = 0
    for i in range(last, last - 4, -1):
        count += i - last
    for i in range(last - 4, last):
        if i == last - 1:
            break
        count += 10
    tl.store(out_ptr, count + tl.sum(tl.arange(0, N)))


def test_checks_leave_the_compilers_own_arithmetic_alone(backend):
    out = backend.array(np.zeros(1, np.int32))
    loops_kernel[1,](out, 2**31 - 1, N=8, debug=True)
    assert backend.numpy(out).tolist() == [-6 + 30 + 28]


@pytest.mark.parametrize("limit, message", [(7, "too large"), (2**31 - 4, r"int32 overflow in \+")])
def test_checks_that_fail(backend, limit, message):
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    out = backend.array(np.zeros(16, np.int32))
    kernel[1,](out, limit, N=16)  # without checks
    with pytest.raises(tw.KernelAssertError, match=message):
        kernel[1,](out, limit, N=16, debug=True)
