"""Reductions: along and across lanes, of any size, with any combine region."""

import numpy as np
import pytest

from .conftest import tensor


def reduce(body, operands, shape, elements, axis, region):
    """Stores the results of a reduction; `region` is its text."""
    result = shape[:axis] + shape[axis + 1 :]
    types = [tensor(shape, element) for element in elements]
    results = [tensor(result, element) if result else element for element in elements]
    name = body.fresh()
    count = f":{len(elements)}" if len(elements) > 1 else ""
    body.lines.append(
        f'{name}{count} = "tile.reduce"({", ".join(operands)}) <{{axis = {axis} : i32}}> ({{\n{region}\n}})'
        f" : ({', '.join(types)}) -> ({', '.join(results)})"
    )
    for i, element in enumerate(elements):
        value = f"{name}#{i}" if count else name
        if result:
            body.store(value, result, element)
        else:
            pointer = body.argument(f"!tile.ptr<{element}>")
            body.lines.append(f"tile.store {pointer}, {value} : !tile.ptr<{element}>")


def binary(op, element):
    return f"^bb0(%a: {element}, %b: {element}):\n %s = {op} %a, %b : {element}\n tile.yield %s : {element}"


SHAPES = [
    ((1,), 0),
    ((37,), 0),
    ((1000,), 0),
    ((4096,), 0),
    ((8, 33), 1),
    ((33, 8), 0),
    ((5, 6, 7), 1),
    ((5, 6, 7), 2),
    ((6, 1), 1),
    ((6, 1), 0),
    ((1, 6), 0),
    ((64, 128), 0),
    ((64, 128), 1),
]


@pytest.mark.parametrize("shape, axis", SHAPES)
@pytest.mark.parametrize(
    "op, element, function",
    [
        ("arith.addf", "f32", np.sum),
        ("arith.maximumf", "f32", np.max),
        ("arith.addi", "i64", np.sum),
        ("arith.minsi", "i8", np.min),
        ("arith.xori", "i32", np.bitwise_xor.reduce),
    ],
)
def test_values(body, rng, shape, axis, op, element, function):
    dtype = np.dtype({"f32": "f4", "i64": "i8", "i8": "i1", "i32": "i4"}[element])
    reduce(body, [body.load(shape, element)], shape, [element], axis, binary(op, element))
    x = (
        rng.standard_normal(shape).astype(dtype)
        if element == "f32"
        else rng.integers(-100, 100, shape).astype(dtype)
    )
    out = np.zeros(shape[:axis] + shape[axis + 1 :], dtype)
    body.build()(x, out)
    if op == "arith.addf":
        np.testing.assert_allclose(out, function(x.astype(np.float64), axis=axis), rtol=1e-5, atol=1e-4)
    else:
        assert np.array_equal(out, function(x, axis=axis).astype(dtype))


@pytest.mark.parametrize(
    "op, function",
    [("maximumf", np.max), ("minimumf", np.min), ("maxnumf", np.nanmax), ("minnumf", np.nanmin)],
)
@pytest.mark.parametrize("shape, axis", [((100,), 0), ((50, 64), 1), ((50, 64), 0)])
def test_nan(body, rng, op, function, shape, axis):
    reduce(body, [body.load(shape, "f32")], shape, ["f32"], axis, binary(f"arith.{op}", "f32"))
    x = rng.standard_normal(shape).astype(np.float32)
    x.ravel()[::17] = np.nan
    out = np.zeros(shape[:axis] + shape[axis + 1 :], np.float32)
    body.build()(x, out)
    assert np.array_equal(out, function(x, axis=axis), equal_nan=True)


ARGMAX = """^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
  %gt = arith.cmpf ogt, %a, %b : f32
  %eq = arith.cmpf oeq, %a, %b : f32
  %lt = arith.cmpi slt, %i, %j : i32
  %tie = arith.andi %eq, %lt : i1
  %first = arith.ori %gt, %tie : i1
  %v = arith.select %first, %a, %b : f32
  %k = arith.select %first, %i, %j : i32
  tile.yield %v, %k : f32, i32"""

# The same with control flow, which only scalars can have.
ARGMAX_IF = """^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
  %gt = arith.cmpf oge, %a, %b : f32
  %r:2 = scf.if %gt -> (f32, i32) {
    scf.yield %a, %i : f32, i32
  } else {
    scf.yield %b, %j : f32, i32
  }
  tile.yield %r#0, %r#1 : f32, i32"""


@pytest.mark.parametrize("region", [ARGMAX, ARGMAX_IF], ids=["select", "if"])
@pytest.mark.parametrize("shape, axis", [((77,), 0), ((10, 50), 1), ((50, 10), 0)])
def test_two_operands(body, rng, region, shape, axis):
    operands = [body.load(shape, "f32"), body.load(shape, "i32")]
    reduce(body, operands, shape, ["f32", "i32"], axis, region)
    x = rng.permutation(np.prod(shape)).reshape(shape).astype(np.float32)
    index = np.indices(shape)[axis].astype(np.int32)
    result = shape[:axis] + shape[axis + 1 :]
    value, position = np.zeros(result, np.float32), np.zeros(result, np.int32)
    body.build()(x, index, value, position)
    assert np.array_equal(value, x.max(axis))
    assert np.array_equal(position, x.argmax(axis))


def test_booleans(body, rng):
    """Whether any element of a row is positive."""
    x = body.load((20, 40), "f32")
    zero = body.op("arith.constant dense<0.0> : tensor<20x40xf32>")
    positive = body.op(f"arith.cmpf ogt, {x}, {zero} : tensor<20x40xf32>")
    name = body.fresh()
    body.lines.append(
        f'{name} = "tile.reduce"({positive}) <{{axis = 1 : i32}}> ({{\n{binary("arith.ori", "i1")}\n}})'
        " : (tensor<20x40xi1>) -> tensor<20xi1>"
    )
    body.store(body.op(f"arith.extui {name} : tensor<20xi1> to tensor<20xi8>"), (20,), "i8")
    x = rng.standard_normal((20, 40)).astype(np.float32) - 2.3
    out = np.full(20, 9, np.int8)
    body.build()(x, out)
    assert np.array_equal(out, (x > 0).any(axis=1))


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_short_floats(body, rng, element):
    import ml_dtypes

    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}[element]
    reduce(body, [body.load((4, 64), element)], (4, 64), [element], 1, binary("arith.maximumf", element))
    x = rng.standard_normal((4, 64)).astype(dtype)
    out = np.zeros(4, dtype)
    body.build()(x, out)
    assert np.array_equal(out.astype(np.float32), x.astype(np.float32).max(axis=1))
