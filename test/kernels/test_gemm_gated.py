"""Gated linear units."""

import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels.gemm import reference


def normal(backend, rng, shape, dtype):
    return backend.array(rng.standard_normal(shape) * shape[0] ** -0.5, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("activation", ["silu", "gelu", "gelu_tanh", "relu"])
def test_activations(backend, rng, dtype, activation):
    a = backend.array(rng.standard_normal((70, 90)), dtype)
    gate, up = (normal(backend, rng, (90, 150), dtype) for _ in range(2))
    expected = reference.gated_matmul(*map(backend.numpy, (a, gate, up)), activation)
    out = backend.poisoned((70, 150), dtype)
    assert kernels.gated_matmul(a, gate, up, activation, out=out) is out
    backend.check(out, expected, dtype)


@pytest.mark.parametrize("biases", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("shape", [(3, 5, 33), (40,), (1, 257)], ids=str)
def test_biases_and_leading_dimensions(backend, rng, shape, biases):
    a = backend.array(rng.standard_normal(shape), "float16")
    # Weights as layers store them: a row for each column of the result.
    gate, up = (backend.array(rng.standard_normal((77, shape[-1])), "float16").T for _ in range(2))
    gate_bias, up_bias = (backend.array(rng.standard_normal(77), "float32") if b else None for b in biases)
    numbers = [None if x is None else backend.numpy(x) for x in (a, gate, up, gate_bias, up_bias)]
    flat = numbers[0].reshape(-1, shape[-1])
    expected = reference.gated_matmul(flat, *numbers[1:3], "silu", *numbers[3:])
    out = kernels.gated_matmul(a, gate, up, gate_bias=gate_bias, up_bias=up_bias, out_dtype="float32")
    backend.check(out, expected.reshape(*shape[:-1], 77), "float32", factor=4)


@pytest.mark.parametrize("seed", range(6))
def test_random(backend, seed):
    rng = np.random.default_rng(seed)
    M, N, K = (int(2 ** rng.uniform(0, 8)) for _ in range(3))
    dtype = str(rng.choice(["float32", "float16", "bfloat16"]))
    a = backend.array(rng.standard_normal((2 * M, K + 3)), dtype)[::2, 3:]
    gate, up = normal(backend, rng, (K, N), dtype), normal(backend, rng, (N, K), dtype).T
    out = backend.poisoned((M, N), dtype)
    kernels.gated_matmul(a, gate, up, "gelu", out=out)
    backend.check(out, reference.gated_matmul(*map(backend.numpy, (a, gate, up)), "gelu"), dtype)


def test_gated_matmul_refuses(backend):
    def ones(*shape, dtype="float32"):
        return backend.array(np.ones(shape), dtype)

    a, gate = ones(4, 5), ones(5, 6)
    for error, message, call in [
        (ValueError, r"up has shape \(5, 7\), expected \(5, 6\)", lambda: kernels.gated_matmul(a, gate, ones(5, 7))),
        (ValueError, "activation must be 'relu', .*, got 'none'", lambda: kernels.gated_matmul(a, gate, gate, "none")),
        (ValueError, r"gate has shape \(6, 5\), expected \(5, N\)", lambda: kernels.gated_matmul(a, gate.T, gate)),
        (ValueError, r"up has shape \(1, 5, 6\), expected \(5, 6\)", lambda: kernels.gated_matmul(a, gate, gate[None])),
        (TypeError, "a is int8, expected float32, ", lambda: kernels.gated_matmul(
            *[ones(5, 5, dtype="int8")] * 3)),
        (ValueError, r"up_bias has shape \(5,\)", lambda: kernels.gated_matmul(a, gate, gate, up_bias=ones(5))),
        (ValueError, "needs split_k=1 and swap=False", lambda: kernels.gated_matmul(
            a, gate, gate, config={"swap": True})),
    ]:  # fmt: skip
        with pytest.raises(error, match=message):
            call()
