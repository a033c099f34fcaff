"""Dots of blocks whose elements share scales in groups (OCP Microscaling Formats, version 1.0).

Each element is widened to a type that holds its scaled value exactly, and multiplied in that type:

1. bfloat16 by default.
2. tf32 where one operand is float16: its 10 mantissa bits lose nothing.
3. float32 where 16-bit elements have scales with a mantissa.
"""

from .. import dtypes
from ..dtypes import bfloat16, float16, float32, uint32
from ..errors import LanguageTypeError, LanguageValueError
from ..tensor import tensor
from . import arithmetic, pairs
from .compare import compare
from .convert import bitcast, cast, describe
from .dot import dot
from .promote import broadcast_to_shape, expand_dims, follows_triton
from .shape import permute, reshape

#: How many elements along the contracted dimension may share a scale.
GROUPS = (32, 16)

_FORMATS = {
    "e2m1": None, "e4m3": dtypes.float8e4nv, "e5m2": dtypes.float8e5, "bf16": bfloat16, "fp16": float16,
}  # fmt: skip


def _check_block(value, name, rank=None):
    if not isinstance(value, tensor) or len(value.shape) not in (2, 3):
        raise LanguageTypeError(f"{name} of tl.dot_scaled is a block of rank 2 or 3, got {describe(value)}")
    if rank is not None and len(value.shape) != rank:
        raise LanguageValueError(f"{name} of tl.dot_scaled has rank {rank}, got {list(value.shape)}")


def _shift_left(value, count):
    return arithmetic.shift(value, count, "<<")


def _and(value, mask):
    return arithmetic.bitwise(value, mask, "arith.andi", "&")


def _decode_e2m1(codes):
    """Codes of four bits (uint32) as float32.

    Exponent and mantissa are shifted to their position in float32, where the exponent is too small by 126.
    The one subnormal code becomes a subnormal float32.
    """
    magnitude, sign = _shift_left(_and(codes, 7), 22), _shift_left(_and(codes, 8), 28)
    small = bitcast(arithmetic.bitwise(magnitude, sign, "arith.ori", "|"), float32)
    return arithmetic.mul(small, 2.0**126)


def _unpack_e2m1(value, axis, name):
    """Unpacks bytes of two adjacent elements along `axis`, the first in the low bits, to float32."""
    if not value.dtype.is_int() or value.dtype.int_bitwidth != 8:
        raise LanguageTypeError(f"{name} of tl.dot_scaled in e2m1 is made of uint8, got {value.type}")
    codes = cast(bitcast(value, dtypes.uint8), uint32)
    both = pairs.join(codes, arithmetic.shift(codes, 4, ">>"), axis + 1)
    shape = list(value.shape)
    shape[axis] *= 2
    return _decode_e2m1(reshape(both, tuple(shape)))


def _read(value, kind, axis, name):
    """The elements in the type of their format; those of e2m1 in float32."""
    if kind not in _FORMATS:
        known = ", ".join(map(repr, _FORMATS))
        raise LanguageValueError(f"the format of {name} of tl.dot_scaled is one of {known}, got {kind!r}")
    _check_block(value, name)
    if kind == "e2m1":
        return _unpack_e2m1(value, axis, name)
    ty = _FORMATS[kind]
    if value.dtype == ty:
        return value
    if not value.dtype.is_int() or value.dtype.int_bitwidth != ty.primitive_bitwidth:
        raise LanguageTypeError(
            f"{name} of tl.dot_scaled in {kind} is made of {ty} or uint{ty.primitive_bitwidth}, got {value.type}"
        )
    return bitcast(value, ty)


def _factor(scale, fast_math):
    """Scales as float32: e4m3 as it is; e8m0 as 2^(code - 127), and NaN for 255 unless `fast_math`."""
    if scale.dtype == dtypes.float8e4nv:
        return cast(scale, float32)
    codes = cast(bitcast(scale, dtypes.uint8), uint32)
    bits = arithmetic.where(compare("eq", codes, 0), 1 << 22, _shift_left(codes, 23))
    if not fast_math:
        bits = arithmetic.where(compare("eq", codes, 255), 0x7FC00000, bits)
    return bitcast(bits, float32)


