"""tl.dot of blocks of rank 3: one dot for each index of the first dimension."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def load_block(p, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, B)[:, None, None] * M + tl.arange(0, M)[None, :, None]
    return tl.load(p + rows * N + tl.arange(0, N)[None, None, :])


@tw.jit
def store_block(p, value):
    B: tl.constexpr = value.shape[0]
    M: tl.constexpr = value.shape[1]
    N: tl.constexpr = value.shape[2]
    rows = tl.arange(0, B)[:, None, None] * M + tl.arange(0, M)[None, :, None]
    tl.store(p + rows * N + tl.arange(0, N)[None, None, :], value)


@tw.jit
def dot_kernel(
    a, b, c, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr
):
    x, y, acc = load_block(a, B, M, K), load_block(b, B, K, N), load_block(c, B, M, N)
    store_block(out, tl.dot(x, y, acc, input_precision=PRECISION))


@tw.jit
def transposed(a, b, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x, y = load_block(a, B, K, M), load_block(b, B, N, K)
    store_block(out, tl.dot(tl.trans(x), tl.permute(y, (0, 2, 1))))


@tw.jit
def split_k(
    a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PARTS: tl.constexpr, STEPS: tl.constexpr
):
    """A dot whose contracted dimension is split into parts, which are summed at the end."""
    part = tl.arange(0, PARTS)[:, None, None] * (STEPS * K)
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    width: tl.constexpr = PARTS * STEPS * K
    x_ptrs = a + m[None, :, None] * width + part + k[None, None, :]
    y_ptrs = b + (part + k[None, :, None]) * N + n[None, None, :]
    acc = tl.zeros((PARTS, M, N), tl.float32)
    for _ in range(STEPS):
        acc = tl.dot(tl.load(x_ptrs), tl.load(y_ptrs), acc)
        x_ptrs += K
        y_ptrs += K * N
    tl.store(out + m[:, None] * N + n[None, :], tl.sum(acc, 0))


TYPES = [
    ("float16", "float32"), ("float16", "float16"), ("bfloat16", "float32"), ("float32", "float32"),
    ("float64", "float64"), ("int8", "int32"), ("float8_e5m2", "float32"),
]  # fmt: skip
SHAPES = [(2, 16, 16, 32), (8, 32, 64, 32), (1, 16, 8, 32), (4, 2, 4, 8), (4, 64, 16, 64), (2, 1, 1, 1)]


def values(rng, shape, dtype):
    wide = rng.integers(-3, 4, shape)
    return wide.astype(getattr(ml_dtypes, dtype, None) or dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("operand, acc", TYPES)
def test_batched_dot(backend, rng, operand, acc, shape):
    B, M, N, K = shape
    x, y = values(rng, (B, M, K), operand), values(rng, (B, K, N), operand)
    z = values(rng, (B, M, N), acc)
    out = backend.poisoned((B, M, N), acc)
    dot_kernel[1,](*map(backend.array, (x, y, z)), out, *shape, "ieee")
    expected = np.matmul(x.astype(np.float64), y.astype(np.float64)) + z.astype(np.float64)
    np.testing.assert_array_equal(backend.numpy(out), expected)


@pytest.mark.parametrize("precision", ["tf32", "tf32x3"])
def test_precision(backend, rng, precision):
    B, M, N, K = shape = (4, 32, 16, 32)
    x, y = (rng.standard_normal(s).astype(np.float32) for s in ((B, M, K), (B, K, N)))
    out = backend.poisoned((B, M, N), "float32")
    dot_kernel[1,](*map(backend.array, (x, y, np.zeros((B, M, N), np.float32))), out, *shape, precision)
    expected = np.matmul(x.astype(np.float64), y.astype(np.float64))
    backend.check(out, expected, "float32", factor=1 if precision == "tf32x3" else 500)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_transposed(backend, rng, shape):
    B, M, N, K = shape
    x, y = values(rng, (B, K, M), "float16"), values(rng, (B, N, K), "float16")
    out = backend.poisoned((B, M, N), "float32")
    transposed[1,](backend.array(x), backend.array(y), out, *shape)
    expected = np.einsum("bkm,bnk->bmn", x.astype(np.float64), y.astype(np.float64))
    np.testing.assert_array_equal(backend.numpy(out), expected)


@pytest.mark.parametrize("parts", [1, 2, 8])
def test_in_a_loop(backend, rng, parts):
    M, N, K, steps = 32, 64, 16, 3
    width = parts * steps * K
    x, y = values(rng, (M, width), "float16"), values(rng, (width, N), "float16")
    out = backend.poisoned((M, N), "float32")
    split_k[1,](backend.array(x), backend.array(y), out, M, N, K, parts, steps)
    np.testing.assert_array_equal(backend.numpy(out), x.astype(np.float32) @ y.astype(np.float32))


@pytest.mark.compiled
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(
    "operand, acc", [("fp16", "fp32"), ("fp32", "fp32"), ("fp8e5", "fp32"), ("i8", "i32")]
)
def test_assembles_for_a_gpu(assemble, operand, acc, shape):
    types = {"a": f"*{operand}", "b": f"*{operand}", "c": f"*{acc}", "out": f"*{acc}"}
    constants = {**dict(zip("BMNK", shape, strict=True)), "PRECISION": "tf32"}
    assemble(dot_kernel, types, constants)


@pytest.mark.compiled
def test_tensor_cores_compute_each_dot(assemble):
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "out": "*fp32"}
    compiled = assemble(dot_kernel, types, {"B": 8, "M": 16, "N": 16, "K": 32, "PRECISION": "ieee"})
    # Two dots per warp, each of two tiles of 16 x 8 in two steps.
    assert compiled.asm["ptx"].count("mma.sync.aligned.m16n8k16") == 8
