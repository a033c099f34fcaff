"""Expressions, names and calls: constants are evaluated at compile time."""

import enum
import math
import re
from collections import namedtuple

import pytest
import tilewright.language as tl
from tilewright.frontend import KernelFunction, compile_to_tile

WIDTH: tl.constexpr = 32
HEIGHT = tl.constexpr(8)


class Mode(enum.Enum):
    FAST = 1
    EXACT = 2


@KernelFunction
def square(x):
    """Functions have docstrings."""
    return x * x


@KernelFunction
def apply(fn: tl.constexpr, x, times: tl.constexpr = 1, *, offset=0):
    for _ in tl.static_range(times):
        x = fn(x)
    return x + offset


@tl.constexpr_function
def pick(options, name):
    return dict(options).get(name, 0)


def stores(text):
    return text.count("tile.store")


def test_constants_are_folded(tile):
    def kernel(out, N: tl.constexpr):
        tl.static_assert(N * 2 + 1 == 33)
        tl.static_assert((N // 3, N % 3, -N, ~N, +N) == (5, 1, -16, -17, 16))
        tl.static_assert(N / 2 == 8.0 and N**2 == 256 and N << 1 == 32 and N >> 1 == 8)
        tl.static_assert(N & 24 | 1 == 17 and N ^ 1 == 17)
        tl.static_assert(3 < N < 20 and not 3 > N)
        tl.static_assert("a" + "b" == "ab" and "a" in "abc" and 3 not in (1, 2))
        tl.static_assert(WIDTH + HEIGHT == 40)
        tl.static_assert(math.pi > 3 and math.log2(N) == 4 and math.ceil(1.5) == 2)
        tl.static_assert(tl.cdiv(N, 3) == 6 and tl.next_power_of_2(N + 1) == 32)
        tl.static_assert((N if N > 3 else 0) == 16)
        tl.store(out, N)

    text = tile(kernel, "*i32", N=16)
    assert text.count("arith.constant") == 1 and "16 : i32" in text


def test_python_builtins(tile):
    def kernel(out, n, N: tl.constexpr):
        tl.static_assert(min(N, 3) == 3 and max((N, 30)) == 30 and abs(-N) == 16)
        tl.static_assert(len((1, 2)) == 2 and len(tl.arange(0, N)) == 16 and int(3.7) == 3)
        tl.static_assert(float("inf") > 1 and str(N) == "16" and bool(N) and round(2.6) == 3)
        tl.static_assert(isinstance(n, tl.tensor) and isinstance(N, tl.constexpr) and isinstance(N, int))
        tl.static_assert(not isinstance(n, tl.constexpr))
        tl.static_assert(tuple(out.dtype.shape) == ())
        tl.store(out, min(n, 3) + max(n, 4, 5) + abs(n))

    text = tile(kernel, "*i32", "i32", N=16)
    assert text.count("arith.minsi") == 1 and text.count("arith.maxsi") == 2 and "math.absi" in text


def test_attributes_of_types(tile):
    def kernel(out, x):
        tl.static_assert(out.dtype.element_ty == tl.float16 and tl.float16 == out.dtype.element_ty)
        tl.static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth == 32)
        block = tl.zeros((4, 8), out.dtype.element_ty)
        tl.static_assert(block.shape[0] == 4 and block.shape == (4, 8) and block.numel == 32)
        tl.static_assert(block.type.is_block() and block.type.scalar is tl.float16)
        tl.static_assert(block.T.shape == (8, 4))
        SHAPE: tl.constexpr = block.shape
        tl.static_assert(SHAPE[0] * SHAPE[1] == 32)
        tl.store(out, x.to(out.dtype.element_ty))

    assert stores(tile(kernel, "*fp16", "i32")) == 1


def test_functions_take_functions_defaults_and_keywords(tile):
    def kernel(out, x):
        tl.store(out, apply(square, x))
        tl.store(out, apply(x=x, fn=square, times=3, offset=x))
        arguments = (square, x)
        tl.store(out, apply(*arguments, 2))

    text = tile(kernel, "*fp32", "fp32")
    assert text.count("arith.mulf") == 6


def test_closures_and_enums(tile):
    factor = tl.constexpr(3)
    fn = square
    mode = Mode.FAST

    def kernel(out, x, MODE: tl.constexpr):
        if MODE == Mode.FAST and mode is Mode.FAST:
            tl.store(out, fn(x) * factor)
        else:
            tl.store(out, x)

    text = tile(kernel, "*fp32", "fp32", MODE=Mode.FAST)
    assert text.count("arith.mulf") == 2 and stores(text) == 1


def test_constexpr_functions(tile):
    def kernel(out):
        N: tl.constexpr = pick((("a", 3), ("b", 4)), "b")
        tl.store(out + tl.arange(0, N), N)

    assert "tensor<4xi32>" in tile(kernel, "*i32")


@tl.constexpr_function
def width(value):
    """Uses compile-time facts of any value."""
    if isinstance(value, tl.tensor_descriptor):
        return value.dtype.primitive_bitwidth
    if isinstance(value, tl.tensor):
        return value.dtype.scalar.primitive_bitwidth
    return 0


@tl.constexpr_function
def increased(value):
    return value + 1


def test_constexpr_functions_look_at_values_of_the_kernel(tile, rejects):
    def kernel(out, x):
        desc = tl.make_tensor_descriptor(out, [64], [1], [16])
        tl.static_assert((width(x), width(desc), width(tl.arange(0, 4)), width(3)) == (64, 16, 32, 0))
        tl.store(out, increased(3))

    assert stores(tile(kernel, "*fp16", "fp64")) == 1

    def mistaken(x):
        increased(x)  # !

    rejects(mistaken, "increased() is evaluated while compiling, but gives a scalar of type int32", x="i32")


def test_tuples(tile):
    Pair = namedtuple("Pair", ["first", "second"])

    def kernel(out, n):
        pair = Pair(n, 2.0)
        a, (b, c) = 1, (pair.first, pair[1])
        a, b = b, a
        both = (a, b) + (c,)
        tl.static_assert(len(both) == 3)
        x = y = both[0]
        tl.store(out, x + y + both[-1])

    assert stores(tile(kernel, "*fp32", "i32")) == 1


def test_static_print_and_f_strings(tile, capsys):
    def kernel(out, n, N: tl.constexpr):
        tl.static_print(f"{N=} {N:>4} {tl.arange(0, N)} {n!r}", N, sep="|")

    tile(kernel, "*fp32", "i32", N=8)
    assert capsys.readouterr().out == "N=8    8 <[8], int32> int32|8\n"


def test_assignment_makes_scalars_and_annotation_keeps_constants(tile):
    def kernel(out):
        a = 3
        b: tl.int32 = 4
        C: tl.constexpr = 5
        (d := 6)
        tl.static_assert(isinstance(a, tl.tensor) and isinstance(b, tl.tensor) and isinstance(d, tl.tensor))
        tl.static_assert(isinstance(C, tl.constexpr))
        a += C
        tl.store(out, a + b + d)

    assert tile(kernel, "*i32").count("arith.addi") == 3


def test_arguments_that_are_one_still_are_scalars(tile):
    def kernel(out, stride):
        tl.store(out + stride.to(tl.int64), stride)

    assert "tile.addptr %arg0, %" in tile(kernel, "*i32", stride=1)


def test_device_functions_of_debugging(tile):
    def kernel(out, n):
        tl.device_print("n = ", n, tl.arange(0, 4).to(tl.uint8), hex=True)
        print("plain", n)
        tl.device_assert(n > 3, 'not "3"')
        assert n < 9, "too large"

    text = tile(kernel, "*i32", "i32")
    for index, is_signed in enumerate(("true", "false")):
        assert re.search(rf'tile.print "n = \(operand {index}\) ".*isSigned = array<i1: {is_signed}>', text)
    assert 'tile.print "plain: "' in text
    assert "tile.assert" not in text
    text = tile(kernel, "*i32", "i32", options={"debug": True})
    assert r"not \223\22" in text and '"too large"' in text


def test_overflow_is_checked_in_debug_mode(tile):
    def kernel(out, n, u):
        tl.store(out, n * n)
        tl.store(out, tl.add(n, n, sanitize_overflow=False))
        tl.store(out, u * u)

    assert "tile.assert" not in tile(kernel, "*i32", "i32", "u32")
    text = tile(kernel, "*i32", "i32", "u32", options={"debug": True})
    assert text.count("tile.assert") == 1 and '"int32 overflow in *"' in text


def test_combine_regions_have_no_checks(tile, jit):
    @jit
    def multiply(a, b):
        tl.device_assert(a > 0)
        return a * b

    def kernel(out, n):
        block = tl.full((8,), n, tl.int32)
        tl.store(out, tl.sum(block))
        tl.store(out, tl.reduce(block, 0, multiply))

    text = tile(kernel, "*i32", "i32", options={"debug": True})
    (check,) = [line for line in text.splitlines() if "tile.assert" in line]
    assert "int32 overflow in tl.sum" in check  # next to the reduction, not in it


def test_promises_are_attributes_of_their_values(tile):
    def kernel(out, n, m):
        n = tl.multiple_of(n, 48)
        i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 16) % m, 16), 8)
        j = tl.max_constancy(i[:, None] + i[None, :], (1, 4))
        if m > 3:
            tl.multiple_of(m, 64)
        tl.store(out + j, n)

    text = tile(kernel, "*i32", "i32", "i32")
    assert "%arg1: i32 {tile.divisibility = 16 : i32}, %arg2: i32)" in text
    assert "arith.remsi %0, %1 {tile.contiguity = array<i32: 8>, tile.divisibility = array<i32: 16>}" in text
    assert text.count("tile.constancy = array<i32: 1, 4>") == 1
    # A promise inside a branch does not apply to a value from outside.
    assert "64" not in text


