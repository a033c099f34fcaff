"""tl.inline_asm_elementwise: its results on every back end, and its code on a GPU."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.frontend import CompilationError


@tw.jit
def shifted(x, y, out, N: tl.constexpr, PACK: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(
        out + i,
        tl.inline_asm_elementwise("shf.l.wrap.b32 $0, $1, $2, 3;", "=r,r, r", [a, b], tl.int32, True, 1),
    )


@tw.jit
def maximum_of_bytes(x, y, out, big, N: tl.constexpr):
    """Four bytes of one argument become floats, which are compared with the other argument."""
    i = tl.arange(0, N)
    values, larger = tl.inline_asm_elementwise(
        asm="""
        {
            .reg .b8 byte<4>;
            mov.b32 {byte0, byte1, byte2, byte3}, $8;
            cvt.u32.u8 $0, byte0;
            cvt.u32.u8 $1, byte1;
            cvt.u32.u8 $2, byte2;
            cvt.u32.u8 $3, byte3;
        }
        cvt.rn.f32.s32 $4, $0;
        cvt.rn.f32.s32 $5, $1;
        cvt.rn.f32.s32 $6, $2;
        cvt.rn.f32.s32 $7, $3;
        max.f32 $4, $4, $9;
        max.f32 $5, $5, $10;
        max.f32 $6, $6, $11;
        max.f32 $7, $7, $12;
        """,
        constraints="=&r,=&r,=&r,=&r,=&f,=&f,=&f,=&f,r,f,f,f,f",
        args=[tl.load(x + i), tl.load(y + i)],
        dtype=(tl.int32, tl.float32),
        is_pure=True,
        pack=4,
    )
    tl.store(out + i, values)
    tl.store(big + i, larger)


@tw.jit
def doubled_f16(x, out, M: tl.constexpr, N: tl.constexpr):
    """Two f16 values per register, of a block with two axes; the constant broadcasts."""
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    one = tl.full((1, N), 1.0, tl.float16)
    twice = tl.inline_asm_elementwise(
        "fma.rn.f16x2 $0, $1, $1, $2;", "=r,r,r", [tl.load(x + offsets), one], tl.float16, True, 2
    )
    tl.store(out + offsets, twice)


@tw.jit
def nibbles(x, out, N: tl.constexpr, MASK: tl.constexpr, TABLE: tl.constexpr):
    """Constants appear in the text, some of them between registers."""
    i = tl.arange(0, N)
    low, shifted = tl.inline_asm_elementwise(
        """{
            .reg .b32 part;
            lop3.b32 part, $3, $2, $6, ${5};
            mov.b32 $0, part;
            shl.b32 $1, $4, $6; // $$6
        }""",
        "=r,=r,n,r,r,n,n",
        [MASK, tl.load(x + i), i, TABLE, 1],
        (tl.int32, tl.int32),
        True,
        1,
    )
    tl.store(out + i, low)
    tl.store(out + N + i, shifted)


@tw.jit
def scalar(x, out):
    value = tl.inline_asm_elementwise(
        "add.f64 $0, $1, $2;", "=d,d,d", [tl.load(x), tl.load(x)], tl.float64, True, 1
    )
    tl.store(out, value)


@tw.jit
def lanes(out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(
        out + i,
        tl.inline_asm_elementwise("mov.u32 $0, %laneid; // $$", "=r,r", [i], tl.int32, False, 1) * 0 + i,
    )


def test_two_arguments(backend, rng):
    x, y = (rng.integers(-(2**31), 2**31, 256).astype(np.int32) for _ in range(2))
    out = backend.poisoned((256,), "int32")
    shifted[1,](backend.array(x), backend.array(y), out, 256, 1)
    wide = (y.astype(np.int64) << 32) | x.view(np.uint32).astype(np.int64)
    np.testing.assert_array_equal(backend.numpy(out), (wide >> 29).astype(np.int32))


@pytest.mark.parametrize("size", [64, 1024])
def test_packed_bytes_and_two_results(backend, rng, size):
    x = rng.integers(0, 256, size).astype(np.uint8)
    y = rng.uniform(0, 256, size).astype(np.float32)
    out, big = backend.poisoned((size,), "int32"), backend.poisoned((size,), "float32")
    maximum_of_bytes[1,](backend.array(x), backend.array(y), out, big, size)
    np.testing.assert_array_equal(backend.numpy(out), x)
    np.testing.assert_array_equal(backend.numpy(big), np.maximum(x, y))


def test_packed_f16(backend, rng):
    x = rng.integers(-9, 9, (8, 32)).astype(np.float16)
    out = backend.poisoned((8, 32), "float16")
    doubled_f16[1,](backend.array(x), out, 8, 32)
    np.testing.assert_array_equal(backend.numpy(out), x * x + 1)


def test_immediates(backend, rng):
    x = rng.integers(-(2**31), 2**31, 64).astype(np.int32)
    out = backend.poisoned((128,), "int32")
    nibbles[1,](backend.array(x), out, 64, 0x0F0F0F0F, 0xEA)
    np.testing.assert_array_equal(backend.numpy(out), [*((x & 0x0F0F0F0F) | 1), *(2 * np.arange(64))])


def test_scalar(backend):
    out = backend.poisoned((1,), "float64")
    scalar[1,](backend.array(np.array([1.5])), out)
    assert backend.numpy(out)[0] == 3.0


ASSEMBLED = [
    (shifted, {"x": "*i32", "y": "*i32", "out": "*i32"}, {"N": 256, "PACK": 1}),
    (maximum_of_bytes, {"x": "*u8", "y": "*fp32", "out": "*i32", "big": "*fp32"}, {"N": 64}),
    (maximum_of_bytes, {"x": "*u8", "y": "*fp32", "out": "*i32", "big": "*fp32"}, {"N": 1024}),
    (doubled_f16, {"x": "*fp16", "out": "*fp16"}, {"M": 8, "N": 32}),
    (nibbles, {"x": "*i32", "out": "*i32"}, {"N": 64, "MASK": 0x0F0F0F0F, "TABLE": 0xEA}),
    (scalar, {"x": "*fp64", "out": "*fp64"}, {}),
    (lanes, {"out": "*i32"}, {"N": 64}),
]


@pytest.mark.compiled
@pytest.mark.parametrize("kernel, types, constants", ASSEMBLED)
def test_assembles(assemble, kernel, types, constants):
    assemble(kernel, types, constants)


@pytest.mark.compiled
def test_wrong_ptx_comes_with_the_assemblers_words(assemble):
    @tw.jit
    def wrong(out):
        tl.store(out, tl.inline_asm_elementwise("no.such.thing $0;", "=r", [], tl.int32, True, 1))

    with pytest.raises(CompilationError, match=r"no\.such\.thing|[Pp]arsing error|fatal"):
        assemble(wrong, {"out": "*i32"}, {})


def test_gpu_instructions_are_refused_without_a_gpu(backend):
    if backend.name == "cuda":
        pytest.skip("about other back ends")
    with pytest.raises(
        CompilationError, match=r"without a GPU: %laneid is of a GPU or is not declared, in 'mov.u32 "
    ) as caught:
        lanes[1,](backend.array(np.zeros(64, np.int32)), 64)
    assert "tl.inline_asm_elementwise" in caught.value.frames[0].text
