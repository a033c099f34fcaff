"""Gradients of layer norm and RMS norm."""

import tilewright as tw

from .._arrays import as_dtype, multiprocessors, on_gpu, strides
from .._calls import launch, new
from .._declaration import FLOATS, Array, Result, Scalar, declare
from .._rows import as_rows, row_samples, row_workloads
from . import reference
from .backward_kernel import (
    add_parts_kernel,
    norm_backward_kernel,
    norm_backward_long_kernel,
    norm_parts_kernel,
)
from .kernel import LONG_BLOCK, REGISTERS, ROWS

#: Maximum length of a row that stays in registers. With x, out_grad and two sums, twice the length spills.
MAX_BLOCK = 8192
#: Warps of a program for a row that does not fit in registers.
LONG_WARPS = 8
#: Columns of a program that adds rows, and partial sums that it adds at a time.
PART_COLUMNS = 128
PART_ROWS = 16
#: Minimum number of rows for each partial sum: the traffic of partial sums against parallelism.
ROWS_PER_PART = 16
#: Partial sums on a CPU; more than it has threads.
CPU_PARTS = 64


def warps_of(block):
    """Returns the warps of a program: 32 elements per thread of each of x, out_grad and two sums."""
    return min(max(block // 1024, 1), 16)


def registers_of(warps):
    """Returns the registers per thread with which a multiprocessor holds a program."""
    return min(REGISTERS, 2048 // warps)


def _parts(x, n_rows, warps):
    """Returns the number of partial sums, at most 32 warps per multiprocessor."""
    most = multiprocessors(x) * max(32 // warps, 1) if on_gpu(x) else CPU_PARTS
    return min(most, tw.cdiv(n_rows, ROWS_PER_PART))


def _backward(x_grad, weight_grad, bias_grad, out_grad, x, weight, eps, center):
    rows, grads = as_rows(x), as_rows(out_grad)
    n_rows, n_cols = rows.shape
    target = x_grad.reshape(n_rows, n_cols)
    steps = strides(target)[0], strides(grads)[0], strides(rows)[0]
    block = tw.next_power_of_2(n_cols)
    warps = warps_of(block) if block <= MAX_BLOCK else LONG_WARPS
    has_sums = weight_grad is not None or bias_grad is not None
    # Without sums each program has one row.
    count = _parts(x, n_rows, warps) if has_sums else n_rows
    single = as_dtype("float32", x)
    # An absent array is neither read nor written; any pointer will do.
    w_parts = target if weight_grad is None else new((count, n_cols), x, single)
    b_parts = target if bias_grad is None else new((count, n_cols), x, single)
    scale = rows if weight is None else weight
    flags = {"HAS_WEIGHT": weight is not None, "HAS_BIAS": bias_grad is not None}
    if n_rows and block <= MAX_BLOCK:
        launch(
            norm_backward_kernel, (count,), target, w_parts, b_parts, grads, rows, scale, *steps, n_rows, n_cols,
            float(eps), CENTER=center, **flags, BLOCK=block, num_warps=warps, maxnreg=registers_of(warps),
        )  # fmt: skip
    elif n_rows:
        statistics = new((n_rows, 2), x, single)
        launch(
            norm_backward_long_kernel, (n_rows,), target, statistics, grads, rows, scale, *steps, n_cols,
            float(eps), CENTER=center, HAS_WEIGHT=weight is not None, BLOCK=LONG_BLOCK, num_warps=warps,
        )  # fmt: skip
        if has_sums:
            grid = (tw.cdiv(n_cols, PART_COLUMNS), count)
            launch(
                norm_parts_kernel, grid, w_parts, b_parts, statistics, grads, rows, *steps[1:], n_rows, n_cols,
                **flags, BLOCK=PART_COLUMNS, num_warps=4,
            )  # fmt: skip
    for out, parts in ((weight_grad, w_parts), (bias_grad, b_parts)):
        if out is not None:
            launch(
                add_parts_kernel, (tw.cdiv(n_cols, PART_COLUMNS),), out, parts, count, n_cols,
                ROWS=PART_ROWS, BLOCK=PART_COLUMNS, num_warps=4,
            )  # fmt: skip


#: Arguments and results that both norms have.
OUT_GRAD = Array("... n")
VECTOR = Array("n", dtypes=FLOATS, layout="last")
X_GRAD = Result("... n", dtype="x", apart=("out_grad", "x"))


def _samples(*optional):
    """Rows of more than a few elements: the gradients of shorter ones cancel."""
    return [sample for sample in row_samples(*optional) if sample.sizes["n"] != 1]


@declare(
    arguments={
        "out_grad": OUT_GRAD,
        "x": ROWS,
        "weight": VECTOR,
        "bias": VECTOR,
        "eps": Scalar(float, low=0),
    },
    results={
        "x_grad": X_GRAD,
        "weight_grad": Result("n", dtype="weight", needs="weight"),
        "bias_grad": Result("n", dtype="bias", needs="bias"),
    },
    reference=reference.layer_norm_backward,
    samples=_samples("weight", "bias"),
    workloads=row_workloads("weight", "bias"),
)
def layer_norm_backward(
    out_grad, x, weight=None, bias=None, eps=1e-5, x_grad=None, weight_grad=None, bias_grad=None
):
    """Gradients of :func:`layer_norm`: returns those of ``x``, ``weight`` and ``bias``, computed in float32.

    The gradient of an absent weight or bias is None. Results are the same in each run on one device.

    Args:
        out_grad: gradient of the result, of the shape of ``x``; float16, bfloat16 or float32.
        x, weight, bias, eps: arguments of the forward call.
        x_grad, weight_grad, bias_grad: C-contiguous arrays for the gradients; allocated by default.
    """
    _backward(x_grad, weight_grad, bias_grad, out_grad, x, weight, eps, True)


@declare(
    arguments={"out_grad": OUT_GRAD, "x": ROWS, "weight": VECTOR, "eps": Scalar(float, low=0)},
    results={"x_grad": X_GRAD, "weight_grad": Result("n", dtype="weight", needs="weight")},
    reference=reference.rms_norm_backward,
    samples=_samples("weight"),
    workloads=row_workloads("weight"),
)
def rms_norm_backward(out_grad, x, weight=None, eps=1e-6, x_grad=None, weight_grad=None):
    """Gradients of :func:`rms_norm`: those of ``x`` and ``weight``; arguments as for :func:`layer_norm_backward`."""
    _backward(x_grad, weight_grad, None, out_grad, x, weight, eps, False)
