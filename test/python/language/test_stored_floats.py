"""8-bit floats that exist only in memory, on every back end: all codes, and all rounding modes."""

import itertools

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.frontend import CompilationError

CODES = np.arange(256, dtype=np.uint8)


def _values():
    """Returns the values of the codes of each type."""
    as_f16 = ((CODES.astype(np.uint16) & 0x7F) << 7 | (CODES.astype(np.uint16) & 0x80) << 8).view(np.float16)
    return {
        "float8e4b15": as_f16.astype(np.float64),
        "float8e4b8": CODES.view(ml_dtypes.float8_e4m3fnuz).astype(np.float64),
        "float8e5b16": CODES.view(ml_dtypes.float8_e5m2fnuz).astype(np.float64),
    }


VALUES = _values()
TYPES = {name: getattr(tl, name) for name in VALUES}


@tw.jit
def widen(x, out, N: tl.constexpr, TYPE: tl.constexpr):
    i = tl.arange(0, N)
    codes = x.to(tl.pointer_type(TYPE))
    tl.store(out + i, tl.load(codes + i))


@tw.jit
def narrow(x, out, N: tl.constexpr, TYPE: tl.constexpr, ROUNDING: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i).to(TYPE, fp_downcast_rounding=ROUNDING)
    tl.store(out.to(tl.pointer_type(TYPE)) + i, value)