def test_functions_without_effect(tile):
    def kernel(out, n):
        tl.assume(n > 0)
        tl.debug_barrier()
        tl.store(out, n)

    assert stores(tile(kernel, "*i32", "i32")) == 1


def test_assumptions_promise_multiples(tile):
    def kernel(out, n, m, k, s):
        tl.assume(n % 48 == 0)
        if m > 3:
            tl.assume(m % 64 == 0)
        tl.assume((k % 8 == 0) & (k > 0))
        u = s * 2
        tl.assume(u % 32 == 0)
        tl.assume(u % 4 == 0)
        tl.store(out, u + n + m + k)

    text = tile(kernel, "*i32", "i32", "i32", "i32", "i32")
    (signature,) = [line for line in text.splitlines() if "tile.func" in line]
    assert [int(number) for number in re.findall(r"tile.divisibility = (\d+)", signature)] == [16, 8]
    assert "%arg2: i32, " in signature
    assert "{tile.divisibility = array<i32: 32>}" in text and "array<i32: 4>" not in text
    assert "tile.assert" not in text
    checked = tile(kernel, "*i32", "i32", "i32", "i32", "i32", options={"debug": True})
    assert checked.count('"an assumption does not hold"') == 5
    assert "divisibility" not in checked  # otherwise the compiler would rely on it


