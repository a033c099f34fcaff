"""`triton.knobs.runtime`: hooks around compilations and launches, with the arguments that Triton calls them with."""

import contextlib
from collections import namedtuple

from ..hooks import compile_hook, launch_hook
from .settings import RUNTIME, Group

_Function = namedtuple("JitFunctionInfo", ("module", "name", "jit_function"))


def _data(compilation):
    """The specialisation as text, None where it has constants that cannot be written down."""
    try:
        return compilation.specialization_data
    except TypeError:
        return None


def _arguments(compilation):
    """What a hook of Triton is called with for a `Compilation`."""
    options = dict(compilation.options.items())
    types = ", ".join(f"{name}: {type_}" for name, type_ in compilation.types.items())
    described = ", ".join(f"{name}={value}" for name, value in options.items())
    kernel = compilation.function
    data = _data(compilation)
    compiled = {
        "key": compilation.key,
        "signature": compilation.types,
        "device": 0 if compilation.device == "cpu" else int(compilation.device.partition(":")[2]),
        "constants": compilation.constants,
        "configs": [compilation.divisors],
        "extern_libs": tuple(dict(options["extern_libs"] or ()).items()),
        "specialization_data": data,
        "is_warmup": compilation.is_warmup,
        **{
            name: options[name]
            for name in ("num_warps", "num_ctas", "num_stages", "launch_cooperative_grid", "enable_fp_fusion")
        },
    }
    return {
        "key": compilation.key,
        "repr": f"{kernel.__qualname__}[{described}]({types})",
        "fn": _Function(kernel.__module__, kernel.__qualname__, kernel),
        "compile": compiled,
        "is_manual_warmup": compilation.is_warmup,
        "already_compiled": False,
    }


class LaunchMetadata:
    """What a hook around a launch gets: `get()` is a dict of the "name" of the kernel, the "stream" and what the function
    `launch_metadata` of the kernel's decorator gave."""

    def __init__(self, launch):
        self._launch = launch

    def get(self):
        """The dict."""
        return {"name": self._launch.kernel, "stream": self._launch.stream, **self._launch.metadata}


class HookChain:
    """Functions that are called with the `LaunchMetadata` before, or after, each launch."""

    def __init__(self, when):
        self._when, self._installed = when, {}

    def add(self, function):
        """Call `function` from now on; once, however often it is added."""
        if function not in self._installed:
            self._installed[function] = launch_hook(
                **{self._when: lambda launch: function(LaunchMetadata(launch))}
            )

    def remove(self, function):
        """Do not call `function` any more."""
        if function in self._installed:
            self._installed.pop(function).remove()


class Runtime(Group):
    """`interpret` and `debug` are settings. `launch_enter_hook` and `launch_exit_hook` have functions that are called
    around launches. `jit_cache_hook` is called before each compilation, and gives True where there should be none;
    `jit_post_compile_hook` after it. None: no such hook."""

    settings = RUNTIME

    def __init__(self):
        self._hooks = {}
        self.launch_enter_hook, self.launch_exit_hook = HookChain("before"), HookChain("after")

    def __setattr__(self, name, value):
        if name in self.settings:
            return super().__setattr__(name, value)
        return object.__setattr__(self, name, value)

    @contextlib.contextmanager
    def scope(self):
        """As that of `Group`; the hooks around compilations are part of what is set."""
        before = self.jit_cache_hook, self.jit_post_compile_hook
        with super().scope():
            try:
                yield
            finally:
                self.jit_cache_hook, self.jit_post_compile_hook = before

    def reset(self):
        """As that of `Group`, and no hooks around compilations."""
        self.jit_cache_hook = self.jit_post_compile_hook = None
        return super().reset()

    def _set(self, when, function):
        known = self._hooks.pop(when, None)
        if known is not None:
            known[1].remove()
        if function is not None:
            installed = compile_hook(**{when: lambda compilation: function(**_arguments(compilation))})
            self._hooks[when] = function, installed

    def _get(self, when):
        return self._hooks.get(when, (None,))[0]

    jit_cache_hook = property(
        lambda self: self._get("before"), lambda self, function: self._set("before", function)
    )
    jit_post_compile_hook = property(
        lambda self: self._get("after"), lambda self, function: self._set("after", function)
    )


runtime = Runtime()


class Nvidia:
    """`libdevice_path` may be set, and is not needed: functions are Tilewright's own."""

    libdevice_path = None


nvidia = Nvidia()
