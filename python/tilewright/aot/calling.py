"""Calls of the functions of a loaded library: which code takes a call, and its launch."""

import inspect
import operator
import struct
from functools import lru_cache, partial

from ..runtime.descriptor import TensorDescriptor
from .cpu_features import missing
from .exports import INTEGERS
from .expressions import ExpressionError
from .library import DIVISORS, NOT_PASSED, Architecture


def _to_half(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def _to_bfloat(value):
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    if value != value:
        return bits >> 16 | 0x40
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def element_of(type):
    """The element of a pointer type: "fp32" of "*fp32"."""
    return type.removeprefix("*").removeprefix("k")


_RANGES = {
    **{f"i{bits}": range(-(2 ** (bits - 1)), 2 ** (bits - 1)) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": range(2**bits) for bits in (8, 16, 32, 64)},
}
_FLOATS = {"fp32": float, "fp64": float, "fp16": _to_half, "bf16": _to_bfloat}


def _holds(candidate, ints):
    """Whether the condition of a candidate holds; None where it has no value."""
    try:
        return candidate.when is None or bool(candidate.when.evaluate({**candidate.values, **ints}))
    except ExpressionError:
        return None


def _in_parts(args, kwargs, arguments):
    """Positional and keyword arguments with descriptors replaced by their parts, which follow each other in
    `arguments`; and the descriptors by argument."""
    plain, descriptors = [], {}
    for value in args:
        if isinstance(value, TensorDescriptor) and len(plain) < len(arguments):
            descriptors[arguments[len(plain)][0]] = value
        plain += _parts(value).values()
    named = {}
    for name, value in kwargs.items():
        if isinstance(value, TensorDescriptor):
            descriptors[name] = value
        named |= {name + suffix: part for suffix, part in _parts(value).items()}
    return plain, named, descriptors


def _parts(value):
    """The parts that are passed for an argument, by the suffix of their names."""
    if not isinstance(value, TensorDescriptor):
        return {"": value}
    sizes = {f"_shape{i}": size for i, size in enumerate(value.shape)}
    return {"": value.base} | sizes | {f"_stride{i}": step for i, step in enumerate(value.strides[:-1])}


class LoadedFunction:
    """One function of a loaded library.

    `function(*args, stream=None)` runs it, or `function[grid](...)` where it `takes_grid`. `arguments` are
    pairs of name and type. `targets` are the compiled ones.
    """

    __iter__ = None  # `[...]` takes a grid: there are no elements

    def __init__(self, function, error):
        from .. import _tilewright

        self.name, self.arguments, self.takes_grid = function.name, function.arguments, function.takes_grid
        self._candidates = function.candidates
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = [name for name, _ in function.arguments]
        self.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])
        # Ints of value 1 are passed like others: whether the code has a parameter for them differs.
        rows = [(name, False, None, False, False, True, type == "fp64") for name, type in function.arguments]
        options = [("choice", None), ("stream", None)]
        self._dispatcher = _tilewright.Dispatcher(self.name, rows, options, Chooser(function, error))

    @property
    def targets(self):
        """The targets that it has code for, the most special first."""
        return list(dict.fromkeys(candidate.target for candidate in self._candidates))

    def __getitem__(self, grid):
        """A callable that runs the function over `grid`: one to three ints, or a function of the arguments."""
        if not self.takes_grid:
            raise TypeError(f"{self.name}() computes its grid: call it as {self.name}(...)")
        return partial(self._call, grid)

    def __call__(self, *args, **kwargs):
        """Run the function; it computes the grid."""
        if self.takes_grid:
            raise TypeError(f"{self.name}() is launched over a grid: {self.name}[grid](...)")
        self._call(None, *args, **kwargs)

    def __repr__(self):
        arguments = ", ".join(f"{name}: {type}" for name, type in self.arguments)
        return f"<tilewright function {self.name}({arguments}) for {', '.join(self.targets)}>"

    def _call(self, grid, *args, stream=None, **kwargs):
        args, kwargs, descriptors = _in_parts(args, kwargs, self.arguments)
        self._check_ranks(descriptors)
        try:
            bound = self.__signature__.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{self.name}(): {error}") from None
        values = [self._convert(name, type, bound[name]) for name, type in self.arguments]
        ints = {name: value for (name, type), value in zip(self.arguments, values) if type in INTEGERS}
        facts = tuple(_holds(candidate, ints) for candidate in self._candidates)
        ones = tuple(ints.get(name) == 1 for name, _ in self.arguments)
        chosen = self._dispatcher.warmer()(*values, choice=(facts, ones, None))
        self._check_descriptors(descriptors, chosen)
        if chosen.grid:
            grid = self._grid(chosen, ints)
        self._dispatcher.launcher(grid)(*values, choice=(facts, ones, chosen.variant), stream=stream)

    def _check_ranks(self, descriptors):
        names = dict(self.arguments)
        for name, descriptor in descriptors.items():
            rank = len(descriptor.shape)
            parts = {name + suffix for suffix in _parts(descriptor)}
            if not parts <= names.keys() or f"{name}_shape{rank}" in names:
                raise TypeError(
                    f"argument {name!r} of {self.name}() was not compiled for a tensor descriptor of {rank} axes"
                )

    def _check_descriptors(self, descriptors, candidate):
        for name, descriptor in descriptors.items():
            what = f"argument {name!r} of {self.name}()"
            wanted = candidate.metadata["blocks"][name]
            if list(wanted) != list(descriptor.block_shape):
                raise ValueError(
                    f"{what} describes blocks of {list(descriptor.block_shape)}, but it was compiled for blocks of "
                    f"{list(wanted)}"
                )
            if descriptor.padding != "zero":
                raise ValueError(
                    f"{what} has padding {descriptor.padding!r}, but it was compiled for padding 'zero'"
                )

    def _grid(self, candidate, ints):
        try:
            return tuple(dim.evaluate({**candidate.values, **ints}) for dim in candidate.grid)
        except ExpressionError as error:
            raise ValueError(f"{self.name}(): its grid: {error}") from None

    def _convert(self, name, type, value):
        """The passed form of a value: arrays as they are, f16 and bf16 as their bits."""
        what = f"argument {name!r} of {self.name}()"
        if type.startswith("*"):
            if value is None or isinstance(value, (int, float)):
                raise TypeError(f"{what} is {value!r}, not an array of {element_of(type)}")
            return value
        if type == "i1":
            return bool(value)
        try:
            if type in _FLOATS:
                return _FLOATS[type](value)
            number = operator.index(value)
        except (TypeError, ValueError):
            raise TypeError(f"{what} is {value!r}, not a value of type {type}") from None
        except (struct.error, OverflowError):
            raise OverflowError(f"{what}: {value!r} does not fit {type}") from None
        if type not in _RANGES:
            raise TypeError(f"{what} has type {type}, which Python can not pass")
        if number not in _RANGES[type]:
            raise OverflowError(f"{what}: {number} does not fit {type}")
        return number