def test_assumptions_promise_signs(tile):
    def kernel(out, a, b, c, d, e, f, g):
        tl.assume(a > 0)
        tl.assume((b >= 0) & (b < 1024) & (0 <= c))
        tl.assume(-1 < d)
        tl.assume(e > -2)
        tl.assume(f < 7)
        if g > 3:
            tl.assume(g > 0)
        u = a * f + tl.arange(0, 8)
        tl.assume(u >= 0)
        tl.store(out + u, b + c + d + e + f + g)

    text = tile(kernel, "*i32", *["i32"] * 7)
    (signature,) = [line for line in text.splitlines() if "tile.func" in line]
    assert re.findall(r"%arg(\d): i32 {tile.non_negative}", signature) == ["1", "2", "3", "4"]
    assert re.findall(r"= (\S+) [^=]*{tile.non_negative} : (\S+)", text) == [("arith.addi", "tensor<8xi32>")]
    assert "tile.non_negative" not in tile(kernel, "*i32", *["i32"] * 7, options={"debug": True})


CONSTANTS = [
    (tl.float32, float("inf"), "0x7F800000"),
    (tl.float32, float("-inf"), "0xFF800000"),
    (tl.float16, float("inf"), "0x7C00"),
    (tl.float16, 1e9, "0x7C00"),
    (tl.bfloat16, float("nan"), "0x7FC0"),
    (tl.float64, 1e-5, "1.000000e-05"),
    (tl.float32, -0.0, "-0.000000e+00"),
    (tl.float32, 0.1, "1.000000e-01"),
    (tl.float8e4nv, float("inf"), "0x7F"),
    (tl.float8e5, float("-inf"), "0xFC"),
    (tl.int8, 200, "-56"),
    (tl.uint32, 2**32 - 1, "-1"),
    (tl.int64, -(2**63), "-9223372036854775808"),
    (tl.int1, 5, "true"),
]


@pytest.mark.parametrize("dtype, value, expected", CONSTANTS, ids=str)
def test_spelling_of_constants(tile, dtype, value, expected):
    def kernel(out, VALUE: tl.constexpr, DTYPE: tl.constexpr):
        tl.store(out + tl.arange(0, 2), tl.full((2,), VALUE, DTYPE))

    pointee = tl.pointer_type(dtype)
    assert f"dense<{expected}>" in tile(kernel, pointee, VALUE=value, DTYPE=dtype)


def test_record_of_a_compilation():
    def kernel(out, n, stride, N: tl.constexpr, FLAG=None):
        tl.store(out + stride + WIDTH, square(n))

    result = compile_to_tile(kernel, {"out": "*fp32", "n": "i32"}, {"stride": 1, "N": 8}, {"out": 16})
    assert result.name == "kernel" and list(result.arg_types) == ["out", "n"]
    assert {name: value.value for name, value in result.constexprs.items()} == {
        "stride": 1,
        "N": 8,
        "FLAG": None,
    }
    assert result.used_globals == {(__name__, "WIDTH"): 32} and result.called == [square]
    text = str(result)
    assert "%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg1: i32)" in text
    assert "attributes {tile.kernel}" in text


def test_locations_hold_the_chain_of_calls():
    def kernel(out, n):
        tl.store(out, square(n))

    result = compile_to_tile(kernel, {"out": "*i32", "n": "i32"}, {})
    text = result.module.print(locations=True)
    first = kernel.__code__.co_firstlineno
    line = square.fn.__code__.co_firstlineno + 3
    assert f'test_expressions.py":{line}:12' in text and f'test_expressions.py":{first + 1}:23' in text
    assert "callsite(" in text
