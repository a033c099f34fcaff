"""Wrappers between a kernel and its launches."""

import functools
from functools import partial


def check_kernel(fn, what):
    """Raise `TypeError` where the decorator `what` is not on a kernel."""
    if not hasattr(fn, "arg_names"):
        raise TypeError(f"{what} decorates a kernel (decorated with @tilewright.jit), got {fn!r}")


class LaunchWrapper:
    """A kernel that is launched through another object: `wrapper[grid](*args, **kwargs)`.

    `fn` is a `JITFunction` or another wrapper. Derived classes add
    keyword arguments to a call in `_launch` and `_prepare`.
    """

    __iter__ = None  # `[...]` takes a grid: there are no elements

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn
        self.arg_names = fn.arg_names

    @property
    def kernel(self):
        """The `JITFunction` inside."""
        return getattr(self.fn, "kernel", self.fn)

    #: The same, by the name that existing code uses.
    base_fn = kernel

    def __getitem__(self, grid):
        """A callable that runs the kernel over `grid`."""
        return partial(self._launch, grid)

    def run(self, *args, grid, warmup=False, **kwargs):
        """Launch over `grid`, or with `warmup` only compile."""
        return self.warmup(*args, **kwargs) if warmup else self._launch(grid, *args, **kwargs)

    def named(self, args, kwargs):
        """The arguments of a call by name."""
        return {**dict(zip(self.arg_names, args)), **kwargs}

    def __reduce__(self):
        """Pickled, and copied, by name, as functions are."""
        return self.__qualname__

    def __repr__(self):
        return f"<{type(self).__name__} of {self.fn!r}>"
