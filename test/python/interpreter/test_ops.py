"""Every operation of the interpreter against NumPy's own expression of it."""

import math

import ml_dtypes
import numpy as np
import pytest
import tilewright.language as tl
from tilewright.interpreter import interpret
from tilewright.language.function import KernelFunction as jit

N = 64
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
RNG = np.random.default_rng(0)


def numbers(dtype, low=-8, high=8):
    if np.dtype(dtype) in [np.dtype(t) for t in INTS]:
        low = max(low, 0) if np.dtype(dtype).kind == "u" else low
        return RNG.integers(low, high, N).astype(dtype)
    return RNG.uniform(low, high, N).astype(dtype)


def run(fn, out_dtype, *inputs, shape=(N,)):
    """Apply `fn`, a function of blocks, to inputs of N elements."""
    out = np.zeros(shape, out_dtype)

    @jit
    def kernel(out_ptr, a_ptr, b_ptr, COUNT: tl.constexpr, N: tl.constexpr, SIZE: tl.constexpr):
        i = tl.arange(0, N)
        a = tl.load(a_ptr + i)
        result = fn(a, tl.load(b_ptr + i)) if COUNT == 2 else fn(a)
        tl.store(out_ptr + tl.arange(0, SIZE), tl.reshape(result, (SIZE,)))

    interpret(kernel)[1,](out, inputs[0], inputs[-1], COUNT=len(inputs), N=N, SIZE=out.size)
    return out


@pytest.mark.parametrize("dtype", FLOATS + INTS)
@pytest.mark.parametrize("op", [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b], ids="+-*")
def test_arithmetic(op, dtype):
    a, b = numbers(dtype), numbers(dtype)
    with np.errstate(over="ignore"):
        expected = op(a, b)
    np.testing.assert_array_equal(run(op, dtype, a, b), expected)


@pytest.mark.parametrize("dtype", FLOATS)
def test_true_division(dtype):
    a, b = numbers(dtype), numbers(dtype, 1, 9)
    wide = np.float64 if dtype is np.float64 else np.float32
    expected = (a.astype(wide) / b.astype(wide)).astype(dtype)
    np.testing.assert_array_equal(run(lambda a, b: a / b, dtype, a, b), expected)


def test_division_of_integers_gives_float32():
    a, b = numbers(np.int32), numbers(np.int32, 1, 9)
    expected = a.astype(np.float32) / b.astype(np.float32)
    np.testing.assert_array_equal(run(lambda a, b: a / b, np.float32, a, b), expected)


@pytest.mark.parametrize("dtype", INTS)
def test_floor_division_and_remainder_are_those_of_c(dtype):
    a, b = numbers(dtype, -100, 100), numbers(dtype, 1, 9)
    if np.dtype(dtype).kind == "i":
        b[::2] *= -1
    quotient = np.trunc(a.astype(np.float64) / b.astype(np.float64)).astype(dtype)
    np.testing.assert_array_equal(run(lambda a, b: a // b, dtype, a, b), quotient)
    np.testing.assert_array_equal(run(lambda a, b: a % b, dtype, a, b), (a - quotient * b).astype(dtype))


def test_remainder_of_floats_has_the_sign_of_the_dividend():
    a, b = numbers(np.float32, -100, 100), numbers(np.float32, 1, 9)
    np.testing.assert_array_equal(run(lambda a, b: a % b, np.float32, a, b), np.fmod(a, b))


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", [lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b], ids="&|^")
def test_bitwise(op, dtype):
    a, b = numbers(dtype, -100, 100), numbers(dtype, -100, 100)
    np.testing.assert_array_equal(run(op, dtype, a, b), op(a, b))


@pytest.mark.parametrize("dtype", INTS)
def test_shifts_and_inversion(dtype):
    a, b = numbers(dtype, -100, 100), numbers(dtype, 0, 7)
    np.testing.assert_array_equal(run(lambda a, b: a << b, dtype, a, b), a << b)
    np.testing.assert_array_equal(run(lambda a, b: a >> b, dtype, a, b), a >> b)
    np.testing.assert_array_equal(run(lambda a: ~a, dtype, a), ~a)


COMPARISONS = [
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
]


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int32, np.uint32, np.uint8])
@pytest.mark.parametrize("op", COMPARISONS, ids=["==", "!=", "<", "<=", ">", ">="])
def test_comparisons(op, dtype):
    a, b = numbers(dtype, -3, 3), numbers(dtype, -3, 3)
    b[:8] = a[:8]
    if np.dtype(dtype).kind == "f":
        a[3], b[5] = np.nan, np.nan
    if np.dtype(dtype) == np.uint32:
        a[0] = 0xFFFFFFF0
    np.testing.assert_array_equal(run(op, np.bool_, a, b), op(a, b))


