"""tl.dot of float32 in several products of bfloat16."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def product(a, b, c, N: tl.constexpr, PRECISION: tl.constexpr):
    place = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.load(c + place)
    tl.store(c + place, tl.dot(tl.load(a + place), tl.load(b + place), acc, input_precision=PRECISION))


@pytest.mark.parametrize("precision, factor", [("bf16x3", 20), ("bf16x6", 1)])
def test_dot_in_parts(backend, rng, precision, factor):
    x, y, z = (rng.standard_normal((64, 64)).astype(np.float32) for _ in range(3))
    out = backend.array(z)
    product[1,](backend.array(x), backend.array(y), out, 64, precision)
    backend.check(out, x.astype(np.float64) @ y.astype(np.float64) + z, "float32", factor=factor)


def test_dot_in_parts_keeps_infinities(backend):
    x = np.zeros((16, 16), np.float32)
    x[0, 0] = np.inf
    out = backend.array(np.zeros((16, 16), np.float32))
    product[1,](backend.array(x), backend.array(np.ones((16, 16), np.float32)), out, 16, "bf16x3")
    assert np.isposinf(backend.numpy(out)[0]).all() and (backend.numpy(out)[1:] == 0).all()


@pytest.mark.compiled
def test_assembles_for_a_gpu(assemble):
    dot = assemble(product, {"a": "*fp32", "b": "*fp32", "c": "*fp32"}, {"N": 64, "PRECISION": "bf16x6"})
    assert "bf16" in dot.asm["ptx"]