def _group(scale, rows, depth, name):
    """Returns how many of the `depth` elements share a scale. `scale` has one row of scales for each of `rows`."""
    _check_block(scale, name, len(rows) + 1)
    if scale.dtype != dtypes.float8e4nv and not (scale.dtype.is_int() and scale.dtype.int_bitwidth == 8):
        raise LanguageTypeError(
            f"{name} of tl.dot_scaled is made of uint8 (e8m0) or fp8e4nv (e4m3), got {scale.type}"
        )
    groups = GROUPS
    if follows_triton():  # the type of the scales gives the group size
        groups = (16,) if scale.dtype == dtypes.float8e4nv else (32,)
        shape = [*rows, depth // groups[0]]
        if list(scale.shape) != shape:
            raise LanguageValueError(f"{name} must be a tensor of shape {shape}. Got {list(scale.shape)}")
    for group in groups:
        if depth % group == 0 and scale.shape == (*rows, depth // group):
            return group
    fitting = " or ".join(str([*rows, depth // group]) for group in GROUPS if depth % group == 0)
    raise LanguageValueError(
        f"{name} of tl.dot_scaled has a scale for each 32 or 16 elements along the contracted dimension, "
        f"{fitting or f'which has {depth}'}, got {list(scale.shape)}"
    )


def _repeat(factor, times):
    """Repeats each element along the last dimension `times` times."""
    rank, shape = len(factor.shape), factor.shape
    wide = broadcast_to_shape(expand_dims(factor, rank), (*shape, times))
    return reshape(wide, (*shape[:-1], shape[-1] * times))


def _transposed(value):
    rank = len(value.shape)
    return permute(value, (*range(rank - 2), rank - 1, rank - 2))


def _apply(value, scale, is_right, fast_math, name):
    """The elements in float32, each times its scale. The scales of the right operand are transposed."""
    if scale is None:
        return value
    *batch, first, second = value.shape
    rows, depth = (second, first) if is_right else (first, second)
    group = _group(scale, (*batch, rows), depth, name)
    factor = _repeat(_factor(scale, fast_math), group)
    return arithmetic.mul(cast(value, float32), _transposed(factor) if is_right else factor)


def _needs_float32(scale, kind):
    """Whether scaled elements have more mantissa bits than the tensor cores multiply at once."""
    return scale is not None and scale.dtype == dtypes.float8e4nv and kind in ("bf16", "fp16")


def dot_scaled(left, left_scale, left_format, right, right_scale, right_format, acc, options):
    """See `tl.dot_scaled`."""
    fast_math, left_along_k, right_along_k, out_dtype = options
    for value, name in ((left, "lhs"), (right, "rhs")):
        _check_block(value, name)
    if _needs_float32(left_scale, left_format) or _needs_float32(right_scale, right_format):
        precision = "ieee"
    else:
        precision = "tf32" if "fp16" in (left_format, right_format) else None
    rank = len(left.shape)
    a = _read(left, left_format, rank - 1 if left_along_k else rank - 2, "lhs")
    b = _read(right, right_format, len(right.shape) - (2 if right_along_k else 1), "rhs")
    a = _apply(a, left_scale, False, fast_math, "lhs_scale")
    b = _apply(b, right_scale, True, fast_math, "rhs_scale")
    if a.dtype == b.dtype != float32 or (a.dtype.is_fp8() and b.dtype.is_fp8()):
        return dot(a, b, acc, None, None, out_dtype)
    if precision is not None:
        return dot(cast(a, float32), cast(b, float32), acc, precision, None, float32)
    return dot(cast(a, bfloat16), cast(b, bfloat16), acc, None, None, float32)
