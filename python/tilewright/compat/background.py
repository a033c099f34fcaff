"""`triton.AsyncCompileMode`: warm-ups that only ask an executor to compile."""

from concurrent.futures import wait
from contextvars import ContextVar

#: The mode that warm-ups go to, in this context.
active_mode = ContextVar("tilewright_async_compile_mode", default=None)


class FutureKernel:
    """The result of a warm-up inside an `AsyncCompileMode`."""

    def __init__(self, future):
        self.future = future

    def result(self, ignore_errors=False):
        """Waits for the `CompiledKernel`. Raises the error of the compilation, or returns None with `ignore_errors`."""
        if ignore_errors and self.future.exception() is not None:
            return None
        return self.future.result()


class AsyncCompileMode:
    """In a `with` of it, `kernel.warmup(...)` submits the compilation to `executor`, an `Executor` of
    `concurrent.futures`, once for equal requests. The end of the `with` waits for all, and raises their first error
    unless `ignore_errors`. A launch does not depend on it: it compiles missing kernels."""

    def __init__(self, executor, *, ignore_errors=False):
        self.executor, self.ignore_errors = executor, ignore_errors
        self.future_kernels, self._token = {}, None

    def submit(self, key, compile):
        """The `FutureKernel` of the function `compile`, the one that is known by `key` if there is one."""
        if key not in self.future_kernels:
            self.future_kernels[key] = FutureKernel(self.executor.submit(compile))
        return self.future_kernels[key]

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("Another AsyncCompileMode is already active")
        self._token = active_mode.set(self)
        return self

    def __exit__(self, *exception):
        active_mode.reset(self._token)
        kernels = list(self.future_kernels.values())
        wait([kernel.future for kernel in kernels])
        for kernel in kernels:
            kernel.result(self.ignore_errors)


def request_key(kernel, args, kwargs):
    """The identity of a request: types and addresses of arrays, and the values of all other arguments."""
    named = sorted(kwargs.items(), key=lambda item: item[0])
    return id(kernel), tuple(map(_described, args)), tuple((name, _described(value)) for name, value in named)


def _described(value):
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        address = value.data_ptr() if hasattr(value, "data_ptr") else 0
        return str(value.dtype), str(getattr(value, "device", "")), address % 16
    return type(value), repr(value)
