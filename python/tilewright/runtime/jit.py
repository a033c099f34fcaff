"""`tilewright.jit`: kernels as Python objects."""

import inspect
import weakref
from dataclasses import replace
from functools import cached_property, lru_cache, partial

from .. import knobs
from ..frontend.texts import keep_text
from ..language import ir
from ..language.errors import LanguageError
from ..language.function import KernelFunction
from ..options import OPTION_NAMES, Options
from .naming import check_function, describing, launch_facts
from .parameters import parameters_of
from .specializer import Specializer


class JITFunction(KernelFunction):
    """A function in the language, made by `tilewright.jit`.

    `kernel[grid](*args, **kwargs)` runs it, compiled for the types of the arguments on the first such call,
    and gives the `CompiledKernel`. `grid` is an int, a tuple of one to three, or a function that returns
    them from a dict of the arguments and options. Besides its parameters a call takes `num_warps`,
    `num_stages`, `debug` (see `Options`) and `stream` (an int, or a stream of torch or CuPy).

    NumPy arrays and torch tensors on the CPU run on the CPU, arrays of a CUDA device on it; on the current
    stream of the library that made them. Other functions in the language call it as a plain function.

    A launch uses the present values of the globals, closure variables, attributes and functions that the kernel reads:
    where one has changed, the kernel is compiled again.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> x, out = np.arange(5), np.zeros(5, int)
        >>> twice.arg_names
        ['x_ptr', 'out_ptr', 'n', 'BLOCK']
        >>> _ = twice[lambda values: (tw.cdiv(values["n"], values["BLOCK"]),)](x, out, 5, BLOCK=4)
        >>> launch = twice.bind((2,), x, out, 5, BLOCK=4)
        >>> _ = launch()
        >>> out
        array([0, 2, 4, 6, 8])
    """

    #: A function that imports the interpreter. The package sets it: the interpreter is built on the runtime.
    import_interpreter = None

    # On the path of every launch: read from slots, which takes no dictionary.
    __slots__ = ("_launcher", "pre_run_hooks")

    def __init__(
        self,
        fn,
        do_not_specialize=(),
        do_not_specialize_on_alignment=(),
        debug=None,
        numerics="ieee",
        check_nan=None,
        deterministic=None,
        repr=None,
        launch_metadata=None,
    ):
        super().__init__(fn)
        keep_text(fn)
        self.params = parameters_of(fn, do_not_specialize, do_not_specialize_on_alignment)
        self.debug, self.numerics = debug, numerics
        given = {"debug": debug, "check_nan": check_nan, "deterministic": deterministic}
        self._switches = {name: on for name, on in given.items() if on is not None}
        self._name = check_function(repr, "repr")
        self.launch_metadata = check_function(launch_metadata, "launch_metadata")
        self.pre_run_hooks = []
        self._interpreted = knobs.INTERPRET.flag()
        #: Makes the callable for a grid; None until a launch needs it, and where launches need more than it.
        self._launcher = None

    @property
    def arg_names(self):
        """The names of the parameters in order."""
        return [parameter.name for parameter in self.params]

    @cached_property
    def _specializer(self):
        variable = inspect.getfullargspec(self.fn).varargs
        if variable:
            raise TypeError(
                f"kernel {self.__name__}() cannot be launched: it takes *{variable}, as only functions that kernels "
                "call may; pass a tuple instead"
            )
        return Specializer(self.fn, self.params, self._options(), name=self._name, kernel=weakref.ref(self))

    @cached_property
    def _dispatcher(self):
        dispatcher = self._specializer.dispatcher()
        _subscript_quickly()
        return dispatcher

    def _check_globals(self):
        """Raise if globals have changed since the first compilation. Does nothing here, only under Triton's rules."""

    def forget(self):
        """Compile anew at the next launch."""
        for name in ("_specializer", "_dispatcher"):
            self.__dict__.pop(name, None)
        self._launcher = None

    @property
    def device_caches(self):
        """The compiled kernels by device number (0 for the CPU): each a tuple with a dict of `CompiledKernel`."""
        return _Caches(self._specializer)

    def repr(self, specialization):
        """The name of the kernel for a specialisation, which has `constants` and `signature` by name."""
        return self.__name__ if self._name is None else self._name(specialization)

    def __getitem__(self, grid):
        """A callable that runs the kernel over `grid`."""
        # Until the first launch imports the extension module, whose method replaces this one.
        return self._launch_specially(grid)

    def _launch_specially(self, grid):
        """The first launch, and those with hooks or in the interpreter."""
        if self._interpreted:
            launch = partial(self._interpret, grid)
        elif self.launch_metadata is not None:
            launch = partial(self._run_described, self._dispatcher.launchers()(grid))
        else:
            self._launcher = self._launcher or self._dispatcher.launchers()
            launch = self._launcher(grid)
        return partial(self._run_hooked, launch) if self.pre_run_hooks else launch

    def _run_described(self, launch, /, *args, **kwargs):
        facts = []  # of this launch, for the hooks before and after it

        def describe(compiled, grid):
            if not facts:
                arguments = self._specializer.bind(args, kwargs)
                facts.append(launch_facts(self.launch_metadata, compiled, grid, arguments))
            return facts[0]

        with describing(describe):
            return launch(*args, **kwargs)

    def _run_hooked(self, launch, /, *args, **kwargs):
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        return launch(*args, **kwargs)

    def bind(self, grid, /, *args, **kwargs):
        """A callable without arguments that launches over `grid` with these arguments, at the least cost.

        The compiled kernel, addresses and tensor maps are determined once. Arrays are kept alive and must not move;
        their content may change. The stream is `stream=` where it is given, else
        the current one of each launch. `compiled` of the result is the `CompiledKernel`; where a global of the kernel
        changes, the next launch binds again and replaces it. `pre_run_hooks` are not called.
        """
        if self._interpreted:
            self._specializer.bind(args, kwargs)  # raises for arguments that do not fit
            return partial(self._interpret, grid, *args, **kwargs)
        binder = self._dispatcher.binder(grid)
        launch = binder(*args, **kwargs)
        if launch is not None:  # None if a hook prevents the compilation
            launch.renewal = partial(binder, *args, **kwargs)
        return launch

    def add_pre_run_hook(self, hook):
        """Call `hook` with the arguments before every launch from now on."""
        self.pre_run_hooks.append(hook)

    def warmup(self, *args, **kwargs):
        """Compile for the arguments of a launch without running it. Gives the `CompiledKernel`, which can be
        launched with the same arguments: `compiled[grid](*args)`. A torch dtype is a placeholder for an array of it."""
        kwargs.pop("grid", None)  # accepted so that a launch is easily turned into a warm-up
        args = [_array_of(value) if type(value).__module__ == "torch" else value for value in args]
        return self._dispatcher.warmer()(*args, **kwargs)

    def preload(self, specialization_data):
        """Compile for `specialization_data`, a string from a `tilewright.compile_hook` in this or another process, on
        the current device. Matching calls find the kernel. Gives the `CompiledKernel`. Raises
        `RuntimeError` for data of another kernel, `ValueError` for invalid data.

        Example: see `tilewright.compile_hook`.
        """
        return self._specializer.preload(specialization_data)

    def compile_async(self, *args, **kwargs):
        """Compile as `warmup` does, in another thread. Gives the `concurrent.futures.Future` of the
        `CompiledKernel`; its `result()` raises the errors of `warmup`, such as `CompilationError` at the line of the
        kernel. As many compile at once as the process has CPUs. A launch with the same types waits for the one
        that compiles for them.
        """
        from .background import submit

        return submit(self.warmup, *args, **kwargs)

    def _interpret(self, grid, *args, **kwargs):
        bound = self._specializer.bind(args, kwargs)
        given = {name: kwargs[name] for name in OPTION_NAMES if name in kwargs and name not in bound}
        options = replace(self._options(), **given)
        if callable(grid):
            grid = self._specializer.call_grid(grid, {**dict(options.items()), **bound})
        JITFunction.import_interpreter().launch(self.fn, grid, bound, options)

    def run(self, *args, grid, warmup=False, **kwargs):
        """Launch over `grid`, or with `warmup` only compile."""
        return self.warmup(*args, **kwargs) if warmup else self[grid](*args, **kwargs)

    @property
    def is_interpreted(self):
        """Whether it runs in the NumPy interpreter."""
        return self._interpreted

    def _options(self):
        return Options(**{**knobs.switches(), **self._switches}, numerics=self.numerics)

    def __call__(self, *args, **kwargs):
        """Run the body where the interpreter does; everywhere else a kernel needs a grid."""
        try:
            builder = ir.builder()
        except LanguageError:
            raise RuntimeError(
                f"kernel {self.__name__}() is launched over a grid: {self.__name__}[grid](...)"
            ) from None
        return builder.call(self, args, kwargs)

    def __repr__(self):
        return f"<tilewright kernel {self.__module__}.{self.__qualname__}>"


