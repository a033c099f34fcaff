"""Arithmetic and conversions in a direction, against exact rational numbers."""

from fractions import Fraction

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

MODES = ["rn", "rz", "rd", "ru"]
COUNT = 1024


def rounded(exact, mode, dtype):
    """A rational number as a float, rounded as `mode` says."""
    kind = np.dtype(dtype).type
    with np.errstate(over="ignore"):
        try:
            x = kind(float(exact))
        except OverflowError:
            x = kind(np.inf if exact > 0 else -np.inf)

    def value(number):
        return (
            Fraction(float(number))
            if np.isfinite(number)
            else (2 if number > 0 else -2) * Fraction(2) ** 9999
        )

    if mode == "rn":
        around = [x, np.nextafter(x, kind(np.inf)), np.nextafter(x, kind(-np.inf))]
        if not np.isfinite(x) or float(exact) == float(x):
            return x
        return min(around, key=lambda y: (abs(value(y) - exact), int(np.array(y).view(f"u{y.itemsize}")) & 1))
    goal = {"rz": -np.inf if exact > 0 else np.inf, "rd": -np.inf, "ru": np.inf}[mode]
    while (value(x) > exact) if goal < 0 else (value(x) < exact):
        x = np.nextafter(x, kind(goal))
    return x


def root_rounded(exact, mode, dtype):
    """The same for the root of a rational number."""
    kind = np.dtype(dtype).type
    x = kind(np.sqrt(kind(float(exact))))
    if mode in ("rz", "rd"):
        while Fraction(float(x)) ** 2 > exact:
            x = np.nextafter(x, kind(0))
    elif mode == "ru":
        while Fraction(float(x)) ** 2 < exact:
            x = np.nextafter(x, kind(np.inf))
    return x


def numbers(rng, dtype, count=COUNT):
    """Numbers near 1, of all sizes down to the least, some with few bits, and both ends of the range."""
    info = np.finfo(dtype)
    sizes = np.exp2(rng.uniform(info.minexp - info.nmant - 1, info.maxexp - 1, count))
    near = rng.uniform(0.5, 2, count)
    few = np.exp2(rng.integers(-30, 30, count))
    x = np.choose(rng.integers(0, 3, count), [sizes, near, few]) * rng.choice([-1.0, 1.0], count)
    x = x.astype(dtype)
    x[:8] = [
        info.max,
        info.max,
        -info.max,
        info.tiny,
        info.smallest_subnormal,
        -info.smallest_subnormal,
        1,
        3,
    ]
    return x


