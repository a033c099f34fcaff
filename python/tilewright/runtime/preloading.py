"""Kernels compiled before the first call that needs them, from the calls of an earlier process."""

import json
import time

from ..options import Options
from .plain import from_plain, plain, plain_tree, tree_from_plain


class CompilationSkipped(Exception):
    """Ends a call whose kernel a hook does not want to be compiled."""


class Compilation:
    """A request for a kernel.

    `kernel` is its name and `function` the jit function. `types`, `constants` and `divisors` are by argument. `options`
    are the `Options`, `device` is "cpu" or "cuda:0", and `is_warmup` says that nothing is launched. `key` is the key of
    the result in the device caches of the kernel, and `specialization_data` a string for `kernel.preload`. `begun` is
    the start by `time.perf_counter()`, and `compiled` the `CompiledKernel`, None until it is done."""

    def __init__(self, fn, kernel, values, trees, device, is_warmup, key):
        self._fn, self.function, self.is_warmup = fn, kernel, is_warmup
        self.types, self.constants, self.divisors, options = values
        self.options = Options(*options)
        self._values, self._trees, (self._kind, self._ordinal), self.key = values, trees, device, key
        self.begun, self.compiled = time.perf_counter(), None

    @property
    def kernel(self):
        return self._fn.__name__

    @property
    def python_function(self):
        """The function that `function` decorates, or the rest of it if that is gone."""
        return self._fn

    @property
    def device(self):
        return self._kind if self._kind == "cpu" else f"{self._kind}:{self._ordinal}"

    @property
    def specialization_data(self):
        """Raises `TypeError` for constants that cannot be written down, such as functions."""
        return serialize(self._fn, self._trees, self._kind, *self._values)


def full_name(fn):
    """The module and the name of a function."""
    return f"{fn.__module__}.{fn.__qualname__}"


def serialize(fn, trees, kind, types, constants, divisors, options):
    """A request as a string. Raises `TypeError` for one that is no plain data."""
    written = {}
    for name, value in constants.items():
        try:
            written[name] = plain(value)
        except TypeError:
            raise TypeError(
                f"the constant {name!r} of kernel {fn.__name__}() cannot be written down: {value!r} is no number, "
                "string, type or tuple of them"
            ) from None
    try:
        structures = {name: plain_tree(tree) for name, tree in trees.items()}
    except TypeError:
        raise TypeError(
            f"arguments of kernel {fn.__name__}() cannot be written down: they belong to a class of yours"
        ) from None
    request = {"types": types, "constants": written, "divisors": divisors, "options": list(options)}
    return json.dumps({"name": full_name(fn), "device": kind, "structures": structures, **request})


def deserialize(fn, data):
    """The kind of device, types, constants, divisors, options and trees that `serialize` has written for `fn`.
    Raises `RuntimeError` for data of another function, `ValueError` for invalid data."""
    try:
        found = json.loads(data)
        name = found["name"]
        request = (
            found["device"],
            {name: str(value) for name, value in found["types"].items()},
            {name: from_plain(value) for name, value in found["constants"].items()},
            {name: int(value) for name, value in found["divisors"].items()},
            tuple(found["options"]),
            {name: tree_from_plain(value) for name, value in found["structures"].items()},
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ValueError(f"no specialisation data of kernel {fn.__name__}(): {str(data)[:80]!r}") from None
    if name != full_name(fn):
        raise RuntimeError(f"Specialization data is for {name} but trying to preload for {full_name(fn)}")
    return request


def begin(hooks, compilation):
    """Call the functions before a compilation; gives one of the result that calls those after.

    Raises `CompilationSkipped`."""
    hooks = list(hooks)
    answers = [hook.before(compilation) for hook in hooks if hook.before]
    if any(answer is True for answer in answers):
        raise CompilationSkipped(f"a hook does not want kernel {compilation.kernel}() to be compiled")

    def end(compiled):
        compilation.compiled = compiled
        for hook in reversed(hooks):
            if hook.after:
                hook.after(compilation)

    return end
