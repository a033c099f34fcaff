"""From a Python function and the types of its arguments to a module of the `tile` dialect."""

from dataclasses import dataclass, field

from ..language.constexpr import constexpr, unwrap
from ..language.debug import StaticAssertionError
from ..language.dtypes import dtype, int64, type_from_signature
from ..language.errors import LanguageError
from ..language.ir import using
from ..language.known import KnownInt
from ..language.semantic.convert import constant
from ..language.semantic.loop import check_unrolled
from ..language.tensor import tensor
from ..language.trees import assemble, leaf_names
from ..options import Options
from .annotations import as_annotated, is_const
from .builder import IRBuilder, NanSites, quoted
from .diagnostics import Sources, from_diagnostics, name_of_file
from .errors import CompilationError
from .reads import Reads
from .signatures import signature_of
from .source import source_of
from .values import wrap
from .visitor import Visitor


@dataclass
class TileModule:
    """The result of the front end.

    `module` is the IR (`str(module)` prints it) and `context` its owner; `name` the kernel's name in it;
    `arg_types` maps the arguments that stay to their types, in order; `constexprs` the constants to their
    values; `used_globals` the values read from modules, by (module, name); `called` the functions
    it calls; `reads` the `Reads`, notes on all that was read of Python; `sources` the `Sources`, for errors of later
    passes.
    """

    module: object
    context: object
    name: str
    arg_types: dict
    constexprs: dict
    used_globals: dict = field(default_factory=dict)
    called: list = field(default_factory=list)
    reads: object = None
    sources: object = None

    def __str__(self):
        return str(self.module)


class Unit:
    """The shared state of the compilation of one kernel and the functions it calls."""

    def __init__(self, binding, context, builder, reads):
        self.reads = reads
        self.context, self.builder = context, builder
        self.diagnostic_error = binding.DiagnosticError
        self.used_globals, self.called = {}, []
        self.iterations = 0
        self.sources = Sources()
        self._locations = {}

    def location(self, source, node):
        """The location in the IR of a `node` of `source`, without calls."""
        found = self._locations.get(node)
        if found is None:
            file, range = name_of_file(source.file), source.range(node)
            found = self._locations[node] = self.context.loc(file, *range, source.name)
        return found

    def unroll(self, count):
        """Count unrolled iterations. Raises `LanguageValueError` if there are too many in total."""
        self.iterations += count
        check_unrolled(self.iterations)


def compile_to_tile(
    fn, arg_types, constexprs, attrs=None, options=None, target="cpu", trees=None, extents=False
):
    """Compile the kernel `fn` to the `tile` dialect and give a `TileModule`.

    `arg_types` maps the names of arguments passed at launch to types: signature strings ("*fp16", "i32") or
    types of the language. `constexprs` maps the other arguments to their values, a `KnownInt` to a scalar
    of known value; defaults fill in the rest. `attrs` maps names to powers of two that divide the argument.
    `options` are `Options` or a dict of some: `debug` compiles `device_assert`, `check_nan` compiles NaN traces, and
    `numerics` defines `/` and `tl.dot`. `target` is for kernels that ask for it (`tl.target_info`), `trees` and
    `extents` as for `compile_kernel`.

    Raises `CompilationError` at the user's line for all errors of the kernel.
    """
    try:
        fn, options, sites = getattr(fn, "fn", fn), _options(options), NanSites()
        request = (fn, arg_types, constexprs, attrs or {}, options, target, trees or {}, extents, sites)
        if options.check_nan:
            _compile(*request)
            sites.finish()
        return _compile(*request)
    except CompilationError as error:
        error.__traceback__ = None  # only the user's line matters
        raise error from (_cause(error.add_function_positions()) if options.numerics == "triton" else None)


def _cause(error):
    """The cause in which code for Triton looks for the message: the error in the called function, or that of the
    language."""
    if len(error.frames) > 1:
        inner = CompilationError(
            error.message, error.frames[:1], error.hint, error.notes
        ).add_function_positions()
        inner.__cause__ = LanguageError(error.message)
        return inner
    return None if isinstance(error.origin, StaticAssertionError) else LanguageError(error.message)


