"""Functions of libraries by their symbols."""

from ..builtin import builtin
from ..dtypes import dtype as _dtype
from ..errors import LanguageTypeError, LanguageValueError
from ..semantic import convert, promote
from . import libdevice

_PREFIX = "__nv_"
#: Symbols whose names say the type before the operation, as `__nv_fadd_rn`.
_TYPED = ("add", "sub", "mul", "div", "rcp", "sqrt", "rsqrt")
_OTHERS = {
    "uhadd": "hadd",
    "urhadd": "rhadd",
    "usad": "sad",
    "umul24": "mul24",
    "llabs": "abs",
    "fabs": "abs",
}


def _candidates(name):
    """Candidate names in `libdevice` for a symbol without its prefix."""
    yield name
    yield _OTHERS.get(name, name)
    for suffix in ("f", "ll", "d"):
        if name.endswith(suffix):
            short = name[: -len(suffix)]
            yield short
            yield _OTHERS.get(short, short)
    base, _, mode = name.rpartition("_")
    if base[1:] in _TYPED and base[0] in "fd":
        yield f"{base[1:]}_{mode}"
    if base == "fmaf":
        yield f"fma_{mode}"
    for prefix in ("ull", "ll", "u"):
        if name.startswith(prefix):
            yield name[len(prefix) :]
            yield name[len(prefix) :].removesuffix("ll")


def _function(symbol):
    """The function of `libdevice` with this symbol in CUDA's library."""
    if symbol.startswith(_PREFIX):
        for name in _candidates(symbol[len(_PREFIX) :]):
            if name in libdevice.__all__:
                return getattr(libdevice, name)
    raise LanguageValueError(
        f"extern_elementwise knows the functions of libdevice (symbols that start with {_PREFIX}), got {symbol!r}",
        hint="write the function with tl.inline_asm_elementwise, or as a @tw.jit function",
    )


def _spell(types):
    return "(" + ", ".join(map(str, types)) + ")"


@builtin
def extern_elementwise(lib_name, lib_path, args, arg_type_symbol_dict, is_pure):
    """Call a function of libdevice by its symbol, element by element.

    `args` (blocks, scalars, numbers) broadcast. `arg_type_symbol_dict` maps tuples of their dtypes to pairs
    of a symbol, such as "__nv_sinf", and the dtype of the result. No library is read, so that `lib_name` and
    `lib_path` do not matter: the symbols name `libdevice`'s functions, on every back end. Raises
    `LanguageTypeError` for dtypes that are not among the keys, `LanguageValueError` for other symbols.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> import tilewright.language as tl
        >>> ROOTS: tl.constexpr = {(tl.float32,): ("__nv_cbrtf", tl.float32)}
        >>> @tw.jit
        ... def root(x_ptr, out_ptr):
        ...     value = tl.load(x_ptr)
        ...     tl.store(out_ptr, tl.extra.extern_elementwise("", "", [value], ROOTS, is_pure=True))
        ...
        >>> out = np.zeros(1, np.float32)
        >>> _ = root[1,](np.float32([8.0]), out)
        >>> out
        array([2.], dtype=float32)
    """
    values = [convert.to_tensor(arg) for arg in args]
    types = tuple(value.dtype for value in values)
    if types not in arg_type_symbol_dict:
        known = " or ".join(_spell(key) for key in arg_type_symbol_dict)
        raise LanguageTypeError(f"extern_elementwise takes {known}, got {_spell(types)}")
    symbol, result = arg_type_symbol_dict[types]
    if not isinstance(result, _dtype):
        raise LanguageTypeError(f"the result of {symbol!r} is a type such as tl.float32, got {result!r}")
    shape = ()
    for value in values:
        shape = promote.broadcast_shapes(shape, value.shape)
    return convert.cast(_function(symbol)(*[promote.broadcast_to_shape(v, shape) for v in values]), result)
