"""Ops that move elements, on blocks of any size."""

import numpy as np
import pytest

from .conftest import tensor

SHAPES = [
    (1,),
    (7,),
    (32,),
    (100,),
    (1, 1),
    (5, 1),
    (1, 9),
    (3, 5),
    (16, 48),
    (33, 31),
    (2, 3, 5),
    (4, 1, 20),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_copy(body, rng, shape):
    body.store(body.load(shape, "f32"), shape, "f32")
    x = rng.standard_normal(shape, dtype=np.float32)
    y = np.full_like(x, np.nan)
    body.build()(x, y)
    assert np.array_equal(x, y)


@pytest.mark.parametrize("shape, order", [((4, 6), (1, 0)), ((64, 48), (1, 0)), ((3, 5, 40), (2, 0, 1))])
@pytest.mark.parametrize("element, dtype", [("f32", "float32"), ("i8", "int8"), ("f64", "float64")])
def test_transpose(body, rng, shape, order, element, dtype):
    result = tuple(shape[i] for i in order)
    x = body.load(shape, element)
    turned = body.op(
        f"tile.transpose {x} {{order = array<i32: {', '.join(map(str, order))}>}} : "
        f"{tensor(shape, element)} -> {tensor(result, element)}"
    )
    body.store(turned, result, element)
    x = rng.integers(-100, 100, shape).astype(dtype)
    y = np.zeros(result, dtype)
    body.build()(x, y)
    assert np.array_equal(y, x.transpose(order))


@pytest.mark.parametrize(
    "shape, result", [((12,), (3, 4)), ((6, 10), (4, 15)), ((2, 3, 4), (24,)), ((5, 7), (7, 5))]
)
def test_reshape(body, rng, shape, result):
    x = body.load(shape, "i32")
    y = body.op(f"tile.reshape {x} : {tensor(shape, 'i32')} -> {tensor(result, 'i32')}")
    body.store(y, result, "i32")
    x = rng.integers(-100, 100, shape).astype(np.int32)
    y = np.zeros(result, np.int32)
    body.build()(x, y)
    assert np.array_equal(y, x.reshape(result))


def test_reshape_of_a_transpose(body, rng):
    x = body.load((6, 10), "f32")
    turned = body.op(
        f"tile.transpose {x} {{order = array<i32: 1, 0>}} : tensor<6x10xf32> -> tensor<10x6xf32>"
    )
    flat = body.op(f"tile.reshape {turned} : tensor<10x6xf32> -> tensor<60xf32>")
    body.store(flat, (60,), "f32")
    x = rng.standard_normal((6, 10), dtype=np.float32)
    y = np.zeros(60, np.float32)
    body.build()(x, y)
    assert np.array_equal(y, x.T.ravel())


def test_outer_sum(body, rng):
    """A column and a row broadcast against each other."""
    column, row = body.load((30, 1), "f32"), body.load((1, 50), "f32")
    a = body.op(f"tile.broadcast {column} : tensor<30x1xf32> -> tensor<30x50xf32>")
    b = body.op(f"tile.broadcast {row} : tensor<1x50xf32> -> tensor<30x50xf32>")
    body.store(body.op(f"arith.addf {a}, {b} : tensor<30x50xf32>"), (30, 50), "f32")
    x, y = rng.standard_normal((30, 1), np.float32), rng.standard_normal((1, 50), np.float32)
    z = np.zeros((30, 50), np.float32)
    body.build()(x, y, z)
    assert np.array_equal(z, x + y)


def test_constant_of_many_values(body):
    x = body.op("arith.constant dense<[[1, -2, 3], [4, 5, 600]]> : tensor<2x3xi16>")
    body.store(x, (2, 3), "i16")
    y = np.zeros((2, 3), np.int16)
    body.build()(y)
    assert y.tolist() == [[1, -2, 3], [4, 5, 600]]


def test_block_larger_than_a_stack(body, rng):
    """Sixteen megabytes of tiles, on threads."""
    shape = (1024, 1024)
    x = body.load(shape, "f32")
    e = body.op(f"math.exp {x} : {tensor(shape, 'f32')}")
    turned = body.op(
        f"tile.transpose {e} {{order = array<i32: 1, 0>}} : {tensor(shape, 'f32')} -> {tensor(shape, 'f32')}"
    )
    body.store(body.op(f"arith.addf {turned}, {e} : {tensor(shape, 'f32')}"), shape, "f32")
    x = rng.standard_normal(shape, np.float32)
    y = np.zeros(shape, np.float32)
    body.build()(x, y)
    np.testing.assert_allclose(y, np.exp(x).T + np.exp(x), rtol=1e-6)


def test_programs_of_a_grid(kernel):
    run = kernel("""
    tile.func @kernel(%out: !tile.ptr<i32>) attributes {tile.kernel} {
      %x = tile.program_id x
      %y = tile.program_id y
      %z = tile.program_id z
      %nx = tile.num_programs x
      %ny = tile.num_programs y
      %a = arith.muli %z, %ny : i32
      %b = arith.addi %a, %y : i32
      %c = arith.muli %b, %nx : i32
      %d = arith.addi %c, %x : i32
      %p = tile.addptr %out, %d : !tile.ptr<i32>, i32
      %h = arith.constant 100 : i32
      %e = arith.muli %z, %h : i32
      %f = arith.addi %e, %y : i32
      %g = arith.muli %f, %h : i32
      %i = arith.addi %g, %x : i32
      tile.store %p, %i : !tile.ptr<i32>
      tile.return
    }""")
    out = np.full((4, 3, 5), -1, np.int32)
    run(out, grid=(5, 3, 4))
    z, y, x = np.indices(out.shape)
    assert np.array_equal(out, z * 10000 + y * 100 + x)
