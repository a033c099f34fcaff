"""Casts of numbers to narrower floats, rounded once, as documented through float32, or towards zero."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

N = 1024
NARROW = {
    "float32": (tl.float32, np.float32),
    "float16": (tl.float16, np.float16),
    "bfloat16": (tl.bfloat16, ml_dtypes.bfloat16),
    "float8_e4m3fn": (tl.float8e4nv, ml_dtypes.float8_e4m3fn),
    "float8_e5m2": (tl.float8e5, ml_dtypes.float8_e5m2),
}
PAIRS = [
    ("float32", "float16"), ("float32", "bfloat16"), ("float32", "float8_e4m3fn"), ("float32", "float8_e5m2"),
    ("float64", "float32"), ("float64", "float16"), ("float64", "bfloat16"), ("float16", "float8_e5m2"),
]  # fmt: skip


@tw.jit
def narrow(x_ptr, out_ptr, N: tl.constexpr, TO: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(TO, fp_downcast_rounding="rtz"))


def numbers(rng, dtype, limit):
    x = rng.uniform(-limit, limit, N) * 2.0 ** -rng.integers(0, 12, N)
    x[:8] = 0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, limit, -limit
    return x.astype(dtype)


@pytest.mark.parametrize("source, target", PAIRS)
def test_towards_zero(backend, rng, source, target):
    ty, dtype = NARROW[target]
    info = ml_dtypes.finfo(dtype)
    x = numbers(rng, source, min(float(info.max), 6e4))
    has_infinity = target != "float8_e4m3fn" and "float8" not in target
    x = x if has_infinity else np.where(np.isinf(x), 1.0, x).astype(source)
    out = backend.poisoned((N,), target)
    narrow[1,](backend.array(x), out, N, ty)
    found, exact = backend.numpy(out).astype(np.float64), x.astype(np.float64)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))
    finite = np.isfinite(exact)
    np.testing.assert_array_equal(found[np.isinf(exact)], exact[np.isinf(exact)])
    assert (np.abs(found[finite]) <= np.abs(exact[finite])).all()
    assert (np.signbit(found[finite]) == np.signbit(exact[finite])).all()
    unit = np.maximum(
        2.0 ** (np.floor(np.log2(np.maximum(np.abs(exact[finite]), 1e-300))) - info.nmant),
        float(info.smallest_subnormal),
    )
    assert (np.abs(exact[finite] - found[finite]) < unit).all()


def test_beyond_the_largest(backend):
    out = backend.poisoned((N,), "float16")
    narrow[1,](backend.array(np.full(N, 1e6, np.float32)), out, N, tl.float16)
    np.testing.assert_array_equal(backend.numpy(out), np.float16(65504))


@tw.jit
def convert(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty))


def test_float64_is_rounded_once(backend):
    """Through float32 each of these would be a tie."""
    x = np.array(
        [1 + 2.0**-8 + 2.0**-40, 1 + 3 * 2.0**-8 - 2.0**-40, 1 + 2.0**-8, 2.0**-133 * (0.5 + 2.0**-40)]
    )
    for sign in (1, -1):
        out = backend.poisoned((4,), "bfloat16")
        convert[1,](backend.array(sign * x), out, 4)
        np.testing.assert_array_equal(
            backend.numpy(out), sign * np.array([1 + 2.0**-7, 1 + 2.0**-7, 1.0, 2.0**-133])
        )


@pytest.mark.parametrize("target", ["float8_e4m3fn", "float8_e5m2"])
def test_float64_to_float8_rounds_once(backend, target):
    """The first two numbers are just above a midpoint; float32 would round them to it."""
    x = np.array([1 + 2.0**-4 + 2.0**-40, 1 + 2.0**-3 + 2.0**-40, 3.0, 1e300])
    out = backend.poisoned((4,), target)
    convert[1,](backend.array(x), out, 4)
    largest = float(ml_dtypes.finfo(NARROW[target][1]).max)
    np.testing.assert_array_equal(
        backend.numpy(out), [1.125, 1.125, 3.0, largest] if "e4m3" in target else [1.0, 1.25, 3.0, largest]
    )
