"""Values that are computed from each other, each used twice: 2**50 paths lead from the last to the first."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

STEPS: tl.constexpr = 50


@tw.jit
def advanced(e, OP: tl.constexpr):
    for _ in tl.static_range(STEPS):
        if OP == "min":
            e = tl.minimum(e, e // 2 + 1)
        elif OP == "max":
            e = tl.maximum(e - 1, e // 2)
        elif OP == "sum":
            e = e + e
        elif OP == "multiply":
            e = e * (e + 1)
        else:
            e = (e + e % 7) % 1000
    return e


@tw.jit
def shared(x, y, out, n, rounds, S: tl.constexpr, USE: tl.constexpr, OP: tl.constexpr):
    m = tl.arange(0, S)
    at = m[:, None] * S + m[None, :]
    acc = tl.zeros((S, S), tl.float32)
    if USE == "offset":
        acc = tl.dot(tl.load(x + advanced(n, OP) + at), tl.load(y + at))
    elif USE == "offsets":
        acc = tl.dot(tl.load(x + m[:, None] * S + advanced(m + n, OP)[None, :]), tl.load(y + at))
    elif USE == "descriptor":
        e = advanced(n, OP)
        for i in range(rounds):
            desc = tl.make_tensor_descriptor(x + i * e, [e, S], [e, 1], [S, S])
            for j in range(rounds):
                acc = tl.dot(desc.load([j * S, 0]), tl.load(y + at), acc)
    else:
        for j in range(rounds):
            e = advanced(j + n, OP)
            acc = tl.dot(tl.load(x + e + at, mask=(m < e)[None, :], other=0.0), tl.load(y + at), acc)
    tl.store(out + at, acc)


@pytest.mark.parametrize("use", ["offset", "offsets", "descriptor", "loop"])
@pytest.mark.parametrize("op", ["min", "max", "sum", "multiply", "remainder"])
def test_is_compiled(backend, use, op):
    x, y = backend.array(np.ones(1 << 14), "float16"), backend.array(np.ones(4096), "float16")
    out = backend.array(np.zeros((64, 64)), "float32")
    if backend.name == "interpreter":
        pytest.skip("compiles nothing")
    shared.warmup(x, y, out, 32, 2, 64, use, op)


@pytest.mark.parametrize("use", ["offset", "offsets", "descriptor", "loop"])
@pytest.mark.parametrize("op", ["min", "max", "sum", "multiply", "remainder"])
def test_is_assembled(assemble, use, op):
    types = {"x": "*fp16", "y": "*fp16", "out": "*fp32", "n": "i32", "rounds": "i32"}
    assert assemble(
        shared, types, {"S": 64, "USE": use, "OP": op}, {"x": 16, "y": 16, "out": 16, "n": 16}
    ).asm


@tw.jit
def chosen(x, out, n, S: tl.constexpr):
    m = tl.arange(0, S)
    p = x + m
    for i in tl.static_range(40):
        p = tl.where(m > n + i, p + 1, p)
    tl.store(out + m, tl.load(p))


def test_pointers_chosen_from_pointers(backend):
    x, out = backend.array(np.arange(256), "int32"), backend.poisoned((64,), "int32")
    chosen[1,](x, out, 10, 64)
    expected = [m + sum(m > 10 + i for i in range(40)) for m in range(64)]
    np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def nested(x, y, out, n, S: tl.constexpr):
    m = tl.arange(0, S)
    at = m[:, None] * S + m[None, :]
    acc = tl.zeros((S, S), tl.float32)
    for a in range(n):
        for b in range(n):
            for c in range(n):
                for d in range(n):
                    for e in range(n):
                        for f in range(n):
                            for g in range(n):
                                row = (a + b + c + d + e + f + g) % 2 * 8
                                acc = tl.dot(tl.load(x + row + at), tl.load(y + at), acc)
    tl.store(out + at, acc)


def test_more_steps_than_the_check_of_rings_follows(assemble):
    types = {"x": "*fp16", "y": "*fp16", "out": "*fp32", "n": "i32"}
    assert assemble(nested, types, {"S": 64}, {"x": 16, "y": 16, "out": 16}, debug=True).asm["cubin"]
