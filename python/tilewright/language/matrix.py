"""Matrix products."""

from .builtin import builtin
from .dtypes import float32
from .errors import LanguageValueError
from .semantic import dot as _dot


@builtin
def dot(
    input,
    other,
    acc=None,
    input_precision=None,
    allow_tf32=None,
    max_num_imprecise_acc=None,
    out_dtype=float32,
):
    """The matrix product of `input` [M, K] and `other` [K, N], added to `acc` [M, N] if given.

    Blocks of rank 3, [B, M, K] and [B, K, N], give B products, [B, M, N].

    Both have one dtype: float64 (sums in float64), float32 or bfloat16 (in float32), float16 or 8-bit
    floats (in `out_dtype`, float32 or float16), int8 (in int32). float32 operands are multiplied in full
    precision; with `input_precision="tf32"` (or `allow_tf32=True`) by tensor cores with 10 bits of
    mantissa, with "tf32x3" in three such products. Raises `LanguageValueError` if the sides do not match,
    `LanguageTypeError` for other dtypes.

    Example: `acc = tl.dot(a, b, acc)`.
    """
    if max_num_imprecise_acc is not None and not 0 <= max_num_imprecise_acc <= input.shape[-1]:
        raise LanguageValueError(
            f"max_num_imprecise_acc is between 0 and {input.shape[-1]}, got {max_num_imprecise_acc}"
        )
    return _dot.dot(input, other, acc, input_precision, allow_tf32, out_dtype)
