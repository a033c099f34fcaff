"""The decorator ``declare``, and the questions that a declaration answers."""

import functools
import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .._arrays import as_dtype, dtype_name
from .._calls import new, repeatable
from . import shapes
from .arguments import Array, ArrayType, Cost, Gradient, Option, Scalar, Value
from .checks import Checker

#: Largest relative error due to one rounding: norm of the difference over norm of the reference.
ROUNDING = MappingProxyType({"float32": 2e-6, "float16": 1.5e-3, "bfloat16": 1e-2})

_declared = {}


def declarations():
    """Returns all declared kernels: a read-only mapping from names to :class:`Declaration`."""
    return MappingProxyType(_declared)


@dataclass(repr=False, eq=False)
class Declaration:
    """A declared kernel. :func:`declare` describes the first attributes.

    Attributes:
        name: that of the function.
        function: the function that users call.
        body: the decorated function, which launches.
        parameters: names of all parameters in order: arguments and results.
        defaults: default values of the parameters that have one.
        keywords: parameters that are passed by name only.
    """

    arguments: Mapping
    results: Mapping
    reference: Callable
    samples: tuple
    workloads: Mapping
    gradient: Gradient | None
    tolerance: Mapping
    work: Callable | None
    broadcast: bool
    limits: Mapping
    exclusive: tuple
    name: str
    function: Callable
    body: Callable
    parameters: tuple
    defaults: Mapping
    keywords: tuple

    @property
    def written(self):
        """Names of the parameters that a call writes."""
        return tuple(self.results)

    def infer(self, *args, **kwargs):
        """Returns the :class:`ArrayType` of each result, None for one that a call would not compute.

        Args: those of the function. Of arrays only ``shape`` and ``dtype`` are read, so :class:`ArrayType` and tensors
        without memory do. Raises the errors of a call that depend on shapes and dtypes.
        """
        given = self.bind(args, kwargs)
        checker = Checker(self, given, has_data=False)
        checker.check_arguments()
        found = {
            name: ArrayType(*self._type_of(checker, kind)) if self._is_made(kind, given) else None
            for name, kind in self.results.items()
        }
        checker.check_broadcasts()
        return found

    def cost(self, *args, **kwargs):
        """Returns the :class:`Cost` of a call with these arguments, which are as for :meth:`infer`."""
        given = self.bind(args, kwargs)
        arrays = [x for name, x in given.items() if name not in self.results and hasattr(x, "shape")]
        made = self.infer(*args, **kwargs)
        arrays += [x for x in made.values() if x is not None]
        traffic = sum(math.prod(x.shape) * itemsize(dtype_name(x)) for x in arrays)
        return Cost(traffic) if self.work is None else self.work(given, made, traffic)

    def schema(self, out=False):
        """Returns the schema of an operator of PyTorch.

        A result that a call does not compute is an empty tensor there, since schemas have no optional results.

        Args:
            out: whether results are arguments that are written.
        """
        parts = [self._parameter(name) for name in self.parameters if name not in self.keywords]
        more = [self._parameter(name) for name in self.keywords]
        letters = dict(zip(self.results, "abcdefgh"))
        if out:
            more += [f"Tensor({letter}!) {name}" for name, letter in letters.items()]
        parts = [part for part in parts if part]
        parts += ["*", *filter(None, more)] if any(more) else []
        found = [f"Tensor({letter}!)" if out else "Tensor" for letter in letters.values()]
        returned = found[0] if len(found) == 1 else f"({', '.join(found)})"
        return f"{self.name}{'.out' if out else ''}({', '.join(parts)}) -> {returned}"

    def _parameter(self, name):
        """The text of an argument in a schema; empty for one that schemas leave out."""
        kind = self.arguments.get(name)
        if isinstance(kind, Array):
            text = "Tensor"
        elif isinstance(kind, Scalar):
            text = kind.type.__name__
        elif isinstance(kind, Option):
            text = "str"
        else:
            text = kind.schema if isinstance(kind, Value) else None
        if text is None or name not in self.defaults:
            return text and f"{text} {name}"
        value = self.defaults[name]
        if value is None:
            return f"{text}? {name}=None"
        if isinstance(value, str):
            return f'{text} {name}="{value}"' if text == "str" else f"{text}? {name}=None"
        return f"{text} {name}={value}"

    def bind(self, args, kwargs):
        """Returns all parameters by name, with defaults. Raises Python's TypeError for a wrong call."""
        given = {**self.defaults, **dict(zip(self.parameters, args)), **kwargs}
        fits = len(args) <= len(self.parameters) - len(self.keywords) and len(given) == len(self.parameters)
        if not fits or (kwargs and not kwargs.keys().isdisjoint(self.parameters[: len(args)])):
            inspect.signature(self.function).bind(*args, **kwargs)
        return given

    def prepare(self, given):
        """Checks the arguments of a call. Returns what is left to do for :meth:`execute`.

        That is the name of an array, and the name, shape and dtype of the results to allocate like it.
        """
        checker = Checker(self, given, has_data=True)
        checker.check_arguments()
        missing = []
        for name, kind in self.results.items():
            value = given[name]
            if not self._is_made(kind, given):
                if value is not None:
                    raise ValueError(f"{name} is given, expected None, as {kind.needs} is None")
                continue
            shape, dtype = self._type_of(checker, kind, name)
            if value is None:
                like = checker.given[checker.first]
                same = isinstance(kind.dtype, str)
                missing.append((name, shape, given[kind.dtype].dtype if same else as_dtype(dtype, like)))
            else:
                checker.check_result(name, kind, shape, dtype)
        checker.check_broadcasts()
        return checker.first, tuple(missing)

    def execute(self, given, prepared):
        """Allocates the missing results, and calls the function of the declaration. Returns the results."""
        first, missing = prepared
        for name, shape, dtype in missing:
            given[name] = new(shape, given[first], dtype)
        made = tuple([given[name] for name in self.results])
        if any(x is not None and 0 not in x.shape for x in made):
            self.body(**given)
        return made if len(made) > 1 else made[0]

    @staticmethod
    def _is_made(kind, given):
        return kind.needs is None or given[kind.needs] is not None

    def _type_of(self, checker, kind, name=None):
        """The shape and the dtype of a result. Leading dimensions of a given one of this name broadcast, too."""
        given, sizes = checker.given, checker.sizes
        value = None if name is None else given[name]
        if self.broadcast and value is not None:
            checker.check_library(name, value)
            try:
                shapes.match(tuple(value.shape), kind.shape, sizes, True)
            except shapes.ShapeError:
                raise ValueError(
                    f"the leading dimensions do not broadcast: {checker._shapes(name)}"
                ) from None
        dtype = dtype_name(given[kind.dtype]) if isinstance(kind.dtype, str) else kind.dtype(given)
        return shapes.evaluate(kind.shape, sizes), dtype


