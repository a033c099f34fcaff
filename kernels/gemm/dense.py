"""The matrix product as a function of arrays."""

import math

import tilewright as tw

from .._arrays import as_dtype, check_apart, check_same, dtype_name, library, strides
from .._calls import launch, new, repeatable
from ..activation.functions import gelu_erf, gelu_tanh, relu, silu_fn
from .config import are_alone, choose
from .kernel import matmul_kernel, reduce_kernel
from .operands import batch_of, batch_shape, check_operands, prepared, stretched, turned, work_of

ACTIVATIONS = {"none": None, "relu": relu, "gelu": gelu_erf, "gelu_tanh": gelu_tanh, "silu": silu_fn}
# The flags of a product that nothing follows.
NO_EPILOGUE = {"HAS_ALPHA": False, "BIAS": "none", "ADD": "none", "ACTIVATION": None, "PLACED": ""}
PRECISIONS = ("ieee", "tf32", "tf32x3")


def activation_function(activation, operands=None):
    """The function in the language of that name; one of ``@tw.jit`` is taken as it is."""
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


def result_type(a, out, out_dtype, plain):
    """The result's type of the library of ``a``: as given, else int32 of int8 without an epilogue, float32 of
    other 8-bit operands, else that of the operands.
    """
    if out is not None:
        if out_dtype is not None and as_dtype(out_dtype, a) != out.dtype:
            raise TypeError(f"out is {dtype_name(out)}, out_dtype says {out_dtype}")
        return out.dtype
    if out_dtype is not None:
        return as_dtype(out_dtype, a)
    if a.dtype.itemsize > 1:
        return a.dtype
    return as_dtype("int32" if plain and dtype_name(a) == "int8" else "float32", a)


