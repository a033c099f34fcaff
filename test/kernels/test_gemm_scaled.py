"""Matmuls of scaled 8-bit matrices."""

import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels.gemm import reference

TYPES = ("float8_e4m3fn", "float8_e5m2", "int8")
# Two warpgroups with a tile each.
PING_PONG = {"block_m": 64, "block_n": 128, "num_warps": 4, "ping_pong": True}
# The width is a sum of two powers of two.
WIDE = {"block_m": 128, "block_n": 192, "num_warps": 8}


def operands(backend, rng, M, N, K, dtype):
    """Returns a row-major a, and a b that is contiguous along k."""
    if dtype == "int8":
        a, b = rng.integers(-127, 128, (M, K)), rng.integers(-127, 128, (N, K))
    else:
        a, b = 8 * rng.standard_normal((M, K)), 8 * rng.standard_normal((N, K))
    return backend.array(a, dtype), backend.array(b, dtype).T


def scale(backend, rng, shape):
    return backend.array(rng.uniform(0.01, 2, shape), "float32")


def spread(x, shape):
    """Repeats scales over the elements that they cover."""
    x = np.asarray(x, np.float64)
    if x.ndim == 1:
        x = x.reshape((-1, 1) if x.size == shape[0] else (1, -1))
    for axis in (0, 1):
        if x.shape[axis] not in (1, shape[axis]):
            x = np.repeat(x, 128, axis).take(range(shape[axis]), axis)
    return np.broadcast_to(x, shape)


def check(backend, rng, extents, dtype, a_shape, b_shape, **arguments):
    M, N, K = extents
    a, b = operands(backend, rng, M, N, K, dtype)
    sa, sb = (x if isinstance(x, float) else scale(backend, rng, x) for x in (a_shape, b_shape))
    bias = backend.array(rng.standard_normal(N), "float32")
    out = backend.poisoned((M, N), "float32")
    kernels.scaled_matmul(a, b, sa, sb, bias, "relu", out=out, **arguments)
    numbers = [x if isinstance(x, float) else backend.numpy(x) for x in (sa, sb)]
    left = backend.numpy(a) * (numbers[0] if isinstance(sa, float) else spread(numbers[0], (M, K)))
    right = backend.numpy(b) * (numbers[1] if isinstance(sb, float) else spread(numbers[1], (K, N)))
    expected = reference.matmul(left, right, backend.numpy(bias), "relu")
    # Tensor cores keep some 14 bits of the accumulator of a block.
    factor = 400 if backend.name == "cuda" and dtype != "int8" else 1
    backend.check(out, expected, "float32", factor=factor)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("fast", [False, True])
def test_scale_of_a_matrix(backend, rng, dtype, fast):
    check(backend, rng, (70, 50, 300), dtype, 0.5, 0.25, fast_accumulation=fast)
    check(backend, rng, (70, 50, 300), dtype, (1,), (1, 1), fast_accumulation=fast)
    check(backend, rng, (70, 50, 300), dtype, (1,), 3.0, fast_accumulation=fast)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("config", [None, {"swap": True}, {"split_k": 2}, PING_PONG, WIDE], ids=str)
def test_scales_of_rows_and_columns(backend, rng, dtype, config):
    check(backend, rng, (70, 50, 300), dtype, (70, 1), (1, 50), config=config)
    check(backend, rng, (33, 129, 128), dtype, (33,), (129,), config=config)
    check(backend, rng, (33, 129, 128), dtype, (33,), 0.5, config=config)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("a_extent", "b_extent"), [(1, 128), (1, 1), (128, 128), (128, 1)])
@pytest.mark.parametrize("extents", [(130, 140, 300), (5, 128, 128), (200, 1, 1000)], ids=str)
def test_scales_of_blocks(backend, rng, dtype, a_extent, b_extent, extents):
    M, N, K = extents
    depth = -(-K // 128)
    check(backend, rng, extents, dtype, (-(-M // a_extent), depth), (depth, -(-N // b_extent)))


def test_mixed_types_and_result(backend, rng):
    a = backend.array(rng.standard_normal((20, 64)), "float8_e4m3fn")
    b = backend.array(rng.standard_normal((64, 30)), "float8_e5m2")
    expected = 2 * reference.matmul(backend.numpy(a), backend.numpy(b))
    backend.check(kernels.scaled_matmul(a, b, 1.0, 2.0), expected, "bfloat16")
    backend.check(kernels.scaled_matmul(a, b, 1.0, 2.0, out_dtype="float16"), expected, "float16")


def test_empty_k(backend):
    a, b = backend.array(np.zeros((4, 0)), "int8"), backend.array(np.zeros((0, 5)), "int8")
    scales = [backend.array(np.zeros(shape), "float32") for shape in [(4, 0), (0, 5)]]
    result = kernels.scaled_matmul(a, b, *scales, out_dtype="float32")
    assert np.array_equal(backend.numpy(result), np.zeros((4, 5)))


def test_scaled_matmul_refuses(backend):
    def ones(*shape, dtype="float32"):
        return backend.array(np.ones(shape), dtype)

    a, b = ones(200, 300, dtype="int8"), ones(300, 400, dtype="int8")
    rows, blocks = ones(200), ones(200, 3)
    for error, message, call in [
        (TypeError, "a is float32, expected float8_e4m3fn, float8_e5m2 or int8",
         lambda: kernels.scaled_matmul(rows[:, None], rows[None, :], 1.0, 1.0)),
        (TypeError, "a_scale is int8", lambda: kernels.scaled_matmul(a, b, a[0], 1.0)),
        (ValueError, r"a_scale has shape \(3,\), expected one scale, 200, or one for each 128 of k",
         lambda: kernels.scaled_matmul(a, b, rows[:3], 1.0)),
        (ValueError, r"b_scale has shape \(200,\), expected one scale, 400,",
         lambda: kernels.scaled_matmul(a, b, 1.0, rows)),
        (ValueError, "must both be block scales, or neither", lambda: kernels.scaled_matmul(a, b, blocks, 1.0)),
        (ValueError, "need block_k=128", lambda: kernels.scaled_matmul(
            a, b, blocks, ones(3, 400), config={"block_k": 64})),
        (ValueError, "need split_k=1", lambda: kernels.scaled_matmul(
            a, b, blocks, ones(3, 4), config={"split_k": 2})),
    ]:  # fmt: skip
        with pytest.raises(error, match=message):
            call()