def _compile(fn, arg_types, constexprs, attrs, options, target, trees, extents, sites):
    from .. import _tilewright as binding

    source = source_of(fn)
    types, constants = _arguments(source, arg_types, constexprs, trees)
    known = _known(constants, options)
    hidden = _extent_names(types) if extents else {}
    types |= {name: int64 for pair in hidden.values() for name in pair}
    context = binding.Context()
    module = context.module()
    builder = IRBuilder(context, context.builder(), options, target, sites)
    unit = Unit(binding, context, builder, Reads(fn))
    visitor = Visitor(unit, fn, constants)
    builder.visitor = visitor
    with using(builder), builder.at_end(module.body):
        function = builder.operation("tile.func", (), (), _function_attributes(fn, types, attrs), regions=1)
        with builder.block(function.regions[0], list(types.values())) as block:
            arguments = [tensor(handle, ty) for handle, ty in zip(block.args, types.values(), strict=True)]
            values = {**constants, **dict(zip(types, arguments, strict=True))}
            for name, pair in hidden.items():
                extent = tuple(values[end] for end in pair)
                values[name].origin, values[name].extent = name, extent
                builder.extents[name] = extent
            values |= {name: _scalar(number) for name, number in known.items()}
            for name, parameter in signature_of(fn).parameters.items():
                value = assemble(trees.get(name, name), values)
                visitor.scope[name] = wrap(_as_annotated(visitor, name, parameter.annotation, value))
            visitor.run()
            builder.operation("tile.return")
    builder.visitor = None  # a cycle would keep the context until it is collected
    try:
        module.verify()
    except binding.DiagnosticError as error:
        raise from_diagnostics(error, unit.sources) from None
    return TileModule(
        module,
        context,
        fn.__name__,
        types,
        constants,
        unit.used_globals,
        unit.called,
        unit.reads,
        unit.sources,
    )


def _known(constants, options):
    """The constants that are scalars of the kernel with a known value. Under Triton's numerics they stay constants."""
    if options.numerics == "triton":
        return {}
    return {name: value.value for name, value in constants.items() if isinstance(unwrap(value), KnownInt)}


def _scalar(number):
    """The scalar that a `KnownInt` is inside the kernel."""
    return constant(int(number), type_from_signature(number.type))


def _extent_names(types):
    """The hidden arguments of each pointer: the begin and end addresses of its array."""
    return {name: (f"begin of {name}", f"end of {name}") for name, ty in types.items() if ty.is_ptr()}


def _as_annotated(visitor, name, annotation, value):
    try:
        return as_annotated(name, annotation, unwrap(value) if isinstance(value, constexpr) else value)
    except LanguageError as error:
        raise visitor.error(error.message, visitor.source.tree, error.hint) from None


def _options(options):
    return options if isinstance(options, Options) else Options(**(options or {}))


def _arguments(source, arg_types, constexprs, trees):
    """The types of the arguments that stay, in order, and the values of the constants."""
    types, constants = {}, {}
    leaves = [
        (leaf, parameter)
        for name, parameter in signature_of(source.fn).parameters.items()
        for leaf in leaf_names(trees.get(name, name))
    ]
    for name, parameter in leaves:
        if name in constexprs:
            constants[name] = wrap(unwrap(constexprs[name]))
        elif name in arg_types:
            given = arg_types[name]
            try:
                types[name] = given if isinstance(given, dtype) else type_from_signature(given)
            except LanguageError as error:
                raise CompilationError(f"argument {name!r}: {error.message}", hint=error.hint) from None
        elif parameter.default is not parameter.empty:
            constants[name] = wrap(unwrap(parameter.default))
        else:
            raise CompilationError(
                f"the argument {name!r} of {source.fn.__name__}() has neither a type nor a value",
                [source.frame(source.tree)],
            )
    unknown = [name for name in [*arg_types, *constexprs] if name not in types and name not in constants]
    if unknown:
        raise CompilationError(
            f"{source.fn.__name__}() has no argument {unknown[0]!r}", [source.frame(source.tree)]
        )
    return types, constants


def _function_attributes(fn, types, attrs):
    arguments, parameters = [], signature_of(fn).parameters
    for argument, type in types.items():
        known = [f"tile.divisibility = {attrs[argument]} : i32"] if attrs.get(argument, 1) > 1 else []
        if type.is_ptr() and (
            type.is_const() or (argument in parameters and is_const(parameters[argument].annotation))
        ):
            known.append("tile.constant")
        arguments.append(f"{{{', '.join(known)}}}")
    return {
        "sym_name": quoted(fn.__name__),
        "function_type": f"({', '.join(ty.ir for ty in types.values())}) -> ()",
        "arg_attrs": f"[{', '.join(arguments)}]",
        "tile.kernel": "unit",
    }