@repeatable
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

    Sums and all that follows them are float32 (int32 sums of int8), rounded once to the result's type.
    Leading dimensions stretch as in NumPy: each is one of the batch's, or 1, or missing.

    Args:
        a: array of shape (..., M, K) and any strides; float32, float16, bfloat16, float8_e4m3fn,
            float8_e5m2 or int8.
        b: array of shape (..., K, N), any strides, ``a``'s type (the float8 types may be mixed).
        bias: array of shape (N,), or None.
        activation: "none", "relu", "gelu" (error function), "gelu_tanh", "silu", or a function of
            ``@tw.jit`` from a float32 block to one; with ``operands``, of ``(x, rows, columns, operands)``
            where rows and columns are blocks of indices that broadcast to x, also behind the last.
        operands: a tuple of arrays and numbers for such a function, or None.
        precision: how float32 operands are multiplied: "ieee", "tf32", or "tf32x3", three such products
            that together keep nearly all of float32.
        out: array of shape (..., M, N), any strides, for the result; made where not given. It may be ``c``
            or ``residual``.
        alpha, beta: numbers.
        c, residual: arrays whose shapes stretch to the result's; one of them at most.
        out_dtype: name or type of the result's elements; without it ``a``'s type, of int8 int32 and of
            float8 (and of int8 with anything after the product) float32.
        config: a :class:`Config`, or a dict of what to change in the chosen one.

    Raises:
        TypeError: arrays of different libraries, or of types that are not multiplied.
        ValueError: shapes that do not fit, or an unknown activation or precision.

    Example: ``matmul(x, weight.T, bias, "gelu")``.
    """
    check_operands(a, b)
    function = activation_function(activation, operands)
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if c is not None and residual is not None:
        raise ValueError("give c or residual, not both")
    plain = bias is None and c is None and residual is None and function is None and alpha == 1
    type_ = result_type(a, out, out_dtype, plain)
    if dtype_name(type_) == "int32" and not plain:
        raise TypeError("what follows a product is computed in float32, which int32 results do not take")
    named = {"a": a, "b": b} | ({} if out is None else {"out": out})
    shape = (*batch_shape(**named), a.shape[-2], b.shape[-1])
    out = new(shape, a, type_) if out is None else out
    check_same("out", shape, out, a)
    check_apart(out, a=a, b=b)
    added = residual if c is None else c
    if added is not None:
        added = _fitted("residual" if c is None else "c", added, shape, a)
    if bias is not None:
        check_same("bias", shape[-1:], bias, a)
    if math.prod(shape) == 0:
        return out
    flags = {
        "HAS_ALPHA": alpha != 1,
        "BIAS": "none" if bias is None else "n",
        "ADD": "none" if added is None else "before" if c is not None else "after",
        "ACTIVATION": function,
        "PLACED": "" if operands is None else "mn",
    }
    beta = beta if c is not None else 1.0
    product(
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
    return out


def _fitted(name, x, shape, like):
    if library(x) is not library(like):
        raise TypeError(f"{name} is an array of {library(x).__name__}, expected {library(like).__name__}")
    try:
        return stretched(x, shape)
    except (ValueError, RuntimeError):
        raise ValueError(f"{name} has shape {tuple(x.shape)}, which does not stretch to {shape}") from None


def product(
    out, a, b, bias, c, a_scale, b_scale, alpha, beta, flags, precision, exact, config, operands=None
):
    """Run the kernels for checked operands: ``out`` and ``c`` of the result's shape, scales of shapes (M,) and
    (N,), or (1,), ``flags`` and ``operands`` for the epilogue.
    """
    batch = tuple(out.shape[:-2])
    a, b = prepared(a, b, work=work_of(a, b, batch), precision=precision)
    plain = flags == NO_EPILOGUE and not exact and a_scale is None and b_scale is None
    crowded = not plain and is_crowded(out, c, (bias, a_scale, b_scale), flags)
    follows = {"plain": plain, "function": flags["ACTIVATION"] is not None, "crowded": crowded}
    chosen = choose(a, b, math.prod(batch), precision, exact, config, **follows)
    if chosen.swap:
        out, a, b, c = turned(out), turned(b), turned(a), None if c is None else turned(c)
        a_scale, b_scale = b_scale, a_scale
        flags = flags | {
            "BIAS": flags["BIAS"].replace("n", "m") if flags["BIAS"] != "none" else "none",
            "PLACED": flags["PLACED"][::-1],
        }
    a, b = (stretched(x, (*batch, *x.shape[-2:])) for x in (a, b))
    _launch(out, a, b, bias, c, a_scale, b_scale, alpha, beta, flags, precision, exact, chosen, operands)


def is_crowded(out, c, vectors, flags):
    """Whether what follows a product takes many registers: results of many products, an addend to float32 results,
    arrays in steps, or those that a function reads. Of ``vectors`` some may be None.
    """
    if math.prod(out.shape[:-2]) > 1 or flags["PLACED"]:
        return True
    if any(x is not None and x.shape[0] > 1 and strides(x)[0] != 1 for x in vectors):
        return True
    return c is not None and (out.dtype.itemsize > 2 or strides(c)[-1] != 1)


def _scaled(scale):
    """The bit of SCALED for the scales of rows: 0 without, 4 where all have one."""
    return 0 if scale is None else 4 if scale.shape[0] == 1 else 1


def _launch(
    out, a, b, bias, c, a_scale, b_scale, alpha, beta, flags, precision, exact, config, operands=None
):
    # An absent array is never read; any pointer stands for it.
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
    # One scale for all is a vector that stands still.
    steps = [0 if x is None or x.shape[0] == 1 else strides(x)[0] for x in (bias, a_scale, b_scale)]
    to, from_a, from_b, from_c = batch.strides
    epilogue = {"SCALED": _scaled(a_scale) + 2 * _scaled(b_scale)} | flags
    grid = (tw.cdiv(M, config.block_m) * tw.cdiv(N, config.block_n), batch.count, parts)
    target, target_strides, target_batch, target_steps = out, strides(out)[-2:], to, batch.steps[0]
    first = epilogue
    if parts > 1:
        sums = as_dtype("int32" if dtype_name(a) == "int8" else "float32", a)
        target = new((parts, batch.count, M, N), a, sums)
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
