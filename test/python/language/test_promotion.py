"""Which type two operands are computed in: the rules of the language reference, case by case."""

import pytest
import tilewright.language as tl

TYPES = {
    "i1": tl.int1, "i8": tl.int8, "i16": tl.int16, "i32": tl.int32, "i64": tl.int64, "u8": tl.uint8,
    "u16": tl.uint16, "u32": tl.uint32, "u64": tl.uint64, "fp16": tl.float16, "bf16": tl.bfloat16,
    "fp32": tl.float32, "fp64": tl.float64, "fp8e4nv": tl.float8e4nv, "fp8e5": tl.float8e5,
}  # fmt: skip

# Of two tensors the higher kind wins, then the wider, then float16, then unsigned.
TENSORS = [
    ("i32", "bf16", "bf16"),
    ("i64", "fp16", "fp16"),
    ("i1", "i8", "i8"),
    ("i1", "fp16", "fp16"),
    ("fp32", "fp16", "fp32"),
    ("fp32", "fp64", "fp64"),
    ("fp16", "bf16", "fp16"),
    ("bf16", "bf16", "bf16"),
    ("i8", "i32", "i32"),
    ("i32", "u32", "u32"),
    ("i64", "u32", "i64"),
    ("u8", "i16", "i16"),
    ("u64", "i64", "u64"),
    ("fp8e5", "fp8e5", "fp8e5"),
    ("fp8e5", "fp8e4nv", "fp16"),
    ("fp8e5", "bf16", "bf16"),
]

# A literal takes part only where its kind is higher.
LITERALS = [
    ("u8", 3, "u8"),
    ("i16", 3, "i16"),
    ("i64", 3, "i64"),
    ("i16", 4.0, "fp32"),
    ("i64", 4.0, "fp32"),
    ("fp16", 4.0, "fp16"),
    ("bf16", 4, "bf16"),
    ("fp16", True, "fp16"),
    ("i1", 5, "i32"),
    ("i1", 2**31, "u32"),
    ("i1", 2**40, "i64"),
    ("i1", 2**63, "u64"),
    ("i32", 1e300, "fp64"),
    ("i32", 1e-300, "fp64"),
    ("i32", float("inf"), "fp32"),
    ("i32", float("nan"), "fp32"),
]


@pytest.mark.parametrize("block", [True, False])
@pytest.mark.parametrize("a, b, expected", TENSORS)
def test_two_tensors(tile, a, b, expected, block):
    def kernel(a, b, EXPECTED: tl.constexpr, BLOCK: tl.constexpr):
        if BLOCK:
            a = tl.full((4,), a, a.dtype)
        tl.static_assert((a + b).dtype == EXPECTED, f"{(a + b).dtype}")
        tl.static_assert((b * a).dtype == EXPECTED, f"{(b * a).dtype}")
        tl.static_assert(tl.maximum(a, b).dtype == EXPECTED)
        tl.static_assert(tl.where(a > b, b, a).dtype == EXPECTED)
        tl.static_assert((a > b).dtype == tl.int1)

    tile(kernel, a, b, EXPECTED=TYPES[expected], BLOCK=block)


@pytest.mark.parametrize("a, literal, expected", LITERALS)
def test_tensor_and_literal(tile, a, literal, expected):
    def kernel(a, LITERAL: tl.constexpr, EXPECTED: tl.constexpr):
        tl.static_assert((a + LITERAL).dtype == EXPECTED, f"{(a + LITERAL).dtype}")
        tl.static_assert((LITERAL * a).dtype == EXPECTED)
        tl.static_assert((tl.full((2, 2), a, a.dtype) - LITERAL).dtype == EXPECTED)
        tl.static_assert((a < LITERAL).dtype == tl.int1)

    tile(kernel, a, LITERAL=literal, EXPECTED=TYPES[expected])


TRITONS = [
    ("i32", "bf16", "fp32"),
    ("i1", "bf16", "fp32"),
    ("fp8e5", "bf16", "fp32"),
    ("bf16", "bf16", "bf16"),
    ("bf16", "fp16", "fp16"),
    ("i32", "fp16", "fp16"),
]


