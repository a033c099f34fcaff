"""PTX conversion instructions, also for narrow types, against NumPy, on every back end."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from ptx_kernels import SPECIAL, numbers, run


def saturated(x, dtype):
    info = np.iinfo(dtype)
    return np.nan_to_num(np.clip(x.astype(np.float64), info.min, info.max), nan=0)


CONVERSIONS = [
    ("cvt.rn.f32.s32 $0, $1;", "int32", "float32", lambda a: a.astype(np.float32)),
    ("cvt.rn.f16.s16 $0, $1;", "int16", "float16", lambda a: a.astype(np.float16)),
    ("cvt.u64.u32 $0, $1;", "uint32", "uint64", lambda a: a.astype(np.uint64)),
    ("cvt.s64.s32 $0, $1;", "int32", "int64", lambda a: a.astype(np.int64)),
    ("cvt.sat.u32.s32 $0, $1;", "int32", "uint32", lambda a: np.maximum(a, 0).astype(np.uint32)),
    ("cvt.sat.s16.s32 $0, $1;", "int32", "int16", lambda a: np.clip(a, -32768, 32767).astype(np.int16)),
    ("cvt.rn.f16.f32 $0, $1;", "float32", "float16", lambda a: a.astype(np.float16)),
    ("cvt.rn.bf16.f32 $0, $1;", "float32", "bfloat16", lambda a: a.astype(ml_dtypes.bfloat16)),
    ("cvt.f32.f16 $0, $1;", "float16", "float32", lambda a: a.astype(np.float32)),
    ("cvt.f64.f32 $0, $1;", "float32", "float64", lambda a: a.astype(np.float64)),
    ("cvt.rz.f16.f32 $0, $1;", "float32", "float16",
     lambda a: (a.view(np.uint32) & 0xFFFFE000).astype(np.uint32).view(np.float32).astype(np.float16)),
    ("cvt.rna.tf32.f32 $0, $1;", "float32", "float32",
     lambda a: ((a.view(np.uint32) + 0x1000) & 0xFFFFE000).astype(np.uint32).view(np.float32)),
    ("cvt.rni.s32.f32 $0, $1;", "float32", "int32", lambda a: np.rint(a).astype(np.int32)),
]  # fmt: skip


@pytest.mark.parametrize(
    "asm, source, result, expected", CONVERSIONS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_conversions(backend, rng, asm, source, result, expected):
    (a,) = numbers(rng, source, 1)
    with np.errstate(over="ignore"):
        wanted = expected(a).astype(np.float64)
    np.testing.assert_array_equal(run(backend, asm, [a], result).astype(np.float64), wanted)


@pytest.mark.parametrize(
    "name, function", [("rni", np.rint), ("rzi", np.trunc), ("rmi", np.floor), ("rpi", np.ceil)]
)
@pytest.mark.parametrize("to, result", [("s32", "int32"), ("u32", "uint32"), ("s8", "int32")])
def test_floats_become_integers_that_saturate(backend, rng, name, function, to, result):
    a = np.concatenate([SPECIAL, rng.uniform(-300, 300, 64).astype(np.float32)])
    expected = saturated(function(a), {"s32": "int32", "u32": "uint32", "s8": "int8"}[to])
    np.testing.assert_array_equal(
        run(backend, f"cvt.{name}.{to}.f32 $0, $1;", [a], result).astype(np.float64), expected
    )


def test_two_at_once(backend, rng):
    """Converts 4-bit integers to f16, as quantised matmul kernels do."""
    asm = """
    {
        .reg .b32 low, high;
        lop3.b32 low, $2, 0x000F000F, 0x64006400, 0xEA;
        shr.u32 high, $2, 4;
        lop3.b32 high, high, 0x000F000F, 0x64006400, 0xEA;
        sub.f16x2 $0, low, $3;
        fma.rn.f16x2 $1, high, $4, $5;
    }
    """
    x = rng.integers(0, 2**32, 64, np.uint32)
    out, more = backend.poisoned((64,), "uint32"), backend.poisoned((64,), "uint32")
    unpack[1,](backend.array(x), out, more, 64, asm)
    words = x.view(np.uint16)
    np.testing.assert_array_equal(backend.numpy(out).view(np.float16), (words & 15).astype(np.float16))
    np.testing.assert_array_equal(backend.numpy(more).view(np.float16), 2.0 * (words >> 4 & 15) - 2)


@tw.jit
def unpack(x, out, more, N: tl.constexpr, ASM: tl.constexpr):
    i = tl.arange(0, N)
    bias: tl.constexpr = 0x64006400
    two: tl.constexpr = 0x40004000
    less: tl.constexpr = 0xE801E801  # -2050
    values = [
        tl.load(x + i),
        tl.full((N,), bias, tl.uint32),
        tl.full((N,), two, tl.uint32),
        tl.full((N,), less, tl.uint32),
    ]
    low, high = tl.inline_asm_elementwise(ASM, "=r,=r,r,r,r,r", values, (tl.uint32, tl.uint32), True, 1)
    tl.store(out + i, low)
    tl.store(more + i, high)


@tw.jit
def through_fp8(x, out, N: tl.constexpr, ASM: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(out + i, tl.inline_asm_elementwise(ASM, "=r,=r,r,r", [value], tl.float32, True, 2))


@pytest.mark.parametrize(
    "name, dtype, largest", [("e4m3", "float8_e4m3fn", 448), ("e5m2", "float8_e5m2", 57344)]
)
def test_eight_bit_floats(backend, rng, name, dtype, largest):
    asm = f"""
    {{
        .reg .b16 small, half<2>;
        .reg .b32 both;
        cvt.rn.satfinite.{name}x2.f32 small, $3, $2;
        cvt.rn.f16x2.{name}x2 both, small;
        mov.b32 {{half0, half1}}, both;
        cvt.f32.f16 $0, half0;
        cvt.f32.f16 $1, half1;
    }}
    """
    x = np.concatenate([rng.uniform(-2 * largest, 2 * largest, 48), rng.uniform(-1, 1, 80)]).astype(
        np.float32
    )
    out = backend.poisoned((128,), "float32")
    through_fp8[1,](backend.array(x), out, 128, asm)
    expected = np.clip(x, -largest, largest).astype(getattr(ml_dtypes, dtype)).astype(np.float32)
    np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def through_fp4(x, codes, out, N: tl.constexpr, ASM: tl.constexpr):
    i = tl.arange(0, N)
    both, value = tl.inline_asm_elementwise(
        ASM, "=r,=r,=r,=r,r,r", [tl.load(x + i)], (tl.int32, tl.float32), True, 2
    )
    tl.store(codes + i, both)
    tl.store(out + i, value)


def test_four_bit_floats(backend, rng):
    if backend.name == "cuda":
        pytest.skip("an instruction of later GPUs")
    asm = """
    {
        .reg .b8 both;
        .reg .b16 half<2>;
        .reg .b32 wide;
        cvt.rn.satfinite.e2m1x2.f32 both, $5, $4;
        cvt.u32.u8 $0, both;
        cvt.u32.u8 $1, both;
        cvt.rn.f16x2.e2m1x2 wide, both;
        mov.b32 {half0, half1}, wide;
        cvt.f32.f16 $2, half0;
        cvt.f32.f16 $3, half1;
    }
    """
    ties = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 0.0], np.float32)
    x = np.concatenate([ties, -ties, rng.uniform(-8, 8, 112).astype(np.float32)])
    codes, out = backend.poisoned((128,), "int32"), backend.poisoned((128,), "float32")
    through_fp4[1,](backend.array(x), codes, out, 128, asm)
    nearest = np.clip(x, -6, 6).astype(ml_dtypes.float4_e2m1fn)
    np.testing.assert_array_equal(backend.numpy(out), nearest.astype(np.float32))
    nibbles = nearest.view(np.uint8).astype(np.int32) & 15
    np.testing.assert_array_equal(backend.numpy(codes)[::2], nibbles[::2] | nibbles[1::2] << 4)
