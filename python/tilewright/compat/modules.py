"""The modules of Triton and what stands in for their content."""

import types
from functools import partial
from importlib.machinery import ModuleSpec

import tilewright as tw
import tilewright.language as tl

from .. import tuning
from ..language.constexpr import constexpr_function
from ..runtime.descriptor import TensorDescriptor
from ..runtime.jit import JITFunction
from . import driver, testing


class InterpreterError(tw.TilewrightError):
    """An error of a kernel in the interpreter."""


class KernelInterface:
    """The base of what is launched as `kernel[grid](...)`, for annotations."""


class MockTensor:
    """Stands for an array of a dtype in a warm-up: `kernel.warmup(MockTensor(torch.float16), ...)`."""

    @staticmethod
    def wrap_dtype(arg):
        """`arg`, or for a torch dtype an empty tensor of it."""
        return MockTensor(arg) if type(arg).__name__ == "dtype" else arg

    def __new__(cls, dtype, shape=None):
        import torch

        return torch.empty(
            1 if shape is None else shape, dtype=dtype, device=driver.driver.active.get_active_torch_device()
        )


def reinterpret(tensor, dtype):
    """The array `tensor` (torch or NumPy) seen with elements of another type of the same size."""
    if hasattr(tensor, "element_size"):
        import torch

        names = {"fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2", "fp16": "float16", "bf16": "bfloat16"}
        names |= {"fp32": "float32", "fp64": "float64"}
        name = names.get(dtype.name, dtype.name)
        return tensor.view(getattr(torch, name))
    from ..interpreter.numpy_types import numpy_dtype

    return tensor.view(numpy_dtype(dtype))


def set_allocator(allocator):
    """Accepted and not needed: descriptors that kernels make take no memory of the caller."""
    if not callable(allocator):
        raise TypeError(f"an allocator is a function of size, alignment and stream, got {allocator!r}")


def triton_key():
    """What compiled kernels depend on beside their sources: the version, for caches of others."""
    return f"tilewright {tw.__version__}"


def must_use_result(value, is_used=True):
    """`value`; marks functions whose result must not be dropped."""
    return value


def jit(
    fn=None,
    *,
    numerics,
    version=None,
    repr=None,
    launch_metadata=None,
    do_not_specialize=None,
    do_not_specialize_on_alignment=None,
    debug=None,
    noinline=None,
):
    """`tilewright.jit` with the arguments of `triton.jit`; `version` and `noinline` mean nothing here."""
    if fn is None:
        return partial(
            jit,
            numerics=numerics,
            do_not_specialize=do_not_specialize,
            do_not_specialize_on_alignment=do_not_specialize_on_alignment,
            debug=debug,
            repr=repr,
            launch_metadata=launch_metadata,
        )
    return tw.jit(
        fn,
        do_not_specialize=do_not_specialize or (),
        do_not_specialize_on_alignment=do_not_specialize_on_alignment or (),
        debug=debug,
        numerics=numerics,
        repr=repr,
        launch_metadata=launch_metadata,
    )


def _public(module):
    return {name: getattr(module, name) for name in module.__all__}


def make(version, numerics):
    """The modules by name. Raises `ValueError` for numerics that there are not."""
    tw.runtime.options.Options(numerics=numerics)
    made = {}

    def add(name, content, **more):
        module = types.ModuleType(name, f"Tilewright in place of {name}.")
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
        "InterpreterError": InterpreterError,
        "TritonError": tw.TilewrightError,
    }
    tuned = {
        "Autotuner": tuning.Autotuner,
        "Config": tuning.Config,
        "Heuristics": tuning.Heuristics,
        "autotune": tuning.autotune,
        "heuristics": tuning.heuristics,
    }
    interface = {"JITFunction": JITFunction, "KernelInterface": KernelInterface, "MockTensor": MockTensor}
    interface |= {"reinterpret": reinterpret}
    add(
        "triton",
        {**errors, **tuned, **interface},
        jit=partial(jit, numerics=numerics),
        cdiv=tw.cdiv,
        next_power_of_2=tw.next_power_of_2,
        constexpr_function=constexpr_function,
        set_allocator=set_allocator,
        must_use_result=must_use_result,
        __version__=version,
    )
    add("triton.runtime", {**errors, **tuned, **interface}, driver=driver.driver)
    add("triton.runtime.jit", interface, jit=partial(jit, numerics=numerics))
    add("triton.runtime.cache", {}, triton_key=triton_key)
    add("triton.runtime.autotuner", tuned, OutOfResources=tw.OutOfResources)
    add(
        "triton.runtime.errors",
        errors,
        AutotunerError=tw.AutotunerError,
        PTXASError=tw.CompilationError,
    )
    add(
        "triton.compiler",
        {"CompiledKernel": tw.runtime.compiled.CompiledKernel},
        CompilationError=tw.CompilationError,
    )
    add("triton.compiler.compiler", {"CompiledKernel": tw.runtime.compiled.CompiledKernel})
    add(
        "triton.compiler.errors",
        {"CompilationError": tw.CompilationError},
        CompileTimeAssertionFailure=tw.CompilationError,
        UnsupportedLanguageConstruct=tw.CompilationError,
    )
    add("triton.testing", _public(testing))
    add("triton.tools", {})
    add("triton.tools.tensor_descriptor", {"TensorDescriptor": TensorDescriptor})
    add("triton.backends", {})
    add("triton.backends.compiler", {"GPUTarget": driver.GPUTarget})
    # The language is Tilewright's own, so that its functions are the same objects everywhere.
    made["triton"].language = made["triton.language"] = tl
    names = {
        "triton.language.core": tl.core,
        "triton.language.standard": tl.standard,
        "triton.language.math": tl.math,
        "triton.language.random": tl.random,
        "triton.language.extra": tl.extra,
        "triton.language.extra.cuda": tl.extra.cuda,
        "triton.language.extra.cuda.libdevice": tl.extra.libdevice,
        "triton.language.extra.libdevice": tl.extra.libdevice,
        "triton.language.target_info": tl.target_info,
    }
    return {**made, **names}
