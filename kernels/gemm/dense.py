"""The function ``matmul`` on arrays."""

import math

import tilewright as tw

from .._arrays import as_dtype, dtype_name, strides
from .._calls import launch, new
from .._declaration import Array, Result, Sample, Scalar, Value, declare
from . import reference
from .config import are_alone, choose
from .kernel import matmul_kernel, reduce_kernel
from .operands import (
    ACTIVATION,
    ACTIVATIONS,
    CONFIG,
    OUT_DTYPE,
    PRECISION,
    TOLERANCE,
    TYPES,
    batch_of,
    broadcast_view,
    matrix,
    transposed,
    vector,
    with_fast_layout,
    work,
    work_of,
)

# The flags of a matmul without epilogue.
NO_EPILOGUE = {"HAS_ALPHA": False, "BIAS": "none", "ADD": "none", "ACTIVATION": None, "INDICES": ""}


def activation_function(activation, operands=None):
    """Returns the device function of that name, or ``activation`` itself if it is a function of ``@tw.jit``."""
    if isinstance(activation, str) and activation in ACTIVATIONS and operands is None:
        return ACTIVATIONS[activation]
    if not hasattr(activation, "arg_names"):
        names = ", ".join(ACTIVATIONS)
        raise ValueError(
            f"activation must be one of {names}, or a function of @tw.jit (operands go to such a function), "
            f"got {activation!r}"
        )
    wanted = ["x"] if operands is None else ["x", "rows", "columns", "operands"]
    if len(activation.arg_names) != len(wanted):
        found = ", ".join(activation.arg_names)
        raise ValueError(f"{activation.__name__} has the parameters {found}, not {', '.join(wanted)}")
    return activation


def result_type(given):
    """Returns the name of the result's dtype.

    Without ``out_dtype`` it is int32 for int8 without epilogue, float32 for other 8-bit operands, else the operands'
    type.
    """
    if given["out_dtype"] is not None:
        return _name(given["out_dtype"])
    name = dtype_name(given["a"])
    if name in TYPES[:3]:
        return name
    return "int32" if name == "int8" and _is_plain(given) else "float32"


def _name(dtype):
    return dtype if isinstance(dtype, str) else dtype_name(dtype)


def _is_plain(given):
    """Whether a matmul has no epilogue; other functions than ``matmul`` always have one."""
    added = [given.get(name) for name in ("bias", "c", "residual")]
    return all(x is None for x in added) and given["activation"] == "none" and given.get("alpha") == 1


def check_out_dtype(out, out_dtype):
    """Raises TypeError for a result of another dtype than ``out_dtype``, if that is given."""
    if out_dtype is not None and _name(out_dtype) != dtype_name(out):
        raise TypeError(f"out is {dtype_name(out)}, expected {_name(out_dtype)}, the out_dtype")


def _samples():
    """Plain and batched matmuls with each part of the epilogue, also without elements."""

    def sample(leading, M, N, K, *optional, **values):
        return Sample({"...": leading, "M": M, "N": N, "K": K}, optional, values)

    yield sample((), 1, 1, 1)
    yield sample((), 70, 50, 33)
    yield sample((), 33, 129, 64, "bias", activation="relu")
    yield sample((3,), 17, 40, 20, "bias", "c", alpha=0.5, beta=-2.0, activation="gelu")
    yield sample((2, 1), 20, 16, 48, "residual", activation="silu")
    yield sample((), 5, 7, 0, "bias", activation="gelu_tanh")
    for sizes in ((0, 5, 3), (5, 0, 3)):
        yield sample((), *sizes)
    yield sample((0,), 4, 5, 3)


