"""tl.dot_scaled against float64 matmuls of the values that the formats encode."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

GROUP = 32
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
FLOATS = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "bf16": ml_dtypes.bfloat16,
    "fp16": np.float16,
}


@tw.jit
def load_block(p, M: tl.constexpr, N: tl.constexpr):
    return tl.load(p + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@tw.jit
def dot_kernel(
    a, a_scale, b, b_scale, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, A: tl.constexpr, B: tl.constexpr,
    A_SCALED: tl.constexpr, B_SCALED: tl.constexpr, A_ALONG_K: tl.constexpr, B_ALONG_K: tl.constexpr,
    FAST: tl.constexpr, GROUP: tl.constexpr = 32,
):  # fmt: skip
    half_m: tl.constexpr = 2 if A == "e2m1" and not A_ALONG_K else 1
    half_ka: tl.constexpr = 2 if A == "e2m1" and A_ALONG_K else 1
    half_kb: tl.constexpr = 2 if B == "e2m1" and B_ALONG_K else 1
    half_n: tl.constexpr = 2 if B == "e2m1" and not B_ALONG_K else 1
    x = load_block(a, M // half_m, K // half_ka)
    y = load_block(b, K // half_kb, N // half_n)
    x_scale = load_block(a_scale, M, K // GROUP) if A_SCALED else None
    y_scale = load_block(b_scale, N, K // GROUP) if B_SCALED else None
    acc = tl.full((M, N), 1.0, tl.float32)
    acc = tl.dot_scaled(
        x, x_scale, A, y, y_scale, B, acc, fast_math=FAST, lhs_k_pack=A_ALONG_K, rhs_k_pack=B_ALONG_K
    )
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], acc)


@tw.jit
def batch(a, a_scale, b, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tl.load(a + tl.arange(0, B * M * K // 2)).reshape(B, M, K // 2)
    scale = tl.load(a_scale + tl.arange(0, B * M * (K // 32))).reshape(B, M, K // 32)
    y = tl.load(b + tl.arange(0, B * K * N)).reshape(B, K, N)
    c = tl.dot_scaled(x, scale, "e2m1", y, None, "bf16")
    tl.store(out + tl.arange(0, B * M * N), c.ravel())


def elements(rng, shape, kind, axis):
    """Returns kernel input for elements of a format, packed along `axis`, and the values of the elements."""
    if kind != "e2m1":
        values = rng.integers(-6, 7, shape).astype(FLOATS[kind])
        return values, values.astype(np.float64)
    codes = rng.integers(0, 16, shape)
    first, second = (np.take(codes, range(i, shape[axis], 2), axis) for i in (0, 1))
    return (first | second << 4).astype(np.uint8), E2M1[codes]


def scales(rng, rows, depth, group=GROUP):
    codes = rng.integers(120, 134, (rows, depth // group)).astype(np.uint8)
    return codes, np.repeat(2.0 ** (codes.astype(np.float64) - 127), group, axis=1)


def run(
    backend,
    rng,
    M,
    N,
    K,
    a_format,
    b_format,
    scaled=(True, True),
    along_k=(True, True),
    spoil=None,
    fast=False,
):
    a, x = elements(rng, (M, K), a_format, 1 if along_k[0] else 0)
    b, y = elements(rng, (K, N), b_format, 0 if along_k[1] else 1)
    a_scale, x_scale = scales(rng, M, K)
    b_scale, y_scale = scales(rng, N, K)
    if spoil is not None:
        a_scale[0, 0] = spoil
    out = backend.poisoned((M, N), "float32")
    arrays = [backend.array(array) for array in (a, a_scale, b, b_scale)]
    dot_kernel[1,](*arrays, out, M, N, K, a_format, b_format, *scaled, *along_k, fast)
    x = x * x_scale if scaled[0] else x
    y = y * y_scale.T if scaled[1] else y
    return backend.numpy(out), x @ y + 1


FORMATS = ["e2m1", "e4m3", "e5m2", "bf16", "fp16"]


def small_floats(rng, rows, depth, group):
    """Returns scales in e4m3 that use all of its bits, and the scale of each element."""
    codes = (rng.integers(8, 16, (rows, depth // group)) / 16).astype(FLOATS["e4m3"])
    return codes, np.repeat(codes.astype(np.float64), group, axis=1)


@pytest.mark.parametrize("group", [16, 32])
@pytest.mark.parametrize("kind", ["e4m3", "e8m0"])
@pytest.mark.parametrize(
    "a_format, b_format", [("e2m1", "e2m1"), ("e4m3", "e2m1"), ("e5m2", "e4m3"), ("bf16", "fp16")]
)
def test_scales_of_16_elements_and_with_a_mantissa(backend, rng, a_format, b_format, kind, group):
    M, N, K = 32, 16, 64
    a, x = elements(rng, (M, K), a_format, 1)
    b, y = elements(rng, (K, N), b_format, 0)
    make = small_floats if kind == "e4m3" else scales
    (a_scale, x_scale), (b_scale, y_scale) = make(rng, M, K, group), make(rng, N, K, group)
    out = backend.poisoned((M, N), "float32")
    arrays = [backend.array(array) for array in (a, a_scale, b, b_scale)]
    dot_kernel[1,](*arrays, out, M, N, K, a_format, b_format, True, True, True, True, False, GROUP=group)
    backend.check(out, (x * x_scale) @ (y * y_scale.T) + 1, "float32")


@pytest.mark.parametrize("a_format", FORMATS)
@pytest.mark.parametrize("b_format", FORMATS)
def test_formats(backend, rng, a_format, b_format):
    scaled = (a_format not in ("bf16", "fp16"), b_format not in ("bf16", "fp16"))
    out, want = run(backend, rng, 32, 16, 64, a_format, b_format, scaled)
    backend.check(out, want, "float32")


@pytest.mark.parametrize("scaled", [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize("a_format, b_format", [("e2m1", "e2m1"), ("e4m3", "e5m2"), ("e5m2", "e2m1")])
def test_scales_may_be_left_out(backend, rng, a_format, b_format, scaled):
    out, want = run(backend, rng, 16, 16, 32, a_format, b_format, scaled)
    backend.check(out, want, "float32")


@pytest.mark.parametrize("along_k", [(False, True), (True, False), (False, False)])
@pytest.mark.parametrize("shape", [(64, 32, 128), (16, 16, 32)])
def test_packed_along_the_other_axis(backend, rng, shape, along_k):
    out, want = run(backend, rng, *shape, "e2m1", "e2m1", along_k=along_k)
    backend.check(out, want, "float32")


def test_a_scale_of_255_is_nan(backend, rng):
    out, _ = run(backend, rng, 16, 16, 64, "e4m3", "e4m3", spoil=255)
    assert np.isnan(out[0]).all() and not np.isnan(out[1:]).any()


def test_the_least_scale(backend, rng):
    out, want = run(backend, rng, 16, 16, 32, "e5m2", "bf16", (True, False), spoil=0)
    np.testing.assert_allclose(out[0], 1)
    backend.check(out[1:], want[1:], "float32")


def test_elements_as_integers(backend, rng):
    """float8 and bfloat16 may come as unsigned integers of their bits."""
    M, N, K = 16, 16, 32
    a, x = elements(rng, (M, K), "e4m3", 1)
    b, y = elements(rng, (K, N), "bf16", 0)
    out = backend.poisoned((M, N), "float32")
    nothing = backend.array(np.zeros(1, np.uint8))
    arrays = [backend.array(a.view(np.uint8)), nothing, backend.array(b.view(np.uint16)), nothing]
    dot_kernel[1,](*arrays, out, M, N, K, "e4m3", "bf16", False, False, True, True, True)
    backend.check(out, x @ y + 1, "float32")


def test_batch(backend, rng):
    B, M, N, K = 4, 16, 16, 64
    a, x = elements(rng, (B, M, K), "e2m1", 2)
    codes, factors = scales(rng, B * M, K)
    b, y = elements(rng, (B, K, N), "bf16", 0)
    out = backend.poisoned((B, M, N), "float32")
    batch[1,](*map(backend.array, (a, codes, b)), out, B, M, N, K)
    backend.check(out, (x * factors.reshape(B, M, K)) @ y, "float32")


@pytest.mark.compiled
@pytest.mark.parametrize("a_format, a_type", [("e2m1", "u8"), ("e4m3", "fp8e4nv"), ("fp16", "fp16")])
@pytest.mark.parametrize("b_format, b_type", [("e2m1", "u8"), ("e5m2", "fp8e5")])
def test_assembles_for_a_gpu(assemble, a_format, a_type, b_format, b_type):
    types = {"a": f"*{a_type}", "a_scale": "*u8", "b": f"*{b_type}", "b_scale": "*u8", "out": "*fp32"}
    constants = {"M": 128, "N": 64, "K": 64, "A": a_format, "B": b_format, "A_SCALED": a_format != "fp16"}
    constants |= {"B_SCALED": True, "A_ALONG_K": True, "B_ALONG_K": True, "FAST": False}
    assert "mma" in assemble(dot_kernel, types, constants).asm["ptx"]
