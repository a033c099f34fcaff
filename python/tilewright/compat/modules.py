"""The modules of Triton and the replacements of their content."""

import contextvars
import functools
import importlib
import json
import types
from importlib.machinery import ModuleSpec

import tilewright as tw
import tilewright.language as tl

from ..array_types import numpy_dtype, spelling_of
from ..runtime.descriptor import TensorDescriptor
from ..runtime.retyped import Retyped
from . import (
    background,
    caching,
    compiling,
    driver,
    functions,
    knobs,
    listening,
    paths,
    settings,
    sources,
    testing,
    tools,
    tuning,
)


class MockTensor:
    """A placeholder for an array of a dtype in a warm-up: `kernel.warmup(MockTensor(torch.float16), ...)`."""

    @staticmethod
    def wrap_dtype(arg):
        """`arg`, or for a torch dtype an empty tensor of it."""
        return MockTensor(arg) if type(arg).__name__ == "dtype" else arg

    def __new__(cls, dtype, shape=None):
        import torch

        return torch.empty(
            1 if shape is None else shape, dtype=dtype, device=driver.driver.active.get_active_torch_device()
        )


_TORCH_NAMES = {
    "int1": "bool",
    "fp8e4nv": "float8_e4m3fn",
    "fp8e5": "float8_e5m2",
    "fp8e4b8": "float8_e4m3fnuz",
    "fp8e5b16": "float8_e5m2fnuz",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
}


def reinterpret(tensor, dtype):
    """The array `tensor` (torch or NumPy) reinterpreted with another element type of the same size. The result is an
    array of the same library, or a `Retyped` if that lacks the type. Raises `TypeError` for another size."""
    if isinstance(tensor, Retyped):
        tensor = tensor.base
    if hasattr(tensor, "element_size"):
        import torch

        found = getattr(torch, _TORCH_NAMES.get(dtype.name, dtype.name), None)
    else:
        found = _numpy_dtype(dtype)
    return Retyped(tensor, dtype) if found is None else tensor.view(found)


def _numpy_dtype(dtype):
    """NumPy's type for one of the language, None where it has none."""
    try:
        return numpy_dtype(spelling_of(dtype))
    except (ImportError, TypeError):
        return None


class TensorWrapper:
    """`TensorWrapper(array, dtype)` is `reinterpret(array, dtype)`."""

    def __new__(cls, base, dtype):
        return reinterpret(base, dtype)


def set_allocator(allocator):
    """Accepted and not needed: descriptors that kernels make take no memory of the caller. None takes it back."""
    if allocator is not None and not callable(allocator):
        raise TypeError(f"an allocator is a function of size, alignment and stream, got {allocator!r}")
    _allocator.set(allocator)


class NullAllocator:
    """The value for no allocator. None is needed, so this is no error."""

    def __call__(self, size, alignment, stream):
        raise RuntimeError("no allocator was set with triton.set_allocator()")


#: The allocator that was set last, for code that asks whether there is one.
_allocator = contextvars.ContextVar("allocator", default=NullAllocator())  # noqa: B039


def triton_key():
    """The dependency of compiled kernels besides their sources: the version, for caches of other packages."""
    return f"tilewright {tw.__version__}"


def serialize_specialization_data(name, signature, constants, attrs, options, key):
    """A request as text, for code that wraps the function. `preload` takes the `specialization_data` of hooks instead.
    Raises `TypeError` for constants that cannot be written down."""
    fields = {
        "name": name,
        "signature": signature,
        "constants": constants,
        "attrs": attrs,
        "options": options,
    }
    return json.dumps({**fields, "key": key}, default=_plain)


def _plain(value):
    """The JSON form of types that JSON lacks."""
    if isinstance(value, tl.constexpr):
        return {"constexpr": value.value}
    if hasattr(value, "primitive_bitwidth"):
        return str(value)
    return dict(value.items()) if hasattr(value, "items") else vars(value)


