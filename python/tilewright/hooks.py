"""Functions of the program that run before and after each launch.

    with tw.launch_hook(lambda launch: print(launch.kernel, launch.grid)):
        kernel[grid](x, out, n)

They see launches of compiled kernels, bound ones included, of every thread. They do not see launches in the interpreter
or by a graph.
"""

from dataclasses import dataclass, field

from . import _tilewright
from .devices import name_of
from .locks import Lock
from .runtime.naming import description
from .runtime.specializer import compile_hooks

_hooks = []
_lock = Lock()


@dataclass(frozen=True)
class Launch:
    """One launch, with the name of the `kernel`, the `compiled` kernel, the three dimensions of the `grid` and the
    `device` ("cpu", "cuda:0"). `stream` is the driver's handle, 0 for the default stream and on the CPU. `metadata` is
    the result of `launch_metadata` of the kernel's decorator, empty without one and for bound launches."""

    kernel: str
    compiled: object
    grid: tuple
    device: str
    stream: int
    metadata: dict = field(default_factory=dict)


class LaunchHook:
    """The result of `launch_hook`. `remove`, or the end of a `with` block, ends it."""

    def __init__(self, before, after):
        self.before, self.after = before, after

    def remove(self):
        """Do not call the functions any more."""
        with _lock:
            if self in _hooks:
                _hooks.remove(self)
            _install()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


class CompileHook:
    """The result of `compile_hook`. `remove`, or the end of a `with` block, ends it."""

    def __init__(self, before, after):
        self.before, self.after = before, after

    def remove(self):
        """Do not call the functions any more."""
        with _lock:
            if self in compile_hooks:
                compile_hooks.remove(self)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


def compile_hook(before=None, after=None):
    """Call `before` and `after` around each compilation for a call, a warm-up or `preload` from now on.

    They get a `Compilation`: `kernel`, `function`, `types`, `constants`, `divisors`, `options`, `device`,
    `is_warmup`, `begun` (of `time.perf_counter()`), and `specialization_data`, a string that `kernel.preload` takes in
    another process; for `after` also the `compiled` kernel. If `before` returns True nothing is compiled or
    launched, and the call returns None. Kernels found on disk count as compilations; kernels that the process already has
    do not. Raises
    `TypeError` for values that are not callable.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> seen = []
        >>> with tw.compile_hook(lambda made: seen.append(made.specialization_data)):
        ...     _ = twice.warmup(np.arange(5), np.zeros(5, int), 5, BLOCK=2)
        ...
        >>> twice.preload(seen[0]).name
        'twice'
    """
    for function in (before, after):
        if function is not None and not callable(function):
            raise TypeError(f"a compile hook is a function of a Compilation, got {function!r}")
    hook = CompileHook(before, after)
    with _lock:
        compile_hooks.append(hook)
    return hook


def launch_hook(before=None, after=None):
    """Call `before` and `after` around each launch from now on, with a `Launch`.

    An exception of `before` prevents the launch; `after` is not called for launches that failed. On a GPU the
    kernel is queued between the two, not done. Raises `TypeError` for values that are not callable.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> x, out = np.arange(5), np.zeros(5, int)
        >>> seen = []
        >>> with tw.launch_hook(lambda launch: seen.append((launch.kernel, launch.grid))):
        ...     _ = twice[(2,)](x, out, 5, BLOCK=4)
        ...
        >>> seen
        [('twice', (2, 1, 1))]
    """
    for function in (before, after):
        if function is not None and not callable(function):
            raise TypeError(f"a launch hook is a function of a Launch, got {function!r}")
    hook = LaunchHook(before, after)
    with _lock:
        _hooks.append(hook)
        _install()
    return hook


def _install():
    """Install the hooks in the dispatcher, or none, which is the fastest."""
    before = _caller([hook.before for hook in _hooks if hook.before])
    after = _caller([hook.after for hook in reversed(_hooks) if hook.after])
    _tilewright.set_launch_hooks(before, after)


def _caller(functions):
    if not functions:
        return None

    def call(compiled, grid, ordinal, stream):
        describe = description.get()
        metadata = describe(compiled, grid) if describe else {}
        launch = Launch(compiled.name, compiled, grid, name_of(ordinal), stream, metadata)
        for function in functions:
            function(launch)

    return call