EXACT = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "fma": lambda x, y, z: x * y + z,
    "rcp": lambda x: 1 / x,
}
ARITY = {"fma": 3, "rcp": 1}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", EXACT)
def test_arithmetic(apply, rng, name, dtype, mode):
    arrays = [numbers(rng, dtype) for _ in range(ARITY.get(name, 2))]
    if name in ("add", "sub"):
        near = (arrays[0] * 0.375 * rng.uniform(1, 2, COUNT)).astype(dtype)
        arrays[1] = np.where(rng.random(COUNT) < 0.5, near, arrays[1])
    if name == "fma":  # sums that cancel, within the range that the names promise
        limit = 2.0**40 if dtype == "float32" else 2.0**300
        arrays = [np.where((1 / limit < abs(a)) & (abs(a) < limit), a, 1.5).astype(dtype) for a in arrays]
        arrays[2] = np.where(rng.random(COUNT) < 0.5, -(arrays[0] * arrays[1]), arrays[2]).astype(dtype)
    result = apply(f"{name}_{mode}", arrays, dtype)
    for row in zip(*arrays, result, strict=True):
        exact = EXACT[name](*(Fraction(float(x)) for x in row[:-1]))
        if exact != 0:
            assert row[-1] == rounded(exact, mode, dtype), row


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sqrt(apply, rng, dtype, mode):
    x = np.abs(numbers(rng, dtype))
    for number, result in zip(x, apply(f"sqrt_{mode}", [x], dtype), strict=True):
        assert result == root_rounded(Fraction(float(number)), mode, dtype), number


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nonfinite_numbers_stay(apply, dtype, mode):
    inf = np.inf
    x = np.array([inf, -inf, np.nan, 1, 0, inf, 1, -1], dtype)
    y = np.array([1, 1, 1, np.nan, 0, inf, 0, 0], dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(apply(f"add_{mode}", [x, y], dtype), x + y)
        np.testing.assert_array_equal(apply(f"mul_{mode}", [x, y], dtype), x * y)
        np.testing.assert_array_equal(apply(f"div_{mode}", [x, y], dtype), x / y)
        np.testing.assert_array_equal(apply(f"fma_{mode}", [x, y, x], dtype), x * y + x)
        np.testing.assert_array_equal(apply(f"sqrt_{mode}", [x], dtype), np.sqrt(x))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_difference_of_nothing_is_negative_only_when_rounded_down(apply, dtype):
    x, y = np.array([1, -0.0, 0.0, -2], dtype), np.array([1, 0.0, -0.0, -2], dtype)
    assert np.signbit(apply("sub_rd", [x, y], dtype)).tolist() == [True, True, False, True]
    assert not np.signbit(apply("sub_ru", [x, y], dtype))[[0, 2, 3]].any()


INTEGERS = {"int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64"}
ROUND = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("integer", INTEGERS)
@pytest.mark.parametrize("kind, dtype", [("float", "float32"), ("double", "float64")])
def test_floats_to_integers(apply, rng, kind, dtype, integer, mode):
    info = np.iinfo(INTEGERS[integer])
    x = np.concatenate([rng.uniform(-9, 9, 488), np.arange(-4, 4, 0.5), rng.uniform(-1, 1, 512) * 2.0**70])
    x[-7:] = [np.inf, -np.inf, info.max, info.min, float(info.max) + 1, 0.0, -0.0]
    x = np.append(x, np.zeros(1024 - x.size)).astype(dtype)
    result = apply(f"{kind}2{integer}_{mode}", [x], INTEGERS[integer])
    for number, found in zip(x, result, strict=True):
        whole = ROUND[mode](float(number))
        want = int(min(max(Fraction(whole), info.min), info.max)) if np.isfinite(whole) else None
        assert int(found) == (want if want is not None else info.max if number > 0 else info.min), number


def test_nan_to_integers_as_ptx_does(apply):
    for name, dtype, result, want in [
        ("float2int_rn", "float32", "int32", 0), ("float2uint_rz", "float32", "uint32", 0),
        ("double2int_rn", "float64", "int32", -(2**31)), ("float2ll_rn", "float32", "int64", -(2**63)),
        ("double2ull_rn", "float64", "uint64", 2**63),
    ]:  # fmt: skip
        assert apply(name, [np.full(4, np.nan, dtype)], result)[0] == want


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("integer", INTEGERS)
@pytest.mark.parametrize("kind, dtype", [("float", "float32"), ("double", "float64")])
def test_integers_to_floats(apply, rng, kind, dtype, integer, mode):
    if kind == "double" and integer in ("int", "uint") and mode != "rn":
        pytest.skip("always exact, so there is no such function")
    info = np.iinfo(INTEGERS[integer])
    x = rng.integers(info.min, info.max, 256, INTEGERS[integer], endpoint=True)
    x[128:] >>= rng.integers(0, info.bits - 1, 128).astype(x.dtype)
    x[:5] = [info.min, info.max, info.max - 1, 0, 1]
    result = apply(f"{integer}2{kind}_{mode}", [x], dtype)
    assert [float(r) for r in result] == [float(rounded(Fraction(int(n)), mode, dtype)) for n in x]


@pytest.mark.parametrize("mode", MODES)
def test_double_to_float(apply, rng, mode):
    x = numbers(rng, "float64")
    result = apply(f"double2float_{mode}", [x], "float32")
    assert [float(r) for r in result] == [float(rounded(Fraction(float(n)), mode, "float32")) for n in x]


@tw.jit
def of_numbers(out_ptr):
    tl.store(out_ptr, tl.extra.libdevice.abs(-2.5))
    tl.store(out_ptr + 1, tl.extra.libdevice.double2float_rd(0.1).to(tl.float64))
    tl.store(out_ptr + 2, tl.extra.libdevice.abs(-3).to(tl.float64))


def test_numbers_keep_their_fraction_and_all_their_bits(backend):
    out = backend.poisoned((3,), "float64")
    of_numbers[1,](out)
    below = np.nextafter(np.float32(0.1), np.float32(0))
    np.testing.assert_array_equal(backend.numpy(out), [2.5, below, 3.0])
