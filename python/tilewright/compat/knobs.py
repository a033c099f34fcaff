"""`triton.knobs.runtime`: hooks around compilations, loading and launches, with the arguments that Triton calls them
with."""

import contextlib
from collections import namedtuple

from ..hooks import compile_hook, launch_hook
from ..runtime import backends
from .settings import RUNTIME, Group

_Function = namedtuple("JitFunctionInfo", ("module", "name", "jit_function"))


def _data(compilation):
    """The specialisation as text, None where it has constants that cannot be written down."""
    try:
        return compilation.specialization_data
    except TypeError:
        return None


def _arguments(compilation):
    """The arguments of Triton's hooks for a `Compilation`."""
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
    """The argument of a launch hook. `get()` returns a dict of the "name" of the kernel, the "stream" and the entries of
    `launch_metadata` of the kernel's decorator."""

    def __init__(self, launch):
        self._launch = launch

    def get(self):
        """The dict."""
        return {"name": self._launch.kernel, "stream": self._launch.stream, **self._launch.metadata}


class HookChain:
    """Functions, `calls`, that are called in their order, or from the last to the first where `reversed`."""

    def __init__(self, reversed=False):
        self.calls, self.reversed = [], reversed

    def add(self, function):
        """Call `function` from now on; once, however often it is added."""
        if function not in self.calls:
            self.calls.append(function)

    def remove(self, function):
        """Do not call `function` any more."""
        if function in self.calls:
            self.calls.remove(function)

    def __call__(self, *args, **kwargs):
        for call in self.calls[:: -1 if self.reversed else 1]:
            call(*args, **kwargs)


class _Watched(HookChain):
    """A chain that reports when it becomes non-empty or empty, so that unused hooks cost nothing."""

    def __init__(self, changed, reversed=False):
        super().__init__(reversed)
        self._changed = changed

    def add(self, function):
        super().add(function)
        self._changed()

    def remove(self, function):
        super().remove(function)
        self._changed()


class _LoadHook:
    """The hook that calls the functions around loading a kernel."""

    def __init__(self, before, after):
        self.before, self.after = before, after
        backends.load_hooks.append(self)

    def remove(self):
        """Do not call them any more."""
        backends.load_hooks.remove(self)


def _around_launches(when, call):
    return launch_hook(**{when: lambda launch: call(LaunchMetadata(launch))})


def _around_loading(when, call):
    def tell(compiled, loaded=None):
        call(loaded, loaded, compiled.name, {}, compiled.hash)

    nothing = lambda *_: None  # noqa: E731
    return _LoadHook(tell, nothing) if when == "before" else _LoadHook(nothing, tell)


#: How the functions of each hook are installed, and when they are called.
_CHAINS = {
    "launch_enter_hook": (_around_launches, "before"),
    "launch_exit_hook": (_around_launches, "after"),
    "kernel_load_start_hook": (_around_loading, "before"),
    "kernel_load_end_hook": (_around_loading, "after"),
}


class Runtime(Group):
    """`interpret` and `debug` are settings. `launch_enter_hook` and `launch_exit_hook` are called around launches.
    `kernel_load_start_hook` and `kernel_load_end_hook` are called around loading a kernel on a device. Their arguments
    are the module and the function (None before), the kernel's name, an empty dict and its hash. `jit_cache_hook` is
    called before each compilation, and gives True where there should be none; `jit_post_compile_hook` after it. Each
    may be set to a function, and to None: no such hook."""

    settings = RUNTIME
    objects = {"add_stages_inspection_hook": None}

    def __init__(self):
        made = {
            name: _Watched(lambda name=name: self._install(name), reversed=when == "after")
            for name, (_, when) in _CHAINS.items()
        }
        self.__dict__.update(_hooks={}, _installed={}, **made)

    def __setattr__(self, name, value):
        if name in _CHAINS:
            self.__dict__[name] = value
            return self._install(name)
        if name in ("jit_cache_hook", "jit_post_compile_hook"):
            return object.__setattr__(self, name, value)
        return super().__setattr__(name, value)

    def _install(self, name):
        """Have the functions of a hook called, if there are any."""
        call, known = self.__dict__[name], self._installed.pop(name, None)
        if known is not None:
            known.remove()
        if call is not None and getattr(call, "calls", True):
            install, when = _CHAINS[name]
            self._installed[name] = install(when, call)

    @contextlib.contextmanager
    def scope(self):
        """As that of `Group`; hooks that are set, but not those that are added to a chain, are part of it."""
        before = {name: getattr(self, name) for name in (*_CHAINS, "jit_cache_hook", "jit_post_compile_hook")}
        with self._keeping():
            try:
                yield
            finally:
                for name, value in before.items():
                    setattr(self, name, value)

    def _keeping(self):
        return super().scope()

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
