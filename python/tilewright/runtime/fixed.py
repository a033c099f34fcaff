"""Launches of one compiled kernel with any arguments, without compilation for their types."""

from . import backends


class _Loader:
    """Gives the C++ dispatcher the same kernel for all calls. `Specializer` compiles one for each kind of call."""

    def __init__(self, compiled):
        self.compiled = compiled

    def compile(self, values, specs, options, device, load):
        """See `Specializer.compile`."""
        loaded = self.load(self.compiled, options, device) if load else None
        written = set(self.compiled.written)
        return self.compiled, loaded, [name in written for name in self.compiled.src.fn.arg_names], False, ()

    def load(self, compiled, options, device):
        """The kernel, ready to launch on `device`. Raises `TypeError` where it was compiled for the other kind."""
        kind, ordinal = device
        if (kind == "cpu") != (compiled.target == "cpu"):
            raise TypeError(f"{compiled!r} cannot be launched with arrays of the {kind.upper()}")
        return backends.load(kind, compiled, ordinal, compiled.options)

    def reject_arguments(self, args, kwargs):
        """Raise the `TypeError` for a call whose arguments do not fit the parameters."""
        count = len(self.compiled.src.fn.params)
        raise TypeError(
            f"kernel {self.compiled.name}() takes {count} arguments, constants included, but {len(args)} were given"
        )

    @staticmethod
    def stream_handle(stream):
        """The driver's handle, an int, of a stream of ours, torch or CuPy."""
        from ..streams import handle_of

        return handle_of(stream, 0, "stream of a kernel")


def _dispatcher(compiled):
    from .. import _tilewright

    constants = compiled.constexprs
    rows = [
        # The values are not inspected: their properties were fixed when the kernel was compiled.
        (p.name, False, None, p.name in constants, False, False, compiled.arg_types.get(p.name) == "fp64")
        for p in compiled.src.fn.params
    ]
    return _tilewright.Dispatcher(compiled.name, rows, [("stream", None)], _Loader(compiled))


def runner_of(compiled):
    """The function `CompiledKernel.run`. Raises `TypeError` for a kernel that is not known to come of an `ASTSource`."""
    if compiled.src is None:
        raise TypeError(f"{compiled!r} has no run(): it was not made by triton.compile")
    if not all(p.name in compiled.arg_types or p.name in compiled.constexprs for p in compiled.src.fn.params):
        return _run_as_any(compiled)
    launcher = _dispatcher(compiled).launchers()
    floats = [
        position
        for position, p in enumerate(compiled.src.fn.params)
        if compiled.arg_types.get(p.name, "")[:2] in ("fp", "bf")
    ]

    def run(x, y, z, stream, function, metadata, launch_metadata, enter_hook, exit_hook, *args):
        if floats:
            args = list(args)
            for position in floats:
                args[position] = float(args[position])
        return launcher((x, y, z))(*args, stream=stream)

    return run


def _run_as_any(compiled):
    """For kernels with arguments that are several values: a launch as any, which finds this kernel or one like it."""

    def run(x, y, z, stream, function, metadata, launch_metadata, enter_hook, exit_hook, *args):
        return compiled[x, y, z](*args, stream=stream)

    return run
