"""Matrix product with bias and activation in its epilogue."""

import tilewright as tw
import tilewright.language as tl

from .._arrays import check_same, empty, library, on_gpu, strides, with_aligned_rows
from ..activation.functions import gelu_erf, gelu_tanh, relu, silu_fn

ACTIVATIONS = ("none", "relu", "gelu", "gelu_tanh", "silu")


@tw.jit
def activate(x, ACTIVATION: tl.constexpr):
    """The named activation of a float32 tile."""
    if ACTIVATION == "relu":
        x = relu(x)
    elif ACTIVATION == "gelu":
        x = gelu_erf(x)
    elif ACTIVATION == "gelu_tanh":
        x = gelu_tanh(x)
    elif ACTIVATION == "silu":
        x = silu_fn(x)
    return x


@tw.jit
def matmul_kernel(
    c_ptr,
    a_ptr,
    b_ptr,
    bias_ptr,
    M,
    N,
    K,
    stride_cm,
    stride_cn,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    HAS_BIAS: tl.constexpr,
    ACTIVATION: tl.constexpr,
    PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """One BLOCK_M x BLOCK_N tile of c a program."""
    # Programs walk down GROUP_M rows of tiles before the next column, so that a wave of them
    # shares its operands in cache.
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    group = pid // (GROUP_M * tiles_n)
    first_m = group * GROUP_M
    rows = tl.minimum(tiles_m - first_m, GROUP_M)
    pid_m = first_m + (pid % (GROUP_M * tiles_n)) % rows
    pid_n = (pid % (GROUP_M * tiles_n)) // rows

    m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn
    m_mask = m < M
    n_mask = n < N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k_mask = start + k < K
        a = tl.load(a_ptrs, mask=m_mask[:, None] & k_mask[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=k_mask[:, None] & n_mask[None, :], other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if HAS_BIAS:
        bias = tl.load(bias_ptr + n, mask=n_mask, other=0.0).to(tl.float32)
        acc = acc + bias[None, :]
    acc = activate(acc, ACTIVATION)
    c_ptrs = c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=m_mask[:, None] & n_mask[None, :])


def _config(gpu, M, N, itemsize):
    """Blocks and warps for a product of MxN."""
    if not gpu:
        return {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 128, "GROUP_M": 8, "num_warps": 4}
    if itemsize == 4:
        return {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 16, "GROUP_M": 8, "num_warps": 4}
    # The largest tiles that still give most multiprocessors one: the fastest configurations measured on
    # an H100 from 512 to 8192 cubed.
    blocks = {"BLOCK_K": 64, "GROUP_M": 8, "num_stages": 4}
    if tw.cdiv(M, 128) * tw.cdiv(N, 256) >= 100:
        return {"BLOCK_M": 128, "BLOCK_N": 256, "num_warps": 8} | blocks
    if tw.cdiv(M, 128) * tw.cdiv(N, 128) >= 100:
        return {"BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 8} | blocks
    return {"BLOCK_M": 64, "BLOCK_N": 64, "num_warps": 4} | blocks


# Products from which on it pays to copy operands whose rows are not aligned: 3001 x 3003 x 3007 halves of
# precision on an H100 take six times as long without.
COPY_FROM = 2**28


def matmul(a, b, bias=None, activation="none", precision="ieee", out=None):
    """activation(a @ b + bias), summed in float32.

    Args:
        a: array of shape (M, K) and any strides; float16, bfloat16 or float32.
        b: array of shape (K, N), any strides, ``a``'s type.
        bias: contiguous array of shape (N,), or None.
        activation: "none", "relu", "gelu" (error function), "gelu_tanh" or "silu".
        precision: how float32 operands are multiplied, "ieee" or "tf32".
        out: array of shape (M, N), any strides, for the result; made where not given.

    Raises:
        TypeError: arrays of different types or libraries.
        ValueError: shapes that do not fit, or an unknown activation.
    """
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"expected shapes (M, K) and (K, N), got {tuple(a.shape)} and {tuple(b.shape)}")
    if library(a) is not library(b) or a.dtype != b.dtype:
        raise TypeError(f"a is {a.dtype} of {library(a).__name__}, b is {b.dtype} of {library(b).__name__}")
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, got {activation!r}")
    (M, K), N = a.shape, b.shape[1]
    if bias is not None:
        check_same("bias", (N,), bias, a)
        if strides(bias)[0] != 1 and N > 1:
            raise ValueError(f"bias must be contiguous, its stride is {strides(bias)[0]}")
    out = empty((M, N), a) if out is None else out
    check_same("out", (M, N), out, a)
    if M == 0 or N == 0:
        return out
    if on_gpu(a) and a.dtype.itemsize == 2 and M * N * K >= COPY_FROM:
        a, b = with_aligned_rows(a), with_aligned_rows(b)
    config = _config(on_gpu(a), M, N, a.dtype.itemsize)
    grid = (tw.cdiv(M, config["BLOCK_M"]) * tw.cdiv(N, config["BLOCK_N"]),)
    matmul_kernel[grid](
        out,
        a,
        b,
        a if bias is None else bias,
        M,
        N,
        K,
        *strides(out),
        *strides(a),
        *strides(b),
        HAS_BIAS=bias is not None,
        ACTIVATION=activation,
        PRECISION=precision,
        **config,
    )
    return out
