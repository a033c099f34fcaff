"""Warm-ups that an executor compiles."""

from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pytest
import tilewright.compat

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

pytestmark = pytest.mark.compiled


@triton.jit
def fill_kernel(out_ptr, VALUE: tl.constexpr):
    tl.store(out_ptr, VALUE)


@pytest.fixture
def kernel():
    return triton.JITFunction(fill_kernel.fn)


class Later(Executor):
    """An executor that runs its work only on request."""

    def __init__(self):
        self.tasks = []

    def submit(self, function):
        future = Future()
        self.tasks.append((future, function))
        return future

    def run(self):
        for future, function in self.tasks:
            try:
                future.set_result(function())
            except Exception as error:
                future.set_exception(error)
        self.tasks = []


def test_equal_requests_are_compiled_once(backend, kernel):
    out, wide = backend.array([0], "int32"), backend.array([0.0], "float32")
    later = Later()
    with triton.AsyncCompileMode(later):
        asked = [kernel.warmup(array, value, grid=(1,)) for array in (out, wide) for value in (3, 4)]
        assert kernel.warmup(out, 3, grid=(1,)) is asked[0]
        assert len(later.tasks) == 4 and len(kernel.device_caches[0][0]) == 0
        later.run()
        assert len(kernel.device_caches[0][0]) == 4
        assert asked[0].result().name == "fill_kernel"
    kernel[1,](out, 4)
    assert backend.numpy(out).tolist() == [4] and len(kernel.device_caches[0][0]) == 4


def test_launches_alongside_the_executor(backend, kernel):
    out = backend.array(np.zeros(1), "int32")
    with ThreadPoolExecutor(2) as pool, triton.AsyncCompileMode(pool):
        for value in range(3):
            kernel.warmup(out, value, grid=(1,))
        kernel[1,](out, 2)
    assert backend.numpy(out).tolist() == [2]


def test_failures(backend, kernel):
    out = backend.array([0], "int32")
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(triton.CompilationError), triton.AsyncCompileMode(pool):
            kernel.warmup(out, "three", grid=(1,))
        with triton.AsyncCompileMode(pool, ignore_errors=True):
            assert kernel.warmup(out, "three", grid=(1,)).result(ignore_errors=True) is None
            with pytest.raises(RuntimeError, match="Another AsyncCompileMode is already active"):
                triton.AsyncCompileMode(pool).__enter__()
    assert kernel.warmup(out, 5, grid=(1,)).name == "fill_kernel"
