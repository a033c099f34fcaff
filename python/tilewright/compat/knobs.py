"""`triton.knobs.runtime`: hooks around compilations, with the arguments that Triton calls them with."""

from collections import namedtuple

from ..hooks import compile_hook

_Function = namedtuple("JitFunctionInfo", ("module", "name", "jit_function"))


def _arguments(compilation):
    """What a hook of Triton is called with for a `Compilation`."""
    options = dict(compilation.options.items())
    types = ", ".join(f"{name}: {type_}" for name, type_ in compilation.types.items())
    described = ", ".join(f"{name}={value}" for name, value in options.items())
    kernel = compilation.function
    data = compilation.specialization_data
    compiled = {
        "key": data,
        "signature": compilation.types,
        "device": 0 if compilation.device == "cpu" else int(compilation.device.partition(":")[2]),
        "constants": compilation.constants,
        "configs": [compilation.divisors],
        "enable_fp_fusion": True,
        "extern_libs": (),
        "specialization_data": data,
        "is_warmup": compilation.is_warmup,
        **{
            name: options[name] for name in ("num_warps", "num_ctas", "num_stages", "launch_cooperative_grid")
        },
    }
    return {
        "key": data,
        "repr": f"{kernel.__qualname__}[{described}]({types})",
        "fn": _Function(kernel.__module__, kernel.__qualname__, kernel),
        "compile": compiled,
        "is_manual_warmup": compilation.is_warmup,
        "already_compiled": False,
    }


class Runtime:
    """`jit_cache_hook` is called before each compilation, and gives True where there should be none;
    `jit_post_compile_hook` after it. None: no such hook."""

    def __init__(self):
        self._hooks = {}

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
