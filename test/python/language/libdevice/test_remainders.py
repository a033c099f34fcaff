"""Remainders of float32, which are exact."""

import math

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

COUNT = 4096


@tw.jit
def percent(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) % tl.load(y + i))


def _sizes(rng, low, high):
    numbers = np.exp(rng.uniform(np.log(low), np.log(high), COUNT))
    return (numbers * rng.choice([1, -1], COUNT)).astype(np.float32)


def _patterns(rng):
    return rng.integers(0, 1 << 32, COUNT, dtype=np.uint64).astype(np.uint32).view(np.float32)


def _multiples(rng):
    divisor = rng.uniform(0.5, 1, COUNT).astype(np.float32)
    return (rng.integers(1, 1 << 22, COUNT) * divisor).astype(np.float32), divisor


def _before(pair):
    return np.nextafter(pair[0], np.float32(0)), pair[1]


CASES = {
    "small quotients": lambda rng: (_sizes(rng, 1e-3, 1e3), _sizes(rng, 0.1, 9)),
    "quotients about 2^21": lambda rng: (_sizes(rng, 1e6, 4e6), _sizes(rng, 1, 2)),
    "multiples": _multiples,
    "numbers before multiples": lambda rng: _before(_multiples(rng)),
    "all sizes": lambda rng: (_sizes(rng, 1e-45, 3e38), _sizes(rng, 1e-45, 3e38)),
    "all patterns": lambda rng: (_patterns(rng), _patterns(rng)),
    "subnormal numbers": lambda rng: (_sizes(rng, 1e-45, 1e-36), _sizes(rng, 1e-45, 1e-38)),
    "the largest": lambda rng: (_sizes(rng, 1e30, 3e38), _sizes(rng, 1e29, 3e38)),
}


def same(got, want):
    np.testing.assert_array_equal(got, want)
    known = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(want[known]))


@pytest.mark.parametrize("case", CASES)
def test_fmod(apply, rng, case):
    x, y = CASES[case](rng)
    with np.errstate(all="ignore"):
        same(apply("fmod", [x, y], "float32"), np.fmod(x, y))


def test_fmod_of_special_numbers(apply):
    numbers = np.array([0, 1, 3, 2.5, np.inf, np.nan, 1e-45, 3e38], np.float32)
    numbers = np.concatenate([numbers, -numbers])
    x, y = (each.ravel().copy() for each in np.meshgrid(numbers, numbers))
    with np.errstate(all="ignore"):
        same(apply("fmod", [x, y], "float32"), np.fmod(x, y))


def _remainder(x, y):
    return math.remainder(x, y) if math.isfinite(x) and y == y and y != 0 else math.nan


@pytest.mark.parametrize("case", CASES)
def test_remainder(apply, rng, case):
    """IEEE's: of the multiple nearest to the quotient."""
    x, y = CASES[case](rng)
    want = [_remainder(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    same(apply("remainder", [x, y], "float32"), np.array(want, np.float32))


def test_operator(backend, rng):
    x, y = CASES["all sizes"](rng)
    out = backend.poisoned(COUNT, "float32")
    percent[(1,)](backend.array(x), backend.array(y), out, COUNT)
    same(backend.numpy(out), np.fmod(x, y))
