"""Parameters computed from the other arguments of a launch."""

from ..options import OPTION_NAMES
from ..runtime.lookups import call_with_names
from .launching import LaunchWrapper, check_kernel


class Heuristics(LaunchWrapper):
    """A kernel with parameters that are computed at each launch; made by `heuristics`."""

    def __init__(self, fn, values):
        super().__init__(fn)
        unknown = [name for name in values if name not in self.arg_names and name not in OPTION_NAMES]
        if unknown:
            raise ValueError(
                f"heuristics names {unknown[0]!r}, which is no parameter of {fn.__name__}() and no option"
            )
        self.values = values

    def _computed(self, args, kwargs):
        computed = dict(kwargs)
        for name, value in self.values.items():
            what = f"the heuristic for {name!r} of kernel {self.__name__}()"
            computed[name] = call_with_names(value, self.named(args, computed), what)
        return computed

    def _launch(self, grid, /, *args, **kwargs):
        return self.fn[grid](*args, **self._computed(args, kwargs))

    def warmup(self, *args, **kwargs):
        """Compile for the arguments of a launch without running it."""
        return self.fn.warmup(*args, **self._computed(args, kwargs))

    def compile_async(self, *args, **kwargs):
        """The same in another thread: gives a `concurrent.futures.Future`."""
        return self.fn.compile_async(*args, **self._computed(args, kwargs))


def check_heuristics(values):
    """Raise `TypeError` unless `values` is a dict of functions; gives it."""
    if not isinstance(values, dict):
        raise TypeError(f"heuristics takes a dict of functions by the names of parameters, got {values!r}")
    for name, value in values.items():
        if not callable(value):
            raise TypeError(f"heuristics has a function of the arguments for {name!r}, got {value!r}")
    return values


def heuristics(values):
    """Decorate a kernel so that parameters, and options such as `num_warps`, are computed from its arguments.

    `values` maps the names of parameters and options to functions of a dict with the arguments of the call by name,
    called in order; each sees the results of those before it.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> @tw.heuristics({"BLOCK": lambda args: tw.next_power_of_2(args["n"])})
        ... @tw.jit
        ... def scaled(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        ...     i = tl.arange(0, BLOCK)
        ...     tl.store(out_ptr + i, 3 * tl.load(x_ptr + i, mask=i < n), mask=i < n)
        ...
        >>> x, out = np.arange(5), np.zeros(5, int)
        >>> _ = scaled[1,](x, out, 5)
        >>> out
        array([ 0,  3,  6,  9, 12])
    """
    check_heuristics(values)

    def decorate(fn):
        check_kernel(fn, "heuristics")
        return Heuristics(fn, values)

    return decorate
