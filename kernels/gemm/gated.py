"""Gated linear units: two matmuls of one matrix in one kernel; the first gates the second."""

import tilewright as tw
import tilewright.language as tl

from .._arrays import as_rows, check_contiguous, check_not_aliased, check_same, dtype_name, strides
from .._calls import launch, new, repeatable
from .config import are_alone, choose
from .dense import PRECISIONS, activation_function, result_type
from .operands import check_operands, with_fast_layout
from .tiles import along, multiply_two, rows_and_columns


@tw.jit
def gate_columns(
    gate,
    up,
    m,
    first_n,
    M,
    N,
    gate_bias,
    up_bias,
    BIAS: tl.constexpr,
    ACTIVATION: tl.constexpr,
    TYPE: tl.constexpr,
    PARTS: tl.constexpr,
):
    """Returns ACTIVATION(gate + bias) * (up + bias) as TYPE; PARTS of the columns one after the other."""
    if PARTS > 1:
        half: tl.constexpr = gate.shape[1] // 2
        rows: tl.constexpr = gate.shape[0]
        g0, g1 = gate.reshape(rows, 2, half).permute(0, 2, 1).split()
        u0, u1 = up.reshape(rows, 2, half).permute(0, 2, 1).split()
        rest: tl.constexpr = PARTS // 2
        y0 = gate_columns(g0, u0, m, first_n, M, N, gate_bias, up_bias, BIAS, ACTIVATION, TYPE, rest)
        y1 = gate_columns(g1, u1, m, first_n + half, M, N, gate_bias, up_bias, BIAS, ACTIVATION, TYPE, rest)
        return tl.join(y0, y1).permute(0, 2, 1).reshape(rows, gate.shape[1])
    else:
        COLUMNS: tl.constexpr = gate.shape[1]
        if BIAS & 1:
            gate += along(gate_bias, m, first_n, M, N, "n", COLUMNS)
        if BIAS & 2:
            up += along(up_bias, m, first_n, M, N, "n", COLUMNS)
        return (ACTIVATION(gate) * up).to(TYPE)


@tw.jit
def gated_kernel(
    out_ptr,
    a_ptr,
    gate_ptr,
    up_ptr,
    gate_bias_ptr,
    up_bias_ptr,
    M,
    N,
    K,
    stride_om,
    stride_on,
    stride_am,
    stride_ak,
    stride_gk,
    stride_gn,
    stride_uk,
    stride_un,
    stride_gate_bias,
    stride_up_bias,
    BIAS: tl.constexpr,
    ACTIVATION: tl.constexpr,
    PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """Each program computes one tile from two accumulators. Bit 0 of BIAS: gate has a bias; bit 1: up has one."""
    _, _, m, first_n, n = rows_and_columns(M, N, BLOCK_M, BLOCK_N, GROUP_M)
    gate, up = multiply_two(
        a_ptr, gate_ptr, up_ptr, m, n, n, 0, M, N, K,
        stride_am, stride_ak, stride_gk, stride_gn, stride_uk, stride_un,
        PRECISION, False, False, BLOCK_K, BLOCK_K,
    )  # fmt: skip
    gate_bias, up_bias = (gate_bias_ptr, stride_gate_bias), (up_bias_ptr, stride_up_bias)
    TYPE: tl.constexpr = out_ptr.dtype.element_ty
    # Few columns at once, so that few intermediate values are live together with the accumulators.
    PARTS: tl.constexpr = max(BLOCK_N // 32, 1)
    y = gate_columns(gate, up, m, first_n, M, N, gate_bias, up_bias, BIAS, ACTIVATION, TYPE, PARTS)
    tl.store(
        out_ptr + m[:, None] * stride_om + n[None, :] * stride_on, y, mask=(m < M)[:, None] & (n < N)[None, :]
    )


@repeatable
def gated_matmul(
    a,
    gate,
    up,
    activation="silu",
    gate_bias=None,
    up_bias=None,
    out=None,
    *,
    precision="ieee",
    out_dtype=None,
    config=None,
):
    """activation(a @ gate + gate_bias) * (a @ up + up_bias), in float32: SwiGLU with "silu", GEGLU with "gelu".

    Args:
        a: array of shape (..., K); float32, float16, bfloat16 or float8.
        gate, up: arrays of shape (K, N), any strides, ``a``'s type.
        activation: as for :func:`matmul`.
        gate_bias, up_bias: arrays of shape (N,), or None.
        out: C-contiguous array of shape (..., N) for the result; allocated by default.
        precision, out_dtype, config: as for :func:`matmul`; split_k and swap are not supported.

    Raises:
        TypeError: unsupported types. ValueError: shapes that do not match.

    Source: arXiv 2002.05202. Example: ``gated_matmul(x, w_gate.T, w_up.T)``.
    """
    rows = as_rows(a)
    for weight in (gate, up):
        check_operands(rows, weight)
        if weight.ndim != 2:
            raise ValueError(f"gate and up are matrices, got rank {weight.ndim}")
    check_same("up", gate.shape, up, gate)
    if dtype_name(a) == "int8" or dtype_name(gate) != dtype_name(up):
        raise TypeError(
            f"expected floats of one type, got {dtype_name(a)}, {dtype_name(gate)}, {dtype_name(up)}"
        )
    function = activation_function(activation)
    if function is None:
        raise ValueError("a gate needs an activation, got 'none'")
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    (M, K), N = rows.shape, gate.shape[1]
    type_ = result_type(a, out, out_dtype, False)
    out = new((*a.shape[:-1], N), a, type_) if out is None else out
    check_same("out", (*a.shape[:-1], N), out, a)
    check_contiguous("out", out)
    check_not_aliased(out, a=a, gate=gate, up=up)
    for name, bias in (("gate_bias", gate_bias), ("up_bias", up_bias)):
        if bias is not None:
            check_same(name, (N,), bias, a)
    if M == 0 or N == 0:
        return out
    target = out.reshape(M, N)
    left, gate, up = with_fast_layout(rows, gate, up, work=M * N * K, precision=precision)
    config = choose(left, gate, 1, precision, False, config, accumulators=2, whole=True)
    if config.split_k != 1 or config.swap:
        raise ValueError(f"gated_matmul needs split_k=1 and swap=False, got {config}")
    # An absent bias is never read; any pointer will do.
    biases = [(out, 0) if bias is None else (bias, strides(bias)[0]) for bias in (gate_bias, up_bias)]
    grid = (tw.cdiv(M, config.block_m) * tw.cdiv(N, config.block_n),)
    options = config.launch(are_alone(*grid, out))
    del options["SPLIT_K"]
    launch(
        gated_kernel, grid, target, left, gate, up, biases[0][0], biases[1][0], M, N, K,
        *strides(target), *strides(left), *strides(gate), *strides(up), biases[0][1], biases[1][1],
        BIAS=(gate_bias is not None) + 2 * (up_bias is not None),
        ACTIVATION=function, PRECISION=precision, **options,
    )  # fmt: skip
    return out
