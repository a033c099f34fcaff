"""Calls that are repeated: what a function of arrays launches, without finding it out again.

A function checks its arguments, chooses how to divide the work, and launches kernels. All of this depends on what
the arguments look like, and not on what arrays hold. So :func:`repeatable` keeps the launches of a call, and a
later one whose arguments look the same (types, shapes, strides, devices, alignment, numbers) only repeats them
with its own arrays.
"""

import functools
import inspect
import threading

import numpy as np

from ._arrays import address, check_no_overlap, empty, library
from ._tensors import check_gradients, check_writable, explain, note_write

#: Calls that a function keeps; then it starts anew.
MOST = 4096

#: What memory's addresses are compared by, as kernels and the functions do.
ALIGNMENT = 16

#: Arguments that are as they look.
_PLAIN = (type(None), bool, int, float, str)


class _Recording:
    """What a call makes and launches while it runs for the first time."""

    def __init__(self):
        self.made, self.launches, self.isolated = [], [], True


class _Local(threading.local):
    recording = None


_local = _Local()


def launch(kernel, grid, *args, **constants):
    """``kernel[grid](*args, **constants)``, which repeated calls do, too."""
    if _local.recording is not None:
        _local.recording.launches.append((kernel, grid, args, constants))
    return kernel[grid](*args, **constants)


def new(shape, like, dtype=None):
    """As :func:`empty`, for arrays that nothing but launches writes to: repeated calls make them, too."""
    made = empty(shape, like, dtype)
    if _local.recording is not None:
        _local.recording.made.append((made, (tuple(shape), made.dtype)))
    return made


def unrepeatable():
    """Says that the call that runs did what depends on the content of arrays."""
    if _local.recording is not None:
        _local.recording.isolated = False


def repeatable(function):
    """Decorate a function of arrays whose launches depend on what its arguments look like.

    Of its work, :func:`launch` and :func:`new` are repeated and nothing else: a call that launches with memory
    that is neither its arguments' nor made by ``new`` (a copy, a part of an array) is never repeated.

    The function has a parameter ``out``, and its launches write to no other argument. Raises
    :class:`GradientError` where autograd would have to record the call.
    """
    known = {}
    parameters = tuple(inspect.signature(function).parameters)
    place = parameters.index("out")

    @functools.wraps(function)
    def call(*args, **kwargs):
        values, names = (*args, *kwargs.values()), (*parameters[: len(args)], *kwargs)
        check_gradients(names, values)
        out = args[place] if place < len(args) else kwargs.get("out")
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
        if len(known) >= MOST:
            known.clear()
        known[key] = plan
        return result

    call.known = known
    return call


def _key_of(values, positional, kwargs):
    """What decides on the launches of a call; None for arguments of which that is not known."""
    key, addresses = [positional, *kwargs], []
    for value in values:
        kind = type(value)
        if kind in _PLAIN:
            # -0.0 is equal to 0.0, and not the same.
            key += kind, value if value or kind is not float else str(value)
        elif _is_array(value):
            at = address(value)
            addresses.append(at)
            key += _look_of(value)
            key.append(at % ALIGNMENT)
        elif kind is dict and all(type(part) in _PLAIN for part in value.values()):
            key += kind, repr(value)  # a part of a Config
        elif kind.__hash__ is None or isinstance(value, (tuple, np.generic)):
            return None
        else:
            key.append(value)  # a Config, a type, a function
    # Two arguments in one place would be taken for one.
    return tuple(key) if len(set(addresses)) == len(addresses) else None


def _is_array(x):
    # What is told from other arguments without a look at all libraries: numbers of NumPy have a shape, too.
    return hasattr(x, "shape") and not isinstance(x, np.generic)


def _look_of(x):
    """What an array looks like, but for its address."""
    name = library(x).__name__
    if name == "torch":
        return x.dtype, x.shape, x.stride(), x.device
    return name, x.dtype, x.shape, x.strides, x.device.id if name == "cupy" else None


def _record(function, args, kwargs, values):
    """Run the function. Gives its result and the plan for its repetition, False where it has none."""
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
    """The launches of a call, with the places of its arrays."""

    def __init__(self, recording, values, result):
        if not recording.isolated:
            raise LookupError("the call depends on the content of arrays")
        arrays = {i: value for i, value in enumerate(values) if _is_array(value)}
        self.like = next(iter(arrays))
        self.made = [request for _, request in recording.made]
        arrays |= {len(values) + i: made for i, (made, _) in enumerate(recording.made)}
        self.result = _place_of(result, arrays)
        if arrays[self.result] is not result:
            raise LookupError("the result is a part of an array")
        self.launches = [_planned(launch, arrays) for launch in recording.launches]

    def __call__(self, values):
        """Repeat the call with these arguments."""
        like = values[self.like]
        arrays = [*values, *(empty(shape, like, dtype) for shape, dtype in self.made)]
        for kernel, grid, template, places, options in self.launches:
            args = template.copy()
            for position, place in places:
                args[position] = arrays[place]
            kernel[grid](*args, **options)
        return arrays[self.result]


def _place_of(x, arrays):
    """Which of the arrays has the memory of ``x``. Raises LookupError where none or more than one has."""
    for place, array in arrays.items():
        if array is x:
            return place
    at = address(x)
    places = [place for place, array in arrays.items() if address(array) == at and array.dtype == x.dtype]
    if len(places) != 1:
        raise LookupError("memory of unknown origin")
    return places[0]


def _planned(launch, arrays):
    """A launch as (kernel, grid, arguments, (position, place) of the arrays among them, options)."""
    kernel, grid, args, constants = launch
    names = kernel.arg_names
    # By position, which costs less than by name.
    args = [*args, *(constants[name] for name in names[len(args) :])]
    options = {name: value for name, value in constants.items() if name not in names}
    places = [(i, _place_of(value, arrays)) for i, value in enumerate(args) if _is_array(value)]
    for position, _ in places:
        args[position] = None
    return kernel, grid, args, places, options
