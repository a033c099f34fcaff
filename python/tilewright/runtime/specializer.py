"""The Python part of launches: arguments that do not fit, first calls, unusual streams."""

from ..frontend.signatures import signature_of
from ..language.known import KnownInt
from ..options import OPTION_NAMES, Options
from . import backends
from .backends import backend_for
from .extents import extent
from .lookups import call_with_names, explain, similar
from .naming import symbol_of
from .structured import flatten

#: Functions that are told of each compilation for a call: with the kernel's function, types, constants and
#: divisors by argument, the target, the `Options` and the trees of structured arguments.
observers = []

#: Of the program, each with functions `before` and `after` of a `Compilation`: see `hooks.compile_hook`.
compile_hooks = []


def compile_kernel(*request, **named):
    """As `compiler.compile_kernel`, which is imported by the first kernel that needs it."""
    from . import compiler

    return compiler.compile_kernel(*request, **named)


class Made(dict):
    """The compiled kernels of a weakly referenced `JITFunction`. After `clear` it is compiled anew."""

    def __init__(self, kernel):
        super().__init__()
        self._kernel = kernel

    def clear(self):
        """Forget all, for calls too."""
        super().clear()
        kernel = self._kernel() if self._kernel else None
        if kernel is not None:
            kernel.forget()


