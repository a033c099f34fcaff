"""The types and constants of a kernel, recorded from a call of it."""

import os
from dataclasses import dataclass

from ..runtime import specializer


class NoCall(LookupError):
    """A function that does not call the kernel, or not for the first time."""

    def __str__(self):
        return str(self.args[0])


@dataclass(frozen=True)
class RecordedCall:
    """Types, constants and divisors by argument, the target, the `Options`, and the trees of structured
    arguments, of a call."""

    types: dict
    constants: dict
    divisors: dict
    target: str
    options: object
    trees: dict


def _location(fn):
    """The file and line of a function, equal for two copies of a module imported under different names."""
    code = fn.__code__
    return os.path.realpath(code.co_filename), code.co_firstlineno


def record_call(kernel, function):
    """Call `function()` and give the first call in it that the kernel, a `JITFunction`, is compiled for.

    Raises `NoCall` if there is none, and the errors of the function.
    """
    calls = []

    def observe(fn, *request):
        if _location(fn) == _location(kernel.fn):
            calls.append(RecordedCall(*request))

    specializer.observers.append(observe)
    try:
        function()
    finally:
        specializer.observers.remove(observe)
    if not calls:
        raise NoCall(f"{function.__name__}() does not call {kernel.__name__}()")
    return calls[0]
