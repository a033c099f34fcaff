"""Matrix multiplication."""

from ... import knobs
from ..dtypes import bfloat16, block_type, float16, float32, float64, int8, int32
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import builder, emit
from . import arithmetic
from .compare import compare
from .convert import cast, constant, describe
from .memory import option

PRECISION = {"ieee": 0, "tf32": 1, "tf32x3": 2}


def _check(left, right):
    from ..tensor import tensor

    for value in (left, right):
        if not isinstance(value, tensor) or len(value.shape) not in (2, 3):
            raise LanguageTypeError(
                f"tl.dot takes two blocks of rank 2, or two of rank 3, got {describe(left)} and {describe(right)}"
            )
    shapes = f"tl.dot of {list(left.shape)} and {list(right.shape)}"
    if len(left.shape) != len(right.shape):
        raise LanguageValueError(
            f"{shapes}: the ranks differ", hint="repeat the smaller one with tl.broadcast_to"
        )
    if left.shape[:-2] != right.shape[:-2]:
        raise LanguageValueError(f"{shapes}: the batch sizes differ")
    if left.shape[-1] != right.shape[-2]:
        raise LanguageValueError(
            f"{shapes}: the last dimension of the first block and the second to last of the second differ"
        )
    if left.dtype != right.dtype and not (left.dtype.is_fp8() and right.dtype.is_fp8()):
        raise LanguageTypeError(
            f"tl.dot of {left.dtype} and {right.dtype}: both blocks have one type",
            hint="cast one of them with .to()",
        )
    if not (left.dtype.is_floating() or left.dtype == int8):
        raise LanguageTypeError(f"tl.dot takes floats and int8, got {left.dtype}")


def _to_computed(value):
    stored = getattr(getattr(value, "dtype", None), "is_stored_float", lambda: False)()
    return cast(value, float16) if stored else value


def _result_type(element, out_dtype):
    """The accumulator type of operands of type `element`."""
    if element == int8:
        return int32
    if element == float64:
        return float64
    if element.name in ("fp32", "bf16"):
        return float32
    if out_dtype is None:
        return float32
    if out_dtype not in (float16, float32):
        raise LanguageTypeError(f"out_dtype of tl.dot is float16 or float32 for {element}, got {out_dtype}")
    return out_dtype


#: For each precision: the number of bfloat16 terms of a float32, and the pairs of terms that are multiplied.
_SPLITS = {
    "bf16x3": (2, ((1, 0), (0, 1), (0, 0))),
    "bf16x6": (3, ((1, 1), (2, 0), (0, 2), (1, 0), (0, 1), (0, 0))),
}


def _split(value, count):
    """Splits float32 into `count` bfloat16 terms whose sum approximates it. The remainder of an infinity is zero."""
    parts = []
    for _ in range(count):
        parts.append(cast(value, bfloat16))
        value = arithmetic.sub(value, cast(parts[-1], float32))
        value = arithmetic.where(compare("eq", value, value), value, 0.0)
    return parts


def _dot_of_parts(left, right, acc, precision):
    """A float32 dot as several bfloat16 dots. The small terms are summed first."""
    count, pairs = _SPLITS[precision]
    lefts, rights = _split(left, count), _split(right, count)
    total = constant(0, acc.type)
    for i, j in pairs:
        if (i, j) == (0, 0):  # the leading term has every valid NaN: inf * 0 of a remainder is a spurious one
            total = arithmetic.where(compare("eq", total, total), total, 0.0)
        total = emit("tile.dot", [lefts[i], rights[j], total], acc.type, precision=PRECISION["ieee"])
    return arithmetic.add(acc, total)


def _is_summed_outside(left, right, most):
    """Whether the dot is added to the accumulator outside of the tensor cores, as `most` requests."""
    if most is None or not (left.dtype.is_fp8() and right.dtype.is_fp8()):
        return False
    if most < 0:
        raise LanguageValueError(f"max_num_imprecise_acc ({most}) is not negative")
    if most > left.shape[-1]:
        raise LanguageValueError(f"max_num_imprecise_acc ({most}) must be <= K ({left.shape[-1]})")
    return True


def _default_precision(allow_tf32):
    """The precision of a dot without an explicit one."""
    if allow_tf32 is not None:
        return "tf32" if allow_tf32 else "ieee"
    if builder().options.numerics != "triton":
        return "ieee"
    return knobs.TRITON_F32_DEFAULT.text() or "tf32"


def dot(left, right, acc, input_precision, allow_tf32, out_dtype, max_num_imprecise_acc=None):
    """See `tl.dot`."""
    # Storage-only float types are exact in float16.
    left, right = (_to_computed(value) for value in (left, right))
    _check(left, right)
    if input_precision is not None and allow_tf32 is not None:
        raise LanguageValueError("give tl.dot either input_precision or allow_tf32, not both")
    if input_precision is None:
        input_precision = _default_precision(allow_tf32)
    precision = option({**PRECISION, **_SPLITS}, input_precision, "input_precision")
    if left.dtype != float32:
        precision = PRECISION["ieee"]  # the option applies to float32 operands only
    result = block_type(_result_type(left.dtype, out_dtype), (*left.shape[:-1], right.shape[-1]))
    if acc is None:
        acc = constant(0, result)
    elif acc.type != result:
        if acc.shape != result.shape or acc.dtype.is_floating() != result.scalar.is_floating():
            raise LanguageTypeError(f"the accumulator of tl.dot is {acc.type}, expected {result}")
        allowed = acc.dtype == float32 or (acc.dtype == float16 and left.dtype.primitive_bitwidth <= 16)
        if not allowed or left.dtype in (float64, int8):
            raise LanguageTypeError(f"the accumulator of tl.dot is {acc.type}, expected {result}")
    if input_precision in _SPLITS and left.dtype == float32:
        return _dot_of_parts(left, right, acc, input_precision)
    if _is_summed_outside(left, right, max_num_imprecise_acc):
        total = emit("tile.dot", [left, right, constant(0, acc.type)], acc.type, precision=precision)
        return arithmetic.add(acc, total)
    return emit("tile.dot", [left, right, acc], acc.type, precision=precision)