@pytest.mark.parametrize("a, b, expected", TRITONS)
def test_bfloat16_under_the_numerics_of_triton(tile, a, b, expected):
    def kernel(a, b, EXPECTED: tl.constexpr):
        tl.static_assert((a + b).dtype == EXPECTED, f"{(a + b).dtype}")
        tl.static_assert((b * a).dtype == EXPECTED)
        tl.static_assert(tl.where(a > b, b, a).dtype == EXPECTED)
        tl.static_assert((b * 2.0).dtype == b.dtype)

    tile(kernel, a, b, EXPECTED=TYPES[expected], options={"numerics": "triton"})


def test_maximum_and_sums_under_the_numerics_of_triton(tile):
    def kernel(half, brain, small, n):
        tl.static_assert(tl.maximum(brain, brain).dtype == tl.float32)
        tl.static_assert(tl.minimum(brain, 1.0).dtype == tl.float32)
        tl.static_assert(tl.clamp(brain, -1.0, 1.0).dtype == tl.float32)
        tl.static_assert(tl.maximum(half, half).dtype == tl.float16)
        tl.static_assert(tl.maximum(half, 0.0).dtype == tl.float32)
        tl.static_assert(max(half, 1.0).dtype == tl.float32)
        tl.static_assert(tl.maximum(small, 3).dtype == tl.int32)
        tl.static_assert(tl.sum(tl.arange(0, 4) < n).dtype == tl.uint32)
        tl.static_assert(tl.cumsum(tl.arange(0, 4) < n).dtype == tl.uint32)
        tl.static_assert(tl.sum(tl.arange(0, 4).to(tl.int8)).dtype == tl.int32)

    tile(kernel, "fp16", "bf16", "i8", "i32", options={"numerics": "triton"})


def test_an_assigned_literal_is_a_scalar_with_a_type(tile):
    def kernel(a):
        two = 2.0
        K: tl.constexpr = 2.0
        tl.static_assert((a * two).dtype == tl.float32)
        tl.static_assert((a * K).dtype == tl.float16)

    tile(kernel, "fp16")


DIVISIONS = [
    ("i32", "i32", "fp32"),
    ("i64", "u8", "fp32"),
    ("i32", "fp16", "fp32"),
    ("fp16", "fp16", "fp32"),
    ("bf16", "fp16", "fp32"),
    ("fp32", "fp64", "fp64"),
    ("fp64", "i32", "fp64"),
]


@pytest.mark.parametrize("a, b, expected", DIVISIONS)
def test_true_division(tile, a, b, expected):
    def kernel(a, b, EXPECTED: tl.constexpr):
        tl.static_assert((a / b).dtype == EXPECTED, f"{(a / b).dtype}")

    tile(kernel, a, b, EXPECTED=TYPES[expected])


