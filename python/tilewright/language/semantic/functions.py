"""User functions that an operation calls on elements."""

import inspect

from ..builtin import is_builtin
from ..errors import LanguageTypeError
from .convert import describe


def check_function(function, count, what, role, arguments=None):
    """Raise `LanguageTypeError` unless `function` is one in the language that can be called with `count` arguments.

    `what` calls it as its `role`. `arguments` describes the arguments in errors.
    """
    if not getattr(type(function), "is_kernel_function", False):
        hint = None
        if is_builtin(function):
            hint = f"wrap it: lambda a, b: tl.{function.__name__}(a, b)"
        elif callable(function):
            hint = "decorate it with @tw.jit"
        raise LanguageTypeError(
            f"the {role} of {what} is a @tw.jit function, got {describe(function)}", hint=hint
        )
    signature = inspect.signature(function.fn)
    try:
        signature.bind(*[None] * count)
    except TypeError:
        taken = ", ".join(map(str, signature.parameters.values()))
        raise LanguageTypeError(
            f"the {role} of {what} is called with {_arguments(count)}, but {function.__name__}({taken}) takes "
            f"{len(signature.parameters)}",
            hint=arguments,
        ) from None


def check_combine(function, blocks, what):
    """The same check for a function that combines two elements of each of `blocks` blocks."""
    arguments = "its parameters are the element on the left and the one on the right"
    if blocks > 1:
        arguments = f"its parameters are the {blocks} elements on the left, then the {blocks} on the right"
    check_function(function, 2 * blocks, what, "combine function", arguments)


def _arguments(count):
    return f"{count} argument{'' if count == 1 else 's'}"
