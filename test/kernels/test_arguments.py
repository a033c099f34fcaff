"""The array functions with empty arrays, NaN, given results and invalid arguments."""

import numpy as np
import pytest
from optional_packages import needs
from tilewright import kernels

X = np.ones((6, 8), np.float32)


def of_rows(function):
    return {
        "softmax": kernels.softmax,
        "layer_norm": kernels.layer_norm,
        "rms_norm": kernels.rms_norm,
        "gelu": kernels.gelu,
        "silu": kernels.silu,
    }[function]


ROWS = ["softmax", "layer_norm", "rms_norm", "gelu", "silu"]


@pytest.mark.parametrize("function", ROWS)
@pytest.mark.parametrize("shape", [(0,), (5, 0), (0, 5), (2, 0, 3)])
def test_empty_rows(function, shape):
    assert of_rows(function)(np.zeros(shape, np.float32)).shape == shape


@pytest.mark.parametrize("function", ROWS)
def test_types_that_are_not_computed_in_float32(function):
    for dtype in (np.int32, np.float64, np.bool_):
        with pytest.raises(TypeError, match=f"x is {np.dtype(dtype)}, expected float16, bfloat16 or float32"):
            of_rows(function)(X.astype(dtype))
    for value in ([1.0, 2.0], None, 3.0):
        with pytest.raises(TypeError, match=r"x is of type .*, expected an array of numpy, torch or cupy"):
            of_rows(function)(value)


@pytest.mark.parametrize("function", ROWS)
def test_results_that_do_not_fit(function):
    with pytest.raises(ValueError, match=r"out has shape \(6, 9\), expected \(6, 8\)"):
        of_rows(function)(X, out=np.zeros((6, 9), np.float32))
    with pytest.raises(ValueError, match=r"out must be C-contiguous, its strides are \(1, 6\)"):
        of_rows(function)(X, out=np.zeros((8, 6), np.float32).T)
    with pytest.raises(TypeError, match="out is int32"):
        of_rows(function)(X, out=np.zeros((6, 8), np.int32))


@pytest.mark.parametrize("function", ROWS)
def test_a_result_in_place_and_of_another_type(function, rng):
    x = rng.standard_normal((6, 8)).astype(np.float16)
    expected = of_rows(function)(x.astype(np.float32))
    wide = np.full((6, 8), np.nan, np.float32)
    assert of_rows(function)(x, out=wide) is wide and np.allclose(wide, expected, atol=1e-5)
    assert of_rows(function)(x, out=x) is x and np.allclose(x, expected, atol=3e-3)


@pytest.mark.parametrize(
    "out, error, message",
    [
        (np.zeros((6, 9), np.float32), ValueError, "out has shape"),
        (np.zeros((6, 8), np.float16), TypeError, "out is float16, expected float32"),
        (np.zeros((8, 6), np.float32).T, ValueError, "out must be C-contiguous"),
    ],
)
def test_results_of_add_that_do_not_fit(out, error, message):
    with pytest.raises(error, match=message):
        kernels.add(X, X, out=out)


def heads(*shape):
    return np.ones(shape, np.float32)


@pytest.mark.parametrize("shape", [(0, 2, 4, 16), (1, 0, 4, 16), (1, 1, 0, 16)])
def test_attention_of_nothing(shape):
    assert kernels.attention(heads(*shape), heads(*shape), heads(*shape)).shape == shape


def test_attention_without_keys_gives_zeros():
    torch = needs("torch")
    q, k = torch.ones(1, 2, 4, 16), torch.ones(1, 2, 0, 16)
    assert not kernels.attention(q, k, k).any()


def test_attention_refuses():
    q, k = heads(1, 1, 4, 16), heads(1, 1, 4, 16)
    with pytest.raises(TypeError, match="q is float64, expected float16, bfloat16 or float32"):
        kernels.attention(*(x.astype(np.float64) for x in (q, k, k)))
    with pytest.raises(ValueError, match="the last dimension of out must be contiguous"):
        kernels.attention(q, k, k, out=heads(1, 1, 16, 4).swapaxes(2, 3))
    with pytest.raises(TypeError, match="out is int32"):
        kernels.attention(q, k, k, out=np.zeros(q.shape, np.int32))
    with pytest.raises(ValueError, match="out is v, which is read while out is written"):
        kernels.attention(q, q.copy(), k, out=k)
    with pytest.raises(TypeError, match="q is of type list, expected an array"):
        kernels.attention([1], [1], [1])


def test_results_whose_elements_share_memory():
    a = X[:, :6].copy()
    repeated = np.lib.stride_tricks.as_strided(np.zeros(6, np.float32), (6, 6), (0, 4))
    sliding = np.lib.stride_tricks.as_strided(np.zeros(36, np.float32), (6, 6), (4, 4))
    for out in (repeated, sliding):
        with pytest.raises(ValueError, match="elements of out share memory"):
            kernels.matmul(a, a, out=out)
    for steps in ((-24, 4), (4, 24), (8, 48)):  # backward, transposed, with gaps
        memory = np.zeros(72, np.float32)[30 if steps[0] < 0 else 0 :]
        out = np.lib.stride_tricks.as_strided(memory, (6, 6), steps)
        np.testing.assert_allclose(kernels.matmul(a, a, out=out), a @ a)


def test_matmuls_do_not_overwrite_their_operands():
    a = X[:, :6].copy()
    for _ in range(2):
        with pytest.raises(ValueError, match="out is a, which is read"):
            kernels.matmul(a, a.copy(), out=a)
    with pytest.raises(ValueError, match="out is up, which is read"):
        up = a.copy()
        kernels.gated_matmul(a, a.copy(), up, out=up)
    with pytest.raises(ValueError, match="out must be C-contiguous"):
        kernels.gated_matmul(a, a, a, out=np.zeros((6, 6), np.float32).T)
    with pytest.raises(TypeError, match="a is of type list, expected an array of numpy, torch or cupy"):
        kernels.matmul([[1.0]], [[1.0]])


def test_gated_matmul_of_empty_k(rng):
    a, gate = np.zeros((5, 0), np.float32), np.zeros((0, 4), np.float32)
    shift = rng.standard_normal(4).astype(np.float32)
    expected = shift / (1 + np.exp(-shift)) * shift
    assert np.allclose(kernels.gated_matmul(a, gate, gate, "silu", shift, shift), [expected] * 5)


def test_relu_keeps_nan():
    a = np.array([[np.nan, 1.0], [-1.0, -1.0]], np.float32)
    got = kernels.matmul(a, np.eye(2, dtype=np.float32) + 1, activation="relu")
    assert np.isnan(got[0]).all() and not got[1].any()
