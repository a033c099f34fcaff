"""The language of kernels: `import tilewright.language as tl`."""

import builtins as _builtins

from . import math, target_info
from .assembly import inline_asm_elementwise
from .constexpr import constexpr, constexpr_function, constexpr_type
from .debug import (
    assume,
    debug_barrier,
    device_assert,
    device_print,
    max_constancy,
    max_contiguous,
    multiple_of,
    static_assert,
    static_print,
)
from .dtypes import (
    TRITON_MAX_TENSOR_NUMEL,
    bfloat16,
    block_type,
    const,
    dtype,
    float8e4b8,
    float8e4b15,
    float8e4nv,
    float8e5,
    float8e5b16,
    float16,
    float32,
    float64,
    int1,
    int8,
    int16,
    int32,
    int64,
    pi32_t,
    pointer_type,
    str_to_ty,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from .elementwise import PropagateNan, add, cast, clamp, maximum, minimum, mul, sub, where
from .errors import LanguageError, LanguageTypeError, LanguageValueError
from .indexing import gather, histogram
from .joining import cat, flip, interleave, join, split, squeeze, unsqueeze
from .loops import condition, range, static_range
from .mapping import map_elementwise
from .math import (
    abs,
    ceil,
    cos,
    div_rn,
    erf,
    exp,
    exp2,
    fdiv,
    floor,
    fma,
    log,
    log2,
    rsqrt,
    sin,
    sqrt,
    sqrt_rn,
    tanh,
    umulhi,
)
from .matrix import dot, dot_scaled
from .memory import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_xchg,
    atomic_xor,
    load,
    store,
)
from .methods import install as _install
from .program import arange, full, num_programs, program_id, zeros, zeros_like
from .random import (
    pair_uniform_to_normal,
    philox,
    philox_impl,
    rand,
    rand4x,
    randint,
    randint4x,
    randn,
    randn4x,
    uint_to_uniform_float,
)
from .reductions import argmax, argmin, max, min, reduce, reduce_or, sum, xor_sum
from .scans import associative_scan, cumprod, cumsum
from .scattering import scatter
from .shaping import broadcast, broadcast_to, expand_dims, permute, ravel, reshape, trans, view
from .sorting import bitonic_merge, sort, topk
from .standard import cdiv, next_power_of_2, sigmoid, softmax, swizzle2d
from .structure import aggregate, tuple_type
from .tensor import tensor
from .tiles import (
    advance,
    load_tensor_descriptor,
    make_block_ptr,
    make_tensor_descriptor,
    store_tensor_descriptor,
    tensor_descriptor,
)

_install()
del _install

from . import extra  # noqa: E402 (its functions use the operators of tensors)


def __getattr__(name):
    """`tl.core`, which only code written for Triton asks for."""
    if name == "core":
        import importlib

        return importlib.import_module(f"{__name__}.core")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# The types of Python that indices and groups of values have.
slice, tuple = _builtins.slice, _builtins.tuple

__all__ = [
    "TRITON_MAX_TENSOR_NUMEL",
    "LanguageError",
    "LanguageTypeError",
    "LanguageValueError",
    "PropagateNan",
    "abs",
    "add",
    "advance",
    "aggregate",
    "arange",
    "argmax",
    "argmin",
    "associative_scan",
    "assume",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_xchg",
    "atomic_xor",
    "bfloat16",
    "bitonic_merge",
    "block_type",
    "broadcast",
    "broadcast_to",
    "cast",
    "cat",
    "cdiv",
    "ceil",
    "clamp",
    "condition",
    "const",
    "constexpr",
    "constexpr_function",
    "constexpr_type",
    "cos",
    "cumprod",
    "cumsum",
    "debug_barrier",
    "device_assert",
    "device_print",
    "div_rn",
    "dot",
    "dot_scaled",
    "dtype",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "extra",
    "fdiv",
    "flip",
    "float8e4b8",
    "float8e4b15",
    "float8e4nv",
    "float8e5",
    "float8e5b16",
    "float16",
    "float32",
    "float64",
    "floor",
    "fma",
    "full",
    "gather",
    "histogram",
    "inline_asm_elementwise",
    "int1",
    "int8",
    "int16",
    "int32",
    "int64",
    "interleave",
    "join",
    "load",
    "load_tensor_descriptor",
    "log",
    "log2",
    "make_block_ptr",
    "make_tensor_descriptor",
    "map_elementwise",
    "math",
    "max",
    "max_constancy",
    "max_contiguous",
    "maximum",
    "min",
    "minimum",
    "mul",
    "multiple_of",
    "next_power_of_2",
    "num_programs",
    "pair_uniform_to_normal",
    "permute",
    "philox",
    "philox_impl",
    "pi32_t",
    "pointer_type",
    "program_id",
    "rand",
    "rand4x",
    "randint",
    "randint4x",
    "randn",
    "randn4x",
    "range",
    "ravel",
    "reduce",
    "reduce_or",
    "reshape",
    "rsqrt",
    "scatter",
    "sigmoid",
    "sin",
    "slice",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "sqrt_rn",
    "squeeze",
    "static_assert",
    "static_print",
    "static_range",
    "store",
    "store_tensor_descriptor",
    "str_to_ty",
    "sub",
    "sum",
    "swizzle2d",
    "tanh",
    "target_info",
    "tensor",
    "tensor_descriptor",
    "topk",
    "trans",
    "tuple",
    "tuple_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uint_to_uniform_float",
    "umulhi",
    "unsqueeze",
    "view",
    "void",
    "where",
    "xor_sum",
    "zeros",
    "zeros_like",
]