@declare(
    arguments={
        "a": Array("... M K", dtypes=TYPES),
        "b": matrix("... K N"),
        "bias": vector("N"),
        "activation": ACTIVATION,
        "precision": PRECISION,
        "alpha": Scalar(float),
        "beta": Scalar(float),
        "c": vector("... M N", broadcasts=True),
        "residual": vector("... M N", broadcasts=True),
        "operands": Value("a tuple of arrays and numbers for an activation"),
        "out_dtype": OUT_DTYPE,
        "config": CONFIG,
    },
    results={"out": Result("... M N", result_type, dtypes="any", layout="any", apart=("a", "b"))},
    reference=reference.matmul,
    samples=_samples(),
    workloads={
        "cpu": (Sample({"...": (), "M": 1024, "N": 1024, "K": 1024}), "float32"),
        "gpu": (Sample({"...": (), "M": 4096, "N": 4096, "K": 4096}), "bfloat16"),
    },
    tolerance=TOLERANCE | {"float8_e4m3fn": 1e-3},
    work=work(1),
    broadcast=True,
    exclusive=("c", "residual"),
)
def matmul(
    a,
    b,
    bias=None,
    activation="none",
    precision="ieee",
    out=None,
    *,
    alpha=1.0,
    beta=1.0,
    c=None,
    residual=None,
    operands=None,
    out_dtype=None,
    config=None,
):
    """activation(alpha * a @ b + bias + beta * c), or activation(alpha * a @ b + bias) + residual.

    The accumulator (int32 for int8) and the epilogue (float32) are rounded once, to the result's type.
    Leading dimensions broadcast as in NumPy.

    Args:
        a: array of shape (..., M, K) and any strides; float32, float16, bfloat16, float8_e4m3fn,
            float8_e5m2 or int8.
        b: array of shape (..., K, N), any strides, ``a``'s type (the float8 types may be mixed).
        bias: array of shape (N,), or None.
        activation: "none", "relu", "gelu" (error function), "gelu_tanh", "silu", or a function of
            ``@tw.jit`` from a float32 block to one; with ``operands``, of ``(x, rows, columns, operands)``
            where rows and columns are blocks of indices that broadcast to x; some may be out of bounds.
        operands: a tuple of arrays and numbers for such a function, or None.
        precision: how float32 operands are multiplied: "ieee", "tf32", or "tf32x3", three TF32
            dots that together keep nearly all bits of float32.
        out: array of shape (..., M, N), any strides, for the result; allocated by default. It may be
            ``c`` or ``residual``.
        alpha, beta: numbers.
        c, residual: arrays that broadcast to the result's shape; one of them at most.
        out_dtype: name or type of the result's elements; by default ``a``'s type, int32 for int8, and
            float32 for float8 and for int8 with an epilogue.
        config: a :class:`Config`, or a dict of fields that override the chosen one.

    Raises:
        TypeError: arrays of different libraries, or of unsupported types.
        ValueError: shapes that do not match, or an unknown activation or precision.

    Example: ``matmul(x, weight.T, bias, "gelu")``.
    """
    function = activation_function(activation, operands)
    check_out_dtype(out, out_dtype)
    plain = bias is None and c is None and residual is None and function is None and alpha == 1
    if dtype_name(out) == "int32" and not plain:
        raise TypeError("the epilogue is computed in float32, got an int32 result")
    added = residual if c is None else c
    if added is not None:
        added = broadcast_view(added, out.shape)
    flags = {
        "HAS_ALPHA": alpha != 1,
        "BIAS": "none" if bias is None else "n",
        "ADD": "none" if added is None else "before" if c is not None else "after",
        "ACTIVATION": function,
        "INDICES": "" if operands is None else "mn",
    }
    beta = beta if c is not None else 1.0
    run_matmul(
        out,
        a,
        b,
        bias,
        added,
        None,
        None,
        float(alpha),
        float(beta),
        flags,
        precision,
        False,
        config,
        operands,
    )


def run_matmul(
    out, a, b, bias, c, a_scale, b_scale, alpha, beta, flags, precision, exact, config, operands=None
):
    """Launches the kernels for checked operands.

    ``out`` and ``c`` have the result's shape, scales the shapes (M,) and (N,), or (1,). ``flags`` and ``operands`` are
    those of the epilogue.
    """
    batch = tuple(out.shape[:-2])
    a, b = with_fast_layout(a, b, work=work_of(a, b, batch), precision=precision)
    plain = flags == NO_EPILOGUE and not exact and a_scale is None and b_scale is None
    crowded = not plain and is_crowded(out, c, (bias, a_scale, b_scale), flags)
    follows = {"plain": plain, "function": flags["ACTIVATION"] is not None, "crowded": crowded}
    chosen = choose(a, b, math.prod(batch), precision, exact, config, **follows)
    if chosen.swap:
        out, a, b, c = transposed(out), transposed(b), transposed(a), None if c is None else transposed(c)
        a_scale, b_scale = b_scale, a_scale
        flags = flags | {
            "BIAS": flags["BIAS"].replace("n", "m") if flags["BIAS"] != "none" else "none",
            "INDICES": flags["INDICES"][::-1],
        }
    a, b = (broadcast_view(x, (*batch, *x.shape[-2:])) for x in (a, b))
    _launch(out, a, b, bias, c, a_scale, b_scale, alpha, beta, flags, precision, exact, chosen, operands)


