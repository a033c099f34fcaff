"""Dots of all operand types and shapes."""

import ml_dtypes
import numpy as np
import pytest

from .conftest import tensor

DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}


def values(rng, shape, element):
    if element.startswith("i"):
        return rng.integers(-100, 100, shape).astype(DTYPES[element])
    return rng.standard_normal(shape).astype(DTYPES[element])


@pytest.mark.parametrize(
    "m, n, k",
    [
        (1, 1, 1),
        (16, 16, 16),
        (64, 64, 64),
        (7, 5, 3),
        (13, 100, 37),
        (128, 48, 20),
        (1, 64, 64),
        (64, 1, 64),
    ],
)
@pytest.mark.parametrize(
    "a, b, acc",
    [
        ("f32", "f32", "f32"),
        ("f64", "f64", "f64"),
        ("f16", "f16", "f32"),
        ("f16", "f16", "f16"),
        ("bf16", "bf16", "f32"),
        ("i8", "i8", "i32"),
        ("f8E4M3FN", "f8E5M2", "f32"),
    ],
)
def test_dot(body, rng, m, n, k, a, b, acc):
    x, y, z = body.load((m, k), a), body.load((k, n), b), body.load((m, n), acc)
    types = ", ".join([tensor((m, k), a), tensor((k, n), b), tensor((m, n), acc)])
    body.store(body.op(f"tile.dot {x}, {y}, {z} : {types}"), (m, n), acc)
    x, y, z = values(rng, (m, k), a), values(rng, (k, n), b), values(rng, (m, n), acc)
    out = np.zeros((m, n), DTYPES[acc])
    body.build()(x, y, z, out)
    wide = np.int64 if acc == "i32" else np.float64
    want = x.astype(wide) @ y.astype(wide) + z.astype(wide)
    if acc == "i32":
        assert np.array_equal(out, want)
    else:
        error = {"f64": 1e-13, "f32": 1e-5, "f16": 2e-3}[acc]
        assert np.linalg.norm(out - want) <= error * (np.linalg.norm(want) + 1)


def test_transposed_operands(body, rng):
    x, y = body.load((40, 24), "f32"), body.load((56, 40), "f32")
    a = body.op(f"tile.transpose {x} {{order = array<i32: 1, 0>}} : tensor<40x24xf32> -> tensor<24x40xf32>")
    b = body.op(f"tile.transpose {y} {{order = array<i32: 1, 0>}} : tensor<56x40xf32> -> tensor<40x56xf32>")
    zero = body.op("arith.constant dense<0.0> : tensor<24x56xf32>")
    dot = body.op(f"tile.dot {a}, {b}, {zero} : tensor<24x40xf32>, tensor<40x56xf32>, tensor<24x56xf32>")
    body.store(dot, (24, 56), "f32")
    x, y = (rng.standard_normal(s).astype(np.float32) for s in ((40, 24), (56, 40)))
    out = np.zeros((24, 56), np.float32)
    body.build()(x, y, out)
    np.testing.assert_allclose(out, x.T @ y.T, rtol=1e-4, atol=1e-4)


def test_powers_in_a_loop(body, rng):
    """acc = x . acc + acc: the accumulator is an operand too, so it may not be overwritten early."""
    x, start = body.load((32, 32), "f32"), body.load((32, 32), "f32")
    t = "tensor<32x32xf32>"
    low, high, step = (body.op(f"arith.constant {c} : i32") for c in (0, 4, 1))
    name = body.fresh()
    body.lines.append(f"""{name} = scf.for %i = {low} to {high} step {step} iter_args(%acc = {start}) -> ({t}) : i32 {{
      %next = tile.dot {x}, %acc, %acc : {t}, {t}, {t}
      scf.yield %next : {t}
    }}""")
    body.store(name, (32, 32), "f32")
    x, start = (rng.standard_normal((32, 32)).astype(np.float32) for _ in range(2))
    out = np.zeros((32, 32), np.float32)
    body.build()(x, start, out)
    want = start.astype(np.float64)
    for _ in range(4):
        want = x @ want + want
    assert np.linalg.norm(out - want) <= 1e-5 * np.linalg.norm(want)
