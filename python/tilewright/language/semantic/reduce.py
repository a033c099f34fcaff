"""Reductions."""

from ..dtypes import block_type
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import builder
from ..tensor import tensor
from .convert import describe
from .nan_traces import with_trace
from .promote import expand_dims
from .shape import as_axis, numel, reshape


def reduce(inputs, axis, combine, keep_dims):
    """Reduce the blocks `inputs` together; `combine(lefts, rights)` maps lists of tensors to a list."""
    for value in inputs:
        if not isinstance(value, tensor) or not value.type.is_block():
            raise LanguageTypeError(f"a reduction takes blocks, got {describe(value)}")
        if value.shape != inputs[0].shape:
            raise LanguageValueError(
                f"blocks reduced together have one shape, got {list(inputs[0].shape)} and {list(value.shape)}"
            )
    rank = len(inputs[0].shape)
    if axis is None:
        inputs = [reshape(value, (numel(value.shape),)) for value in inputs]
        axis_in, expanded = 0, range(rank)
    else:
        axis_in = as_axis(axis, rank, "a reduction")
        expanded = [axis_in]
    shape = inputs[0].shape[:axis_in] + inputs[0].shape[axis_in + 1 :]
    results = _with_traces(
        inputs, combine, lambda values, function: _reduce(values, shape, axis_in, function)
    )
    if keep_dims:
        for position in expanded:
            results = [expand_dims(value, position) for value in results]
    return results


def _reduce(inputs, shape, axis, combine):
    types = [block_type(value.dtype, shape) if shape else value.dtype for value in inputs]
    handles = builder().reduce(
        [value.handle for value in inputs], [v.type for v in inputs], types, axis, combine
    )
    return [tensor(handle, ty) for handle, ty in zip(handles, types, strict=True)]


def scan(inputs, axis, reverse, combine):
    """Scan the blocks `inputs`, of one shape, together, for a GPU; `combine` as of `reduce`."""

    def run(values, function):
        types = [value.type for value in values]
        handles = builder().scan([value.handle for value in values], types, axis, reverse, function)
        return [tensor(handle, ty) for handle, ty in zip(handles, types, strict=True)]

    return _with_traces(inputs, combine, run)


def _with_traces(inputs, combine, run):
    """`run(inputs, combine)`, with the traces of floats, where they have some, as further inputs."""
    inputs, count = [with_trace(value) for value in inputs], len(inputs)
    traced = [index for index, value in enumerate(inputs) if value.trace is not None]
    if not traced:
        return run(inputs, combine)

    def attach(values):
        for index, trace in zip(traced, values[count:], strict=True):
            values[index].trace = trace
        return values[:count]

    def combine_traced(lefts, rights):
        values = [with_trace(value) for value in combine(attach(lefts), attach(rights))]
        return values + [values[index].trace for index in traced]

    traces = [inputs[index].trace for index in traced]
    return attach(run(inputs + traces, combine_traced))


def check_combined(values, expected):
    """The result of a combine function as a list. Raises unless it has the types of the arguments."""
    values = list(values) if isinstance(values, tuple) else [values]
    found = [value.type if isinstance(value, tensor) else describe(value) for value in values]
    if found != list(expected):
        given, wanted = (", ".join(map(str, types)) for types in (found, expected))
        raise LanguageTypeError(
            f"the combine function gives ({given}), expected ({wanted})",
            hint="cast the result with .to() to the type of the arguments",
        )
    return values
