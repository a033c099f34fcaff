"""Gated linear units: two matmuls of one matrix in one kernel; the first gates the second."""

import tilewright as tw
import tilewright.language as tl

from .._arrays import strides
from .._calls import launch
from .._declaration import Array, Option, Result, Sample, declare
from .._rows import as_rows
from . import reference
from .config import are_alone, choose
from .dense import activation_function, check_out_dtype, result_type
from .operands import (
    ACTIVATION,
    ACTIVATIONS,
    CONFIG,
    OUT_DTYPE,
    PRECISION,
    TOLERANCE,
    TYPES,
    matrix,
    vector,
    with_fast_layout,
    work,
)
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


#: The types of ``a`` and ``up``.
FLOATING = TYPES[:-1]


def _samples():
    for leading, M, K, N, *optional in [
        ((), 33, 40, 50),
        ((2, 3), 5, 64, 33, "gate_bias", "up_bias"),
        ((), 70, 16, 128, "up_bias"),
        ((), 4, 0, 5, "gate_bias", "up_bias"),
        ((), 0, 3, 5),
        ((), 4, 3, 0),
    ]:
        activation = "gelu" if optional else "silu"
        yield Sample({"...": (*leading, M), "K": K, "N": N}, tuple(optional), {"activation": activation})


@declare(
    arguments={
        "a": Array("... K", dtypes=FLOATING),
        "gate": matrix("K N"),
        "up": Array("K N", dtypes=FLOATING, like="gate"),
        "activation": Option(tuple(ACTIVATIONS)[1:], other=ACTIVATION.other),
        "gate_bias": vector("N"),
        "up_bias": vector("N"),
        "precision": PRECISION,
        "out_dtype": OUT_DTYPE,
        "config": CONFIG,
    },
    results={"out": Result("... N", result_type, dtypes="any", apart=("a", "gate", "up"))},
    reference=reference.gated_matmul,
    samples=_samples(),
    workloads={
        "cpu": (Sample({"...": (512,), "K": 1024, "N": 1024}), "float32"),
        "gpu": (Sample({"...": (4096,), "K": 4096, "N": 14336}), "bfloat16"),
    },
    # The gate is the product of two rounded results.
    tolerance={dtype: 2 * limit for dtype, limit in TOLERANCE.items()},
    work=work(2),
)
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
    function = activation_function(activation)
    check_out_dtype(out, out_dtype)
    (M, K), N = rows.shape, gate.shape[1]
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