def itemsize(dtype):
    """Returns the bytes of an element of the dtype of this name."""
    bits = re.search(r"\d+", dtype)
    return int(bits.group()) // 8 if bits else 1


def declare(
    *,
    arguments,
    results,
    reference,
    samples,
    workloads,
    gradient=None,
    tolerance=ROUNDING,
    work=None,
    broadcast=False,
    limits=MappingProxyType({}),
    exclusive=(),
):
    """Decorates the function that launches a kernel, and declares the kernel.

    The function is called with checked arguments and allocated results, and fills the results. It is not called if they
    have no elements. Its launches depend on the signature of the arguments only, see :mod:`.._calls`.

    Args:
        arguments: name to :class:`Array`, :class:`Scalar`, :class:`Option` or :class:`Value`. The function's signature
            has the order and the defaults; the default None makes an array or a number optional.
        results: name to :class:`Result`. Each is a parameter with the default None.
        reference: a function of NumPy arrays that computes the results in float64. It gets the arguments that it names.
        samples: each :class:`Sample` is tested with the dtypes of ``tolerance``: the first two with all, others in turn.
        workloads: "cpu" and "gpu" to a pair of :class:`Sample` and dtype, which benchmarks time.
        gradient: a :class:`Gradient`, or None.
        tolerance: dtype to the largest relative error, the norm of the difference over that of the reference.
        work: ``work(given, made, traffic)`` gives the :class:`Cost` from the arguments, the :class:`ArrayType` of each
            result and the bytes of all arrays; by default these bytes are the cost.
        broadcast: whether leading dimensions broadcast.
        limits: dimension to its least and greatest size.
        exclusive: names of arguments, of which a call gives at most one.
    """

    def decorate(function):
        parameters = inspect.signature(function).parameters
        if set(parameters) != {*arguments, *results}:
            wrong = ", ".join(sorted(set(parameters) ^ {*arguments, *results}))
            raise TypeError(f"{function.__name__} and its declaration differ in the parameters {wrong}")

        def bind(args, kwargs):
            return declaration.bind(args, kwargs)

        @functools.wraps(function)
        def uncached(*args, **kwargs):
            given = declaration.bind(args, kwargs)
            return declaration.execute(given, declaration.prepare(given))

        call = repeatable(
            uncached,
            tuple(results),
            bind,
            lambda given: declaration.prepare(given),
            lambda given, prepared: declaration.execute(given, prepared),
        )
        ordered = {name: arguments[name] for name in parameters if name in arguments}
        declaration = call.declaration = Declaration(
            MappingProxyType(ordered), MappingProxyType(dict(results)), reference, tuple(samples),
            MappingProxyType(dict(workloads)), gradient, MappingProxyType(dict(tolerance)), work, broadcast,
            MappingProxyType(dict(limits)), tuple(exclusive), function.__name__, call, function, tuple(parameters),
            MappingProxyType({k: p.default for k, p in parameters.items() if p.default is not p.empty}),
            tuple(k for k, p in parameters.items() if p.kind is p.KEYWORD_ONLY),
        )  # fmt: skip
        _declared[function.__name__] = declaration
        return call

    return decorate
