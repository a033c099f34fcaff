"""Dots of types that tensor cores do not support: threads multiply operands from shared memory."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def dot_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, TYPE: tl.constexpr,
):  # fmt: skip
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=TYPE)
    for start in range(0, K, BLOCK_K):
        left = (m < M)[:, None] & (start + k < K)[None, :]
        right = (start + k < K)[:, None] & (n < N)[None, :]
        a = tl.load(a_ptr + m[:, None] * stride_am + (start + k)[None, :] * stride_ak, mask=left, other=0)
        b = tl.load(b_ptr + (start + k)[:, None] * stride_bk + n[None, :] * stride_bn, mask=right, other=0)
        acc = tl.dot(a, b, acc, input_precision="ieee", out_dtype=TYPE)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m < M)[:, None] & (n < N)[None, :])


TYPES = {"float32": tl.float32, "float64": tl.float64, "int8": tl.int32}


def operands(rng, layout, dtype, M, N, K):
    """Matrices whose rows (N) or columns (T) are contiguous."""
    shapes = [(M, K), (K, N)]
    stored = [shape[::-1] if order == "T" else shape for order, shape in zip(layout, shapes)]
    if dtype == "int8":
        return [rng.integers(-128, 128, shape).astype(np.int8) for shape in stored]
    return [rng.standard_normal(shape).astype(dtype) for shape in stored]


# Dimensions that tensor maps and wide copies support, and dimensions that they do not.
@pytest.mark.parametrize("shape", [(96, 64, 48), (67, 45, 51)])
@pytest.mark.parametrize("layout", ["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("blocks", [(64, 64, 16), (64, 32, 32), (16, 128, 8)])
def test_dots(backend, rng, blocks, dtype, layout, shape):
    M, N, K = shape
    a, b = operands(rng, layout, dtype, M, N, K)
    expected = (a.T if layout[0] == "T" else a).astype(np.float64) @ (b.T if layout[1] == "T" else b)
    strides = [*((1, M) if layout[0] == "T" else (K, 1)), *((1, K) if layout[1] == "T" else (N, 1))]
    out = backend.poisoned((M, N), dtype)
    grid = (tw.cdiv(M, blocks[0]), tw.cdiv(N, blocks[1]))
    dot_kernel[grid](backend.array(a), backend.array(b), out, M, N, K, *strides, *blocks, TYPES[dtype])
    backend.check(out, expected, dtype, factor=4)


# Too few rows for tensor cores.
def test_few_rows_of_int8(backend, rng):
    a, b = operands(rng, "NT", "int8", 8, 64, 96)
    out = backend.poisoned((8, 64), "int32")
    dot_kernel[1, 1](backend.array(a), backend.array(b), out, 8, 64, 96, 96, 1, 1, 96, 8, 64, 32, tl.int32)
    np.testing.assert_array_equal(backend.numpy(out), a.astype(np.int32) @ b.T.astype(np.int32))


@pytest.mark.compiled
@pytest.mark.parametrize("layout", ["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
def test_operands_are_read_16_bytes_at_a_time(assemble, dtype, layout):
    types = dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), f"*{dtype}")
    constants = {
        "stride_am" if layout[0] == "T" else "stride_ak": 1,
        "stride_bk" if layout[1] == "T" else "stride_bn": 1,
        "BLOCK_M": 64,
        "BLOCK_N": 64,
        "BLOCK_K": 16,
        "TYPE": tl.float32 if dtype == "fp32" else tl.float64,
    }
    numbers = {name: "i32" for name in dot_kernel.arg_names if name not in types and name not in constants}
    compiled = assemble(dot_kernel, types | numbers, constants)
    ptx = compiled.asm["ptx"]
    narrow = "ld.shared.b32" if dtype == "fp32" else "ld.shared.b64"
    assert narrow not in ptx
    assert "ld.shared.v4.b32" in ptx or "ld.shared.v2.b64" in ptx
    assert "cp.async" in ptx
    assert compiled.metadata["advice"] == []


@tw.jit
def solve(a, out, rounds):
    """Dots of 16 x 16 blocks that a loop computes; results of some dots are operands of the next."""
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    x, y, z = tl.load(a + at), tl.load(a + 256 + at), tl.load(a + 512 + at)
    twice, thrice = y + x, z + y + x
    unit = tl.where(i[:, None] == i[None, :], 1.0, 0.0)
    for _ in range(rounds):
        unit += tl.where((i == _)[:, None], tl.sum(unit * x, 0)[None, :], 0.0)
    lower = tl.dot(twice, unit, input_precision="ieee")
    both = tl.dot(thrice, lower, input_precision="ieee") + tl.dot(z, unit, input_precision="ieee")
    tl.store(out + at, tl.dot(unit, both, input_precision="ieee"))
    tl.store(out + 256 + at, tl.dot(twice, thrice, input_precision="ieee"))


def test_dots_of_loop_results(backend, rng):
    a = rng.integers(-1, 2, (3, 16, 16)).astype(np.float32)
    x, y, z = a.astype(np.float64)
    unit = np.eye(16)
    for i in range(4):
        unit[i] += (unit * x).sum(0)
    out = backend.poisoned((2, 16, 16), "float32")
    solve[1,](backend.array(a), out, 4)
    both = (x + y + z) @ ((x + y) @ unit) + z @ unit
    expected = np.stack([unit @ both, (x + y) @ (x + y + z)])
    np.testing.assert_array_equal(backend.numpy(out), expected)
