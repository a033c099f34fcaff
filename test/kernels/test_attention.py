import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels.attention import reference

# Scores and probabilities are rounded on the way, so a little more than one rounding is allowed.
FACTOR = {"float32": 2, "float16": 1, "bfloat16": 1}


def make(backend, rng, q_shape, keys, dtype):
    B, H, _M, D = q_shape
    q = backend.array(rng.standard_normal(q_shape), dtype)
    k, v = (backend.array(rng.standard_normal((B, H, keys, D)), dtype) for _ in range(2))
    return q, k, v


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", [(1, 2, 128, 64), (2, 1, 77, 32), (1, 1, 1, 128), (1, 2, 200, 80)], ids=str)
def test_attention(backend, rng, shape, causal, dtype):
    q, k, v = make(backend, rng, shape, shape[2], dtype)
    out = backend.poisoned(shape, dtype)
    kernels.attention(q, k, v, causal, out=out)
    expected = reference.attention(*(backend.numpy(x) for x in (q, k, v)), causal)
    backend.check(out, expected, dtype, FACTOR[dtype])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rows, keys", [(5, 130), (130, 5), (64, 257)])
def test_other_number_of_keys(backend, rng, rows, keys, causal):
    q, k, v = make(backend, rng, (1, 1, rows, 64), keys, "float32")
    expected = reference.attention(*(backend.numpy(x) for x in (q, k, v)), causal)
    backend.check(kernels.attention(q, k, v, causal), expected, "float32", FACTOR["float32"])


def test_heads_inside_the_rows(backend, rng):
    """Arrays of shape (batch, length, heads, size), seen as (batch, heads, length, size)."""
    q, k, v = (backend.array(rng.standard_normal((2, 90, 3, 64)), "float16").swapaxes(1, 2) for _ in range(3))
    expected = reference.attention(*(backend.numpy(x) for x in (q, k, v)))
    backend.check(kernels.attention(q, k, v), expected, "float16")


@pytest.mark.parametrize("scale", [0.5, -0.5, 0.0])
def test_scale(backend, rng, scale):
    q, k, v = make(backend, rng, (1, 1, 64, 32), 64, "float32")
    expected = reference.attention(*(backend.numpy(x) for x in (q, k, v)), causal=True, scale=scale)
    actual = kernels.attention(q, k, v, causal=True, scale=scale)
    backend.check(actual, expected, "float32", FACTOR["float32"])


def test_attention_refuses(backend):
    x = backend.array(np.zeros((1, 1, 8, 256)), "float32")
    with pytest.raises(ValueError, match=r"q has shape \(1, 1, 8, 256\), expected D from 1 to 128"):
        kernels.attention(x, x, x)
    y = backend.array(np.zeros((1, 1, 8, 64)), "float32")
    with pytest.raises(ValueError, match=r"k has shape \(1, 1, 8, 256\), expected \(1, 1, length, 64\)"):
        kernels.attention(y, x, x)
