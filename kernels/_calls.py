"""Caches the launches of calls of array functions.

A function checks its arguments, chooses a configuration and launches kernels. All of this depends on the signature of
the arguments: types, shapes, strides, devices, alignment and numbers. It does not depend on the contents of arrays. So
:func:`repeatable` records the launches of a call. A later call with the same signature repeats them with its own
arrays.
"""

import functools
import inspect
import threading

import numpy as np

from ._arrays import address, empty, library
from ._tensors import check_gradients, check_writable, explain, note_write

#: Maximum number of cached plans of a function; the cache is cleared when it is full.
MAX_PLANS = 4096

#: Addresses modulo this are part of the signature: kernels and functions depend on it.
ALIGNMENT = 16

#: Types of arguments whose value is the signature.
_PLAIN = (type(None), bool, int, float, str)


class _Recording:
    """Records the allocations and launches of the first run of a call."""

    def __init__(self):
        self.made, self.launches, self.isolated = [], [], True


class _Local(threading.local):
    recording = None


_local = _Local()


def launch(kernel, grid, *args, **constants):
    """Runs ``kernel[grid](*args, **constants)`` and records it for repeated calls."""
    if _local.recording is not None:
        _local.recording.launches.append((kernel, grid, args, constants))
    return kernel[grid](*args, **constants)


def new(shape, like, dtype=None):
    """As :func:`empty`, and records it for repeated calls. Only launches may write to the array."""
    made = empty(shape, like, dtype)
    if _local.recording is not None:
        _local.recording.made.append((made, (tuple(shape), made.dtype)))
    return made


def depends_on_content():
    """Marks the current call as dependent on the contents of arrays, so that it is not repeated."""
    if _local.recording is not None:
        _local.recording.isolated = False


def repeatable(function, results, bind, prepare, execute):
    """Returns ``function`` with a cache of its launches, which depend on the signature of its arguments only.

    A repeated call does only the recorded :func:`launch` and :func:`new`. If a launch uses memory that belongs neither
    to an argument nor to an array of ``new``, a repeated call executes, but does not prepare.

    Raises :class:`GradientError` where autograd would have to record the call.

    Args:
        function: a function of arrays, whose name and signature the result has.
        results: names of the parameters that are written, if they are not None.
        bind: ``bind(args, kwargs)`` returns all arguments by name.
        prepare: ``prepare(given)`` checks the arguments; returns what ``execute`` needs to know.
        execute: ``execute(given, prepared)`` does the call; returns an array, or a tuple of arrays and None.
    """
    known = {}
    parameters = tuple(inspect.signature(function).parameters)
    written = tuple((parameters.index(name), name) for name in results)
    first = min(position for position, _ in written)

    @functools.wraps(function)
    def call(*args, **kwargs):
        values, names = (*args, *kwargs.values()), (*parameters[: len(args)], *kwargs)
        check_gradients(names, values)
        outs = given_results(args, kwargs) if kwargs or len(args) > first else ()
        try:
            result = run(args, kwargs, values, outs)
        except Exception:
            explain(names, values)
            raise
        for _, out in outs:
            note_write(out)
        return result

    def given_results(args, kwargs):
        found = []
        for at, name in written:
            out = args[at] if at < len(args) else kwargs.get(name)
            if out is not None:
                found.append((name, out))
        return found

    def run(args, kwargs, values, outs):
        key = None if _local.recording is not None else _key_of(values, len(args), kwargs)
        plan = None if key is None else known.get(key)
        for name, out in outs:
            check_writable(name, out)
        if type(plan) is _Plan:
            return plan(values)
        given = bind(args, kwargs)
        prepared = prepare(given) if plan is None else plan
        if key is None or plan is not None:
            return execute(given, prepared)
        result, plan = _record(execute, given, prepared, values)
        if len(known) >= MAX_PLANS:
            known.clear()
        known[key] = plan or prepared
        return result

    call.known = known
    return call


