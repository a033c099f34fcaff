"""Names of kernels and facts about launches, from the decorator of a kernel."""

import contextlib
import inspect
import re
from collections import namedtuple
from contextvars import ContextVar

from ..language.trees import spelled

#: The argument of `repr` of `tilewright.jit`: constants and types of the arguments, by name.
Specialization = namedtuple("Specialization", ("constants", "signature"))

#: A function of the compiled kernel and the grid that gives the metadata of the launch being made.
description = ContextVar("tilewright_launch_metadata", default=None)


def check_function(function, what):
    """Raise `TypeError` unless `function` is None or can be called."""
    if function is not None and not callable(function):
        raise TypeError(f"{what} of a kernel is a function, got {function!r}")
    return function


def symbol_of(name, fn, constexprs, arg_types, trees=None):
    """The symbol of a kernel: the result of the function `name`, with underscores for characters that are invalid in
    C. Empty, for the kernel's own name, if there is no such function. Raises `TypeError` unless it gives a string."""
    if name is None:
        return ""
    trees = trees or {}
    types = {param: spelled(trees.get(param, param), arg_types) for param in inspect.signature(fn).parameters}
    given = name(Specialization(dict(constexprs), types))
    if not isinstance(given, str) or not given:
        raise TypeError(f"repr of kernel {fn.__name__}() gives a name, got {given!r}")
    symbol = re.sub(r"\W", "_", given, flags=re.ASCII)
    return f"_{symbol}" if symbol[0].isdigit() else symbol


def launch_facts(function, compiled, grid, arguments):
    """The dict that `launch_metadata` of a kernel gives for a launch. Raises `TypeError` unless it is one."""
    from .compiled import Metadata

    options = dict(compiled.options.items()) if compiled.options else {}
    metadata = Metadata({**options, **compiled.metadata, "name": compiled.name})
    facts = function(grid, metadata, arguments)
    if not isinstance(facts, dict):
        raise TypeError(f"launch_metadata of kernel {compiled.name}() gives a dict, got {facts!r}")
    return facts


@contextlib.contextmanager
def describing(describe):
    """`describe(compiled, grid)` gives the metadata of the launch inside the `with`, if a hook asks for it."""
    token = description.set(describe)
    try:
        yield
    finally:
        description.reset(token)
