"""Tiles carried through loops and branches."""

import numpy as np

T = "tensor<70xf32>"


def loop(body, count, carried, text):
    """A loop of `count` iterations; `carried` are (argument, initial value, type)."""
    low, high, step = (body.op(f"arith.constant {c} : i32") for c in (0, count, 1))
    names = ", ".join(f"{name} = {initial}" for name, initial, _ in carried)
    types = ", ".join(type for _, _, type in carried)
    result = body.fresh()
    many = f":{len(carried)}" if len(carried) > 1 else ""
    body.lines.append(
        f"{result}{many} = scf.for %i = {low} to {high} step {step} iter_args({names}) -> ({types}) : i32 {{\n{text}\n}}"
    )
    return [f"{result}#{i}" for i in range(len(carried))] if many else [result]


def test_swap(body, rng):
    """Both tiles are read before either is written."""
    x, y = body.load((70,), "f32"), body.load((70,), "f32")
    a, b = loop(body, 3, [("%a", x, T), ("%b", y, T)], f"scf.yield %b, %a : {T}, {T}")
    body.store(a, (70,), "f32")
    body.store(b, (70,), "f32")
    x, y = rng.standard_normal((2, 70)).astype(np.float32)
    out = np.zeros((2, 70), np.float32)
    body.build()(x, y, out[0], out[1])
    assert np.array_equal(out, [y, x])


def test_fibonacci(body):
    """A tile that is read after its successor was computed."""
    one = body.op(f"arith.constant dense<1.0> : {T}")
    text = f"%c = arith.addf %a, %b : {T}\nscf.yield %b, %c : {T}, {T}"
    a, _ = loop(body, 10, [("%a", one, T), ("%b", one, T)], text)
    body.store(a, (70,), "f32")
    out = np.zeros(70, np.float32)
    body.build()(out)
    assert (out == 89).all()


def test_old_value_used_after_the_new(body, rng):
    """The argument may not be overwritten while it is still read."""
    x = body.load((70,), "f32")
    text = f"""%e = math.exp %a : {T}
    %n = arith.addf %e, %a : {T}
    %s = arith.subf %n, %a : {T}
    scf.yield %n, %s : {T}, {T}"""
    a, s = loop(body, 2, [("%a", x, T), ("%b", x, T)], text)
    body.store(a, (70,), "f32")
    body.store(s, (70,), "f32")
    x = rng.uniform(-1, 0, 70).astype(np.float32)
    out = np.zeros((2, 70), np.float32)
    body.build()(x, out[0], out[1])
    first = x + np.exp(x)
    np.testing.assert_allclose(out[0], first + np.exp(first), rtol=1e-5)
    np.testing.assert_allclose(out[1], np.exp(first), rtol=1e-4)


def test_transposed_in_a_loop(body, rng):
    """Each element of the new tile reads the old tile at another index."""
    t = "tensor<9x9xf32>"
    x = body.load((9, 9), "f32")
    text = f"""%t = tile.transpose %a {{order = array<i32: 1, 0>}} : {t} -> {t}
    %n = arith.addf %t, %a : {t}
    %r = math.exp %n : {t}
    scf.yield %r : {t}"""
    (a,) = loop(body, 2, [("%a", x, t)], text)
    body.store(a, (9, 9), "f32")
    x = rng.uniform(-1, 0, (9, 9)).astype(np.float32)
    out = np.zeros((9, 9), np.float32)
    body.build()(x, out)
    want = x.astype(np.float64)
    for _ in range(2):
        want = np.exp(want.T + want)
    np.testing.assert_allclose(out, want, rtol=1e-5)


def test_branch(body, rng):
    x = body.load((70,), "f32")
    flag = body.argument("i32")
    zero = body.op("arith.constant 0 : i32")
    condition = body.op(f"arith.cmpi sgt, {flag}, {zero} : i32")
    name = body.fresh()
    body.lines.append(f"""{name}:2 = scf.if {condition} -> ({T}, i32) {{
      %n = arith.negf {x} : {T}
      %c = arith.constant 5 : i32
      scf.yield %n, %c : {T}, i32
    }} else {{
      scf.yield {x}, {zero} : {T}, i32
    }}""")
    y = body.op(f"arith.sitofp {name}#1 : i32 to f32")
    wide = body.op(f"tile.splat {y} : f32 -> {T}")
    body.store(body.op(f"arith.addf {name}#0, {wide} : {T}"), (70,), "f32")
    run = body.build()
    x = rng.standard_normal(70).astype(np.float32)
    out = np.zeros(70, np.float32)
    run(x, 1, out)
    assert np.array_equal(out, 5 - x)
    run(x, -1, out)
    assert np.array_equal(out, x)


