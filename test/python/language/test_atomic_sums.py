"""Sums of rows in memory: one instruction adds neighbouring elements where the rows allow it."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

DTYPES = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16, "fp32": np.float32, "i32": np.int32}


@tw.jit
def add_rows(
    x,
    rows,
    out,
    old,
    columns,
    stride,
    M: tl.constexpr,
    N: tl.constexpr,
    RETURNS: tl.constexpr,
    SEM: tl.constexpr,
):
    row = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.arange(0, N)
    inside = (column < columns)[None, :] & (row >= 0)[:, None]
    value = tl.load(x + row[:, None] * columns + column[None, :], mask=inside, other=100)
    offsets = tl.load(rows + row)[:, None] * stride + column[None, :]
    if RETURNS:
        before = tl.atomic_add(out + offsets, value, mask=inside, sem=SEM)
        tl.store(old + row[:, None] * columns + column[None, :], before, mask=inside)
    else:
        tl.atomic_add(out + offsets, value, mask=inside, sem=SEM)


@pytest.mark.parametrize("returns, sem", [(False, "relaxed"), (False, "acq_rel"), (True, "acq_rel")])
@pytest.mark.parametrize(
    ("columns", "stride", "first"), [(128, 128, 0), (120, 128, 0), (101, 128, 0), (64, 67, 0), (96, 104, 1)]
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_add_to_rows(backend, rng, dtype, columns, stride, first, returns, sem):
    """Sums of whole numbers are exact; elements between and before the rows stay unchanged."""
    count, targets, block = 32, 5, 4
    x = rng.integers(-4, 5, (count, columns)).astype(DTYPES[dtype])
    rows = rng.integers(0, targets, count).astype(np.int32)
    held = rng.integers(-4, 5, first + targets * stride).astype(DTYPES[dtype])
    memory = backend.array(held)
    old = backend.array(np.zeros((count, columns), DTYPES[dtype]))
    add_rows[count // block,](
        backend.array(x),
        backend.array(rows),
        memory[first:],
        old,
        columns,
        stride,
        M=block,
        N=128,
        RETURNS=returns,
        SEM=sem,
    )
    expected = held.astype(np.float64)
    for row, target in zip(x.astype(np.float64), rows, strict=True):
        begin = first + target * stride
        expected[begin : begin + columns] += row
    np.testing.assert_array_equal(backend.numpy(memory).astype(np.float64), expected)
    if returns:
        # Of all rows that add to a target row, the first one gets its initial elements.
        found = backend.numpy(old).astype(np.float64)
        for target in set(rows):
            begin = first + target * stride
            at = held[begin : begin + columns].astype(np.float64)
            assert (found[rows == target] == at).any(axis=0).all()