class Specializer:
    """Compiles the kernel `fn` for the arguments of its calls; the C++ dispatcher calls it.

    It does not refer to the dispatcher, so that an unused kernel is freed at once. `kernel` is a weak reference to the
    `JITFunction`.
    """

    def __init__(self, fn, params, options=None, trees=None, name=None, kernel=None):
        self.fn, self.params, self.trees, self.name, self.kernel = fn, params, trees or {}, name, kernel
        #: By device number, the compiled kernels by types, constants and options.
        self.made = {}
        #: Kernels compiled before the calls that need them, in the same form.
        self.preloaded = {}
        self.options = Options() if options is None else options
        self._signature, self._structured = signature_of(fn), {}

    def made_for(self, ordinal):
        """The compiled kernels of the device of that number."""
        return self.made.setdefault(ordinal, Made(self.kernel))

    def dispatcher(self):
        """The dispatcher that launches the kernel."""
        from .. import _tilewright

        rows = [
            (p.name, p.has_default, p.default, p.is_constexpr, p.specialize, p.align, p.is_double)
            for p in self.params
        ]
        return _tilewright.Dispatcher(self.fn.__name__, rows, [*self.options.items(), ("stream", None)], self)

    def call_structured(self, form, grid, args, kwargs):
        """A call with arguments that are several values, which the dispatcher does not support: a launch over `grid`,
        or with None a compilation. Each structure has its own dispatcher, for the parts."""
        bound = self.bind(args, kwargs)
        options = {name: value for name, value in kwargs.items() if name not in bound}
        if callable(grid):
            grid = self.call_grid(grid, {**dict(self.options.items()), **options, **bound})
        leaves, inner = self._inner(bound)
        launch = inner.warmer() if grid is None else getattr(inner, form)(grid)
        return launch(*(value for _, value in leaves.values()), **options)

    def inner_dispatcher(self, values):
        """The dispatcher for the parts of the arguments `values`, which are those of a call in order."""
        return self._inner(dict(zip(self._names, values)))[1]

    def _inner(self, bound):
        """The leaves of the arguments by name, and their dispatcher."""
        try:
            leaves, trees = flatten(self.params, bound)
        except TypeError as error:
            raise TypeError(f"kernel {self.fn.__name__}(): {error}") from None
        key = tuple((name, param.is_constexpr) for name, (param, _) in leaves.items()), tuple(trees.items())
        inner = self._structured.get(key)
        if inner is None:
            params = [param for param, _ in leaves.values()]
            specializer = Specializer(self.fn, params, self.options, trees, self.name, self.kernel)
            specializer.made, specializer.preloaded = self.made, self.preloaded
            inner = self._structured[key] = specializer.dispatcher()
        return leaves, inner

    def compile(self, values, specs, options, device, load):
        """The kernel for a call, and, if `load`, ready to launch on `device` (a kind and a number).

        `specs` has `(type, hint)` for each argument that has a type in the signature, None for the others. A hint of 1
        means that the argument is 1, a hint of 8 or 16 that it is divisible by that. Returns five values: the
        `CompiledKernel`, the loaded kernel or None, for each parameter whether the kernel writes through it, whether
        launches pass extents of arrays, and the guards.
        """
        arg_types, constexprs, attrs = {}, {}, {}
        for param, value, spec in zip(self.params, values, specs, strict=True):
            if spec is None or spec[1] == 1:
                constexprs[param.name] = value if spec is None else KnownInt(1, spec[0])
                continue
            arg_types[param.name] = spec[0]
            if spec[1]:
                attrs[param.name] = spec[1]
        values, given = (arg_types, constexprs, attrs, tuple(options)), Options(*options)
        known = self.preloaded.get(device[1], {}).get(key_of(device[0], values, self.trees))
        if known and not _guards_hold(known):
            known = None
        compiled = known or self._compile(device, values, self.trees, is_warmup=not load)
        loaded = backends.load(device[0], compiled, device[1], given) if load else None
        written = [param.name in compiled.written for param in self.params]
        return compiled, loaded, written, given.checks, tuple(compiled.guards)

    def _compile(self, device, values, trees, is_warmup):
        """The kernel for types, constants, divisors and options, the `values`."""
        kind, ordinal = device
        arg_types, constexprs, attrs, options = values
        given = Options(*options)
        request = (self.fn, arg_types, constexprs, attrs, backend_for(kind).target(ordinal), given)
        kernel = self.kernel() if self.kernel else None
        if kernel is not None:
            kernel._check_globals()
        done = self._begin(values, trees, device, is_warmup) if compile_hooks else None
        for observe in observers:
            observe(*request, trees)
        symbol = symbol_of(self.name, self.fn, constexprs, arg_types, trees)
        compiled = compile_kernel(*request, trees=trees, symbol=symbol, extents=given.checks)
        compiled = compiled.launched_by(self.kernel)
        self.made_for(ordinal)[key_of(kind, values, trees)] = compiled
        if done:
            done(compiled)
        return compiled

    def _begin(self, values, trees, device, is_warmup):
        from .preloading import Compilation, begin

        kernel = self.kernel() if self.kernel else None
        key = key_of(device[0], values, trees)
        return begin(compile_hooks, Compilation(self.fn, kernel, values, trees, device, is_warmup, key))

    def preload(self, data):
        """Compile for the `specialization_data` of a compilation, for later calls."""
        from ..devices import ordinal_of
        from .preloading import CompilationSkipped, deserialize

        kind, types, constants, divisors, options, trees = deserialize(self.fn, data)
        ordinal = ordinal_of(kind) if kind == "cuda" else 0
        values = types, constants, divisors, options
        try:
            compiled = self._compile((kind, ordinal), values, trees, is_warmup=True)
        except CompilationSkipped:
            return None
        self.preloaded.setdefault(ordinal, {})[key_of(kind, values, trees)] = compiled
        return compiled

    @staticmethod
    def load(compiled, options, device):
        """A kernel that was only compiled, ready to launch on `device`."""
        kind, ordinal = device
        return backends.load(kind, compiled, ordinal, Options(*options))

    @staticmethod
    def extents(arrays):
        """The begin and the end of each of the arrays, in one list."""
        return [bound for array in arrays for bound in extent(array)]

    def bind(self, args, kwargs):
        """The arguments by name, defaults filled in, options left out. Raises as `reject_arguments`."""
        kept = {name: value for name, value in kwargs.items() if name in self._names or not _is_option(name)}
        try:
            bound = self._signature.bind(*args, **kept)
        except TypeError:
            self.reject_arguments(args, kwargs)
        bound.apply_defaults()
        return bound.arguments

    @property
    def _names(self):
        return [param.name for param in self.params]

    def reject_arguments(self, args, kwargs):
        """Raise the `TypeError` for a call whose arguments do not fit the parameters."""
        name, names = self.fn.__name__, self._names
        if len(args) > len(names):
            raise TypeError(f"kernel {name}() takes {len(names)} arguments, but {len(args)} were given")
        for keyword in kwargs:
            if keyword in names[: len(args)]:
                raise TypeError(f"kernel {name}() got two values for argument {keyword!r}")
            if keyword not in names and not _is_option(keyword):
                raise TypeError(
                    f"kernel {name}() has no parameter {keyword!r}{similar(keyword, [*names, *OPTION_NAMES, 'stream'])}"
                )
        missing = [
            repr(param.name)
            for param in self.params[len(args) :]
            if param.name not in kwargs and not param.has_default
        ]
        noun = "argument" if len(missing) == 1 else "arguments"
        method = (
            ""
            if names[0] != "self"
            else "; 'self' is a parameter as others: kernels are launched as functions"
        )
        raise TypeError(f"kernel {name}() is missing {noun} {', '.join(missing)}{method}")

    @property
    def _what_grid(self):
        return f"the grid function of kernel {self.fn.__name__}()"

    def call_grid(self, function, names):
        """The grid that a function of the arguments and options by name gives."""
        return call_with_names(function, names, self._what_grid)

    def reject_grid(self, function, names, error):
        """Raise the error of a misused grid function. Returns None for errors of the function itself."""
        explain(error, function, names, self._what_grid)

    def stream_handle(self, stream):
        """The driver's handle, an int, of a stream of ours, torch or CuPy. Raises `TypeError` for anything else."""
        from ..streams import Stream, handle_of

        ordinal = stream.ordinal if isinstance(stream, Stream) else 0
        return handle_of(stream, ordinal, f"stream of kernel {self.fn.__name__}()")


def key_of(kind, values, trees):
    """The key of a kernel for a kind of device, types, constants, divisors and options."""
    known = {name: value.type for name, value in values[1].items() if isinstance(value, KnownInt)}
    return repr((kind, *values, trees, known))


def _guards_hold(compiled):
    """Whether the guards of a `CompiledKernel` hold."""
    from .. import _tilewright

    return _tilewright.guards_hold(tuple(compiled.guards))


def _is_option(name):
    return name in OPTION_NAMES or name == "stream"
