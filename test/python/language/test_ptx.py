"""Each PTX instruction that runs without a GPU, against NumPy, on every back end; and refused instructions."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from ptx_kernels import SPECIAL, numbers, one, run, three, wide
from tilewright.frontend import CompilationError


def prmt(a, b, selector):
    bytes_of = np.concatenate([part.view(np.uint8).reshape(-1, 4) for part in (a, b)], 1)
    out = np.zeros((len(a), 4), np.uint8)
    for row, picked, digits in zip(bytes_of, out, selector, strict=True):
        for position in range(4):
            digit = int(digits) >> (4 * position) & 15
            byte = row[digit & 7]
            picked[position] = byte if digit < 8 else 255 * (byte > 127)
    return out.view(np.uint32).reshape(-1)


def fields(a, start, length):
    """bfe, computed with Python integers of any width."""

    def field(value, start, length):
        start, length = int(start) & 255, int(length) & 255
        bits = [
            int(value) >> min(position, 31 if a.dtype.kind == "i" else 63) & 1
            for position in range(start, start + length)
        ]
        bits = bits[:32]
        result = sum(bit << position for position, bit in enumerate(bits))
        return result - (1 << len(bits)) if a.dtype.kind == "i" and bits and bits[-1] else result

    return np.array([field(*row) for row in zip(a, start, length, strict=True)], a.dtype)


def inserted(a, b, start, length):
    mask = ((1 << length) - 1) << start & 0xFFFFFFFF
    return (b & ~np.uint32(mask)) | (a << np.uint32(start) & np.uint32(mask))


def nth_ones(mask, base, offset):
    """fns, which walks over the bits as the PTX manual specifies."""

    def position_of(mask, base, offset):
        if base > 31:
            return 0xFFFFFFFF
        if offset == 0:
            return base if mask >> base & 1 else 0xFFFFFFFF
        positions = range(base, 32) if offset > 0 else range(base, -1, -1)
        ones = [position for position in positions if mask >> position & 1]
        return ones[abs(offset) - 1] if abs(offset) <= len(ones) else 0xFFFFFFFF

    return np.array([position_of(*map(int, row)) for row in zip(mask, base, offset, strict=True)], np.uint32)


def test_the_position_of_the_nth_one(backend, rng):
    mask = rng.integers(0, 1 << 32, 256, dtype=np.uint32) & rng.integers(0, 1 << 32, 256, dtype=np.uint32)
    mask[:2] = 0, 0xFFFFFFFF
    base = rng.integers(0, 32, 256).astype(np.uint32)
    offset = rng.integers(-12, 13, 256).astype(np.int32)
    if backend.name != "cuda":  # its routine negates the offset, and the result differs from the manual
        offset[2] = -(1 << 31)
    out = backend.poisoned(256, "uint32")
    three[1,](
        *map(backend.array, (mask, base, offset)), out, 256, "fns.b32 $0, $1, $2, $3;", "=r,r,r,r", tl.uint32
    )
    np.testing.assert_array_equal(backend.numpy(out), nth_ones(mask, base, offset))


INTEGERS = [
    ("and.b32 $0, $1, $2;", "uint32", lambda a, b: a & b),
    ("or.b64 $0, $1, $2;", "int64", lambda a, b: a | b),
    ("xor.b16 $0, $1, $2;", "int16", lambda a, b: a ^ b),
    ("not.b32 $0, $1;", "int32", lambda a: ~a),
    ("cnot.b32 $0, $1;", "int32", lambda a: (a == 0).astype(np.int32)),
    ("add.s32 $0, $1, $2;", "int32", lambda a, b: a + b),
    ("sub.u64 $0, $1, $2;", "uint64", lambda a, b: a - b),
    ("mul.lo.s32 $0, $1, $2;", "int32", lambda a, b: a * b),
    ("mul.hi.s32 $0, $1, $2;", "int32", lambda a, b: (wide(a) * wide(b) >> 32).astype(np.int32)),
    ("mul.hi.u32 $0, $1, $2;", "uint32", lambda a, b: (wide(a) * wide(b) >> 32).astype(np.uint32)),
    ("mad.lo.u32 $0, $1, $2, $3;", "uint32", lambda a, b, c: a * b + c),
    ("min.s32 $0, $1, $2;", "int32", np.minimum),
    ("max.u32 $0, $1, $2;", "uint32", np.maximum),
    ("abs.s32 $0, $1;", "int32", np.abs),
    ("neg.s64 $0, $1;", "int64", lambda a: -a),
    ("shl.b32 $0, $1, 5;", "uint32", lambda a: a << 5),
    ("shr.u32 $0, $1, 7;", "uint32", lambda a: a >> 7),
    ("shr.s32 $0, $1, 40;", "int32", lambda a: a >> 31),
    ("shl.b32 $0, $1, 32;", "uint32", lambda a: a * 0),
    ("shf.r.wrap.b32 $0, $1, $2, 9;", "uint32", lambda a, b: (a >> 9) | (b << 23)),
    ("lop3.b32 $0, $1, $2, $3, 0xE8;", "uint32", lambda a, b, c: (a & b) | (a & c) | (b & c)),
    ("lop3.b32 $0, $1, $2, $3, 150;", "uint32", lambda a, b, c: a ^ b ^ c),
    ("prmt.b32 $0, $1, $2, $3;", "uint32", prmt),
    ("bfe.u32 $0, $1, $2, $3;", "uint32", fields),
    ("bfe.s32 $0, $1, 7, 9;", "int32", lambda a: fields(a, np.full(64, 7), np.full(64, 9))),
    ("bfi.b32 $0, $1, $2, 11, 6;", "uint32", lambda a, b: inserted(a, b, 11, 6)),
    ("brev.b32 $0, $1;", "uint32", lambda a: np.array([int(f"{v:032b}"[::-1], 2) for v in a], np.uint32)),
    ("popc.b32 $0, $1;", "uint32", lambda a: np.array([int(v).bit_count() for v in a], np.uint32)),
    ("clz.b32 $0, $1;", "uint32", lambda a: np.array([32 - int(v).bit_length() for v in a], np.uint32)),
    ("{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.s32 $0, $1, 7, p; }", "int32", lambda a, b: np.where(a < b, a, 7)),
    ("{ .reg .pred p; setp.hi.u32 p, $1, $2; mov.u32 $0, 3; @p mov.b32 $0, $1; }", "uint32",
     lambda a, b: np.where(a > b, a, np.uint32(3))),
    ("{ .reg .pred p, q; setp.gt.s32 p, $1, 0; setp.gt.s32 q, $2, 0; and.pred p, p, q; not.pred q, p;"
     "  selp.b32 $0, 1, 0, q; }", "int32", lambda a, b: (~((a > 0) & (b > 0))).astype(np.int32)),
    ("{ .reg .b16 half<2>; mov.b32 {half0, half1}, $1; mov.b32 $0, {half1, half0}; }", "uint32",
     lambda a: (a >> 16) | (a << 16)),
    ("{ .reg .b16 high; mov.b32 {_, high}, $1; cvt.u32.u16 $0, high; }", "uint32", lambda a: a >> 16),
]  # fmt: skip


@pytest.mark.parametrize(
    "asm, dtype, expected", INTEGERS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_integers(backend, rng, asm, dtype, expected):
    arrays = numbers(
        rng, dtype, expected.__code__.co_argcount if hasattr(expected, "__code__") else expected.nin
    )
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(run(backend, asm, arrays, dtype), expected(*arrays))


DIVIDED = [("div.s32", np.int32), ("rem.s32", np.int32), ("div.u64", np.uint64), ("rem.u32", np.uint32)]


@pytest.mark.parametrize("name, dtype", DIVIDED)
def test_division_of_integers(backend, rng, name, dtype):
    (a,) = numbers(rng, np.dtype(dtype).name, 1)
    b = rng.integers(1, 1000, 64).astype(dtype)
    quotient = np.array([abs(int(x)) // int(y) * (1 if x >= 0 else -1) for x, y in zip(a, b, strict=True)])
    expected = quotient.astype(dtype) if "div" in name else (a - quotient.astype(dtype) * b)
    out = run(backend, f"{name} $0, $1, $2;", [a, b], np.dtype(dtype).name)
    np.testing.assert_array_equal(out, expected)


def test_wide_multiplications(backend, rng):
    a, b = numbers(rng, "int32", 2)
    (c,) = numbers(rng, "int64", 1)
    with np.errstate(over="ignore"):
        expected = wide(a) * b + c
    np.testing.assert_array_equal(run(backend, "mad.wide.s32 $0, $1, $2, $3;", [a, b, c], "int64"), expected)


FLOATS = [
    ("add.f32 $0, $1, $2;", "float32", lambda a, b: a + b),
    ("sub.rn.f64 $0, $1, $2;", "float64", lambda a, b: a - b),
    ("mul.ftz.f32 $0, $1, $2;", "float32", lambda a, b: a * b),
    ("fma.rn.f32 $0, $1, $2, $3;", "float32",
     lambda a, b, c: (a.astype(np.float64) * b + c).astype(np.float32)),
    ("fma.rn.f32 $0, $1, $2, 0fBF800000;", "float32",
     lambda a, b: (a.astype(np.float64) * b - 1).astype(np.float32)),
    ("add.rn.bf16 $0, $1, $2;", "bfloat16", lambda a, b: a + b),
    ("mul.f16 $0, $1, $2;", "float16", lambda a, b: a * b),
    ("div.rn.f32 $0, $1, $2;", "float32", lambda a, b: a / b),
    ("rcp.rn.f32 $0, $1;", "float32", lambda a: 1 / a),
    ("sqrt.rn.f32 $0, $1;", "float32", np.sqrt),
    ("min.f32 $0, $1, $2;", "float32", np.minimum),
    ("max.NaN.f32 $0, $1, $2;", "float32", np.maximum),
    ("abs.f32 $0, $1;", "float32", np.abs),
    ("neg.f16 $0, $1;", "float16", np.negative),
    ("copysign.f32 $0, $1, $2;", "float32", lambda a, b: np.copysign(b, a)),
    ("{ .reg .pred p; setp.geu.f32 p, $1, $2; selp.f32 $0, $1, 0f00000000, p; }", "float32",
     lambda a, b: np.where(a >= b, a, np.float32(0))),
    ("add.sat.f32 $0, $1, -1.5;", "float32", lambda a: np.clip(a - np.float32(1.5), 0, 1)),
    ("cvt.rni.f32.f32 $0, $1;", "float32", np.rint),
    ("cvt.rzi.f32.f32 $0, $1;", "float32", np.trunc),
]  # fmt: skip

APPROXIMATE = [
    ("ex2.approx.ftz.f32 $0, $1;", np.exp2), ("lg2.approx.f32 $0, $1;", np.log2), ("tanh.approx.f32 $0, $1;", np.tanh),
    ("rcp.approx.ftz.f32 $0, $1;", np.reciprocal), ("rsqrt.approx.f32 $0, $1;", lambda a: 1 / np.sqrt(a)),
    ("sin.approx.f32 $0, $1;", np.sin), ("cos.approx.f32 $0, $1;", np.cos),
    ("sqrt.approx.f32 $0, $1;", np.sqrt),
]  # fmt: skip


@pytest.mark.parametrize(
    "asm, dtype, expected", FLOATS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_floats(backend, rng, asm, dtype, expected):
    count = expected.__code__.co_argcount if hasattr(expected, "__code__") else expected.nin
    arrays = numbers(rng, getattr(ml_dtypes, dtype, dtype), count)
    result = expected(*arrays)
    np.testing.assert_array_equal(
        run(backend, asm, arrays, dtype).astype(np.float64), result.astype(np.float64)
    )


@pytest.mark.parametrize(
    "asm, expected", APPROXIMATE, ids=lambda value: value if isinstance(value, str) else ""
)
def test_approximations(backend, rng, asm, expected):
    (a,) = numbers(rng, "float32", 1)
    np.testing.assert_allclose(run(backend, asm, [a], "float32"), expected(a), rtol=1e-3, atol=1e-6)


def test_nan_and_subnormal_numbers(backend):
    one_each = np.ones(64, np.float32)
    np.testing.assert_array_equal(
        run(backend, "min.f32 $0, $1, $2;", [SPECIAL, one_each], "float32"), np.fmin(SPECIAL, 1)
    )
    np.testing.assert_array_equal(
        run(backend, "max.NaN.f32 $0, $1, $2;", [SPECIAL, one_each], "float32"), np.maximum(SPECIAL, 1)
    )
    flushed = np.where(np.abs(SPECIAL) < 1e-38, np.copysign(np.float32(0), SPECIAL), SPECIAL)
    np.testing.assert_array_equal(
        run(backend, "mul.ftz.f32 $0, $1, $2;", [SPECIAL, one_each], "float32"), flushed
    )


@pytest.mark.parametrize("name", ["lt", "ltu", "ne", "neu", "num", "nan", "equ"])
def test_comparisons_with_nan(backend, name):
    other = np.tile(np.array([1, np.inf, 5, 0], np.float32), 16)
    unordered = np.isnan(SPECIAL)
    plain = {
        "lt": SPECIAL < other,
        "ne": SPECIAL != other,
        "eq": SPECIAL == other,
        "num": ~unordered,
        "nan": unordered,
    }
    ordered = plain[name.removesuffix("u")]
    expected = (
        unordered if name == "nan" else ordered | unordered if name.endswith("u") else ordered & ~unordered
    )
    asm = f"{{ .reg .pred p; setp.{name}.f32 p, $1, $2; selp.b32 $0, 1, 0, p; }}"
    np.testing.assert_array_equal(run(backend, asm, [SPECIAL, other], "int32"), expected.astype(np.int32))


def test_numbers_in_every_base(backend):
    x = np.arange(64, dtype=np.int32)
    asm = (
        "{ .reg .b32 a; and.b32 a, $1, 0b101100; or.b32 a, a, 0x100; add.s32 a, a, 010; sub.s32 $0, a, 9U; }"
    )
    np.testing.assert_array_equal(run(backend, asm, [x], "int32"), ((x & 44) | 256) + 8 - 9)


@pytest.mark.parametrize("size, pack", [(64, 4), (7, 4), (1, 2), (30, 8)])
def test_groups(backend, rng, size, pack):
    """Elements that share a register keep their position, also in a last group that is not full."""
    x = rng.integers(-128, 128, size).astype(np.int8)
    out = backend.poisoned((size,), "int8")
    words = max(1, pack // 4)
    asm = " ".join(f"xor.b32 ${i}, ${words + i}, 0x0F0F0F0F;" for i in range(words))
    one[1,](backend.array(x), out, size, asm, ",".join(["=r"] * words + ["r"] * words), tl.int8, pack)
    np.testing.assert_array_equal(backend.numpy(out), x ^ 0x0F)


@tw.jit
def copied(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.inline_asm_elementwise(
        """{
            .reg .pred inside;
            .reg .f32 a, b;
            setp.lt.s32 inside, $3, 30;
            mov.f32 b, 0fBF800000;
            @inside ld.global.f32 a, [$1];
            @inside ld.global.cg.f32 b, [$1+4];
            st.global.v2.f32 [$2], {a, b};
            mov.u32 $0, 0;
        }""",
        "=r,l,l,r",
        [x + i, out + 2 * i, i],
        tl.int32,
        False,
        1,
    )


def test_memory(backend):
    x = np.arange(33, dtype=np.float32) + 1
    out = backend.poisoned((64,), "float32")
    copied[1,](backend.array(x), out, 32)
    out = backend.numpy(out).reshape(32, 2)
    np.testing.assert_array_equal(out[:30], np.stack([x[:30], x[1:31]], 1))
    np.testing.assert_array_equal(out[30:, 1], -1)


def test_debug_mode_lets_words_wrap_around(backend):
    x = np.full(64, 2**31 - 1, np.int32)
    out = backend.poisoned((64,), "int32")
    constants = (64, "add.s32 $0, $1, $1;", "=r,r", tl.int32, 1)
    one[1,](backend.array(x), out, *constants, debug=True)
    np.testing.assert_array_equal(backend.numpy(out), -2)


REFUSED = [
    ("atom.global.add.u32 $0, [$1], 1;", "the instruction 'atom' is not known, in 'atom.global.add.u32"),
    ("add.cc.u32 $0, $1, $1;", "add is not known with .cc"),
    ("bar.red.popc.u32 $0, 0, $1;", "bar is not known with .popc"),
    ("add.u32 $0, $1;", "add has 3 operands, here are 2"),
    ("add.rz.f32 $0, $1, $1;", "add is not known with .rz"),
    ("add.s32.s32 $0, $1, $1;", "add names one type"),
    ("cvt.f32 $0, $1;", "cvt names two types"),
    ("lop3.b32 $0, $1;", "lop3 has 5 operands, here are 2"),
    ("shl.f32 $0, $1, 1;", "shl is known for b16, b32, b64"),
    ("mov.u32 $0, %tid.x;", "%tid.x is of a GPU or is not declared"),
    ("mov.u32 $0, other;", "there is no register 'other'"),
    ("mov.b64 $0, $1;", "register $1 has 32 bits, the instruction takes 64"),
    ("{ .reg .b32 a; mov.b32 $0, a; }", "register a is read before anything is written to it"),
    ("{ .reg .b64 a; mov.b32 a, $1; mov.b32 $0, $1; }", "register a has 64 bits, the instruction gives 32"),
    ("{ .reg .b32 a; mov.b32 a, $1; } mov.b32 $0, a;", "there is no register 'a'"),
    ("mov.b32 $0, $1", "a statement ends with ';'"),
    ("} mov.b32 $0, $1;", "there is a '}' without its '{'"),
    ("again: mov.b32 $0, $1;", "this is neither an instruction nor a declaration"),
    ("cvt.rn.s32.f32 $0, $1;", "a float becomes an integer with"),
    ("lop3.b32 $0, $1, $1, $1, $1;", "the table of lop3 is a number"),
    ("setp.s32 $0, $1, $1;", "setp is known with one comparison"),
    (".reg .b33 a; mov.b32 $0, $1;", "there are no registers of type 'b33'"),
]


@pytest.mark.parametrize("asm, message", REFUSED, ids=lambda value: value[:24])
def test_refused_instructions(backend, asm, message):
    if backend.name == "cuda":
        pytest.skip("the assembler's part")
    with pytest.raises(CompilationError) as caught:
        one[1,](
            backend.array(np.zeros(8, np.int32)), backend.poisoned((8,), "int32"), 8, asm, "=r,r", tl.int32, 1
        )
    assert f"inline assembly without a GPU: {message}" in str(caught.value)


@tw.jit
def neighbours(x, scratch, out, N: tl.constexpr):
    """Each element comes from the other half through memory, between barriers whose result is unused."""
    i = tl.arange(0, N)
    tl.store(scratch + i, tl.load(x + i))
    tl.inline_asm_elementwise("bar.sync 0;", "=r", [], tl.int32, False, 1)
    other = tl.load(scratch + (i ^ (N // 2)))
    tl.inline_asm_elementwise("fence.acq_rel.gpu; membar.gl; barrier.sync 0;", "=r", [], tl.int32, False, 1)
    tl.store(out + i, other)


def test_barriers_and_fences(backend):
    x, out = np.arange(256, dtype=np.int32), backend.poisoned((256,), "int32")
    neighbours[1,](backend.array(x), backend.poisoned((256,), "int32"), out, 256)
    np.testing.assert_array_equal(backend.numpy(out), x ^ 128)
