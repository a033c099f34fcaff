"""Cached signatures of functions that kernels call: `inspect` takes longer than the call."""

import functools
import inspect
import types


@functools.lru_cache(maxsize=4096)
def _known(function):
    return inspect.signature(function)


def signature_of(function):
    """`inspect.signature` of a function, a method or a class. Raises `TypeError` where there is none."""
    return (
        _known(function) if isinstance(function, (types.FunctionType, type)) else inspect.signature(function)
    )


def bind(function, args, kwargs):
    """The parameters of `function` for these arguments. Raises `TypeError` where they do not fit."""
    if isinstance(function, types.MethodType):
        return signature_of(function.__func__).bind(function.__self__, *args, **kwargs)
    return signature_of(function).bind(*args, **kwargs)
