"""How a function becomes part of the language."""

import functools

from .constexpr import unwrap

#: Internal arguments of functions of the language in Triton.
_PASSED_ON = {"_semantic", "_builder", "_generator"}


def builtin(fn):
    """Mark `fn` as callable from kernels; its `constexpr` arguments arrive as plain values."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        named = {name: unwrap(value) for name, value in kwargs.items() if name not in _PASSED_ON}
        return fn(*[unwrap(arg) for arg in args], **named)

    wrapper.is_builtin = True
    return wrapper


def is_builtin(fn):
    """Whether `fn` is marked so, or as Triton marks functions, whose `constexpr` arguments arrive as such."""
    return getattr(fn, "is_builtin", False) or getattr(fn, "__triton_builtin__", False)