def _key_of(values, positional, kwargs):
    """Returns the signature of a call, the key of its plan; None if an argument has no known signature."""
    key, addresses = [positional, *kwargs], []
    for value in values:
        kind = type(value)
        if kind in _PLAIN:
            # -0.0 equals 0.0 but is another argument.
            key += kind, value if value or kind is not float else str(value)
        elif _is_array(value):
            at = address(value)
            addresses.append(at)
            key += _layout_of(value)
            key.append(at % ALIGNMENT)
        elif kind is dict and all(type(part) in _PLAIN for part in value.values()):
            key += kind, repr(value)  # a part of a Config
        elif kind.__hash__ is None or isinstance(value, (tuple, np.generic)):
            return None
        else:
            key.append(value)  # a Config, a type, a function
    if len(set(addresses)) < len(addresses):
        # Which arguments start at one address: launches take the first of them.
        key += map(addresses.index, addresses)
    return tuple(key)


def _is_array(x):
    # Detects arrays without importing a library. NumPy's scalars have a shape, too.
    return hasattr(x, "shape") and not isinstance(x, np.generic)


def _layout_of(x):
    """Returns the signature of an array, without its address."""
    name = library(x).__name__
    if name == "torch":
        return x.dtype, x.shape, x.stride(), x.device
    return name, x.dtype, x.shape, x.strides, x.device.id if name == "cupy" else None


def _record(execute, given, prepared, values):
    """Does the call. Returns its result and the plan for repetition, or None if it cannot be repeated."""
    recording = _local.recording = _Recording()
    try:
        result = execute(given, prepared)
    finally:
        _local.recording = None
    try:
        return result, _Plan(recording, values, result)
    except LookupError:
        return result, None


class _Plan:
    """The launches of a call, with the slots (indices) of its arrays."""

    def __init__(self, recording, values, result):
        if not recording.isolated:
            raise LookupError("the call depends on the contents of arrays")
        arrays = {i: value for i, value in enumerate(values) if _is_array(value)}
        self.like = next(iter(arrays))
        self.made = [request for _, request in recording.made]
        arrays |= {len(values) + i: made for i, (made, _) in enumerate(recording.made)}
        self.several = isinstance(result, tuple)
        self.results = [
            None if part is None else _slot_of_result(part, arrays)
            for part in (result if self.several else (result,))
        ]
        self.launches = [_planned(launch, arrays) for launch in recording.launches]

    def __call__(self, values):
        """Repeat the call with these arguments."""
        like = values[self.like]
        arrays = [*values, *(empty(shape, like, dtype) for shape, dtype in self.made)]
        for kernel, grid, template, slots, options in self.launches:
            args = template.copy()
            for position, slot in slots:
                args[position] = arrays[slot]
            kernel[grid](*args, **options)
        if self.several:
            return tuple(None if slot is None else arrays[slot] for slot in self.results)
        return arrays[self.results[0]]


def _slot_of_result(result, arrays):
    slot = _slot_of(result, arrays)
    if arrays[slot] is not result:
        raise LookupError("the result is a part of an array")
    return slot


def _slot_of(x, arrays):
    """Returns the first slot of an array with the memory of ``x``. Raises LookupError if none has it."""
    for slot, array in arrays.items():
        if array is x:
            return slot
    at = address(x)
    for slot, array in arrays.items():
        if address(array) == at and array.dtype == x.dtype:
            return slot
    raise LookupError("memory of unknown origin")


def _planned(launch, arrays):
    """Returns a launch as (kernel, grid, arguments, (position, slot) of the arrays among them, options)."""
    kernel, grid, args, constants = launch
    names = kernel.arg_names
    # Passes arguments by position, which is cheaper than by name.
    args = [*args, *(constants[name] for name in names[len(args) :])]
    options = {name: value for name, value in constants.items() if name not in names}
    slots = [(i, _slot_of(value, arrays)) for i, value in enumerate(args) if _is_array(value)]
    for position, _ in slots:
        args[position] = None
    return kernel, grid, args, slots, options