def is_crowded(out, c, vectors, flags):
    """Whether the epilogue needs many registers.

    It does for batches, addends to float32 results, arrays that are not contiguous, and activations with operands.
    ``vectors`` may contain None.
    """
    if math.prod(out.shape[:-2]) > 1 or flags["INDICES"]:
        return True
    if any(x is not None and x.shape[0] > 1 and strides(x)[0] != 1 for x in vectors):
        return True
    return c is not None and (out.dtype.itemsize > 2 or strides(c)[-1] != 1)


def _scaled(scale):
    """Returns the bit of SCALED for scales of rows: 0 without, 4 for one scale of all rows, else 1."""
    return 0 if scale is None else 4 if scale.shape[0] == 1 else 1


def _launch(
    out, a, b, bias, c, a_scale, b_scale, alpha, beta, flags, precision, exact, config, operands=None
):
    # An absent array is never read; any pointer will do.
    added = out if c is None else c
    batch = batch_of((out, a, b, added), out.shape[:-2])
    if batch is None:
        for i in range(out.shape[0]):
            _launch(
                out[i], a[i], b[i], bias, None if c is None else c[i], a_scale, b_scale,
                alpha, beta, flags, precision, exact, config, operands,
            )  # fmt: skip
        return
    (M, K), N = a.shape[-2:], b.shape[-1]
    parts = config.split_k
    vectors = [out if x is None else x for x in (bias, a_scale, b_scale)]
    # One scale for all is a vector with stride 0.
    steps = [0 if x is None or x.shape[0] == 1 else strides(x)[0] for x in (bias, a_scale, b_scale)]
    to, from_a, from_b, from_c = batch.strides
    epilogue = {"SCALED": _scaled(a_scale) + 2 * _scaled(b_scale)} | flags
    grid = (tw.cdiv(M, config.block_m) * tw.cdiv(N, config.block_n), batch.count, parts)
    target, target_strides, target_batch, target_steps = out, strides(out)[-2:], to, batch.steps[0]
    first = epilogue
    if parts > 1:
        partials = as_dtype("int32" if dtype_name(a) == "int8" else "float32", a)
        target = new((parts, batch.count, M, N), a, partials)
        target_strides, target_batch, target_steps = (N, 1), (batch.inner * M * N, M * N), 3
        first = {"SCALED": 0} | NO_EPILOGUE
    launch(
        matmul_kernel, grid, target, a, b, added, *vectors, M, N, K,
        *target_strides, *strides(a)[-2:], *strides(b)[-2:], *strides(added)[-2:], *steps, alpha, beta,
        batch.inner, *target_batch, *from_a, *from_b, *from_c, batch.count * M * N,
        operands if parts == 1 else None, **first,
        PRECISION=precision, EXACT=exact,
        BATCH_O=target_steps, BATCH_A=batch.steps[1], BATCH_B=batch.steps[2], BATCH_C=batch.steps[3],
        **config.launch(are_alone(math.prod(grid), out)),
    )  # fmt: skip
    if parts > 1:
        rows, columns = config.reduce_block(M, N)
        grid = (tw.cdiv(M, rows) * tw.cdiv(N, columns), batch.count)
        launch(
            reduce_kernel, grid, out, target, added, *vectors, M, N,
            *strides(out)[-2:], *strides(added)[-2:], *steps, alpha, beta,
            batch.inner, *to, *from_c, batch.count * M * N, operands, **epilogue,
            BATCH_O=batch.steps[0], BATCH_C=batch.steps[3], PARTS=parts,
            BLOCK_M=rows, BLOCK_N=columns, num_warps=4, launch_pdl=True,
        )  # fmt: skip
