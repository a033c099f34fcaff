"""Functions of a launch, for its grid or for a parameter, that are given the arguments and options by name."""

import inspect

from ..errors import TilewrightError
from ..options import OPTION_NAMES


class UnknownParameterError(TilewrightError, KeyError):
    """A function of a launch looked up a name that is neither a parameter of the kernel nor an option."""

    __str__ = Exception.__str__  # that of `KeyError` quotes the message


def similar(name, names):
    """The question whether one of the `names` is meant by `name`, empty where none is like it."""
    import difflib

    close = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def call_with_names(function, names, what):
    """`function(names)`; `what` names the function in errors. Raises as `explain`, and the errors of the function."""
    try:
        return function(names)
    except (KeyError, TypeError) as error:
        explain(error, function, names, what)
        raise


def explain(error, function, names, what):
    """Raise a clearer error of `function` if `error` is a lookup of an unknown name or a wrong number of parameters."""
    if isinstance(error, KeyError):
        name = error.args[0] if error.args else None
        if isinstance(name, str) and name not in names:
            raise UnknownParameterError(
                f"{what} looks up {name!r}, which is no parameter and no option; it is given "
                f"{', '.join(given for given in names if given not in OPTION_NAMES)} and the options"
                f"{similar(name, names)}"
            ) from error
    elif not _takes_one(function):
        raise TypeError(
            f"{what} is called with one dict, the arguments and options by name, and takes "
            f"{inspect.signature(function)}"
        ) from error


def _takes_one(function):
    try:
        inspect.signature(function).bind({})
    except TypeError:
        return False
    except ValueError:  # the signature is unknown
        pass
    return True