@lru_cache(maxsize=1)
def _subscript_quickly():
    """Make `kernel[grid]` run no Python unless a launch needs more than a launcher."""
    from .. import _tilewright

    _tilewright.define_subscript(JITFunction)


class _Caches(dict):
    """By device number, a tuple with the dict of kernels compiled for it; empty for a new device."""

    def __init__(self, specializer):
        super().__init__({ordinal: (kernels,) for ordinal, kernels in specializer.made.items()})
        self._specializer = specializer

    def __missing__(self, ordinal):
        return (self._specializer.made_for(ordinal),)


def _array_of(value):
    """An array for a dtype of torch, on the device that kernels run on; all else as it is."""
    if type(value).__name__ != "dtype":
        return value
    import torch

    return torch.empty(1, dtype=value, device="cuda" if torch.cuda.is_available() else "cpu")


def jit(
    fn=None,
    *,
    do_not_specialize=(),
    do_not_specialize_on_alignment=(),
    debug=None,
    noinline=False,
    numerics="ieee",
    check_nan=None,
    deterministic=None,
    repr=None,
    launch_metadata=None,
):
    """Decorate a function as a kernel, or as a function that kernels call.

    Calls are compiled separately for int arguments of value 1, for ints and addresses divisible by 16, and for other
    ints divisible by 8. `do_not_specialize` and `do_not_specialize_on_alignment` list the parameters (names or positions)
    for which they are not. `debug`, `check_nan`, `deterministic` and `numerics` set the defaults of the options of
    these names. Functions are always inlined; `noinline` exists for compatibility.

    `repr` is a function of a specialisation, with the `constants` and the `signature` (types) of the arguments by
    name. It returns the name of the kernel in profiles, caches and machine code. `launch_metadata` is a function of
    the grid, the metadata of the compiled kernel and the arguments by name. It returns a dict for launch hooks, and is
    called only if there are some.

    A function that kernels call may take `*args`. Raises `TypeError` for one with `**kwargs` and `ValueError` for
    unknown names.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> import tilewright.language as tl
        >>> @tw.jit
        ... def twice(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        ...     i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        ...     tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)
        ...
        >>> x, out = np.arange(5), np.zeros(5, int)
        >>> _ = twice[(2,)](x, out, 5, BLOCK=4)
        >>> out
        array([0, 2, 4, 6, 8])
    """
    if fn is None:
        return partial(
            jit,
            do_not_specialize=do_not_specialize,
            do_not_specialize_on_alignment=do_not_specialize_on_alignment,
            debug=debug,
            numerics=numerics,
            check_nan=check_nan,
            deterministic=deterministic,
            repr=repr,
            launch_metadata=launch_metadata,
        )
    if isinstance(fn, JITFunction):
        return fn
    if isinstance(fn, staticmethod):
        fn = fn.__func__
    if not callable(fn) or not hasattr(fn, "__code__"):
        raise TypeError(f"jit decorates a Python function, got {fn!r}")
    return JITFunction(
        fn,
        do_not_specialize,
        do_not_specialize_on_alignment,
        debug,
        numerics,
        check_nan,
        deterministic,
        repr,
        launch_metadata,
    )