def _erf(x):
    return np.array([math.erf(v) for v in x])


UNARY = {
    "exp": (tl.exp, np.exp, -5, 5),
    "exp2": (tl.exp2, np.exp2, -5, 5),
    "log": (tl.log, np.log, 0.1, 9),
    "log2": (tl.log2, np.log2, 0.1, 9),
    "sqrt": (tl.sqrt, np.sqrt, 0, 9),
    "sqrt_rn": (tl.sqrt_rn, np.sqrt, 0, 9),
    "rsqrt": (tl.rsqrt, lambda x: 1 / np.sqrt(x), 0.1, 9),
    "sin": (tl.sin, np.sin, -5, 5),
    "cos": (tl.cos, np.cos, -5, 5),
    "tanh": (tl.math.tanh, np.tanh, -5, 5),
    "erf": (tl.erf, _erf, -3, 3),
    "floor": (tl.floor, np.floor, -5, 5),
    "ceil": (tl.ceil, np.ceil, -5, 5),
    "abs": (tl.abs, np.abs, -5, 5),
    "sigmoid": (tl.sigmoid, lambda x: 1 / (1 + np.exp(-x)), -5, 5),
    "neg": (lambda x: -x, np.negative, -5, 5),
}
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-6, "float64": 1e-14}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_math(name, dtype):
    function, reference, low, high = UNARY[name]
    x = numbers(dtype, low, high)
    result = run(function, dtype, x).astype(np.float64)
    tolerance = TOLERANCE[np.dtype(dtype).name]
    np.testing.assert_allclose(result, reference(x.astype(np.float64)), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", FLOATS + INTS)
def test_max_min_clamp(dtype):
    a, b = numbers(dtype), numbers(dtype)
    np.testing.assert_array_equal(run(tl.maximum, dtype, a, b), np.maximum(a, b))
    np.testing.assert_array_equal(run(tl.minimum, dtype, a, b), np.minimum(a, b))
    np.testing.assert_array_equal(run(lambda a: tl.clamp(a, 1, 3), dtype, a), np.clip(a, dtype(1), dtype(3)))


def test_max_of_nan():
    a, b = np.full(N, np.nan, np.float32), numbers(np.float32)
    np.testing.assert_array_equal(run(tl.maximum, np.float32, a, b), b)
    every = run(lambda a, b: tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL), np.float32, a, b)
    assert np.isnan(every).all()


def test_fma_rounds_once():
    a = np.full(N, 1 + 2**-12, np.float32)
    result = run(lambda a, b: tl.fma(a, a, b), np.float32, a, np.full(N, -1, np.float32))
    np.testing.assert_array_equal(result, np.float32(2**-11 + 2**-24))


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_umulhi(dtype):
    bits = np.dtype(dtype).itemsize * 8
    a = RNG.integers(0, 2**bits - 1, N, dtype=np.uint64).astype(dtype)
    expected = [((int(x) % 2**bits) ** 2) >> bits for x in a]
    np.testing.assert_array_equal(
        run(lambda a: tl.umulhi(a, a), dtype, a), np.array(expected, np.uint64).astype(dtype)
    )


