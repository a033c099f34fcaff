"""`triton.JITFunction`, `triton.jit` and `triton.KernelInterface`: kernels with Triton's attributes."""

import inspect
import re
from functools import cached_property, partial

from .. import knobs
from ..errors import TilewrightError
from ..frontend.errors import CompilationError
from ..frontend.source import replaced, source_of
from ..language.constexpr import ConstexprFunction as ConstantFunction
from ..runtime.jit import JITFunction as Kernel
from .background import active_mode, request_key
from .dependencies import Dependencies, foreign_calls

#: Names of element types as signatures spell them.
SIGNATURE_NAMES = {
    "bool": "i1",
    "int1": "i1",
    **{f"int{width}": f"i{width}" for width in (8, 16, 32, 64)},
    **{f"uint{width}": f"u{width}" for width in (8, 16, 32, 64)},
    **{f"float{width}": f"fp{width}" for width in (16, 32, 64)},
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
    **{f"float8{kind}": f"fp8{kind}" for kind in ("e4nv", "e5", "e4b15", "e4b8", "e5b16")},
}
SIGNATURE_NAMES |= {name: name for name in [*SIGNATURE_NAMES.values(), "void"]}


class InterpreterError(TilewrightError):
    """A kernel failed in the interpreter; its cause says how."""


class KernelInterface:
    """The base of objects that are launched as `kernel[grid](...)`. A derived class has
    `run(*args, grid, warmup, **kwargs)`."""

    __iter__ = None  # `[...]` takes a grid: there are no elements

    def __getitem__(self, grid):
        """A callable that runs the kernel over `grid`."""
        return partial(self.run, grid=grid, warmup=False)

    def warmup(self, *args, grid=None, **kwargs):
        """Compile for the arguments of a launch without running it."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)


class JITFunction(Kernel, KernelInterface):
    """A kernel as `triton.jit` makes it: `tilewright.jit` with Triton's numerics by default, and the attributes that
    host code reads: `src`, `params`, `signature`, `cache_key`, `do_not_specialize`."""

    #: The numerics of kernels that do not set them; `tilewright.compat.install` sets it.
    default_numerics = "triton"
    has_replaceable_text = True

    def __init__(
        self,
        fn,
        version=None,
        do_not_specialize=None,
        do_not_specialize_on_alignment=None,
        debug=None,
        noinline=None,
        repr=None,
        launch_metadata=None,
    ):
        super().__init__(
            fn,
            _existing(fn, do_not_specialize),
            _existing(fn, do_not_specialize_on_alignment),
            debug,
            self.default_numerics,
            repr=repr,
            launch_metadata=launch_metadata,
        )
        self.version, self.noinline = version, noinline
        self.do_not_specialize = list(do_not_specialize or ())
        self.do_not_specialize_on_alignment = list(do_not_specialize_on_alignment or ())
        self._interpreted |= knobs.TRITON_INTERPRET.flag()
        self.module, self.__globals__ = fn.__module__, fn.__globals__
        self._dependencies = None  # until the first compilation

    def __reduce__(self):
        """Pickles and copies by name, or without the function if that was removed."""
        if self.fn is not None:
            return super().__reduce__()
        kept = (
            "params",
            "debug",
            "numerics",
            "_name",
            "version",
            "noinline",
            "module",
            "__name__",
            "__qualname__",
        )
        return _without_function, ({name: self.__dict__[name] for name in kept},)

    def warmup(self, *args, **kwargs):
        """As `tilewright.jit` has it; inside an `AsyncCompileMode` a `FutureKernel`."""
        compile_ = partial(Kernel.warmup, self, *args, **kwargs)
        mode = active_mode.get()
        return compile_() if mode is None else mode.submit(request_key(self, args, kwargs), compile_)

    @property
    def signature(self):
        """The `inspect.Signature` of the function."""
        return inspect.signature(self.fn)

    @property
    def src(self):
        """The text from `def` on."""
        return _from_def(self.fn)

    @cached_property
    def raw_src(self):
        """The lines of the text with its decorators, as in the file."""
        return list(source_of(self.fn).lines)

    @cached_property
    def starting_line_number(self):
        """The line of the file at which `raw_src` begins."""
        return source_of(self.fn).first_line

    @property
    def file_name(self):
        """The file that errors and profilers name. It and the line of `def` may be set, for a text that was made of
        another one."""
        return source_of(self.fn).file

    @file_name.setter
    def file_name(self, name):
        source_of(self.fn).move(file=name)

    @property
    def def_file_line_number(self):
        """The line of `def` in the file."""
        return source_of(self.fn).definition_position[0]

    @def_file_line_number.setter
    def def_file_line_number(self, line):
        source_of(self.fn).move(line=line)

    @cached_property
    def def_file_col_number(self):
        """The column of `def` in the file, from 1."""
        return source_of(self.fn).definition_position[1]

    def get_capture_scope(self):
        """The names that the text finds outside of the function, with their values: global ones, and those of functions
        around it."""
        return self.__globals__ | inspect.getclosurevars(self.fn).nonlocals

    def _unsafe_update_src(self, text):
        """Compile `text` instead of the function's own text from the next launch on."""
        self.fn = replaced(self.fn, text)
        self.forget()

    @cached_property
    def _specializer(self):
        self.check_parameters()
        return super()._specializer

    def check_parameters(self):
        """Raise `CompilationError` for a constant that the kernel is not to be specialized for."""
        for parameter in self.params:
            if parameter.is_constexpr and parameter.do_not_specialize_on_alignment:
                source = source_of(self.fn)
                raise CompilationError(
                    f"{parameter.name} marked as constexpr and listed in do_not_specialize or "
                    "do_not_specialize_on_alignment",
                    [source.frame(source.tree)],
                    "a tl.constexpr is always specialized for",
                )

    def forget(self):
        """Compile anew at the next launch."""
        super().forget()
        self._dependencies = None

    def _check_globals(self):
        """Raise `RuntimeError` if a constant has changed since the first compilation."""
        if not any(self._specializer.made.values()):
            self._dependencies = Dependencies(self.fn)
        for constant in self._dependencies.constants:
            constant.check()

    @property
    def used_global_vals(self):
        """The constants outside of the kernel that it was compiled with: values and modules, by name and module."""
        constants = self._dependencies.constants if self._dependencies else ()
        return {(c.name, id(c.fn.__globals__)): (c.value, c.fn.__globals__) for c in constants}

    @used_global_vals.setter
    def used_global_vals(self, value):
        """Nothing: for code that takes all apart that cannot be pickled, and puts it back."""

    def _interpret(self, grid, *args, **kwargs):
        try:
            super()._interpret(grid, *args, **kwargs)
        except Exception as error:
            raise InterpreterError(f"{type(error).__name__}: {error}") from error

    @property
    def cache_key(self):
        """A digest of the text, of the functions that it calls and of the constants that it reads, for caches of
        others."""
        return Dependencies(self.fn).digest(self.numerics)


