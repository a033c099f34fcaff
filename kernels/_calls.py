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

from ._arrays import address, check_no_overlap, empty, library
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


def repeatable(function):
    """Decorates a function of arrays whose launches depend on the signature of its arguments only.

    A repeated call does only the recorded :func:`launch` and :func:`new`. A call is never repeated if a launch uses
    memory that belongs neither to an argument nor to an array of ``new``.

    The function has a parameter ``out``, and its launches write to no other argument. Raises
    :class:`GradientError` where autograd would have to record the call.
    """
    known = {}
    parameters = tuple(inspect.signature(function).parameters)
    out_position = parameters.index("out")

    @functools.wraps(function)
    def call(*args, **kwargs):
        values, names = (*args, *kwargs.values()), (*parameters[: len(args)], *kwargs)
        check_gradients(names, values)
        out = args[out_position] if out_position < len(args) else kwargs.get("out")
        try:
            result = run(args, kwargs, values, out)
        except Exception:
            explain(names, values)
            raise
        if out is not None:
            note_write(out)
        return result

    def run(args, kwargs, values, out):
        key = None if _local.recording is not None else _key_of(values, len(args), kwargs)
        plan = None if key is None else known.get(key)
        if out is not None:
            check_writable(out)
        if plan:
            return plan(values)
        if out is not None:
            check_no_overlap("out", out)
        if key is None or plan is False:
            return function(*args, **kwargs)
        result, plan = _record(function, args, kwargs, values)
        if len(known) >= MAX_PLANS:
            known.clear()
        known[key] = plan
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
    # Two arguments at one address could not be told apart in the launches.
    return tuple(key) if len(set(addresses)) == len(addresses) else None


def _is_array(x):
    # Detects arrays without importing a library. NumPy's scalars have a shape, too.
    return hasattr(x, "shape") and not isinstance(x, np.generic)


def _layout_of(x):
    """Returns the signature of an array, without its address."""
    name = library(x).__name__
    if name == "torch":
        return x.dtype, x.shape, x.stride(), x.device
    return name, x.dtype, x.shape, x.strides, x.device.id if name == "cupy" else None


def _record(function, args, kwargs, values):
    """Runs the function. Returns its result and the plan for repetition, or False if it cannot be repeated."""
    recording = _local.recording = _Recording()
    try:
        result = function(*args, **kwargs)
    finally:
        _local.recording = None
    try:
        return result, _Plan(recording, values, result)
    except LookupError:
        return result, False


class _Plan:
    """The launches of a call, with the slots (indices) of its arrays."""

    def __init__(self, recording, values, result):
        if not recording.isolated:
            raise LookupError("the call depends on the contents of arrays")
        arrays = {i: value for i, value in enumerate(values) if _is_array(value)}
        self.like = next(iter(arrays))
        self.made = [request for _, request in recording.made]
        arrays |= {len(values) + i: made for i, (made, _) in enumerate(recording.made)}
        self.result = _slot_of(result, arrays)
        if arrays[self.result] is not result:
            raise LookupError("the result is a part of an array")
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
        return arrays[self.result]


def _slot_of(x, arrays):
    """Returns the slot of the array with the memory of ``x``. Raises LookupError unless exactly one has it."""
    for slot, array in arrays.items():
        if array is x:
            return slot
    at = address(x)
    slots = [slot for slot, array in arrays.items() if address(array) == at and array.dtype == x.dtype]
    if len(slots) != 1:
        raise LookupError("memory of unknown origin")
    return slots[0]


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
