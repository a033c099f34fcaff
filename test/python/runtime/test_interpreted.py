"""Kernels that the environment sends to the interpreter."""

import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_INTERPRET", "1")


def test_launch_with_options_and_defaults():
    @tw.jit
    def twice(value):
        return value * 2

    @tw.jit
    def kernel(x, n, BLOCK: tl.constexpr = 8):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + i, twice(tl.load(x + i, i < n)), i < n)

    x = np.arange(20, dtype=np.float32)
    seen = {}

    def grid(meta):
        seen.update(meta)
        return (tw.cdiv(meta["n"], meta["BLOCK"]),)

    kernel[grid](x, n=20, num_warps=8, stream=None)
    np.testing.assert_array_equal(x, 2 * np.arange(20))
    assert {name: seen[name] for name in ("n", "BLOCK", "num_warps", "num_stages")} == {
        "n": 20,
        "BLOCK": 8,
        "num_warps": 8,
        "num_stages": 3,
    }


def test_arguments_that_do_not_fit():
    @tw.jit
    def kernel(x, n):
        pass

    with pytest.raises(TypeError, match=re.escape("kernel kernel() is missing argument 'n'")):
        kernel[1](np.zeros(4))
    with pytest.raises(TypeError, match=re.escape("kernel kernel() has no parameter 'm'")):
        kernel[1](np.zeros(4), m=3)
