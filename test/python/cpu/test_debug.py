"""Assertions and prints."""

import numpy as np
import pytest


def test_assertion(body):
    x = body.load((50,), "i32")
    limit = body.op("arith.constant dense<10> : tensor<50xi32>")
    small = body.op(f"arith.cmpi slt, {x}, {limit} : tensor<50xi32>")
    body.lines.append(f'tile.assert {small}, "too large" : tensor<50xi1>')
    body.store(x, (50,), "i32")
    run = body.build()
    x, out = np.arange(50, dtype=np.int32) % 10, np.zeros(50, np.int32)
    run(x, out)
    assert np.array_equal(x, out)
    x[49] = 10
    with pytest.raises(RuntimeError, match="too large"):
        run(x, np.zeros(50, np.int32))


def test_assertion_of_a_scalar(body):
    x = body.argument("i32")
    zero = body.op("arith.constant 0 : i32")
    body.lines.append(f'tile.assert {body.op(f"arith.cmpi ne, {x}, {zero} : i32")}, "is zero" : i1')
    run = body.build()
    run(1)
    with pytest.raises(RuntimeError, match="is zero"):
        run(0)


def test_print(body, capfd):
    x, y = body.load((3,), "f16"), body.load((2,), "i8")
    flag = body.op("arith.constant true")
    body.lines.append(
        f'tile.print "v = ", {x}, {y}, {flag} {{isSigned = array<i1: true, true, true>}} '
        ": tensor<3xf16>, tensor<2xi8>, i1"
    )
    body.lines.append('tile.print "here" {isSigned = array<i1>}')
    body.build()(np.array([1.5, -2, np.inf], np.float16), np.array([-1, 7], np.int8), grid=(1, 2), threads=1)
    lines = capfd.readouterr().out.splitlines()
    floats = ["idx (0) v = 1.500000", "idx (1) v = -2.000000", "idx (2) v = inf"]
    program = [*floats, "idx (0) v = -1", "idx (1) v = 7", "idx () v = 1", "here"]
    assert lines == [f"pid (0, {y}, 0) {line}" for y in (0, 1) for line in program]