@pytest.mark.parametrize("ty, signed", [("i32", True), ("u32", False), ("i64", True), ("u8", False)])
def test_the_sign_chooses_the_operation(tile, ty, signed):
    def kernel(out, a, b):
        tl.store(out, a // b)
        tl.store(out, a % b)
        tl.store(out, a >> b)
        tl.store(out, tl.maximum(a, b))
        tl.atomic_min(out.to(tl.pointer_type(tl.int32 if a.dtype.is_int_signed() else tl.uint32)), 3)
        tl.store(out.to(tl.pointer_type(tl.int1)), a < b)
        tl.store(out.to(tl.pointer_type(tl.float32)), a)
        tl.store(out.to(tl.pointer_type(tl.float64)).to(tl.pointer_type(tl.int64)), a)

    text = tile(kernel, f"*{ty}", ty, ty)
    suffix = "si" if signed else "ui"
    for op in ("arith.div", "arith.rem", "arith.max"):
        assert op + suffix in text
    assert ("arith.shrsi" if signed else "arith.shrui") in text
    assert ("cmpi slt" if signed else "cmpi ult") in text
    assert ("atomic_rmw min" if signed else "atomic_rmw umin") in text
    assert ("arith.sitofp" if signed else "arith.uitofp") in text


def test_offsets_that_are_unsigned_are_extended_by_zeros(tile):
    def kernel(out, i):
        tl.store(out + i, 0)

    assert "arith.extui" in tile(kernel, "*i32", "u32")
    assert "arith.ext" not in tile(kernel, "*i32", "i32")


REDUCTIONS = [
    (tl.sum, "i8", "i32"),
    (tl.sum, "u16", "u32"),
    (tl.sum, "i1", "i32"),
    (tl.sum, "i64", "i64"),
    (tl.sum, "fp16", "fp16"),
    (tl.sum, "bf16", "bf16"),
    (tl.max, "bf16", "fp32"),
    (tl.max, "fp16", "fp32"),
    (tl.min, "i8", "i32"),
    (tl.min, "fp64", "fp64"),
    (tl.xor_sum, "i8", "i8"),
]


@pytest.mark.parametrize("function, ty, expected", REDUCTIONS)
def test_reductions(tile, function, ty, expected):
    def kernel(a, F: tl.constexpr, EXPECTED: tl.constexpr):
        block = tl.full((4, 8), a, a.dtype)
        tl.static_assert(F(block, 0).dtype == EXPECTED, f"{F(block, 0).dtype}")
        tl.static_assert(F(block, 1).shape == (4,))
        tl.static_assert(F(block).shape == ())
        tl.static_assert(F(block, 1, keep_dims=True).shape == (4, 1))
        tl.static_assert(F(block, keep_dims=True).shape == (1, 1))

    tile(kernel, ty, F=function, EXPECTED=TYPES[expected])


@pytest.mark.parametrize("left, right", [("fp8e5", "fp8e5"), ("fp8e5", "fp8e4nv"), ("fp8e4nv", "i32")])
def test_narrow_quotients_are_float32(tile, left, right):
    def kernel(a, b):
        tl.static_assert((a / b).dtype == tl.float32 and (b / a).dtype == tl.float32)
        tl.static_assert((a / 2).dtype == tl.float32 and (1.0 / a).dtype == tl.float32)

    tile(kernel, left, right)


def test_sum_as_another_type(tile):
    def kernel(a):
        tl.static_assert(tl.sum(tl.full((4,), a, a.dtype), 0, dtype=tl.float64).dtype == tl.float64)

    tile(kernel, "fp16")


DOTS = [
    ("fp16", None, "fp32"),
    ("fp16", tl.float16, "fp16"),
    ("bf16", None, "fp32"),
    ("fp32", None, "fp32"),
    ("fp64", None, "fp64"),
    ("i8", None, "i32"),
    ("fp8e5", None, "fp32"),
]


@pytest.mark.parametrize("ty, out, expected", DOTS)
def test_dot(tile, ty, out, expected):
    def kernel(a, OUT: tl.constexpr, EXPECTED: tl.constexpr):
        x = tl.full((16, 32), a, a.dtype)
        y = tl.full((32, 8), a, a.dtype)
        d = tl.dot(x, y, out_dtype=OUT)
        if OUT is None:
            tl.static_assert(tl.dot(x, y).type == d.type)
        tl.static_assert(d.dtype == EXPECTED)
        tl.static_assert(d.shape == (16, 8))
        tl.static_assert(tl.dot(x, y, d).type == d.type)

    tile(kernel, ty, OUT=out, EXPECTED=TYPES[expected])


def test_broadcasting(tile):
    def kernel(a):
        row = tl.full((8,), a, tl.float32)
        column = tl.full((4, 1), a, tl.float32)
        tl.static_assert((row + a).shape == (8,))
        tl.static_assert((row + column).shape == (4, 8))
        tl.static_assert((column[None] * row[None, None, :]).shape == (1, 4, 8))
        tl.static_assert(row[:, None].shape == (8, 1))
        tl.static_assert(row[None, :].shape == (1, 8))
        tl.static_assert(column[..., None].shape == (4, 1, 1))
        x, y = tl.broadcast(row, column)
        tl.static_assert(x.shape == (4, 8))
        tl.static_assert(y.shape == (4, 8))

    tile(kernel, "fp32")
