"""Matrix multiplication."""

from .builtin import builtin
from .dtypes import float32
from .semantic import dot as _dot
from .semantic import dot_scaled as _scaled


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
    """Matrix multiplication of `input` [M, K] and `other` [K, N], added to `acc` [M, N] if given.

    Blocks of rank 3, [B, M, K] and [B, K, N], are multiplied in a batch and give [B, M, N].

    Both operands have one dtype. float64 is accumulated in float64, float32 and bfloat16 in float32, int8 in int32.
    float16 and 8-bit floats are accumulated in `out_dtype`: float32 (also for None) or float16.

    float32 operands are multiplied in full precision. `input_precision="tf32"` (or `allow_tf32=True`) uses tensor cores
    with 10 bits of mantissa, "tf32x3" three tf32 multiplications, "bf16x3" and "bf16x6" three and six of bfloat16.

    `max_num_imprecise_acc` is for 8-bit floats, which the tensor cores of Hopper accumulate in 14 bits of mantissa. With
    a number, from 0 to K, the result of this call is added to `acc` in float32. With None, the faster default, the tensor
    cores add it. Other dtypes are always accumulated in float32 or wider.

    Raises `LanguageValueError` if the dimensions do not match, `LanguageTypeError` for other dtypes.

    Example:

        >>> a = tl.reshape(tl.arange(0, 256) % 4, (16, 16)).to(tl.float16)
        >>> b = tl.full((16, 16), 0.5, tl.float16)
        >>> c = tl.dot(a, b)
        >>> tl.max(c), tl.min(c)
        float32 12.0
        float32 12.0
        >>> tl.sum(tl.dot(a, b, c))
        float32 6144.0
    """
    return _dot.dot(input, other, acc, input_precision, allow_tf32, out_dtype, max_num_imprecise_acc)


@builtin
def dot_scaled(
    lhs,
    lhs_scale,
    lhs_format,
    rhs,
    rhs_scale,
    rhs_format,
    acc=None,
    fast_math=False,
    lhs_k_pack=True,
    rhs_k_pack=True,
    out_dtype=float32,
):
    """Matrix multiplication of `lhs` [M, K] and `rhs` [K, N] in microscaling formats, added to `acc` [M, N] if given.

    The formats are "e2m1" (mxfp4, nvfp4), "e4m3", "e5m2" (mxfp8), "bf16" and "fp16". A uint8 holds two
    e2m1 elements that are adjacent along K, the first in the low bits; with `lhs_k_pack=False` adjacent along M, with
    `rhs_k_pack=False` along N. Other elements have the type of their format, or unsigned integers of its width.

    `lhs_scale` [M, K / 32] and `rhs_scale` [N, K / 32] are uint8 blocks of e8m0, or None. Each scale is a power of two,
    from 2**-127 on, for 32 elements along K. 255 is NaN, unless `fast_math` says that there is none. With K / 16 columns
    each scale is for 16 elements. Scales may also be float8e4nv, as those of nvfp4 are. In kernels for Triton these are
    for 16 elements, and others for 32. Blocks of rank 3 are multiplied in a batch.

    Scaled elements are exact in bfloat16, or in float32 in two cases: one format is "fp16", or "bf16" and "fp16" elements
    have float8e4nv scales, which no tensor core multiplies. Accumulators are float32. `out_dtype=tl.float16` is for
    operands of one 16-bit or 8-bit float type without scales. Raises
    `LanguageTypeError` and `LanguageValueError`.

    Example:

        >>> a = tl.full((32, 32), 1.0, tl.float8e4nv)
        >>> scale = tl.full((32, 1), 128, tl.uint8)  # 2.0
        >>> b = tl.full((32, 32), 0.5, tl.bfloat16)
        >>> c = tl.dot_scaled(a, scale, "e4m3", b, None, "bf16")
        >>> tl.max(c)
        float32 32.0
    """
    options = (fast_math, lhs_k_pack, rhs_k_pack, out_dtype)
    return _scaled.dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc, options)