CASTS = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.float16, ml_dtypes.bfloat16,
         np.float32, np.float64, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, np.bool_]  # fmt: skip
TYPES = [tl.int8, tl.uint8, tl.int16, tl.int32, tl.uint32, tl.int64, tl.float16, tl.bfloat16, tl.float32,
         tl.float64, tl.float8e4nv, tl.float8e5, tl.int1]  # fmt: skip


@pytest.mark.parametrize("target", range(len(CASTS)), ids=map(str, TYPES))
@pytest.mark.parametrize("source", range(len(CASTS)), ids=map(str, TYPES))
def test_casts(source, target):
    x = RNG.integers(0, 16, N).astype(CASTS[source])
    ty = TYPES[target]
    np.testing.assert_array_equal(run(lambda a: a.to(ty), CASTS[target], x), x.astype(CASTS[target]))


def test_unsigned_extends_by_zeros_and_signed_by_its_sign():
    x = np.full(N, 200, np.uint8)
    np.testing.assert_array_equal(run(lambda a: a.to(tl.int32), np.int32, x), 200)
    np.testing.assert_array_equal(run(lambda a: a.to(tl.int32), np.int32, x.view(np.int8)), -56)
    np.testing.assert_array_equal(run(lambda a: a.to(tl.float32), np.float32, x), 200.0)


def test_bitcast():
    x = numbers(np.float32)
    np.testing.assert_array_equal(run(lambda a: a.to(tl.int32, bitcast=True), np.int32, x), x.view(np.int32))


def test_narrowing_towards_zero():
    x = np.full(N, 1 + 2**-7 - 2**-16, np.float32)
    result = run(lambda a: a.to(tl.bfloat16, fp_downcast_rounding="rtz"), ml_dtypes.bfloat16, x)
    np.testing.assert_array_equal(result.astype(np.float32), 1.0)
    np.testing.assert_array_equal(run(lambda a: a.to(tl.bfloat16), ml_dtypes.bfloat16, x), 1 + 2**-7)


def test_where_and_logic():
    a, b = numbers(np.int32), numbers(np.int32)
    np.testing.assert_array_equal(run(lambda a, b: tl.where(a < b, a, b), np.int32, a, b), np.minimum(a, b))
    result = run(lambda a, b: a.logical_and(b), np.bool_, a, b)
    np.testing.assert_array_equal(result, np.logical_and(a, b))
    np.testing.assert_array_equal(run(lambda a, b: a.logical_or(b), np.bool_, a, b), np.logical_or(a, b))


def test_shape_functions():
    x = numbers(np.float32)
    np.testing.assert_array_equal(
        run(lambda a: tl.trans(a.reshape(4, 16)), np.float32, x), x.reshape(4, 16).T.ravel()
    )
    permuted = run(lambda a: tl.permute(a.reshape(2, 4, 8), (2, 0, 1)), np.float32, x)
    np.testing.assert_array_equal(permuted, x.reshape(2, 4, 8).transpose(2, 0, 1).ravel())
    outer = run(lambda a: a[:, None] * a[None, :], np.float32, x, shape=(N * N,))
    np.testing.assert_array_equal(outer, np.outer(x, x).ravel())
    wide = run(lambda a: tl.broadcast_to(a, (3, 64)), np.float32, x, shape=(3 * N,))
    np.testing.assert_array_equal(wide, np.tile(x, 3))


REDUCTIONS = {
    "sum": (tl.sum, np.sum),
    "max": (tl.max, np.max),
    "min": (tl.min, np.min),
    "argmax": (tl.argmax, np.argmax),
    "argmin": (tl.argmin, np.argmin),
}


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name, axis):
    function, reference = REDUCTIONS[name]
    x = RNG.permutation(N).astype(np.int32)
    expected = reference(x.reshape(4, 16), axis=axis)
    result = run(lambda a: function(a.reshape(4, 16), axis=axis), np.int32, x, shape=expected.shape)
    np.testing.assert_array_equal(result, expected)


