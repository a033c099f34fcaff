"""fma and casts round once, on every back end: halfway cases and random bits against exact fractions."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

COUNT = 4096
#: The significand's bits, the exponent of the least number, and the largest number.
FORMATS = {
    "float64": (53, -1074, (2 - 2.0**-52) * 2.0**1023),
    "float32": (24, -149, (2 - 2.0**-23) * 2.0**127),
    "bfloat16": (8, -133, (2 - 2.0**-7) * 2.0**127),
    "float16": (11, -24, 65504.0),
    "float8_e5m2": (3, -16, 57344.0),
    "float8_e4m3fn": (4, -9, 448.0),
}
TYPES = {name: np.dtype(getattr(ml_dtypes, name, None) or name) for name in FORMATS}
LANGUAGE = {"float8_e5m2": tl.float8e5, "float8_e4m3fn": tl.float8e4nv}


def rounded(exact, name):
    """The fraction as the nearest number of the format, ties to even. 8-bit floats saturate."""
    bits, least, largest = FORMATS[name]
    if exact == 0:
        return 0.0
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    step = Fraction(2) ** max(exponent - bits + 1, least)
    nearest = round(size / step) * step
    if nearest > largest:
        nearest = greatest(name)
    return float(nearest) if exact > 0 else -float(nearest)


def greatest(name):
    """The result of an overflow."""
    return FORMATS[name][2] if name in LANGUAGE else np.inf


def expected_fma(x, y, z, name):
    if not np.all(np.isfinite([x, y, z])):
        with np.errstate(invalid="ignore"):
            result = z if np.isfinite(x) and np.isfinite(y) else float(np.float64(x) * y + z)
        return float(np.copysign(greatest(name), result)) if np.isinf(result) else result
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    return rounded(exact, name) if exact else x * y + z


def random_bits(rng, name):
    """All kinds of numbers: subnormal, near overflow, infinite, NaN."""
    dtype = TYPES[name]
    return rng.integers(0, 256, COUNT * dtype.itemsize, np.uint8).view(dtype)


def near_midpoints(rng, name):
    """Factors whose product is halfway between two numbers, with a much smaller addend: positive, negative or zero."""
    bits, least, largest = FORMATS[name]
    triples = []
    while len(triples) < COUNT:
        width = int(rng.integers(2, bits))
        a, b = (int(rng.integers(2 ** (n - 1), 2**n)) | 1 for n in (width, bits + 1 - width))
        if (a * b).bit_length() != bits + 1:
            continue
        room = int(np.log2(largest)) - bits - 1
        scale = 2.0 ** int(rng.integers(max(least, -room), room))
        addend = 2.0 ** int(rng.integers(least, max(least + 1, int(np.log2(scale)) - 1)))
        triples.append((a, b * scale, addend * float(rng.integers(-1, 2))))
    return np.array(triples).T.astype(TYPES[name])


def operands(rng, name):
    """Random bits, halfway cases, and sums of one magnitude that cancel."""
    near = [np.exp2(rng.uniform(-3, 3, COUNT)).astype(TYPES[name]) for _ in range(3)]
    near[2] = np.where(rng.random(COUNT) < 0.5, -(near[0] * near[1]), -near[2])
    groups = [[random_bits(rng, name) for _ in range(3)], near_midpoints(rng, name), near]
    return [np.concatenate(group) for group in zip(*groups, strict=True)]


@tw.jit
def of_language(x, y, z):
    return tl.fma(x, y, z)


@tw.jit
def of_libdevice(x, y, z):
    return tl.extra.libdevice.fma(x, y, z)


@tw.jit
def of_ptx(x, y, z, TYPE: tl.constexpr, LETTER: tl.constexpr):
    return tl.inline_asm_elementwise(
        f"fma.rn.{TYPE} $0, $1, $2, $3;", f"={LETTER},{LETTER},{LETTER},{LETTER}", [x, y, z], x.dtype, True, 1
    )


@tw.jit
def blocks(x, y, z, out, WAY: tl.constexpr, TYPE: tl.constexpr, LETTER: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a, b, c = tl.load(x + i), tl.load(y + i), tl.load(z + i)
    if WAY == "ptx":
        result = of_ptx(a, b, c, TYPE, LETTER)
    elif WAY == "libdevice":
        result = of_libdevice(a, b, c)
    else:
        result = of_language(a, b, c)
    tl.store(out + i, result)


@tw.jit
def scalars(x, y, z, out, n):
    for i in range(tl.program_id(0) * n, (tl.program_id(0) + 1) * n):
        tl.store(out + i, tl.fma(tl.load(x + i), tl.load(y + i), tl.load(z + i)))


def same_numbers(got, expected):
    """Equal numbers with equal signs; every NaN is one."""
    got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    np.testing.assert_array_equal(got, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(expected[numbers]))


PTX = {"float16": ("f16", "h"), "bfloat16": ("bf16", "h"), "float32": ("f32", "f"), "float64": ("f64", "d")}


@pytest.mark.parametrize("way", ["language", "libdevice", "ptx", "scalars"])
@pytest.mark.parametrize(
    "name", ["float16", "bfloat16", "float32", "float64", "float8_e5m2", "float8_e4m3fn"]
)
def test_fma(backend, rng, name, way):
    if name not in PTX and way in ("ptx", "libdevice"):
        pytest.skip("takes no floats of 8 bits")
    x, y, z = (v[:: 12 if way == "scalars" else 1] for v in operands(rng, name))
    out = backend.poisoned(x.shape, name)
    arrays = [*(backend.array(v) for v in (x, y, z)), out]
    if way == "scalars":
        scalars[x.size // 64,](*arrays, 64)
    else:
        blocks[x.size // 512,](*arrays, way, *PTX.get(name, ("", "")), 512)
    with np.errstate(invalid="ignore"):
        wide = [v.astype(np.float64).tolist() for v in (x, y, z)]
    same_numbers(backend.numpy(out), [expected_fma(*v, name) for v in zip(*wide, strict=True)])


@tw.jit
def cast(x, y, TYPE: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i).to(TYPE))


def around_midpoints(rng, name):
    """float64 numbers at midpoints of neighbours of the format, and next to them."""
    bits, least, largest = FORMATS[name]
    exponents = rng.integers(least, int(np.log2(largest)) - bits + 2, COUNT // 4)
    low = rng.integers(0, 2**bits, exponents.size).astype(np.float64)
    middle = (low + 0.5) * np.exp2(exponents.astype(np.float64)) * rng.choice([-1.0, 1.0], exponents.size)
    ends = [0.0, -0.0, np.inf, -np.inf, largest, 2 * largest, 2.0**-1074, -(2.0**-1022)]
    middle[: len(ends)] = ends
    return np.concatenate(
        [middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf), middle * 1.25]
    )


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "float64"])
def test_narrowing_of_float64(backend, rng, name):
    x = around_midpoints(rng, name)
    y = backend.poisoned(x.shape, name)
    cast[x.size // 512,](backend.array(x), y, LANGUAGE.get(name) or getattr(tl, name), 512)
    expected = [rounded(Fraction(v), name) if np.isfinite(v) else greatest(name) for v in x]
    same_numbers(backend.numpy(y), np.copysign(expected, x))


@tw.jit
def cast_scalars(x, y, TYPE: tl.constexpr):
    tl.store(y + tl.program_id(0), tl.load(x + tl.program_id(0)).to(TYPE))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "float8_e5m2"])
@pytest.mark.parametrize("source", ["int32", "uint32", "int64", "uint64"])
def test_integers(backend, rng, source, name):
    info = np.iinfo(source)
    exponents = rng.integers(2, info.bits - 1, COUNT)
    tops = [int(v) for v in rng.integers(2**8, 2**9, COUNT)]
    numbers = [
        (top << int(e) >> 8) + int(d)
        for top, e, d in zip(tops, exponents, rng.integers(-1, 2, COUNT), strict=True)
    ]
    x = np.array([min(v, info.max) for v in numbers], source)
    x = np.where(rng.random(COUNT) < 0.5, -x, x) if info.min else x
    x[:3] = [info.min, info.max, info.max - 1]
    y = backend.poisoned(x.shape, name)
    cast[x.size // 512,](backend.array(x), y, LANGUAGE.get(name) or getattr(tl, name), 512)
    expected = [rounded(Fraction(int(v)), name) for v in x]
    same_numbers(backend.numpy(y), expected)
    few = backend.poisoned(64, name)
    cast_scalars[64,](backend.array(x[:64]), few, LANGUAGE.get(name) or getattr(tl, name))
    same_numbers(backend.numpy(few), expected[:64])


@tw.jit
def constants(y, TYPE: tl.constexpr):
    tl.store(y, tl.full((), 1.00390625000001, TYPE))
    tl.store(y + 1, tl.full((), 65519.0, TYPE))
    tl.store(y + 2, tl.full((), 65520.0, TYPE))
    tl.store(y + 3, tl.full((), -3.3961775292304957e38, TYPE))
    tl.store(y + 4, tl.full((), 3.4028235677973362e38, TYPE))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
def test_constants(backend, name):
    y = backend.poisoned(5, name)
    constants[1,](y, getattr(tl, name))
    numbers = [1.00390625000001, 65519.0, 65520.0, -3.3961775292304957e38, 3.4028235677973362e38]
    same_numbers(backend.numpy(y), [rounded(Fraction(v), name) for v in numbers])
