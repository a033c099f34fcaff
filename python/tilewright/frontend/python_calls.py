"""The Python builtins that kernels may call."""

import builtins

from ..language import loops, math
from ..language.constexpr import constexpr, unwrap
from ..language.debug import device_print
from ..language.elementwise import maximum, minimum
from ..language.errors import LanguageTypeError
from ..language.tensor import tensor
from .values import describe, is_constant, static

_CONVERTED = "convert values of the kernel with .to()"
#: Replacements for values of the kernel.
_INSTEAD = {
    int: _CONVERTED,
    float: _CONVERTED,
    bool: _CONVERTED,
    round: "tl.extra.libdevice.rint rounds to the nearest integer, tl.floor(x + 0.5) rounds ties up",
    pow: "tl.extra.libdevice.pow is for floats",
    divmod: "x // y and x % y are for values of the kernel",
    any: "tl.max(x.to(tl.int32), axis=0) != 0 tells whether any element of a block is true",
    all: "tl.min(x.to(tl.int32), axis=0) != 0 tells whether all elements of a block are true",
    sorted: "tl.sort sorts a block",
}


def _on_constants(function):
    def call(*args, **kwargs):
        args, kwargs = static(args), {key: static(value) for key, value in kwargs.items()}
        if not is_constant([*args, *kwargs.values()]):
            raise LanguageTypeError(
                f"{function.__name__}() is evaluated while compiling, but an argument is not known then",
                hint=_INSTEAD.get(function),
            )
        return function(*map(unwrap, args), **{name: unwrap(value) for name, value in kwargs.items()})

    return call


def _fold(name, pair):
    """`min` or `max`: of constants as in Python, else by the language's function of two."""
    of_constants = getattr(builtins, name)

    def call(*args):
        if len(args) == 1:
            args = _items(args[0], f"tl.{name}(x, axis=0) reduces a block")
        if is_constant(args):
            return of_constants(*map(unwrap, args)) if len(args) > 1 else unwrap(args[0])
        result = args[0]
        for arg in args[1:]:
            result = pair(result, arg)
        return result

    return call


def _abs(value):
    return math.abs(value) if isinstance(value, tensor) else abs(unwrap(value))


def _len(value):
    if isinstance(value, tensor):
        if not value.shape:
            raise LanguageTypeError(f"len() of a scalar of type {value.type}")
        return value.shape[0]
    return len(unwrap(value) if isinstance(value, constexpr) else value)


def _items(value, of_blocks=None):
    """The items of a tuple; `of_blocks` is the hint for blocks."""
    value = unwrap(value) if isinstance(value, constexpr) else value
    if not isinstance(value, (tuple, list)):
        is_block = isinstance(value, tensor) and value.shape and of_blocks
        hint = of_blocks if is_block else "its length must be known while compiling"
        raise LanguageTypeError(
            f"expected a tuple, got {describe(value) if isinstance(value, tensor) else repr(value)}",
            hint=hint,
        )
    return value


def _sum(values, start=0):
    values = _items(values, "tl.sum(x, axis=0) reduces a block")
    if is_constant(values):
        return sum(map(unwrap, values), unwrap(start))
    result = unwrap(start)
    for value in values:
        result = value if is_constant(result) and unwrap(result) == 0 else result + unwrap(value)
    return result


def _zip(*tuples, strict=False):
    return tuple(zip(*map(_items, tuples), strict=bool(unwrap(strict))))


def _enumerate(values, start=0):
    return tuple(enumerate(_items(values), unwrap(start)))


def _isinstance(value, classes):
    classes = classes if isinstance(classes, tuple) else (classes,)
    return isinstance(value, classes) or isinstance(unwrap(value), classes)


def _getattr(value, name, *default):
    return getattr(value, unwrap(name), *default)


def _hasattr(value, name):
    name = unwrap(name)
    return hasattr(value, name) or hasattr(unwrap(value), name)


def _print(prefix="", *args, **options):
    if options:
        raise LanguageTypeError(
            f"print in a kernel takes values only, got {next(iter(options))}=",
            hint="tl.static_print has the options of Python's print",
        )
    device_print(prefix, *args) if isinstance(unwrap(prefix), str) else device_print("", prefix, *args)


HANDLED = {
    "range": loops.range,
    "min": _fold("min", minimum),
    "max": _fold("max", maximum),
    "abs": _abs,
    "len": _len,
    "isinstance": _isinstance,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "print": _print,
    "tuple": lambda *args: tuple(*args),
    "list": lambda *args: tuple(*args),
    "sum": _sum,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": lambda values: tuple(reversed(_items(values))),
    **{
        function.__name__: _on_constants(function)
        for function in (
            int,
            float,
            bool,
            str,
            repr,
            round,
            pow,
            divmod,
            any,
            all,
            sorted,
            hash,
            ord,
            chr,
        )
    },
}
