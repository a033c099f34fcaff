"""tl.dot of float32 in several bfloat16 dots, and fp8 accumulation outside of tensor cores."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def dot_kernel(a, b, c, N: tl.constexpr, PRECISION: tl.constexpr):
    offsets = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.load(c + offsets)
    tl.store(c + offsets, tl.dot(tl.load(a + offsets), tl.load(b + offsets), acc, input_precision=PRECISION))


@pytest.mark.parametrize("precision, factor", [("bf16x3", 20), ("bf16x6", 1)])
def test_dot_in_parts(backend, rng, precision, factor):
    x, y, z = (rng.standard_normal((64, 64)).astype(np.float32) for _ in range(3))
    out = backend.array(z)
    dot_kernel[1,](backend.array(x), backend.array(y), out, 64, precision)
    backend.check(out, x.astype(np.float64) @ y.astype(np.float64) + z, "float32", factor=factor)


def test_dot_in_parts_keeps_infinities(backend):
    x = np.zeros((16, 16), np.float32)
    x[0, 0] = np.inf
    out = backend.array(np.zeros((16, 16), np.float32))
    dot_kernel[1,](backend.array(x), backend.array(np.ones((16, 16), np.float32)), out, 16, "bf16x3")
    assert np.isposinf(backend.numpy(out)[0]).all() and (backend.numpy(out)[1:] == 0).all()


@pytest.mark.compiled
def test_assembles_for_a_gpu(assemble):
    dot = assemble(dot_kernel, {"a": "*fp32", "b": "*fp32", "c": "*fp32"}, {"N": 64, "PRECISION": "bf16x6"})
    assert "bf16" in dot.asm["ptx"]


@tw.jit
def fp8_dot(a, b, c, N: tl.constexpr, STEPS: tl.constexpr, MOST: tl.constexpr):
    offsets = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.load(c + offsets)
    for step in range(STEPS):
        x, y = tl.load(a + step * N * N + offsets), tl.load(b + step * N * N + offsets)
        acc = tl.dot(x, y, acc, max_num_imprecise_acc=MOST)
    tl.store(c + offsets, acc)


@pytest.mark.parametrize("most", [None, 0, 64])
def test_fp8_accumulators(backend, rng, most):
    """The accumulator is so much larger than the terms that 14 bits lose some or all of them."""
    x, y = (rng.integers(1, 3, (8, 64, 64)).astype(ml_dtypes.float8_e4m3fn) for _ in range(2))
    z = np.full((64, 64), 2.0**17, np.float32)
    out = backend.array(z)
    fp8_dot[1,](backend.array(x), backend.array(y), out, 64, 8, most)
    expected = z + np.einsum("smk,skn->mn", x.astype(np.float32), y.astype(np.float32))
    if most is None and backend.name == "cuda":
        # 14 bits of 2**17 end at 2**4, and no term is larger than 4: at most all 512 terms are lost.
        np.testing.assert_allclose(backend.numpy(out), expected, rtol=0, atol=512 * 4)
    else:
        np.testing.assert_array_equal(backend.numpy(out), expected)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "dtype, most, outside", [("fp8e5", 32, True), ("fp8e5", None, False), ("fp16", 2**30, False)]
)
def test_which_accumulation_is_outside(dtype, most, outside):
    from tilewright.options import Options
    from tilewright.runtime.compiler import compile_kernel

    types = {"a": f"*{dtype}", "b": f"*{dtype}", "c": "*fp32"}
    constants = {"N": 64, "STEPS": 4, "MOST": most}
    tile = compile_kernel(fp8_dot.fn, types, constants, {}, "sm_90a", Options(), stop_after="tile").asm[
        "tile"
    ]
    assert ("arith.addf" in tile) == outside and tile.count("tile.dot") == 1


@tw.jit
def zero_dot(a, b, bias, wanted, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, j, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    x = tl.load(a + m * K + k[None, :])
    y = tl.load(b + k[:, None] * N + j)
    # The zeros are compile-time constants, and share a register with values loaded under masks.
    nothing = tl.dot(tl.trans(x), tl.zeros((M, N), tl.float8e4nv))
    acc = tl.dot(x, (nothing % 3.0).to(tl.float8e4nv)) + tl.load(bias + m)
    if tl.load(wanted) > 0:
        for i in range(n):
            x = tl.load(a + (i % 4) * M * K + m * K + k[None, :], mask=m < n * 5, other=0)
            acc = tl.dot(x, y, acc) % 16.0
    tl.store(out + m * N + j, acc)


@pytest.mark.parametrize("num_warps", [4, 8])
def test_zeros_of_8_bits(backend, rng, num_warps):
    m, n, k = 128, 8, 48
    x, y = (rng.integers(-2, 3, shape).astype(ml_dtypes.float8_e4m3fn) for shape in ((m, k), (k, n)))
    bias = rng.integers(-3, 4, m).astype(np.float32)
    out = backend.poisoned((m, n), "float32")
    arrays = [backend.array(array) for array in (x, y, bias, np.zeros(1, np.int32))]
    zero_dot[1,](*arrays, out, 3, m, n, k, num_warps=num_warps)
    np.testing.assert_array_equal(backend.numpy(out), np.repeat(bias[:, None], n, 1))