def must_use_result(function, why=True):
    """Mark a function: kernels that drop its result are refused. `@must_use_result` or, with a text that the message
    shows, `@must_use_result("a text")`."""
    if isinstance(function, str):
        return functools.partial(must_use_result, why=function)
    function._must_use_result = why
    return function


def _later(module, name):
    """A lazy `__getattr__` for the module `name`, with the attributes of `module`, which needs optional packages."""

    def attribute(wanted):
        # Code that iterates over all modules, as `inspect` does, reads names such as `__file__`. That must not import
        # anything, least of all during another import.
        if wanted.startswith("__") and wanted != "__all__":
            raise AttributeError(f"module {name!r} has no attribute {wanted!r}")
        try:
            return getattr(importlib.import_module(f"tilewright.compat.{module}"), wanted)
        except AttributeError:
            raise AttributeError(f"module {name!r} has no attribute {wanted!r}") from None

    return {"__getattr__": attribute}


def _public(module):
    return {name: getattr(module, name) for name in module.__all__}


def make(version, numerics):
    """The modules by name. Raises `ValueError` for unknown numerics."""
    tw.options.Options(numerics=numerics)
    made = {}

    def add(name, content, **more):
        module = types.ModuleType(name, f"Tilewright's replacement of {name}.")
        module.__dict__.update({**content, **more})
        module.is_tilewright, module.__path__ = True, []
        module.__spec__ = ModuleSpec(name, None, is_package=True)  # others ask whether there is a triton
        made[name] = module
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(made[parent], last, module)
        return module

    errors = {
        "CompilationError": tw.CompilationError,
        "OutOfResources": tw.OutOfResources,
        "InterpreterError": functions.InterpreterError,
        "TritonError": tw.TilewrightError,
    }
    tuned = {
        "Autotuner": tuning.Autotuner,
        "Config": tw.Config,
        "Heuristics": tuning.Heuristics,
        "autotune": tuning.autotune,
        "heuristics": tuning.heuristics,
    }
    functions.JITFunction.default_numerics = numerics
    interface = {
        "JITFunction": functions.JITFunction,
        "KernelInterface": functions.KernelInterface,
        "MockTensor": MockTensor,
        "TensorWrapper": TensorWrapper,
        "reinterpret": reinterpret,
    }
    compiled_later = {
        "AsyncCompileMode": background.AsyncCompileMode,
        "FutureKernel": background.FutureKernel,
    }
    add(
        "triton",
        {**errors, **tuned, **interface, **compiled_later},
        jit=functions.jit,
        compile=compiling.compile,
        cdiv=tw.cdiv,
        next_power_of_2=tw.next_power_of_2,
        aggregate=tl.aggregate,
        constexpr_function=functions.constexpr_function,
        set_allocator=set_allocator,
        must_use_result=must_use_result,
        __version__=version,
    )
    add("triton.errors", {"TritonError": tw.TilewrightError})
    add("triton.runtime", {**errors, **tuned, **interface}, driver=driver.driver)
    add("triton.runtime._async_compile", compiled_later)
    add("triton.runtime.interpreter", {}, InterpretedFunction=functions.InterpretedFunction)
    add(
        "triton.runtime.jit",
        interface,
        jit=functions.jit,
        ConstexprFunction=functions.ConstexprFunction,
        constexpr_function=functions.constexpr_function,
        type_canonicalisation_dict=functions.SIGNATURE_NAMES,
        serialize_specialization_data=serialize_specialization_data,
        **_public(paths),
    )
    add("triton._utils", _public(paths))
    # The attribute `triton.runtime.driver` is the object, the module of that name holds it.
    add("triton.runtime.driver", {"driver": driver.driver, "active": driver.driver.active})
    made["triton.runtime"].driver = driver.driver
    add(
        "triton.runtime._allocation",
        {"NullAllocator": NullAllocator, "set_allocator": set_allocator, "_allocator": _allocator},
    )
    add("triton.runtime.cache", _public(caching), triton_key=triton_key)
    add(
        "triton.runtime.autotuner",
        tuned,
        JITFunction=functions.JITFunction,
        OutOfResources=tw.OutOfResources,
        PTXASError=tw.CompilationError,
    )
    add(
        "triton.runtime.errors",
        errors,
        AutotunerError=tw.AutotunerError,
        PTXASError=tw.CompilationError,
    )
    compiled = {
        "ASTSource": sources.ASTSource,
        "CompiledKernel": tw.runtime.compiled.CompiledKernel,
        "compile": compiling.compile,
        "make_backend": sources.make_backend,
    }
    add(
        "triton.compiler",
        compiled,
        CompilationError=tw.CompilationError,
    )
    add(
        "triton.compiler.compiler",
        compiled,
        GPUTarget=driver.GPUTarget,
        get_cache_manager=caching.get_cache_manager,
        triton_key=triton_key,
    )
    add(
        "triton.compiler.errors",
        {"CompilationError": tw.CompilationError},
        CompileTimeAssertionFailure=tw.CompilationError,
        UnsupportedLanguageConstruct=tw.CompilationError,
    )
    add("triton.testing", _public(testing), _summarize_statistics=tw.testing.timing.summarize)
    add("triton.tools", {})
    add("triton.tools.disasm", {}, extract=tools.extract, get_sass=tools.get_sass)
    add("triton._C", {})
    for name, module in (
        ("triton._C.libtriton", "libtriton"),
        ("triton._internal_testing", "internal_testing"),
        ("triton.tools.mxfp", "mxfp"),
        ("triton.tools.ragged_tma", "ragged_tma"),
        ("triton.profiler", "profiler"),
        ("triton.profiler.viewer", "profile_viewer"),
    ):
        add(name, _later(module, name))
    add(
        "triton.knobs",
        settings.GROUPS,
        runtime=knobs.runtime,
        nvidia=tools.nvidia(),
        CompileTimes=listening.CompileTimes,
        HookChain=knobs.HookChain,
        NvidiaTool=tools.NvidiaTool,
        refresh_knobs=lambda: None,
    )
    add("triton.tools.tensor_descriptor", {"TensorDescriptor": TensorDescriptor})
    backends = {
        "nvidia": driver.Backend(sources.Backend, driver.ActiveDriver),
        "cpu": driver.Backend(sources.Backend, driver.CpuDriver),
    }
    add("triton.backends", {}, backends=backends, BaseBackend=sources.Backend)
    add("triton.backends.nvidia", {})
    add(
        "triton.backends.nvidia.compiler",
        {"CUDABackend": sources.Backend, "CUDAOptions": tw.options.Options},
        get_ptxas=tools.get_ptxas,
        min_dot_size=sources.min_dot_size,
    )
    add("triton.backends.nvidia.driver", {}, CudaDriver=driver.ActiveDriver)
    add(
        "triton.backends.compiler",
        {"BaseBackend": sources.Backend, "GPUTarget": driver.GPUTarget, "Language": listening.Language},
    )
    # The language is Tilewright's own, so that its functions are the same objects everywhere.
    made["triton"].language = made["triton.language"] = tl
    names = {
        "triton.language.core": tl.core,
        "triton.language.standard": tl.standard,
        "triton.language.math": tl.math,
        "triton.language.random": tl.random,
        "triton.language.extra": tl.extra,
        "triton.language.extra.cuda": tl.extra.cuda,
        "triton.language.extra.cuda.gdc": tl.extra.cuda,
        "triton.language.extra.cuda.utils": tl.extra.cuda,
        "triton.language.extra.cuda.libdevice": tl.extra.libdevice,
        "triton.language.extra.hip": tl.extra,
        "triton.language.extra.hip.libdevice": tl.extra.libdevice,
        "triton.language.extra.libdevice": tl.extra.libdevice,
        "triton.language.target_info": tl.target_info,
    }
    return {**made, **names}
