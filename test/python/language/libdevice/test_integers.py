"""Functions of integers, bits and exponents against plain Python."""

import math

import numpy as np
import pytest
import tilewright.language as tl
from tilewright.frontend import CompilationError

COUNT = 512


def integers(rng, dtype):
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, COUNT, dtype, endpoint=True)
    x[COUNT // 2 :] >>= rng.integers(0, info.bits - 1, COUNT // 2).astype(dtype)
    x[:6] = [0, 1, info.max, info.min, info.max - 1, 2]
    return x


def wrap(value, dtype):
    bits = np.iinfo(dtype).bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if np.iinfo(dtype).min < 0 and value >> (bits - 1) else value


def pattern(value, bits):
    return value & ((1 << bits) - 1)


def low_24(value, dtype):
    value &= 0xFFFFFF
    return value - (1 << 24) if np.iinfo(dtype).min < 0 and value >> 23 else value


def permuted(x, y, s):
    data = pattern(x, 32) | pattern(y, 32) << 32
    return sum(((data >> 8 * (s >> 4 * i & 7)) & 0xFF) << 8 * i for i in range(4))


# name: argument types, result type, the function on Python integers.
CASES = [
    *[("clz", [d], "int32", lambda x, b=b: b - pattern(x, b).bit_length()) for d, b in (("int32", 32), ("int64", 64))],
    *[("popc", [d], "int32", lambda x, b=b: pattern(x, b).bit_count()) for d, b in (("int32", 32), ("int64", 64))],
    *[("ffs", [d], "int32", lambda x: (x & -x).bit_length()) for d in ("int32", "int64")],
    *[("brev", [d], d, lambda x, b=b: int(f"{pattern(x, b):0{b}b}"[::-1], 2)) for d, b in (("int32", 32), ("int64", 64))],
    ("byte_perm", ["int32"] * 3, "int32", permuted),
    *[("mulhi", [d, d], d, lambda x, y, b=b: x * y >> b)
      for d, b in (("int32", 32), ("uint32", 32), ("int64", 64), ("uint64", 64))],
    *[("mul24", [d, d], d, lambda x, y, d=d: low_24(x, d) * low_24(y, d)) for d in ("int32", "uint32")],
    *[("sad", [d, d, "uint32"], d, lambda x, y, z: abs(x - y) + z) for d in ("int32", "uint32")],
    *[("hadd", [d, d], d, lambda x, y: x + y >> 1) for d in ("int32", "uint32")],
    *[("rhadd", [d, d], d, lambda x, y: x + y + 1 >> 1) for d in ("int32", "uint32")],
    *[("abs", [d], d, abs) for d in ("int32", "int64")],
]  # fmt: skip


@pytest.mark.parametrize(
    "name, dtypes, result, function", CASES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_integers(apply, rng, name, dtypes, result, function):
    arrays = [integers(rng, dtype) for dtype in dtypes]
    got = apply(name, arrays, result)
    want = [wrap(function(*map(int, row)), result) for row in zip(*arrays, strict=True)]
    assert got.tolist() == want


@pytest.mark.parametrize(
    "name, source, result",
    [
        ("float_as_int", "float32", "int32"), ("float_as_uint", "float32", "uint32"),
        ("int_as_float", "int32", "float32"), ("uint_as_float", "uint32", "float32"),
        ("double_as_longlong", "float64", "int64"), ("longlong_as_double", "int64", "float64"),
    ],
)  # fmt: skip
def test_bits(apply, rng, name, source, result):
    x = rng.integers(0, 1 << 30, 64).astype(f"u{np.dtype(source).itemsize}").view(source)
    assert apply(name, [x], result).tobytes() == x.tobytes()


def test_low_and_high_words(apply, rng):
    x = rng.standard_normal(64)
    low, high = x.view(np.int32)[::2].copy(), x.view(np.int32)[1::2].copy()
    np.testing.assert_array_equal(apply("double2loint", [x], "int32"), low)
    np.testing.assert_array_equal(apply("double2hiint", [x], "int32"), high)
    np.testing.assert_array_equal(apply("hiloint2double", [high, low], "float64"), x)


def floats(rng, dtype):
    info = np.finfo(dtype)
    x = np.exp2(rng.uniform(info.minexp - info.nmant, info.maxexp - 1, COUNT)) * rng.choice(
        [-1.0, 1.0], COUNT
    )
    x = x.astype(dtype)
    x[:10] = [0, -0.0, np.inf, -np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal, 1, -2]
    return x


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_exponents(apply, rng, dtype):
    x = floats(rng, dtype)
    want = [-(2**31) if v == 0 or math.isnan(v) else 2**31 - 1 if math.isinf(v) else math.frexp(v)[1] - 1
            for v in x.tolist()]  # fmt: skip
    assert apply("ilogb", [x], "int32").tolist() == want
    as_float = [
        -np.inf if v == 0 else abs(v) if not math.isfinite(v) else math.frexp(v)[1] - 1 for v in x.tolist()
    ]
    np.testing.assert_array_equal(apply("logb", [x], dtype), as_float)
    np.testing.assert_array_equal(apply("signbit", [x], "int32"), np.signbit(x))


@pytest.mark.parametrize("name", ["ldexp", "scalbn"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scaling(apply, rng, name, dtype):
    x = floats(rng, dtype)
    n = rng.integers(-2200, 2200, COUNT).astype(np.int32)
    n[COUNT // 2 :] //= 20
    n[10:14] = [2**31 - 1, -(2**31), 5000, -5000]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(apply(name, [x, n], dtype), np.ldexp(x, n))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nextafter(apply, rng, dtype):
    x, y = floats(rng, dtype), floats(rng, dtype)[::-1].copy()
    y[20:40] = x[20:40]
    np.testing.assert_array_equal(apply("nextafter", [x, y], dtype), np.nextafter(x, y))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_to_int64(apply, rng, dtype):
    x = np.concatenate([rng.uniform(-9, 9, 240), np.arange(-4, 4, 0.5)]).astype(dtype)
    np.testing.assert_array_equal(apply("llrint", [x], "int64"), np.rint(x).astype(np.int64))
    away = np.trunc(x + np.copysign(0.5, x)).astype(np.int64)
    np.testing.assert_array_equal(apply("llround", [x], "int64"), away)


MISTAKES = [
    (lambda x: tl.extra.libdevice.log1p(x.to(tl.int32)), r"libdevice\.log1p takes floats, got int32"),
    (lambda x: tl.extra.libdevice.clz(x), r"libdevice\.clz takes \(int32\) or \(int64\), got \(fp32\)"),
    (lambda x: tl.extra.libdevice.float2int_rn(x.to(tl.float64)), r"takes \(fp32\), got \(fp64\)"),
    (lambda x: tl.extra.libdevice.add_rd(x.to(tl.float16), x.to(tl.float16)), r"takes float32 and float64"),
    (lambda x: tl.extra.libdevice.pow(x, "2"), r"libdevice\.pow takes blocks, scalars and numbers, got '2'"),
]


@pytest.mark.parametrize("function, message", MISTAKES)
def test_mistakes(tile, function, message):
    from tilewright.language.builtin import builtin

    made = builtin(function)

    def kernel(p, F: tl.constexpr):
        tl.store(p, F(tl.load(p)))

    with pytest.raises(CompilationError, match=message):
        tile(kernel, "*fp32", F=made)