class Chooser:
    """Finds the code for the calls of one function; the dispatcher asks it."""

    def __init__(self, function, error):
        self.function, self.error = function, error
        self._loaded, self._runnable = {}, {}

    def compile(self, values, specs, options, device, load):
        """The candidate for a call, its launcher, the arguments that it writes through, False for the extents of
        arrays, and no guards.

        The option has three parts: whether the condition of each candidate holds, whether each argument is the int 1, and
        the number of the variant if it is decided.
        """
        ((facts, ones, variant),) = options
        self._check_arrays(specs)
        runnable = self._runnable_on(device)
        divisors = [spec[1] if spec is not None else 0 for spec in specs]
        found, reason = None, "the conditions of all variants are false"
        for candidate, fact in zip(self.function.candidates, facts):
            if candidate not in runnable or fact is False or variant not in (None, candidate.variant):
                continue
            if fact is None:
                raise ValueError(f"{self.function.name}(): {candidate.when.text!r} has no value")
            reason = self._misfit(candidate, divisors, ones)
            if not reason:
                found = candidate
                break
        if found is None:
            raise ValueError(f"{self.function.name}(): {reason}")
        loaded = self._load(found, device) if load else None
        return found, loaded, self.function.written, False, ()

    def _misfit(self, candidate, divisors, ones):
        for (name, _), hint, divisor, is_one in zip(self.function.arguments, candidate.hints, divisors, ones):
            if hint in DIVISORS and divisor < hint:
                return f"argument {name!r} is not a multiple of {hint}, as it was compiled for"
            if hint == 1 and not is_one:
                return f"argument {name!r} is not 1, as it was compiled for"
        return ""

    def _check_arrays(self, specs):
        for (name, type), spec in zip(self.function.arguments, specs):
            is_array = spec is not None and spec[0].startswith("*")
            if not type.startswith("*"):
                continue
            if not is_array or spec[0][1:] != element_of(type):
                found = f"an array of {spec[0][1:]}" if is_array else "no array"
                raise TypeError(
                    f"argument {name!r} of {self.function.name}() is {found}, not an array of {element_of(type)}"
                )

    def _runnable_on(self, device):
        """The candidates that a device, a kind and a number, can run. Raises the error for none."""
        if device not in self._runnable:
            cpu = device[0] == "cpu"
            candidates = self.function.of_kind(cpu)
            found = _for_cpu(candidates) if cpu else _for_capability(candidates, _capability(device[1]))
            if not found:
                self._fail(device, candidates)
            self._runnable[device] = found
        return self._runnable[device]

    def _fail(self, device, candidates):
        targets = ", ".join(dict.fromkeys(candidate.target for candidate in self.function.candidates))
        machine = "the CPU"
        if device[0] != "cpu":
            capability = _capability(device[1])
            machine = f"CUDA device {device[1]} of compute capability {capability // 10}.{capability % 10}"
        elif candidates:
            lacking = missing(candidates[-1].metadata["features"]) or [candidates[-1].metadata["triple"]]
            machine = f"this processor, which lacks {', '.join(lacking)}"
        raise self.error(f"{self.function.name}() has no code for {machine}; it was compiled for {targets}")

    def _load(self, candidate, device):
        from .. import _tilewright

        key = candidate.symbol, candidate.image, device
        if key not in self._loaded:
            if candidate.is_cpu:
                order = candidate.metadata["program_order"]
                loaded = _tilewright.LoadedKernel.host(candidate.code, candidate.symbol, order)
            else:
                loaded = _tilewright.LoadedKernel.cuda(
                    device[1],
                    candidate.code + (b"\0" if candidate.image == "ptx" else b""),
                    candidate.symbol,
                    candidate.metadata["num_threads"],
                    candidate.metadata.get("shared", 0),
                    cluster=(candidate.metadata.get("cluster", 1), 1, 1),
                    recipe=candidate.metadata.get("launch_recipe", []),
                    cooperative=candidate.metadata["cooperative"],
                    dependent=candidate.metadata["dependent"],
                )
            loaded.pass_only([hint not in (1, NOT_PASSED) for hint in candidate.hints])
            self._loaded[key] = loaded
        return self._loaded[key]

    def stream_handle(self, stream):
        """The driver's handle, an int, of a stream that is no int."""
        from ..streams import Stream, handle_of

        ordinal = stream.ordinal if isinstance(stream, Stream) else 0
        return handle_of(stream, ordinal, f"stream of {self.function.name}()")


def _for_cpu(candidates):
    """Those of the machine's kind of processor whose features it has."""
    from .. import _tilewright

    machine = _tilewright.host_target().split("-")[0]
    return [
        candidate
        for candidate in candidates
        if candidate.metadata["triple"].split("-")[0] == machine
        and not missing(candidate.metadata["features"])
    ]


def _for_capability(candidates, capability):
    return [it for it in candidates if Architecture.parse(it.target).runs_on(capability, it.image)]


@lru_cache
def _capability(ordinal):
    from .._tilewright import cuda

    return cuda.device_properties(ordinal)["compute_capability"]
