"""Errors of functions, in units in the last place (ULP), over their whole range and at special values."""

import math

import numpy as np
import pytest

from .conftest import tensor

erf = np.vectorize(math.erf, otypes=[np.float64])
erfc = np.vectorize(math.erfc, otypes=[np.float64])

# name: reference, range (None: all positive numbers), largest error of f32 in ULP. The bounds of f64 are
# those of the vector mathematics library.
FUNCTIONS = {
    "exp": (np.exp, (-104, 89), 1.1),
    "exp2": (np.exp2, (-150, 128.5), 1.1),
    "expm1": (np.expm1, (-20, 88), 3),
    "log": (np.log, None, 1.1),
    "log2": (np.log2, None, 1.1),
    "log10": (np.log10, None, 1.1),
    "log1p": (np.log1p, (-0.999, 1e6), 3),
    "sin": (np.sin, (-1e5, 1e5), 2),
    "cos": (np.cos, (-1e5, 1e5), 2),
    "tan": (np.tan, (-100, 100), 4),
    "tanh": (np.tanh, (-10, 10), 2),
    "sinh": (np.sinh, (-88, 88), 4),
    "cosh": (np.cosh, (-88, 88), 4),
    "erf": (erf, (-6, 6), 3),
    "erfc": (erfc, (-6, 9), 4),
    "sqrt": (np.sqrt, None, 0.5),
    "rsqrt": (lambda x: 1 / np.sqrt(x), None, 1.6),
    "cbrt": (np.cbrt, (-1e6, 1e6), 4),
    "atan": (np.arctan, (-100, 100), 4),
    "asin": (np.arcsin, (-1, 1), 4),
    "acos": (np.arccos, (-1, 1), 4),
    "floor": (np.floor, (-1e3, 1e3), 0),
    "ceil": (np.ceil, (-1e3, 1e3), 0),
    "trunc": (np.trunc, (-1e3, 1e3), 0),
    "roundeven": (np.rint, (-1e3, 1e3), 0),
    "absf": (np.abs, (-10, 10), 0),
}
COUNT = 100_000
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-40, -1e-40, 3e38, -3e38, 2e9, 1e-10]


def apply(body, op, arguments, element):
    n = len(arguments[0])
    operands = ", ".join(body.load((n,), element) for _ in arguments)
    body.store(body.op(f"{op} {operands} : {tensor((n,), element)}"), (n,), element)
    out = np.zeros_like(arguments[0])
    body.build()(*arguments, out)
    return out


def samples(rng, bounds, dtype):
    """Numbers over the range, half of them evenly, half evenly in their exponents."""
    if bounds is None:
        return np.exp(rng.uniform(-85, 85, COUNT)).astype(dtype)
    low, high = bounds
    even = rng.uniform(low, high, COUNT // 2)
    sizes = np.exp(rng.uniform(-40, np.log(max(-low, high)), COUNT // 2)) * rng.choice([-1, 1], COUNT // 2)
    return np.concatenate([even, np.clip(sizes, low, high)]).astype(dtype)


def errors(got, want, dtype):
    """Errors in ULP where the reference is finite in the type."""
    with np.errstate(over="ignore"):
        rounded = want.astype(dtype)
    finite = np.isfinite(rounded)
    unit = np.spacing(np.abs(rounded[finite])).astype(np.float64)
    return np.abs(got[finite].astype(np.float64) - want[finite]) / unit


@pytest.mark.parametrize("name", FUNCTIONS)
def test_f32(body, rng, name):
    function, bounds, limit = FUNCTIONS[name]
    x = samples(rng, bounds, np.float32)
    got = apply(body, f"math.{name}", [x], "f32")
    want = function(x.astype(np.float64))
    assert errors(got, want, np.float32).max() <= limit


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("count", [1, len(SPECIAL)])
def test_special_values(body, name, count):
    function, _, _ = FUNCTIONS[name]
    for start in range(0, len(SPECIAL), count):
        x = np.array(SPECIAL[start : start + count], np.float32)
        got = apply(type(body)(), f"math.{name}", [x], "f32")
        with np.errstate(all="ignore"):
            want = function(x.astype(np.float64)).astype(np.float32)
        assert np.array_equal(np.isnan(got), np.isnan(want))
        with np.errstate(all="ignore"):
            close = (got == want) | (np.abs(got - want) <= 4 * np.spacing(np.abs(want))) | np.isnan(want)
        assert close.all(), (x[~close], got[~close], want[~close])
        zero = want == 0
        assert np.array_equal(np.signbit(got[zero]), np.signbit(want[zero]))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "erf" not in name])
def test_f64(body, rng, name):
    function, bounds, _ = FUNCTIONS[name]
    x = samples(rng, bounds, np.float64)
    got = apply(body, f"math.{name}", [x], "f64")
    assert errors(got, function(x), np.float64).max() <= 5


@pytest.mark.parametrize("element, dtype", [("f32", np.float32), ("f64", np.float64)])
@pytest.mark.parametrize(
    "name, function", [("powf", np.power), ("atan2", np.arctan2), ("copysign", np.copysign)]
)
def test_two_operands(body, rng, element, dtype, name, function):
    x, y = rng.uniform(0.01, 20, COUNT).astype(dtype), rng.uniform(-20, 20, COUNT).astype(dtype)
    got = apply(body, f"math.{name}", [x, y], element)
    assert errors(got, function(x.astype(np.float64), y.astype(np.float64)), dtype).max() <= 5


@pytest.mark.parametrize("element, dtype", [("f32", np.float32), ("f64", np.float64)])
def test_fma_rounds_once(body, rng, element, dtype):
    x = (1 + rng.integers(1, 100, 64) * np.finfo(dtype).eps).astype(dtype)
    got = apply(body, "math.fma", [x, x, -(x * x)], element)
    assert (got != 0).any()


@pytest.mark.parametrize("element, dtype, limit", [("f16", np.float16, 1), ("bf16", "bfloat16", 1)])
@pytest.mark.parametrize("name", ["exp", "tanh", "sqrt", "log"])
def test_short_floats(body, rng, element, dtype, limit, name):
    import ml_dtypes

    dtype = np.dtype(getattr(ml_dtypes, dtype) if isinstance(dtype, str) else dtype)
    x = rng.uniform(0.01, 5, 1000).astype(dtype)
    got = apply(body, f"math.{name}", [x], element)
    want = FUNCTIONS[name][0](x.astype(np.float64)).astype(dtype)
    steps = np.abs(got.view(np.int16).astype(int) - want.view(np.int16).astype(int))
    assert steps.max() <= limit
