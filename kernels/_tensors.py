"""Tensors of PyTorch as arguments: gradients, memory without values, and writes that autograd has to notice."""

import sys

from tilewright.tensors import check_memory, is_tensor


class GradientError(RuntimeError):
    """A function of the library was to be differentiated, which it does not record."""


def check_gradients(names, values):
    """Raises :class:`GradientError` where autograd would have to record the call.

    Args:
        names: names of the arguments, in the order of ``values``.
        values: arguments of any kind; tuples of them are searched, too.
    """
    forward_ad = sys.modules.get("torch.autograd.forward_ad")
    if forward_ad is None:
        return
    for value in values:
        if getattr(value, "requires_grad", False) or isinstance(value, tuple):
            _check_required(names, values)
            break
    if getattr(forward_ad, "_current_level", -1) >= 0:
        _check_tangents(forward_ad.unpack_dual, names, values)


def _parts(value):
    """The argument itself, or all that is in a tuple of tuples."""
    if not isinstance(value, tuple):
        yield value
        return
    for part in value:
        yield from _parts(part)


def _check_required(names, values):
    if not sys.modules["torch"].is_grad_enabled():
        return
    for name, value in zip(names, values):
        if any(getattr(part, "requires_grad", False) for part in _parts(value)):
            _refuse(name, value, "requires a gradient", "call it in `with torch.no_grad():` or ")


def _check_tangents(unpack, names, values):
    for name, value in zip(names, values):
        if any(is_tensor(part) and unpack(part).tangent is not None for part in _parts(value)):
            _refuse(name, value, "has a tangent", "")


def _refuse(name, value, reason, remedy):
    if is_tensor(value):
        check_memory(value, name)  # tensors of torch.func require gradients, too
    raise GradientError(
        f"{name} {reason}, and functions of tilewright.kernels are not differentiable: {remedy}pass {name}.detach()"
    )


def explain(names, values):
    """Raises a better error than that of a failed call where the memory of a tensor does not hold its values."""
    for name, value in zip(names, values):
        for part in _parts(value):
            if is_tensor(part):
                _explain(name, part)


def _explain(name, tensor):
    check_memory(tensor, name)
    if tensor.is_nested:
        raise TypeError(f"{name}: the tensor is nested; pass its parts, {name}.unbind()")
    if tensor.is_meta:
        raise ValueError(f"{name}: the tensor is on the device meta and has no memory")


def check_writable(name, out):
    """Raises RuntimeError for an inference tensor outside of inference mode, which nobody may write to."""
    if is_tensor(out) and out.is_inference() and not sys.modules["torch"].is_inference_mode_enabled():
        raise RuntimeError(
            f"{name} is an inference tensor, which is written in `with torch.inference_mode():` only; "
            f"pass {name}.clone()"
        )


def note_write(out):
    """Tells autograd that ``out`` was written: a backward pass that saved it before raises an error."""
    if is_tensor(out):
        sys.modules["torch"].autograd.graph.increment_version(out)
