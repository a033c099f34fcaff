"""Comparisons of numbers that may be NaN, although the assembler knows their sign or bounds."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def bounded_comparisons(x_ptr, out_ptr, N: tl.constexpr, KIND: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if KIND == "magnitude":
        y = tl.abs(x)
    elif KIND == "extremes":
        y = tl.maximum(tl.abs(x), tl.abs(x) * 3.0)
    elif KIND == "root":
        y = tl.sqrt(tl.maximum(tl.abs(x), tl.abs(x) + tl.abs(x)))
    elif KIND == "square":
        y = x * x
    elif KIND == "power":
        y = tl.exp2(x)
    elif KIND == "one and a power":
        y = tl.exp(x) + 1.0
    elif KIND == "choice":
        y = tl.where(x > 1, tl.abs(x), 2.0)
    else:
        y = -tl.abs(x)
        tl.store(out_ptr + 4 * N + i, y <= 0)
        tl.store(out_ptr + 5 * N + i, y < 1)
        tl.store(out_ptr + 6 * N + i, 2 > y)
    tl.store(out_ptr + i, y >= 0)
    tl.store(out_ptr + N + i, y > -1)
    tl.store(out_ptr + 2 * N + i, tl.where(y >= -1, 1, 0))
    tl.store(out_ptr + 3 * N + i, 0 <= y)


FUNCTIONS = {
    "magnitude": np.abs,
    "extremes": lambda x: 3 * np.abs(x),
    "root": lambda x: np.sqrt(2 * np.abs(x)),
    "square": np.square,
    "power": np.exp2,
    "one and a power": lambda x: np.exp(x) + 1,
    "choice": lambda x: np.where(x > 1, np.abs(x), 2),
    "negated": lambda x: -np.abs(x),
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_bounded_comparisons(backend, kind, dtype):
    x = np.random.default_rng(0).standard_normal(32).astype(dtype)
    x[::3] = np.nan
    x[1::9] = [np.inf, -np.inf, 0, -0.0]
    out = backend.poisoned((7, 32), "int32")
    bounded_comparisons[1,](backend.array(x), out, 32, kind)
    with np.errstate(all="ignore"):
        y = FUNCTIONS[kind](x)
    expected = [y >= 0, y > -1, y >= -1, y >= 0]
    if kind == "negated":
        expected += [y <= 0, y < 1, y < 2]
    assert backend.numpy(out)[: len(expected)].tolist() == np.array(expected, "int32").tolist()
