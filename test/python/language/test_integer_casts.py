"""Integers become the nearest floats: all 8-bit and 16-bit integers, and 32-bit integers with few bits."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

FLOATS = ("float16", "bfloat16", "float32")


@tw.jit
def cast(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n).to(y.dtype.element_ty), mask=i < n)


@tw.jit
def cast_masked(x, y, n, SHIFT: tl.constexpr, MASK: tl.constexpr, LESS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    few = ((tl.load(x + i, mask=i < n) >> SHIFT) & MASK) - LESS
    tl.store(y + i, few.to(y.dtype.element_ty), mask=i < n)


def check(backend, y, expected, to):
    """`expected` are integers, exact in float64; those that bfloat16 rounds are exact in float32."""
    got = backend.numpy(y).astype(np.float64)
    if to == "bfloat16":
        bits = expected.astype(np.float32).view(np.uint32).astype(np.uint64)
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        expected = bits.astype(np.uint32).view(np.float32)
    else:
        with np.errstate(over="ignore"):
            expected = expected.astype(to)
    np.testing.assert_array_equal(got, expected.astype(np.float64))


@tw.jit
def cast_back(x, narrow, y, B: tl.constexpr):
    i = tl.arange(0, B)
    value = tl.load(x + i).to(narrow.dtype.element_ty)
    tl.store(narrow + i, value)
    tl.store(y + i, value.to(tl.float32))


@pytest.mark.parametrize("to", ["int8", "uint8", "int16", "uint16"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_floats_that_do_not_fit_lose_their_high_bits(backend, dtype, to):
    """Also if the number is used before it goes through memory."""
    x = np.array(
        [252, -4, -129, 300.75, 40000, -40000, 127.9, -0.9, 65000, 128, -128, 255, 256, -1, -65000, 0]
    )
    narrow, y = backend.poisoned(16, to), backend.poisoned(16, "float32")
    cast_back[1,](backend.array(x.astype(dtype)), narrow, y, 16)
    expected = x.astype(dtype).astype(np.int32).astype(to)
    np.testing.assert_array_equal(backend.numpy(narrow), expected)
    np.testing.assert_array_equal(backend.numpy(y), expected)


@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
@pytest.mark.parametrize("block", [64, 1024])
def test_all_integers(backend, dtype, to, block):
    info = np.iinfo(dtype)
    x = np.arange(info.min, info.max + 1).astype(dtype)
    y = backend.poisoned(x.shape, to)
    cast[(tw.cdiv(x.size, block),)](backend.array(x), y, x.size, block)
    check(backend, y, x.astype(np.int64), to)


@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("dtype", ["int8", "int32"])
@pytest.mark.parametrize(
    "shift, mask, less",
    [(0, 15, 8), (4, 15, 0), (2, 3, 1), (0, 127, 0), (0, 127, 1), (0, 127, 100), (0, 1023, 512)],
)
def test_few_bits(backend, rng, dtype, to, shift, mask, less):
    if dtype == "int8" and mask > 127:
        pytest.skip("a mask of more bits than the number has")
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, 2048, endpoint=True).astype(dtype)
    y = backend.poisoned(x.shape, to)
    cast_masked[(2,)](backend.array(x), y, x.size, shift, mask, less, 1024)
    check(backend, y, (x.astype(np.int64) >> shift & mask) - less, to)


@pytest.mark.parametrize("to", ["float16", "float32"])
def test_wide_integers(backend, rng, to):
    """Numbers that float32 rounds are infinite in float16, so a cast through float32 rounds once."""
    x = np.concatenate(
        [rng.integers(-(2**31), 2**31, 1000), np.arange(65500, 65540), [2**31 - 1, -(2**31), 0]]
    )
    x = x.astype(np.int32)
    y = backend.poisoned(x.shape, to)
    cast[(tw.cdiv(x.size, 256),)](backend.array(x), y, x.size, 256)
    check(backend, y, x.astype(np.float64), to)


def around_the_least(dtype):
    """The least number of a type, its neighbours in magnitude, and small ones."""
    least = np.iinfo(dtype).min
    return np.array([least, least + 1, -1, 0, 1, -(least + 1), least], dtype)


@tw.jit
def magnitudes(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    magnitude = tl.abs(tl.load(x + i, i < n))
    tl.store(y + i, magnitude.to(tl.int64), i < n)
    tl.store(y + n + i, (magnitude < 0).to(tl.int64), i < n)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_magnitude_of_the_least_number_is_negative(backend, dtype):
    x = around_the_least(dtype)
    y = backend.poisoned((14,), "int64")
    magnitudes[1,](backend.array(x), y, 7, 8)
    wide, negative = backend.numpy(y).reshape(2, 7).tolist()
    assert wide == np.abs(x).astype(np.int64).tolist()
    assert negative == [1, 0, 0, 0, 0, 0, 1]


@tw.jit
def negations(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i, i < n)
    negation = (v - v) - v
    tl.store(y + i, negation.to(tl.int64), i < n)
    tl.store(y + n + i, (-v < 0).to(tl.int64), i < n)
    if n > 3:  # where another block extends it
        tl.store(y + 2 * n + i, negation.to(tl.int64), i < n)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_negation_of_the_least_number_is_negative(backend, dtype):
    x = around_the_least(dtype)
    y = backend.poisoned((21,), "int64")
    negations[1,](backend.array(x), y, 7, 8)
    wide, negative, elsewhere = backend.numpy(y).reshape(3, 7).tolist()
    assert wide == elsewhere == (-x).astype(np.int64).tolist()
    assert negative == [1, 0, 0, 0, 1, 1, 1]


@tw.jit
def multiples(x, y, n, N: tl.constexpr, FACTOR: tl.constexpr):
    i = tl.arange(0, N)
    multiple = tl.load(x + i, i < n) * FACTOR
    tl.store(y + i, multiple.to(tl.int64), i < n)
    # As LLVM extends numbers of 8 bits.
    tl.store(y + n + i, (multiple >> 3).to(tl.uint16).to(tl.int64), i < n)


@pytest.mark.parametrize("factor", [-1, -4, -128])
@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_multiples_by_negative_powers_of_two_wrap(backend, dtype, factor):
    x = around_the_least(dtype)
    y = backend.poisoned((14,), "int64")
    multiples[1,](backend.array(x), y, 7, 8, factor)
    multiple, part = backend.numpy(y).reshape(2, 7).tolist()
    expected = (x.astype(np.int64) * factor).astype(dtype)
    assert multiple == expected.astype(np.int64).tolist()
    assert part == (expected >> 3).astype(np.uint16).astype(np.int64).tolist()


@tw.jit
def larger_of_remainders(x, y):
    """A value that is equal in all lanes is reduced, then compared with its remainder and a difference."""
    least = tl.max(tl.full((64,), -5.0, tl.float32), 0).to(tl.int32)
    most = tl.min(tl.full((64,), 7, tl.int32), 0)
    value = tl.load(x)
    tl.store(y, tl.maximum(least % 2, least))
    tl.store(y + 1, tl.maximum(least - value, least))
    tl.store(y + 2, tl.minimum(most - value, most))


def test_remainders_of_reduced_values(backend):
    for value in (-3, 0, 4):
        y = backend.poisoned((3,), "int32")
        larger_of_remainders[1,](backend.array([value], "int32"), y)
        assert backend.numpy(y).tolist() == [-1, max(-5 - value, -5), min(7 - value, 7)]


@tw.jit
def clamped_bits(x, y, z, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.clamp(tl.load(x + i, i < n), -2.0, 2.0)
    bits = v.to(tl.uint16, bitcast=True).to(tl.uint32)
    tl.store(y + i, bits, i < n)
    tl.store(y + n + i, (bits ^ 0x7FFF) + 1, i < n)
    tl.store(z + i, tl.sort(tl.clamp((i % n).to(x.dtype.element_ty), 1.0, 60.0)), i < n)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("n", [8, 32, 256])
def test_bits_of_clamped_floats(backend, dtype, n):
    x = backend.array(np.random.default_rng(n).standard_normal(n) * 2, dtype)
    y, z = backend.poisoned((2 * n,), "uint32"), backend.poisoned((n,), dtype)
    clamped_bits[1,](x, y, z, n, n)
    clamped = np.clip(backend.numpy(x), -2, 2).astype(np.float32)
    bits = (
        clamped.view(np.uint32) >> 16 if dtype == "bfloat16" else clamped.astype(np.float16).view(np.uint16)
    )
    bits = bits.astype(np.uint32)
    assert backend.numpy(y).tolist() == [*bits.tolist(), *((bits ^ 0x7FFF) + 1).tolist()]
    backend.check(z, np.sort(np.clip(np.arange(n), 1, 60)), dtype)
