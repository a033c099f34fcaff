"""The devices that kernels run on: how code is chosen for one and loaded on it."""

#: User hooks: functions `before` (of the compiled kernel) and `after` (of it and the loaded kernel).
load_hooks = []


def starts_early(compiled, options):
    """Whether a compiled kernel may be launched before the earlier ones on its stream are done.

    A kernel that never waits for them itself starts after them, as without `launch_pdl`.
    """
    return options.launch_pdl and compiled.metadata.get("waits_for_launches", False)


class CpuBackend:
    """This machine's processor."""

    name = "cpu"

    def target(self, ordinal):
        """The target."""
        return "cpu"

    def load(self, compiled, ordinal, options):
        """Link the object file into this process.

        Any grid works as a cooperative one: while a program waits for another, others run.
        """
        from .. import _tilewright

        order = compiled.metadata.get("program_order", "any")
        return _tilewright.LoadedKernel.host(compiled.binary("obj"), compiled.name, order)


class CudaBackend:
    """NVIDIA GPUs."""

    name = "cuda"

    def target(self, ordinal):
        """The target: see `devices.target_of`."""
        from ..devices import target_of

        return target_of(ordinal)

    def load(self, compiled, ordinal, options):
        """Load the kernel on the device; PTX that nothing has assembled is assembled by the driver."""
        from .. import _tilewright

        image = compiled.binary("cubin") if "cubin" in compiled.asm else compiled.binary("ptx") + b"\0"
        return _tilewright.LoadedKernel.cuda(
            ordinal,
            image,
            compiled.name,
            compiled.metadata["num_threads"],
            compiled.shared,
            cluster=(compiled.metadata.get("cluster", 1), 1, 1),
            recipe=compiled.metadata.get("launch_recipe", []),
            cooperative=options.launch_cooperative_grid,
            dependent=starts_early(compiled, options),
        )


_BACKENDS = {backend.name: backend for backend in (CpuBackend(), CudaBackend())}


def load(kind, compiled, ordinal, options):
    """The compiled kernel, ready to launch on a device of the kind."""
    hooks = tuple(load_hooks)
    for hook in hooks:
        hook.before(compiled)
    loaded = backend_for(kind).load(compiled, ordinal, options)
    for hook in hooks:
        hook.after(compiled, loaded)
    return loaded


def backend_for(kind):
    """The back end of a kind of device, "cpu" or "cuda"."""
    return _BACKENDS[kind]
