"""The names of `triton.language.core`, for code that takes them from there: the language's, and a few more."""

import functools

from . import *  # noqa: F403
from . import __all__ as _names
from .builtin import builtin as _builtin
from .builtin import is_builtin
from .constexpr import constexpr, unwrap
from .dtypes import int1, int8, int16, int32, int64, uint8, uint16, uint32, uint64
from .errors import LanguageValueError
from .extra.extern import extern_elementwise
from .structure import aggregate as _aggregate

_INTEGERS = {
    (1, True): int1,
    **{(ty.int_bitwidth, True): ty for ty in (int8, int16, int32, int64)},
    **{(ty.int_bitwidth, False): ty for ty in (uint8, uint16, uint32, uint64)},
}

CONSTEXPR_0 = constexpr(0)


def builtin(fn):
    """Mark `fn` as callable from kernels. Its constants arrive as `constexpr`."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    wrapper.__triton_builtin__ = True
    return wrapper


extern = builtin


@_builtin
def get_int_dtype(bitwidth, signed):
    """The type of integers of `bitwidth` bits, with or without a sign. Raises `LanguageValueError` if there is none."""
    found = _INTEGERS.get((bitwidth, bool(signed)))
    if found is None:
        raise LanguageValueError(f"there are no {'' if signed else 'un'}signed integers of {bitwidth} bits")
    return found


@_builtin
def _unwrap_if_constexpr(value):
    """`value`, or the value inside if it is a `constexpr`."""
    return unwrap(value)


__all__ = [
    *_names,
    "CONSTEXPR_0",
    "_aggregate",
    "builtin",
    "extern",
    "extern_elementwise",
    "get_int_dtype",
    "is_builtin",
]
