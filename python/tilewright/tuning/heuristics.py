"""Parameters computed from the other arguments of a launch."""

from .launching import LaunchWrapper


class Heuristics(LaunchWrapper):
    """A kernel some of whose parameters are computed at each launch; made by `heuristics`."""

    def __init__(self, fn, values):
        super().__init__(fn)
        unknown = [name for name in values if name not in self.arg_names]
        if unknown:
            raise ValueError(f"heuristics names {unknown[0]!r}, which is no parameter of {fn.__name__}()")
        self.values = values

    def _computed(self, args, kwargs):
        computed = dict(kwargs)
        for name, value in self.values.items():
            computed[name] = value(self.named(args, computed))
        return computed

    def _launch(self, grid, /, *args, **kwargs):
        return self.fn[grid](*args, **self._computed(args, kwargs))

    def warmup(self, *args, **kwargs):
        """Compile for the arguments of a launch without running it."""
        return self.fn.warmup(*args, **self._computed(args, kwargs))


def heuristics(values):
    """Decorate a kernel so that parameters are computed from its arguments.

    `values` maps the names of parameters to functions of a dict with the arguments of the call by name,
    called in order; each sees what those before it gave.

    Example: `@tw.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})`.
    """

    def decorate(fn):
        return Heuristics(fn, values)

    return decorate
