"""Follows NaNs, in kernels compiled with `check_nan`, from the operation that makes one to memory.

A tensor of floats may have a *trace*: an int32 tensor of its shape. It is the number of the operation that made a NaN out
of numbers, and 0 for all other elements. No trace means zeros everywhere. Traces move with their elements, so a NaN
that a mask or `tl.where` drops is not reported, nor is a loaded NaN. A trace ends where a float is read as bits or
becomes an integer.
"""

from ..dtypes import block_type, float32, int1, int32, with_scalar
from ..ir import I64, builder
from ..tensor import tensor
from .bounds import MOVING

_READING = {
    "tile.load",
    "tile.descriptor_load",
    "tile.atomic_rmw",
    "tile.atomic_cas",
    "arith.bitcast",
    "arith.constant",
}
#: Ops on one float that give NaN for NaN only.
_KEEPING = {
    "arith.negf",
    "arith.extf",
    "arith.truncf",
    "math.absf",
    "math.floor",
    "math.ceil",
    "math.round",
    "math.roundeven",
    "math.trunc",
    "math.exp",
    "math.exp2",
    "math.tanh",
    "math.erf",
}
#: Ops that give NaN only if an operand is NaN, but not always then.
_PICKING = {"arith.maxnumf", "arith.minnumf", "arith.maximumf", "arith.minimumf"}
_SYMBOLS = {
    "arith.addf": "+",
    "arith.subf": "-",
    "arith.mulf": "*",
    "arith.divf": "/",
    "arith.remf": "%",
}


def _create(op, operands, ty, **attrs):
    (handle,) = builder().create(op, [operand.handle for operand in operands], [ty], attrs)
    return tensor(handle, ty)


def _number(value, like):
    """An int32 constant of the shape of the tensor `like`."""
    ty = with_scalar(like.type, int32)
    return tensor(builder().constant(value, ty), ty)


def _select(condition, left, right):
    return _create("arith.select", [condition, left, right], left.type)


def _larger(traces):
    """The larger of each of the traces, some of which may be None; None if all are."""
    found = [trace for trace in traces if trace is not None]
    while len(found) > 1:
        left, right = found.pop(), found.pop()
        found.append(_create("arith.maxsi", [left, right], left.type))
    return found[0] if found else None


def _is_nan(value):
    if value.dtype.primitive_bitwidth == 8:
        value = _create("arith.extf", [value], with_scalar(value.type, float32))
    # The predicate is `!=`, which is true of a NaN and itself.
    return _create("arith.cmpf", [value, value], with_scalar(value.type, int1), predicate=I64(13))


def _any_of(flags):
    found = flags[0]
    for flag in flags[1:]:
        found = _create("arith.ori", [found, flag], found.type)
    return found


def _is_traced(value):
    """Whether the elements are floats that the IR computes with."""
    return value.dtype.is_floating() and not value.dtype.is_stored_float()


def _made(result, had_nan, inherited, name):
    """The trace of `result`: the operation itself where no operand `had_nan`, else `inherited`."""
    site = _number(builder().nan_site(name), result)
    zero = _number(0, result)
    old = zero if inherited is None else inherited
    return _select(_is_nan(result), _select(had_nan, old, site), zero)


def _fold(value, axis, op):
    """Reduces `value`, of int1 or int32, along `axis`. The dimension stays with size 1."""
    shape = value.shape[:axis] + value.shape[axis + 1 :]
    ty = block_type(value.dtype, shape) if shape else value.dtype

    def combine(lefts, rights):
        return [_create(op, [lefts[0], rights[0]], lefts[0].type)]

    (handle,) = builder().reduce([value.handle], [value.type], [ty], axis, combine)
    wide = block_type(value.dtype, value.shape[:axis] + (1,) + value.shape[axis + 1 :])
    return _create("tile.expand_dims", [tensor(handle, ty)], wide, axis=axis) if shape else tensor(handle, ty)


def _broadcast_over_dot(value, axis, shape, op):
    """Reduces rows or columns of an operand and broadcasts the result to the shape of the dot."""
    folded = _fold(value, axis, op)
    return _create("tile.broadcast", [folded], block_type(value.dtype, shape))


def _of_dot(result, left, right, acc):
    rank = len(result.shape)
    pairs = ((left, rank - 1), (right, rank - 2))
    nans = [_broadcast_over_dot(_is_nan(value), axis, result.shape, "arith.ori") for value, axis in pairs]
    traces = [
        _broadcast_over_dot(value.trace, axis, result.shape, "arith.maxsi")
        for value, axis in pairs
        if value.trace is not None
    ]
    had_nan = _any_of([*nans, _is_nan(acc)])
    return _made(result, had_nan, _larger([*traces, acc.trace]), "tl.dot")


def _zeros_for(traces, values):
    return [
        _number(0, value) if trace is None else trace for trace, value in zip(traces, values, strict=True)
    ]


def trace_result(result, operands, op, attrs):
    """Give `result`, which `op` made of `operands`, its trace."""
    if not builder().traces_nans or not result.dtype.is_floating() or op in _READING:
        return
    result.trace = _trace(result, operands, op, attrs)


def _trace(result, operands, op, attrs):
    if op in MOVING:
        source, *rest = operands
        if source.trace is None:
            return None
        return _create(op, [source.trace, *rest], with_scalar(result.type, int32), **attrs)
    if op == "arith.select":
        condition, *choices = operands
        traces = [choice.trace for choice in choices]
        if all(trace is None for trace in traces):
            return None
        return _select(condition, *_zeros_for(traces, choices))
    if op in _KEEPING:
        return operands[0].trace
    if op == "tile.dot":
        return _of_dot(result, *operands) if _is_traced(result) else None
    floats = [value for value in operands if _is_traced(value)]
    inherited = _larger([value.trace for value in floats])
    if op in _PICKING:
        return None if inherited is None else _select(_is_nan(result), inherited, _number(0, result))
    if not floats or not _is_traced(result):
        return None
    return _made(result, _any_of([_is_nan(value) for value in floats]), inherited, name_of(op))


def name_of(op):
    """How a message calls an op."""
    return _SYMBOLS.get(op) or "tl." + op.partition(".")[2]


def trace_black_box(results, operands, name):
    """Sets the traces of the `results` of an opaque elementwise operation."""
    floats = [value for value in operands if _is_traced(value)]
    if not builder().traces_nans or not floats:
        return
    for result in results:
        if _is_traced(result):
            inherited = _larger([value.trace for value in floats])
            result.trace = _made(result, _any_of([_is_nan(value) for value in floats]), inherited, name)


def with_trace(value):
    """A tensor of floats with a trace, zeros if it had none. Loops carry and branches merge this form. Other values
    are returned as they are."""
    if not builder().traces_nans or not value.dtype.is_floating() or value.trace is not None:
        return value
    traced = tensor(value.handle, value.type)
    traced.trace = _number(0, value)
    return traced


def check_written(value, mask, what):
    """Stops the launch before `what` writes a NaN that the kernel made. It writes `value` where `mask` is true, or
    everywhere if `mask` is None."""
    trace = value.trace
    if trace is None:
        return
    if mask is not None:
        trace = _select(mask, trace, _number(0, trace))
    if trace.shape:
        flat = block_type(int32, (trace.numel,))
        trace = _fold(
            _create("tile.reshape", [trace], flat) if len(trace.shape) > 1 else trace, 0, "arith.maxsi"
        )
    builder().report_nan(trace, what)