class _IsInterpreted(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, JITFunction) and instance._interpreted


class InterpretedFunction(metaclass=_IsInterpreted):
    """`isinstance(kernel, InterpretedFunction)`: whether launches of the kernel are interpreted. In Triton such kernels
    have a class of their own, here they are `JITFunction` as all are."""


class ConstexprFunction(ConstantFunction):
    """A function of constants with the attributes of a kernel that host code reads."""

    hash = None  # of Triton; here a digest is made anew
    has_replaceable_text = True

    def _unsafe_update_src(self, text):
        """Run `text`, the definition of a function, instead of the function's own text."""
        made = replaced(self.fn, text)
        code, names = self.fn.__code__, {**self.fn.__globals__, **inspect.getclosurevars(self.fn).nonlocals}
        exec(compile(source_of(made).text, code.co_filename, "exec"), names)
        found = names[self.fn.__name__]
        found.__code__ = found.__code__.replace(co_firstlineno=code.co_firstlineno)
        self.fn = replaced(found, text)

    @property
    def src(self):
        """The text from `def` on."""
        return _from_def(self.fn)

    @property
    def cache_key(self):
        """As that of a kernel. Raises `RuntimeError` where the function calls one that is not of constants, whose
        results may be others each time."""
        called = foreign_calls(self.fn)
        if called:
            raise RuntimeError(f"Unsupported function referenced: {called[0]!r} in {self.__name__}()")
        return Dependencies(self.fn).digest()


def constexpr_function(fn):
    """`tilewright.language.constexpr_function`."""
    return ConstexprFunction(fn)


def _from_def(fn):
    text = source_of(fn).text
    return text[re.search(r"^def\s", text, re.MULTILINE).start() :]


def _without_function(state):
    """A kernel without its function, for launches of compiled kernels."""
    kernel = JITFunction.__new__(JITFunction)
    kernel.__dict__.update(state, fn=None)
    return kernel


def _existing(fn, chosen):
    """Those of the names and positions `chosen` that are parameters; Triton passes over the others."""
    names = list(inspect.signature(fn).parameters)
    return [entry for entry in chosen or () if entry in names or entry in range(len(names))]


def jit(
    fn=None,
    *,
    version=None,
    repr=None,
    launch_metadata=None,
    do_not_specialize=None,
    do_not_specialize_on_alignment=None,
    debug=None,
    noinline=None,
):
    """`tilewright.jit` with the arguments of `triton.jit`; `version` and `noinline` mean nothing here."""
    options = {
        "version": version,
        "repr": repr,
        "launch_metadata": launch_metadata,
        "do_not_specialize": do_not_specialize,
        "do_not_specialize_on_alignment": do_not_specialize_on_alignment,
        "debug": debug,
        "noinline": noinline,
    }
    if fn is None:
        return partial(jit, **options)
    if isinstance(fn, Kernel):
        return fn
    if not callable(fn) or not hasattr(fn, "__code__"):
        raise TypeError(f"jit decorates a Python function, got {fn!r}")
    return JITFunction(fn, **options)