def test_while(body):
    """Doubles a tile until its first element is large; counts the steps."""
    one = body.op(f"arith.constant dense<1.0> : {T}")
    zero = body.op("arith.constant 0 : i32")
    limit = body.argument("f32")
    name = body.fresh()
    body.lines.append(f"""{name}:2 = scf.while (%a = {one}, %n = {zero}) : ({T}, i32) -> ({T}, i32) {{
      %m = "tile.reduce"(%a) <{{axis = 0 : i32}}> ({{
      ^bb0(%x: f32, %y: f32):
        %z = arith.maximumf %x, %y : f32
        tile.yield %z : f32
      }}) : ({T}) -> f32
      %more = arith.cmpf olt, %m, {limit} : f32
      scf.condition(%more) %a, %n : {T}, i32
    }} do {{
    ^bb0(%a: {T}, %n: i32):
      %b = arith.addf %a, %a : {T}
      %one = arith.constant 1 : i32
      %k = arith.addi %n, %one : i32
      scf.yield %b, %k : {T}, i32
    }}""")
    body.store(f"{name}#0", (70,), "f32")
    pointer = body.argument("!tile.ptr<i32>")
    body.lines.append(f"tile.store {pointer}, {name}#1 : !tile.ptr<i32>")
    out, steps = np.zeros(70, np.float32), np.zeros(1, np.int32)
    run = body.build()
    run(np.float32(100), out, steps)
    assert (out == 128).all() and steps[0] == 7
    run(np.float32(0.5), out, steps)
    assert (out == 1).all() and steps[0] == 0


def stepping(body, step):
    """Sums four blocks of 70; `step(pointers)` advances the pointers."""
    p = "tensor<70x!tile.ptr<f32>>"
    pointers = body.pointers((70,), "f32")
    zero = body.op(f"arith.constant dense<0.0> : {T}")
    text = f"""%x = tile.load %p : {p}
    %s = arith.addf %acc, %x : {T}
    {step}
    scf.yield %q, %s : {p}, {T}"""
    _, total = loop(body, 4, [("%p", pointers, p), ("%acc", zero, T)], text)
    body.store(total, (70,), "f32")


def test_pointers_that_step(body, rng):
    stepping(
        body,
        "%d = arith.constant dense<70> : tensor<70xi32>\n"
        "%q = tile.addptr %p, %d : tensor<70x!tile.ptr<f32>>, tensor<70xi32>",
    )
    x = rng.integers(0, 100, (4, 70)).astype(np.float32)
    out = np.zeros(70, np.float32)
    body.build()(x, out)
    assert np.array_equal(out, x.sum(axis=0))


def test_pointers_that_fan_out(body, rng):
    """Each element moves by its own distance."""
    stepping(
        body,
        "%d = tile.range {start = 0 : i32, end = 70 : i32} : tensor<70xi32>\n"
        "%q = tile.addptr %p, %d : tensor<70x!tile.ptr<f32>>, tensor<70xi32>",
    )
    x = rng.integers(0, 100, 4 * 70).astype(np.float32)
    out = np.zeros(70, np.float32)
    body.build()(x, out)
    i = np.arange(70)
    assert np.array_equal(out, sum(x[i + k * i] for k in range(4)))


def test_loop_that_does_not_run(body, rng):
    x = body.load((70,), "f32")
    (a,) = loop(body, 0, [("%a", x, T)], f"%n = math.exp %a : {T}\nscf.yield %n : {T}")
    body.store(a, (70,), "f32")
    x = rng.standard_normal(70).astype(np.float32)
    out = np.zeros(70, np.float32)
    body.build()(x, out)
    assert np.array_equal(out, x)


def test_nested_loops(body):
    """A tile built by an inner loop from the outer loop's."""
    zero = body.op(f"arith.constant dense<0.0> : {T}")
    inner_count = body.op("arith.constant 3 : i32")
    first, step = body.op("arith.constant 0 : i32"), body.op("arith.constant 1 : i32")
    text = f"""%r = scf.for %j = {first} to {inner_count} step {step} iter_args(%b = %a) -> ({T}) : i32 {{
      %k = arith.addi %i, %j : i32
      %f = arith.sitofp %k : i32 to f32
      %w = tile.splat %f : f32 -> {T}
      %c = arith.addf %b, %w : {T}
      scf.yield %c : {T}
    }}
    %two = arith.constant dense<2.0> : {T}
    %d = arith.mulf %r, %two : {T}
    scf.yield %d : {T}"""
    (a,) = loop(body, 3, [("%a", zero, T)], text)
    body.store(a, (70,), "f32")
    out = np.zeros(70, np.float32)
    body.build()(out)
    want = 0
    for i in range(3):
        want = 2 * (want + sum(i + j for j in range(3)))
    assert (out == want).all()
