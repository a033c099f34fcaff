"""Gradients of kernels where the samples of their declarations do not reach."""

import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels._declaration import samples
from tilewright.kernels.norm import backward


@pytest.mark.parametrize("rows, n", [(37, 100), (5, 16400)])
@pytest.mark.parametrize("name", ["layer_norm_backward", "rms_norm_backward"])
def test_several_partial_sums(backend, rng, monkeypatch, name, rows, n):
    """Programs with several rows each, in another number than rows."""
    monkeypatch.setattr(backward, "ROWS_PER_PART", 2)
    function = getattr(kernels, name)
    vectors = ("weight", "bias") if name.startswith("layer") else ("weight",)
    shapes = {"out_grad": (rows, n), "x": (rows, n)} | dict.fromkeys(vectors, (n,))
    # eps selects calls that are not recorded yet.
    given = {key: backend.array(rng.standard_normal(shape), "float32") for key, shape in shapes.items()}
    made = function(**given, eps=1e-4)
    numbers = {key: backend.numpy(x).astype(np.float64) for key, x in given.items()}
    expected = samples.expected(function.declaration, numbers | {"eps": 1e-4})
    for result, exact in zip(made, expected.values()):
        backend.check(result, exact, "float32", factor=2)
    for result, again in zip(made, function(**given, eps=1e-4)):
        np.testing.assert_array_equal(backend.numpy(result), backend.numpy(again))


def test_gradients_of_absent_vectors(backend, rng):
    x = backend.array(rng.standard_normal((4, 8)), "float32")
    w = backend.array(rng.standard_normal(8), "float32")
    x_grad, weight_grad, bias_grad = kernels.layer_norm_backward(x, x, None, w)
    assert weight_grad is None and bias_grad.shape == (8,) and x_grad.shape == (4, 8)
    for _ in range(2):
        with pytest.raises(ValueError, match="weight_grad is given, expected None, as weight is None"):
            kernels.layer_norm_backward(x, x, weight_grad=w)
        with pytest.raises(ValueError, match="x_grad is x, which is read while x_grad is written"):
            kernels.rms_norm_backward(backend.array(backend.numpy(x)), x, x_grad=x)


def test_no_rows_give_gradients_of_zero(backend):
    x = backend.array(np.zeros((0, 5)), "float32")
    w = backend.array(np.ones(5), "float32")
    outs = [backend.poisoned(5, "float32") for _ in range(2)]
    kernels.layer_norm_backward(x, x, w, w, weight_grad=outs[0], bias_grad=outs[1])
    assert not any(backend.numpy(out).any() for out in outs)


@pytest.mark.parametrize("function", [kernels.gelu_backward, kernels.silu_backward])
def test_far_out(backend, function):
    x = np.array([-np.inf, -3e38, -100, -20, 0, 20, 100, 3e38, np.inf, np.nan], np.float32)
    slopes = [0, 0, 0, 0, 0.5, 1, 1, 1, 1, np.nan]
    variants = [{}, {"approximate": "tanh"}] if function is kernels.gelu_backward else [{}]
    for options in variants:
        ones = backend.array(np.ones_like(x))
        actual = backend.numpy(function(ones, backend.array(x), **options))
        np.testing.assert_allclose(actual, slopes, atol=1e-6)


def test_in_place(backend, rng):
    x, grad = (rng.standard_normal((6, 40)).astype(np.float32) for _ in range(2))
    y = kernels.softmax(backend.array(x))
    for function, other in ((kernels.softmax_backward, backend.numpy(y)), (kernels.gelu_backward, x)):
        expected = backend.numpy(function(backend.array(grad), backend.array(other)))
        out_grad = backend.array(grad)
        assert function(out_grad, backend.array(other), x_grad=out_grad) is out_grad
        np.testing.assert_array_equal(backend.numpy(out_grad), expected)
