"""Blocks combined into arrays through tensor descriptors; on Hopper, TMA combines results of dots."""

import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def combine(x, out, M, N, row, column, OP: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Combine each of the blocks x[p] into the block of out, M x N, at (row, column)."""
    block = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    value = tl.load(x + tl.program_id(0) * ROWS * COLUMNS + block)
    desc = tl.make_tensor_descriptor(out, [M, N], [N, 1], [ROWS, COLUMNS])
    OP(desc, [row, column], value)


OPS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def method(op):
    return getattr(tl.tensor_descriptor, f"atomic_{op}")


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("corner", [(12, 20), (-3, -5)])
def test_combines_elements_inside(backend, rng, op, dtype, corner):
    if "float" in dtype and op in ("and", "or", "xor"):
        pytest.skip("not for these elements")
    M, N, rows, columns, programs = 20, 32, 8, 16, 5
    low = 0 if dtype.startswith("u") else -50
    # Sums of five and more such numbers are exact in bfloat16, too.
    high = 8 if dtype == "bfloat16" else 50
    x = rng.integers(max(low, -high), high, (programs, rows, columns))
    start = rng.integers(max(low, -high), high, (M, N))
    out = backend.array(start, dtype)
    combine[programs,](backend.array(x, dtype), out, M, N, *corner, method(op), rows, columns)
    want = start.copy()
    for block in x:
        for i in range(rows):
            for j in range(columns):
                if 0 <= corner[0] + i < M and 0 <= corner[1] + j < N:
                    at = corner[0] + i, corner[1] + j
                    want[at] = OPS[op](want[at], block[i, j])
    np.testing.assert_array_equal(backend.numpy(out).astype(want.dtype), want)


@tw.jit
def extrema(x, most, least, out, n, BLOCK: tl.constexpr):
    """Extrema of all numbers by pointers, where many programs and elements share an address."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, i < n)
    tl.atomic_max(most + i % 3, value, i < n)
    before = tl.atomic_min(least, tl.min(tl.where(i < n, value, float("inf"))))
    tl.store(out + tl.program_id(0), before)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_extrema_of_floats(backend, rng, dtype):
    n, programs = 300, 5
    x = rng.integers(-120, 120, n)
    most, least = backend.array(np.full(3, -1000), dtype), backend.array(np.full(1, 1000), dtype)
    out = backend.array(np.zeros(programs), dtype)
    extrema[programs,](backend.array(x, dtype), most, least, out, n, BLOCK=64)
    assert backend.numpy(most).astype(int).tolist() == [x[k::3].max() for k in range(3)]
    assert backend.numpy(least).astype(int).tolist() == [x.min()]
    # Each program gets the value that the previous program left.
    before = backend.numpy(out).astype(int)
    assert before.max() == 1000 and (np.sort(before)[1:] >= x.min()).all() and len(before) == programs


@tw.jit
def split_k_dot(
    a,
    b,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    PARTS: tl.constexpr,
    OP: tl.constexpr,
):
    """Combine a @ b.T, computed in parts along K, into c."""
    part = tl.program_id(2)
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    out = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    acc = tl.zeros((BM, BN), tl.float32)
    steps = tl.cdiv(K, BK * PARTS)
    for step in range(steps):
        k = (part * steps + step) * BK
        acc = tl.dot(left.load([row, k]), right.load([column, k]).T, acc)
    OP(out, [row, column], acc.to(out.dtype))


BLOCKS = {"BM": 128, "BN": 128, "BK": 64, "PARTS": 4}


@pytest.mark.parametrize("op, dtype", [("add", "float32"), ("add", "float16"), ("max", "int32")])
@pytest.mark.parametrize("shape", [(256, 256, 512), (200, 264, 520)])
def test_partial_dots(backend, rng, op, dtype, shape):
    M, N, K = shape
    a = rng.integers(-2, 3, (M, K)).astype(np.float16)
    b = rng.integers(-2, 3, (N, K)).astype(np.float16)
    start = rng.integers(-9, 9, (M, N)).astype(dtype)
    c = backend.array(start)
    grid = tw.cdiv(M, 128), tw.cdiv(N, 128), BLOCKS["PARTS"]
    split_k_dot[grid](backend.array(a), backend.array(b), c, M, N, K, **BLOCKS, OP=method(op), num_warps=8)
    wide = 64 * tw.cdiv(K, 64 * 4)
    parts = [
        a[:, k : k + wide].astype(np.float32) @ b[:, k : k + wide].astype(np.float32).T
        for k in range(0, 4 * wide, wide)
    ]
    want = start
    for part in parts:
        want = OPS[op](want, part.astype(dtype)).astype(dtype)
    np.testing.assert_array_equal(backend.numpy(c), want)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "op, dtype, kind",
    [
        ("add", "fp32", "add"),
        ("add", "bf16", "add"),
        ("max", "i32", "max"),
        ("max", "fp32", None),
        ("max", "fp16", None),
    ],
)
def test_instruction(op, dtype, kind):
    types = {"a": "*fp16", "b": "*fp16", "c": f"*{dtype}", "M": "i32", "N": "i32", "K": "i32"}
    compiled = compile_kernel(
        split_k_dot.fn,
        types,
        {**BLOCKS, "OP": method(op)},
        dict.fromkeys(types, 16),
        "sm_90a",
        Options(num_warps=8),
        "ptx",
    )
    found = re.findall(
        r"cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.(\w+)\.tile", compiled.asm["ptx"]
    )
    assert set(found) == ({kind} if kind else set())
    assert ("atom.global.gpu.relaxed" in compiled.asm["ptx"]) is (kind is None)