@tw.jit
def move(x, out, N: tl.constexpr, TYPE: tl.constexpr):
    """Loads with a mask, selects, transposes and fills, without arithmetic."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    offsets = i * N + j
    value = tl.load(x.to(tl.pointer_type(TYPE)) + offsets, mask=i > 0, other=1.0)
    value = tl.where(i == j, tl.full((N, N), -0.75, TYPE), value.T)
    tl.store(out.to(tl.pointer_type(TYPE)) + offsets, value)


@tw.jit
def dot_kernel(x, y, out, N: tl.constexpr, TYPE: tl.constexpr):
    offsets = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = (tl.load(p.to(tl.pointer_type(TYPE)) + offsets) for p in (x, y))
    tl.store(out + offsets, tl.dot(a, b))


@pytest.mark.parametrize("wide", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("name", TYPES)
def test_every_code(backend, name, wide):
    out = backend.poisoned((256,), wide)
    widen[1,](backend.array(CODES), out, 256, TYPES[name])
    np.testing.assert_array_equal(backend.numpy(out), VALUES[name])
    known = ~np.isnan(VALUES[name])
    assert np.array_equal(np.signbit(backend.numpy(out))[known], np.signbit(VALUES[name])[known])


@tw.jit
def widen_array(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i))


@pytest.mark.parametrize("name", ["float8_e4m3fnuz", "float8_e5m2fnuz"])
def test_arrays_of_them(backend, name):
    codes = CODES.view(getattr(ml_dtypes, name))
    out, again = backend.poisoned((256,), "float32"), backend.array(np.zeros(256), name)
    widen_array[1,](backend.array(codes), out, 256)
    np.testing.assert_array_equal(backend.numpy(out), codes.astype(np.float32))
    widen_array[1,](out, again, 256)  # each is a number of the type, or NaN
    np.testing.assert_array_equal(backend.numpy(again), codes.astype(np.float32))
    assert tw.empty(3, name, device="cpu").dtype == codes.dtype


def nearest(values, x, rounding):
    """The code of the number nearest to `x`, ties to the even code, or towards zero; the largest beyond it."""
    positive = values[:0x80]
    size = abs(x)
    above = int(np.searchsorted(positive, size))
    if above == 0x80 or positive[above] == size:
        code = min(above, 0x7F)
    elif rounding == "rtz":
        code = above - 1
    else:
        low, high = size - positive[above - 1], positive[above] - size
        code = above - 1 if low < high or (low == high and above % 2) else above
    negative_zero = np.isnan(values[0x80]) and code == 0
    return code | (0x80 if np.signbit(x) and not negative_zero else 0)


@pytest.mark.parametrize("rounding", [None, "rtz"])
@pytest.mark.parametrize("wide", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", TYPES)
def test_rounding(backend, rng, name, wide, rounding):
    values = VALUES[name]
    ties = (values[:0x7F] + values[1:0x80]) / 2
    x = np.concatenate([ties, -ties, np.nextafter(ties, 1e9), np.nextafter(ties, -1e9), values[:0x80]])
    x = np.concatenate([x, rng.choice([-1, 1], 2048 - x.size) * np.exp2(rng.uniform(-24, 18, 2048 - x.size))])
    with np.errstate(over="ignore"):
        x = x.astype(wide)
    x[:4] = [np.inf, -np.inf, 0.0, -0.0]
    out = backend.poisoned((2048,), "uint8")
    narrow[1,](backend.array(x), out, 2048, TYPES[name], rounding)
    want = [nearest(values, float(v), rounding) for v in x]
    np.testing.assert_array_equal(backend.numpy(out), want)


@pytest.mark.parametrize("name, code", [("float8e4b15", 0x7F), ("float8e4b8", 0x80), ("float8e5b16", 0x80)])
def test_nan(backend, name, code):
    out = backend.poisoned((4,), "uint8")
    narrow[1,](backend.array(np.full(4, np.nan, np.float32)), out, 4, TYPES[name], None)
    assert backend.numpy(out).tolist() == [code] * 4


@pytest.mark.parametrize("name", TYPES)
def test_integers(backend, rng, name):
    x = rng.integers(-300, 300, 256).astype(np.int32)
    out = backend.poisoned((256,), "uint8")
    narrow[1,](backend.array(x), out, 256, TYPES[name], None)
    assert backend.numpy(out).tolist() == [nearest(VALUES[name], float(v), None) for v in x]


@pytest.mark.parametrize("name", TYPES)
def test_moves(backend, name):
    codes = np.resize(CODES, (32, 32))
    out = backend.poisoned((32, 32), "uint8")
    move[1,](backend.array(codes), out, 32, TYPES[name])
    want = codes.copy()
    want[0] = nearest(VALUES[name], 1.0, None)
    want = want.T.copy()
    np.fill_diagonal(want, nearest(VALUES[name], -0.75, None))
    np.testing.assert_array_equal(backend.numpy(out), want)


@pytest.mark.parametrize("name", TYPES)
def test_dot(backend, rng, name):
    usable = np.flatnonzero(np.abs(np.nan_to_num(VALUES[name], nan=1e9)) <= 8).astype(np.uint8)
    x, y = rng.choice(usable, (32, 32)), rng.choice(usable, (32, 32))
    out = backend.poisoned((32, 32), "float32")
    dot_kernel[1,](backend.array(x), backend.array(y), out, 32, TYPES[name])
    backend.check(out, VALUES[name][x] @ VALUES[name][y], "float32")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + x,
        lambda x: -x,
        lambda x: x > 0,
        lambda x: tl.abs(x),
        lambda x: tl.sum(x, 0),
        lambda x: x * 2.0,
    ],
)
def test_computing_is_refused(tile, function):
    from tilewright.language.builtin import builtin

    made = builtin(function)

    def kernel(p, F: tl.constexpr):
        F(tl.load(p + tl.arange(0, 16)))

    with pytest.raises(CompilationError, match=r"does not take .*fp8e4b8.* only loaded, stored and cast"):
        tile(kernel, "*fp8e4b8", F=made)


@pytest.mark.compiled
@pytest.mark.parametrize("name", TYPES)
def test_assembles_for_a_gpu(assemble, name):
    constants = {"N": 1024, "TYPE": TYPES[name]}
    assemble(widen, {"x": "*u8", "out": "*fp16"}, constants)
    assemble(narrow, {"x": "*fp32", "out": "*u8"}, {**constants, "ROUNDING": None})
    assemble(dot_kernel, {"x": "*u8", "y": "*u8", "out": "*fp32"}, {"N": 64, "TYPE": TYPES[name]})


EIGHT_BITS = [*TYPES, "float8e4nv", "float8e5"]
OTHERS = "int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split()


@tw.jit
def convert(x, direct, by_float, N: tl.constexpr, FROM: tl.constexpr, TO: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x.to(tl.pointer_type(FROM)) + i)
    tl.store(direct.to(tl.pointer_type(TO)) + i, value.to(TO))
    tl.store(by_float.to(tl.pointer_type(TO)) + i, value.to(tl.float32).to(TO))


@pytest.mark.parametrize("name, to", list(itertools.permutations(EIGHT_BITS, 2)))
def test_from_one_kind_to_another(backend, name, to):
    """float32 represents all of them, so each conversion goes through it."""
    direct, by_float = (backend.poisoned((256,), "uint8") for _ in range(2))
    convert[1,](backend.array(CODES), direct, by_float, 256, getattr(tl, name), getattr(tl, to))
    np.testing.assert_array_equal(backend.numpy(direct), backend.numpy(by_float))


@tw.jit
def there_and_back(x, out, N: tl.constexpr, TYPE: tl.constexpr, OTHER: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x.to(tl.pointer_type(TYPE)) + i)
    tl.store(out.to(tl.pointer_type(TYPE)) + i, value.to(OTHER).to(TYPE))


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", EIGHT_BITS)
def test_to_every_type_and_back(backend, name, other):
    """All types have 0, 1 and 2, except that int1 and float8e4b15 have no 2."""
    one = {
        "float8e4b15": 0x78,
        "float8e4b8": 0x40,
        "float8e5b16": 0x40,
        "float8e4nv": 0x38,
        "float8e5": 0x3C,
    }[name]
    two = one + (8 if "e4" in name else 4)
    has_two = other != "int1" and name != "float8e4b15"
    codes = np.array([0, one, two if has_two else one, 0], np.uint8)
    out = backend.poisoned((4,), "uint8")
    there_and_back[1,](backend.array(codes), out, 4, getattr(tl, name), getattr(tl, other))
    np.testing.assert_array_equal(backend.numpy(out), codes)


@pytest.mark.compiled
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("name", EIGHT_BITS)
def test_gpus_have_every_direction(name, target):
    from tilewright.options import Options
    from tilewright.runtime.compiler import compile_kernel

    def compile_(kernel, out, **constants):
        types = {"x": "*u8", **dict.fromkeys(out, "*u8")}
        constants = {"N": 128, **constants}
        compile_kernel(kernel.fn, types, constants, {}, target, Options(), stop_after="ptx")

    for other in OTHERS:
        compile_(there_and_back, ["out"], TYPE=getattr(tl, name), OTHER=getattr(tl, other))
    for other in EIGHT_BITS:
        compile_(convert, ["direct", "by_float"], FROM=getattr(tl, name), TO=getattr(tl, other))


@tw.jit
def narrow_all(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


@pytest.mark.parametrize("source", ["float32", "float16", "bfloat16", "float64", "int32", "int64", "uint32"])
@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_large_numbers_saturate(backend, name, source):
    values = [1, 447, 448, 449, 464, 465, 57344, 61439, 61440, 65000]
    if "int32" in source or "int64" in source:
        values += [2**31 - 1]
    else:
        values += [np.inf, -np.inf, np.nan, -500, -62000]
    if source == "int32":
        values += [-(2**31), -449]
    with np.errstate(over="ignore"):
        x = np.array(values).astype(getattr(ml_dtypes, source, None) or source)
    target = np.dtype(getattr(ml_dtypes, name))
    most = float(ml_dtypes.finfo(target).max)
    out = backend.poisoned(x.shape, name)
    narrow_all[1,](backend.array(x), out, len(x))
    expected = np.clip(x.astype(np.float64), -most, most).astype(target)
    np.testing.assert_array_equal(backend.numpy(out).astype(np.float64), expected.astype(np.float64))