def test_argmax_of_equal_elements_is_the_first():
    x = np.array([3, 7, 7, 1] * 16, np.float32)
    result = run(lambda a: tl.argmax(a, 0) + tl.zeros((1,), tl.int32), np.int32, x, shape=(1,))
    assert result[0] == 1


def test_reduction_of_all_and_of_bits():
    x = numbers(np.int32, -100, 100)
    result = run(lambda a: tl.sum(a.reshape(4, 16)) + tl.zeros((1,), tl.int32), np.int32, x, shape=(1,))
    assert result[0] == x.sum()
    result = run(lambda a: tl.xor_sum(a, 0) + tl.zeros((1,), tl.int32), np.int32, x, shape=(1,))
    assert result[0] == np.bitwise_xor.reduce(x)
    kept = run(lambda a: tl.sum(a.reshape(4, 16), 1, keep_dims=True), np.int32, x, shape=(4, 1))
    np.testing.assert_array_equal(kept, x.reshape(4, 16).sum(1, keepdims=True))


def test_sum_of_narrow_integers_is_wide():
    x = np.full(N, 100, np.int8)
    result = run(lambda a: tl.sum(a, 0) + tl.zeros((1,), tl.int32), np.int32, x, shape=(1,))
    assert result[0] == 6400


def test_reduce_with_own_function_of_two_blocks():
    @jit
    def combine(count_a, mean_a, m2_a, count_b, mean_b, m2_b):
        count = count_a + count_b
        delta = mean_b - mean_a
        return (
            count,
            mean_a + delta * (count_b / count),
            m2_a + m2_b + delta * delta * (count_a * count_b / count),
        )

    def variance(a):
        ones = tl.full((64,), 1.0, tl.float32)
        _, _, m2 = tl.reduce((ones, a, tl.zeros((64,), tl.float32)), 0, combine)
        return m2 / 64 + tl.zeros((1,), tl.float32)

    x = numbers(np.float32)
    np.testing.assert_allclose(run(variance, np.float32, x, shape=(1,))[0], x.var(), rtol=1e-5)


def test_softmax():
    x = numbers(np.float32)
    e = np.exp(x.reshape(4, 16).astype(np.float64))
    result = run(lambda a: tl.softmax(a.reshape(4, 16), 1), np.float32, x, shape=(4, 16))
    np.testing.assert_allclose(result, e / e.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("dtype", [*FLOATS, np.int8, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_dot(dtype):
    x = RNG.integers(-4, 4, N).astype(dtype)
    out = {np.dtype(np.int8): np.int32, np.dtype(np.float64): np.float64}.get(np.dtype(dtype), np.float32)
    wide = x.astype(out)
    result = run(lambda a: tl.dot(a.reshape(4, 16), a.reshape(16, 4)), out, x, shape=(4, 4))
    np.testing.assert_array_equal(result, wide.reshape(4, 16) @ wide.reshape(16, 4))


def test_dot_accumulates_and_rounds_for_tf32():
    x = np.full(N, 1 + 2**-12, np.float32)
    exact = run(lambda a: tl.dot(a.reshape(4, 16), a.reshape(16, 4)), np.float32, x, shape=(4, 4))
    rounded = run(
        lambda a: tl.dot(a.reshape(4, 16), a.reshape(16, 4), input_precision="tf32"),
        np.float32,
        x,
        shape=(4, 4),
    )
    assert (exact != 16).all() and (rounded == 16).all()
    result = run(
        lambda a: tl.dot(
            a.reshape(4, 16), a.reshape(16, 4), tl.full((4, 4), 5.0, tl.float32), allow_tf32=True
        ),
        np.float32,
        x,
        shape=(4, 4),
    )
    np.testing.assert_array_equal(result, 21)
