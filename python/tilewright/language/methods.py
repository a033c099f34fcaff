"""The functions of the language that are methods of its tensors, too: `x.sum(axis=0)` is `tl.sum(x,
axis=0)`.
"""

from . import (
    elementwise,
    indexing,
    joining,
    math,
    memory,
    polling,
    reductions,
    scans,
    scattering,
    shaping,
    sorting,
    standard,
)
from .tensor import _define_operators, tensor
from .tiles import block_pointer

_METHODS = {
    elementwise: ["to", "cast", "logical_and", "logical_or"],
    indexing: ["gather", "histogram", "item"],
    joining: ["flip", "split", "squeeze", "unsqueeze"],
    math: [
        "abs",
        "ceil",
        "cos",
        "erf",
        "exp",
        "exp2",
        "floor",
        "log",
        "log2",
        "rsqrt",
        "sin",
        "sqrt",
        "sqrt_rn",
    ],
    memory: [
        "store",
        "atomic_add",
        "atomic_and",
        "atomic_cas",
        "atomic_load",
        "atomic_max",
        "atomic_min",
        "atomic_or",
        "atomic_store",
        "atomic_xchg",
        "atomic_xor",
    ],
    polling: ["atomic_poll"],
    reductions: ["argmax", "argmin", "max", "min", "reduce", "reduce_or", "sum", "xor_sum"],
    scans: ["associative_scan", "cumprod", "cumsum"],
    shaping: ["broadcast_to", "expand_dims", "permute", "ravel", "reshape", "trans", "view"],
    scattering: ["scatter"],
    sorting: ["sort", "topk"],
    standard: ["cdiv", "sigmoid", "softmax"],
}


def install():
    """Give `tensor` its operators and methods, and block pointers the one that they share with pointers."""
    _define_operators()
    for module, names in _METHODS.items():
        for name in names:
            setattr(tensor, name, getattr(module, name))
    block_pointer.store = memory.store
