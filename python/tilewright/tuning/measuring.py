"""Compiling and timing the configurations of a kernel."""

import logging
import math
import sys

from ..errors import OutOfResources
from ..frontend.errors import CompilationError
from ..runtime.compiler import FIT_REGISTERS
from ..runtime.descriptor import TensorDescriptor

_log = logging.getLogger("tilewright.tuning")

#: A configuration that is this many times slower than the best after a few runs is dropped. A lower factor saves tuning
#: time, but may drop the best configuration.
_GIVE_UP = 1.5
#: Milliseconds of the few runs.
_GLANCE = 3

#: Errors of one configuration that do not stop the others.
REFUSALS = (CompilationError, OutOfResources, ValueError)


def first_line(error):
    """The message of an error, without its location."""
    return str(error).strip().partition("\n")[0]


def device_of(values):
    """("cuda", number) if an argument is on a GPU, else ("cpu", 0)."""
    numbers = (_gpu_of(value) for value in values)
    number = next((number for number in numbers if number is not None), None)
    return ("cpu", 0) if number is None else ("cuda", number)


def _gpu_of(value):
    """The number of the GPU that holds an argument, or None. Descriptors and tuples are where their arrays are."""
    if isinstance(value, TensorDescriptor):
        value = (value.base,)
    if isinstance(value, tuple):
        kind, number = device_of(value)
        return number if kind == "cuda" else None
    device = getattr(value, "device", None)
    if getattr(value, "is_cuda", False):
        return device.index
    if isinstance(device, str):  # ours: "cpu", "cuda:1"
        kind, _, number = device.partition(":")
        return int(number or 0) if kind == "cuda" else None
    if hasattr(value, "__cuda_array_interface__"):
        return getattr(device, "id", device if isinstance(device, int) else 0)
    return None


def compile_all(kernel, configs, args, kwargs):
    """Compile the kernel with each configuration, several at once. Gives the errors of those that cannot
    be, by configuration.

    Configurations that would spill heavily are among them, unless there are no others. They are detected before assembly,
    where they would take longest.
    """
    if len(configs) < 2:  # measuring says it all
        return {}
    token = FIT_REGISTERS.set(True)
    try:
        errors = _errors_of(kernel, configs, args, kwargs)
    finally:
        FIT_REGISTERS.reset(token)
    if len(errors) == len(configs):
        errors = _errors_of(kernel, configs, args, kwargs)
    for config, error in errors.items():
        _log.info("%s: %s is left out: %s", kernel.__name__, config, first_line(error))
    return errors


def _errors_of(kernel, configs, args, kwargs):
    futures = {config: kernel.compile_async(*args, **{**kwargs, **config.all_kwargs()}) for config in configs}
    errors = {config: future.exception() for config, future in futures.items()}
    for error in errors.values():
        if error is not None and not isinstance(error, REFUSALS):
            raise error
    return {config: error for config, error in errors.items() if error is not None}


def stand_ins(kernel, configs, grid, args, kwargs, named):
    """Maps each configuration to the first one that launches the same code over the same grid. The depth of a ring is
    limited by shared memory, so configurations that differ in `num_stages` are often one kernel. `named` are the
    arguments by name, and all configurations can be compiled."""
    first, alike = {}, {}
    for config in configs:
        alike.setdefault(_but_stages(config), []).append(config)
    for members in alike.values():
        launches = {}
        for config in members:
            launch = _launch(kernel, config, grid, args, kwargs, named) if len(members) > 1 else None
            first[config] = launches.setdefault(launch, config)
    return first


def _but_stages(config):
    """The values of a configuration without the number of stages."""
    return repr(sorted({**config.all_kwargs(), "num_stages": None}.items())), id(config.pre_hook)


def _launch(kernel, config, grid, args, kwargs, named):
    """The code that a launch with the configuration runs, and the grid, as text."""
    full = config.all_kwargs()
    try:
        dims = grid({**named, **full}) if callable(grid) else grid
    except Exception:  # of the user's, which the launch raises again
        return config
    compiled = kernel.compile_async(*args, **{**kwargs, **full}).result()
    stage = next(stage for stage in ("obj", "cubin", "ptx") if stage in compiled.asm)
    # The assembler's log tells how long it took.
    facts = {**compiled.metadata, "num_stages": None, "assembler_log": None}
    return repr((compiled.binary(stage), facts, dims))


def time_all(configs, time, show, glance):
    """The times of the configurations in milliseconds, by configuration.

    `time(config, rep)` measures for about `rep` milliseconds, or for its default time if None. Each configuration is
    first measured briefly, twice if it seems slow, since other work may have interfered. Only those near the best are
    measured in full. Without `glance` each is measured in full at once. `show` is called once for each.
    """
    glances = {}
    for config in configs:
        glances[config] = time(config, _GLANCE if glance else None)
        show()
    if not glance:
        return glances
    for config in _far_from_best(glances):
        glances[config] = min(glances[config], time(config, _GLANCE))
    slow = _far_from_best(glances)
    return {
        config: glances[config]
        if config in slow or not math.isfinite(glances[config])
        else time(config, None)
        for config in configs
    }


def _far_from_best(times):
    """The configurations that work and take much longer than the best."""
    best = min(times.values(), default=math.inf)
    return [config for config, time in times.items() if _GIVE_UP * best < time < math.inf]


class Progress:
    """A bar on a terminal; silent elsewhere."""

    def __init__(self, name, total):
        self.bar = None
        if total > 1 and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress as Bar

            self.bar = Bar(console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task(f"tuning {name}", total=total)

    def __enter__(self):
        if self.bar:
            self.bar.start()
        return self

    def __exit__(self, *_):
        if self.bar:
            self.bar.stop()

    def step(self):
        """One more is done."""
        if self.bar:
            self.bar.advance(self.task)
