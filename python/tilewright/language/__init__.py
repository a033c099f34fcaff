"""The language of kernels: `import tilewright.language as tl`."""

from . import math
from .constexpr import constexpr, constexpr_function
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
    bfloat16,
    block_type,
    dtype,
    float8e4nv,
    float8e5,
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
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from .elementwise import PropagateNan, add, cast, clamp, maximum, minimum, mul, sub, where
from .errors import LanguageError, LanguageTypeError, LanguageValueError
from .loops import range, static_range
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
from .matrix import dot
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
from .reductions import argmax, argmin, max, min, reduce, reduce_or, sum, xor_sum
from .shaping import broadcast, broadcast_to, expand_dims, permute, ravel, reshape, trans, view
from .standard import cdiv, next_power_of_2, sigmoid, softmax, swizzle2d
from .tensor import tensor

_install()
del _install

__all__ = [name for name in globals() if not name.startswith("_")]
