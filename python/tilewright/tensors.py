"""Tensors of PyTorch whose memory does not hold their values."""

import sys

_NO_MEMORY = (
    "the tensor has no memory: its storage was freed, or it stands for other tensors or for a traced value; "
    "a torch.library.custom_op is called with tensors that have memory"
)


def is_tensor(x):
    """Whether `x` is a tensor of PyTorch, which is not imported for the answer."""
    # A module that is still being imported has no type yet.
    return isinstance(x, getattr(sys.modules.get("torch"), "Tensor", ()))


def check_memory(tensor, name):
    """Raises the error of `memory_problem`, if there is one, with `name` before the message."""
    if problem := memory_problem(tensor):
        error, text = problem
        raise error(f"{name}: {text}")


def memory_problem(tensor):
    """The exception type and message for a tensor whose values are not at its address; None for other tensors.

    `ValueError` for tensors without memory, else `TypeError`. Tensors on the device meta pass: they have no address,
    and every protocol refuses them.
    """
    torch = sys.modules["torch"]
    with torch._C.DisableTorchFunctionSubclass():
        if problem := _form_problem(torch, tensor):
            return TypeError, problem
        if tensor.is_meta or not tensor.numel() or _has_memory(torch, tensor):
            return None
        return ValueError, _NO_MEMORY


def _form_problem(torch, tensor):
    """Why memory holds the values of a tensor in another form, or not at all; None where it holds them."""
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return (
            "torch.func (vmap, grad, jvp) passes tensors that stand for others; "
            "call the kernel in a torch.library.custom_op with rules for these"
        )
    if tensor.layout is not torch.strided:
        dense = "x.values()" if tensor.is_nested else "x.to_dense()"
        return f"cannot read the array: its layout is {tensor.layout}; pass {dense}"
    if tensor.is_quantized:
        return "the tensor is quantised; pass x.dequantize() or x.int_repr()"
    if tensor.is_neg():
        return "the negative bit of the tensor is set: memory holds the negated values; pass x.resolve_neg()"
    return None


def _has_memory(torch, tensor):
    """Whether the storage of a strided tensor with elements has an address."""
    fakes = sys.modules.get("torch._subclasses.fake_tensor")
    is_fake = fakes is not None and isinstance(tensor, fakes.FakeTensor)
    if is_fake or torch._is_functional_tensor(tensor) or tensor._is_zerotensor():
        return False
    try:
        return tensor.untyped_storage().data_ptr() != 0
    except RuntimeError:  # subclasses whose values are in other tensors
        return False
