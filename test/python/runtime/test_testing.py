"""The helpers for tests and benchmarks."""

import math
import time

import ml_dtypes
import numpy as np
import pytest
from optional_packages import needs
from tilewright.testing import assert_close, do_bench, poison, relative_errors, to_numpy


def test_errors_are_relative():
    reference = np.array([3.0, 4.0])
    norm, greatest = relative_errors(np.array([3.0, 4.5]), reference)
    assert norm == pytest.approx(0.1)
    assert greatest == pytest.approx(0.125)


def test_special_values():
    reference = np.array([np.nan, np.inf, -np.inf, 1.0])
    assert relative_errors(reference, reference) == (0.0, 0.0)
    for changed in (
        [0.0, np.inf, -np.inf, 1.0],
        [np.nan, -np.inf, -np.inf, 1.0],
        [np.nan, np.inf, -np.inf, np.nan],
    ):
        assert relative_errors(np.array(changed), reference) == (math.inf, math.inf)


def test_empty_arrays():
    assert relative_errors(np.zeros((0, 3)), np.zeros((0, 3))) == (0.0, 0.0)


def test_shapes_differ():
    with pytest.raises(ValueError, match=r"the result has shape \[3\], the reference \[4\]"):
        relative_errors(np.zeros(3), np.zeros(4))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16])
def test_rounding_is_close(dtype):
    reference = np.random.default_rng(0).standard_normal(1000)
    assert_close(reference.astype(dtype), reference)


def test_one_wild_element_is_not_close():
    reference = np.ones(1_000_000)
    out = reference.astype(np.float32)
    out[77] += 1e-4
    with pytest.raises(AssertionError, match=r"at \(77,\) the result is 1.0001\d+, the reference 1.0"):
        assert_close(out, reference)


def test_nan_is_not_close():
    with pytest.raises(AssertionError, match=r"at \(1,\) the result is nan"):
        assert_close(np.array([1.0, np.nan]), np.ones(2))


def test_poison():
    assert np.isnan(poison(np.zeros(3, np.float16))).all()
    assert (poison(np.zeros(3, np.int8)) == 0x5B).all()
    assert poison(np.zeros(3, np.bool_)).all()
    assert np.isnan(poison(np.zeros(3, ml_dtypes.bfloat16)).astype(np.float32)).all()


def test_torch_tensors():
    torch = needs("torch")
    x = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
    assert to_numpy(x).dtype == np.float64
    assert_close(x, np.ones(3))
    assert torch.isnan(poison(torch.zeros(3))).all()


def test_bench_of_the_cpu():
    assert 1.0 <= do_bench(lambda: time.sleep(1e-3), warmup=2, rep=10, device="cpu") < 20
    low, high = do_bench(lambda: None, warmup=1, rep=1, quantiles=[0.1, 0.9], device="cpu")
    assert 0 <= low <= high
