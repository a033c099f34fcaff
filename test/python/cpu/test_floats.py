"""Conversions between floats of all widths, bit for bit against ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # converts NaN

NAMES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}


def all_values(dtype):
    """Every value of a type of up to 16 bits."""
    size = np.dtype(dtype).itemsize
    return np.arange(256**size, dtype=f"u{size}").view(dtype)


def convert(body, values, source, target):
    op = "extf" if np.dtype(NAMES[target]).itemsize > np.dtype(NAMES[source]).itemsize else "truncf"
    n = len(values)
    x = body.load((n,), source)
    y = body.op(f"arith.{op} {x} : tensor<{n}x{source}> to tensor<{n}x{target}>")
    body.store(y, (n,), target)
    out = np.zeros(n, NAMES[target])
    body.build()(values, out)
    return out


def assert_same(got, want):
    nan = np.isnan(want.astype(np.float64))
    assert np.array_equal(np.isnan(got.astype(np.float64)), nan)
    bits = f"u{want.dtype.itemsize}"
    assert np.array_equal(got[~nan].view(bits), want[~nan].view(bits))


@pytest.mark.parametrize("source", ["f16", "bf16", "f8E4M3FN", "f8E5M2"])
@pytest.mark.parametrize("target", ["f32", "f64"])
def test_widening_is_exact(body, source, target):
    values = all_values(NAMES[source])
    assert_same(convert(body, values, source, target), values.astype(NAMES[target]))


def interesting(rng, dtype, target):
    """Values around every value of the target: itself, the midpoint to the next, and the neighbours of that midpoint."""
    limits = all_values(NAMES[target]).astype(np.float64)
    limits = np.unique(limits[np.isfinite(limits)])
    midpoints = (limits[1:] + limits[:-1]) / 2
    values = np.concatenate(
        [limits, midpoints, midpoints * (1 + 1e-7), midpoints * (1 - 1e-7), [np.inf, -np.inf, np.nan, -0.0]]
    )
    values = np.concatenate([values, rng.standard_normal(1000) * 10.0 ** rng.integers(-45, 38, 1000)])
    if dtype == np.float64:
        values = np.concatenate([values, midpoints * (1 + 1e-15), midpoints * (1 - 1e-15)])
    with np.errstate(over="ignore"):
        return values.astype(dtype)


@pytest.mark.parametrize("source", ["f32", "f64"])
@pytest.mark.parametrize("target", ["f16", "bf16"])
def test_rounding_to_16_bits(body, rng, source, target):
    values = interesting(rng, NAMES[source], target)
    with np.errstate(over="ignore"):
        if target == "bf16" and source == "f64":
            # ml_dtypes rounds twice; the nearest by search instead.
            want = nearest(values, target)
        else:
            want = values.astype(NAMES[target])
    assert_same(convert(body, values, source, target), want)


def nearest(values, target):
    """Rounding to the nearest value, ties to even, by the distances to both neighbours. Values beyond the
    largest finite one become infinite from half a step above it; 8-bit types saturate."""
    dtype = NAMES[target]
    table = all_values(dtype)
    wide = table.astype(np.float64)
    keep = np.isfinite(wide) & ~np.signbit(wide)
    table, wide = table[keep], wide[keep]
    size = np.abs(values.astype(np.float64))
    high = np.clip(np.searchsorted(wide, size), 1, len(wide) - 1)
    low = high - 1
    to_high, to_low = wide[high] - size, size - wide[low]
    even = table.view(f"u{table.itemsize}") % 2 == 0
    with np.errstate(invalid="ignore"):
        up = (to_high < to_low) | ((to_high == to_low) & even[high])
    result = np.where(up | (size >= wide[-1]), wide[high], wide[low])
    if np.dtype(dtype).itemsize == 2:
        with np.errstate(over="ignore"):
            beyond = wide[-1] + (wide[-1] - wide[-2]) / 2
        result = np.where(size >= beyond, np.inf, result)
    result = np.where(np.isnan(values), np.nan, result)
    return np.copysign(result, values).astype(dtype)


@pytest.mark.parametrize("source", ["f32", "f64", "f16"])
@pytest.mark.parametrize("target", ["f8E4M3FN", "f8E5M2"])
def test_rounding_to_8_bits_saturates(body, rng, source, target):
    values = all_values(np.float16) if source == "f16" else interesting(rng, NAMES[source], target)
    assert_same(convert(body, values, source, target), nearest(values, target))


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("op, function", [("addf", np.add), ("mulf", np.multiply), ("divf", np.divide)])
def test_short_floats_round_after_each_op(body, rng, element, op, function):
    x, y = (body.load((1000,), element) for _ in range(2))
    type = f"tensor<1000x{element}>"
    z = body.op(f"arith.{op} {x}, {y} : {type}")
    body.store(body.op(f"arith.{op} {z}, {y} : {type}"), (1000,), element)
    a, b = (rng.standard_normal(1000).astype(NAMES[element]) for _ in range(2))
    out = np.zeros_like(a)
    body.build()(a, b, out)
    want = function(function(a, b), b)
    assert_same(out, want)


def test_arithmetic_on_8_bit_floats(body, rng):
    x = body.load((256,), "f8E4M3FN")
    body.store(body.op(f"arith.addf {x}, {x} : tensor<256xf8E4M3FN>"), (256,), "f8E4M3FN")
    values = all_values(ml_dtypes.float8_e4m3fn)
    out = np.zeros_like(values)
    body.build()(values, out)
    assert_same(out, nearest(2 * values.astype(np.float64), "f8E4M3FN"))


def test_bitcast_of_8_bit_floats(body):
    x = body.load((256,), "i8")
    y = body.op(f"arith.bitcast {x} : tensor<256xi8> to tensor<256xf8E5M2>")
    wide = body.op(f"arith.extf {y} : tensor<256xf8E5M2> to tensor<256xf32>")
    body.store(wide, (256,), "f32")
    values, out = np.arange(256, dtype=np.uint8), np.zeros(256, np.float32)
    body.build()(values, out)
    assert_same(out, values.view(ml_dtypes.float8_e5m2).astype(np.float32))
