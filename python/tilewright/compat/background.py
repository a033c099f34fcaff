"""`triton.AsyncCompileMode`: warm-ups that only ask an executor to compile."""

from concurrent.futures import wait
from contextvars import ContextVar

#: The mode that warm-ups go to, in this context.
active_mode = ContextVar("tilewright_async_compile_mode", default=None)


class FutureKernel:
    """What a warm-up gives inside an `AsyncCompileMode`."""

    def __init__(self, future):
        self.future = future

    def result(self, ignore_errors=False):
        """The `CompiledKernel`, once it is there. Raises what compiling raised; with `ignore_errors` gives None then."""
        if ignore_errors and self.future.exception() is not None:
            return None
        return self.future.result()


class AsyncCompileMode:
    """In a `with` of it, `kernel.warmup(...)` gives the compilation to `executor`, an `Executor` of `concurrent.futures`,
    once for equal requests. The end of the `with` waits for all, and raises what one of them raised unless
    `ignore_errors`. A launch needs none of this: it compiles what is not there yet."""

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
    """What tells requests apart: types and places of arrays, the values of everything else."""
    named = sorted(kwargs.items(), key=lambda item: item[0])
    return id(kernel), tuple(map(_described, args)), tuple((name, _described(value)) for name, value in named)


def _described(value):
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        address = value.data_ptr() if hasattr(value, "data_ptr") else 0
        return str(value.dtype), str(getattr(value, "device", "")), address % 16
    return type(value), repr(value)
