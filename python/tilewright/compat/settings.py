"""`triton.knobs`: groups of settings that live in environment variables, those of Tilewright where it has them.

The others have Triton's variables and names, so that code that sets them goes on; nothing here reads them.
"""

import contextlib
import os
from dataclasses import dataclass

from .. import knobs


@dataclass(frozen=True)
class Setting:
    """An environment variable and the kind of value that it holds; `default` is a value, or a function that gives it."""

    variable: str
    kind: type
    default: object = None

    def read(self):
        """The value in force."""
        text = os.environ.get(self.variable)
        if not text:
            return self.default() if callable(self.default) else self.default
        return text.lower() in ("1", "true", "on", "yes", "y") if self.kind is bool else self.kind(text)

    def write(self, value):
        """Let it have the value from now on; None: the default."""
        if value is None:
            os.environ.pop(self.variable, None)
        else:
            os.environ[self.variable] = str(int(value)) if self.kind is bool else str(value)


class Group:
    """Settings as attributes, and `objects`, which no variable holds. Raises `AttributeError` for an unknown
    name."""

    settings = {}
    #: Names of other attributes, with their initial values.
    objects = {}

    def __getattr__(self, name):
        if name in self.objects:
            return self.objects[name]
        return self._setting(name).read()

    def __setattr__(self, name, value):
        if name in self.objects:
            return object.__setattr__(self, name, value)
        return self._setting(name).write(value)

    def __delattr__(self, name):
        if name in self.objects:
            self.__dict__.pop(name, None)
        else:
            self._setting(name).write(None)

    def _setting(self, name):
        try:
            return self.settings[name]
        except KeyError:
            raise AttributeError(f"triton.knobs.{type(self).__name__} has no {name!r}") from None

    @property
    def knobs(self):
        """The values of all settings by name."""
        return {name: entry.read() for name, entry in self.settings.items()}

    def copy(self):
        """A group with the same objects; settings are those of the process in any case."""
        made = type(self)()
        made.__dict__.update(self.__dict__)
        return made

    @contextlib.contextmanager
    def scope(self):
        """Restores all settings at the end of a `with`."""
        before = {name: os.environ.get(entry.variable) for name, entry in self.settings.items()}
        objects = dict(self.__dict__)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(objects)
            for name, text in before.items():
                entry = self.settings[name]
                Setting(entry.variable, str).write(text)

    def reset(self):
        """Resets all settings. Returns the group."""
        for entry in self.settings.values():
            entry.write(None)
        for name in self.objects:
            self.__dict__.pop(name, None)
        return self


def switches(**variables):
    """Settings that are on or off, by name, in these variables."""
    return {name: Setting(variable, bool, False) for name, variable in variables.items()}


def texts(**variables):
    """Settings that are text, or None, by name, in these variables."""
    return {name: Setting(variable, str) for name, variable in variables.items()}


def _cache_directory():
    from ..runtime.compiler import disk_cache

    cache = disk_cache()
    return cache and cache.directory


class build(Group):
    """Of a C compiler, which nothing here needs."""

    settings = texts(cc="CC", cudacrt_path="TRITON_CUDACRT_PATH", cudart_path="TRITON_CUDART_PATH")
    objects = {"impl": None}

    @property
    def backend_dirs(self):
        """The directories that are set."""
        return {path for path in (self.cudacrt_path, self.cudart_path) if path}


class cache(Group):
    """`dir`: where compiled kernels are kept on disk; `dump_dir`: where the stages of each go."""

    settings = {
        "dir": Setting(knobs.CACHE_DIR.name, str, _cache_directory),
        "dump_dir": Setting(knobs.DUMP_DIR.name, str),
        "home_dir": Setting("TRITON_HOME", str, lambda: os.path.expanduser("~/")),
        **texts(override_dir="TRITON_OVERRIDE_DIR"),
    }
    objects = {"manager_class": None, "remote_manager_class": None}

    def get_triton_dir(self, name):
        """Where Triton keeps a directory of this name."""
        return os.path.join(self.home_dir, ".triton", name)


class compilation(Group):
    """`always_compile`: the disk cache is not read. `allow_non_constexpr_globals`: kernels read global variables of the
    program as constants."""

    settings = {
        "always_compile": Setting(knobs.ALWAYS_COMPILE.name, bool, False),
        **switches(
            override="TRITON_KERNEL_OVERRIDE",
            dump_ir="TRITON_KERNEL_DUMP",
            dump_ir_extract_di_local_variables="LLVM_EXTRACT_DI_LOCAL_VARIABLES",
            store_binary_only="TRITON_STORE_BINARY_ONLY",
            enable_asan="TRITON_ENABLE_ASAN",
            disable_line_info="TRITON_DISABLE_LINE_INFO",
            front_end_debugging="TRITON_FRONT_END_DEBUGGING",
            allow_non_constexpr_globals=knobs.TRITON_GLOBALS.name,
        ),
        **texts(use_ir_loc="USE_IR_LOC"),
        "instrumentation_mode": Setting("TRITON_INSTRUMENTATION_MODE", str, ""),
    }
    objects = {"listener": None}


class autotuning(Group):
    """`print`: autotuned kernels print their choice; `listener` is told of it. Results are kept on disk in any
    case."""

    settings = switches(cache="TRITON_CACHE_AUTOTUNING", print=knobs.TRITON_PRINT_AUTOTUNING.name)
    objects = {"listener": None}


class language(Group):
    """Defaults of kernels, which their decorators and launches set here."""

    settings = {
        "fp32_default": Setting(knobs.TRITON_F32_DEFAULT.name, str),
        "default_fp_fusion": Setting("TRITON_DEFAULT_FP_FUSION", bool, True),
    }


class amd(Group):
    """Of GPUs that there is no back end for."""

    settings = {
        "use_buffer_ops": Setting("AMDGCN_USE_BUFFER_OPS", bool, True),
        "use_buffer_atomics": Setting("AMDGCN_USE_BUFFER_ATOMICS", bool, True),
        **switches(
            buffer_ops_analyze_small_tensor_range="AMDGCN_ANALYZE_SMALL_TENSOR_RANGE",
            dump_amdgcn="AMDGCN_ENABLE_DUMP",
            use_async_copy="TRITON_HIP_USE_ASYNC_COPY",
            scalarize_packed_fops="AMDGCN_SCALARIZE_PACKED_FOPS",
        ),
        "use_block_pingpong": Setting("TRITON_HIP_USE_BLOCK_PINGPONG", bool),
        "use_in_thread_transpose": Setting("TRITON_HIP_USE_IN_THREAD_TRANSPOSE", bool),
        **texts(libhip_path="TRITON_LIBHIP_PATH"),
    }


class proton(Group):
    """Of the profiler, which needs no library of others."""

    settings = {
        "disable": Setting("TRITON_PROTON_DISABLE", bool, False),
        "enable_nvtx": Setting("TRITON_ENABLE_NVTX", bool, True),
        **texts(cupti_lib_dir="TRITON_CUPTI_LIB_PATH"),
    }


#: The groups by name, but for `runtime` and `nvidia`.
GROUPS = {group.__name__: group() for group in (build, cache, compilation, autotuning, language, amd, proton)}

#: The settings of `triton.knobs.runtime`, without its hooks.
RUNTIME = {
    "interpret": Setting(knobs.TRITON_INTERPRET.name, bool, False),
    "debug": Setting(knobs.DEBUG.name, bool, False),
    **texts(override_arch="TRITON_OVERRIDE_ARCH"),
}
