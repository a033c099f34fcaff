"""Functions of floats against NumPy in more precision: errors in units in the last place (ULP)."""

import math

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

COUNT = 4096
_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])
_PI = np.longdouble("3.14159265358979323846264338327950288")


def _sinpi(x):
    return np.sin(_PI * np.fmod(x, 2))


# name: (reference, ranges of the arguments, ULP of float32, ULP of float64)
FUNCTIONS = {
    "acos": (np.arccos, [(-1, 1)], 4, 4),
    "acosh": (np.arccosh, [(1, 1e6)], 4, 4),
    "asin": (np.arcsin, [(-1, 1)], 4, 4),
    "asinh": (np.arcsinh, [(-1e6, 1e6)], 4, 4),
    "atan": (np.arctan, [(-100, 100)], 4, 4),
    "atan2": (np.arctan2, [(-9, 9), (-9, 9)], 4, 4),
    "atanh": (np.arctanh, [(-0.99, 0.99)], 4, 4),
    "cbrt": (np.cbrt, [(-1e6, 1e6)], 4, 4),
    "rcbrt": (lambda x: 1 / np.cbrt(x), [(0.01, 1e6)], 1, 4),
    "cos": (np.cos, [(-50, 50)], 4, 4),
    "cosh": (np.cosh, [(-80, 80)], 4, 4),
    "cospi": (lambda x: _sinpi(x + np.longdouble(0.5)), [(-30.3, 30.3)], 6, 6),
    "sinpi": (_sinpi, [(-30.3, 30.3)], 6, 6),
    "erf": (_erf, [(-4, 4)], 4, 4),
    "erfc": (_erfc, [(-4, 9)], 5, 50),
    "exp": (np.exp, [(-80, 80)], 3, 3),
    "exp10": (lambda x: np.longdouble(10) ** x, [(-35, 35)], 2, 4),
    "exp2": (np.exp2, [(-100, 100)], 3, 3),
    "expm1": (np.expm1, [(-20, 80)], 4, 4),
    "fdim": (lambda x, y: np.maximum(x - y, 0), [(-9, 9), (-9, 9)], 0.5, 0.5),
    "fma": (lambda x, y, z: x * y + z, [(-9, 9)] * 3, 0.6, 600),
    "fmod": (np.fmod, [(-1e3, 1e3), (0.3, 9)], 0, 0),
    "hypot": (np.hypot, [(-1e3, 1e3)] * 2, 1, 2),
    "log": (np.log, [(1e-6, 1e6)], 4, 4),
    "log10": (np.log10, [(1e-6, 1e6)], 4, 4),
    "log1p": (np.log1p, [(-0.9, 1e6)], 4, 4),
    "log2": (np.log2, [(1e-6, 1e6)], 4, 4),
    "norm3d": (lambda *v: np.sqrt(sum(x * x for x in v)), [(-1e3, 1e3)] * 3, 1, 3),
    "norm4d": (lambda *v: np.sqrt(sum(x * x for x in v)), [(-1e3, 1e3)] * 4, 1, 3),
    "pow": (np.power, [(0.01, 20), (-9, 9)], 4, 4),
    "rhypot": (lambda x, y: 1 / np.hypot(x, y), [(-1e3, 1e3)] * 2, 1, 3),
    "rnorm3d": (lambda *v: 1 / np.sqrt(sum(x * x for x in v)), [(-1e3, 1e3)] * 3, 1, 4),
    "rnorm4d": (lambda *v: 1 / np.sqrt(sum(x * x for x in v)), [(-1e3, 1e3)] * 4, 1, 4),
    "rsqrt": (lambda x: 1 / np.sqrt(x), [(1e-6, 1e6)], 2, 2),
    "rsqrt_rn": (lambda x: 1 / np.sqrt(x), [(1e-6, 1e6)], 0.51, 2),
    "saturatef": (lambda x: np.clip(x, 0, 1), [(-2, 2)], 0, 0),
    "sin": (np.sin, [(-50, 50)], 4, 4),
    "sinh": (np.sinh, [(-80, 80)], 4, 4),
    "sqrt": (np.sqrt, [(0, 1e6)], 0.51, 0.51),
    "tan": (np.tan, [(-50, 50)], 5, 5),
    "tanh": (np.tanh, [(-10, 10)], 4, 4),
}
EXACT = {
    "ceil": np.ceil,
    "floor": np.floor,
    "nearbyint": np.rint,
    "rint": np.rint,
    "round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "trunc": np.trunc,
}
FAST = {
    "fast_cosf": (np.cos, [(-3, 3)]), "fast_sinf": (np.sin, [(-3, 3)]), "fast_tanf": (np.tan, [(-1, 1)]),
    "fast_tanhf": (np.tanh, [(-5, 5)]), "fast_expf": (np.exp, [(-20, 20)]),
    "fast_exp10f": (lambda x: 10**x, [(-9, 9)]), "fast_logf": (np.log, [(2, 1e6)]),
    "fast_log2f": (np.log2, [(2, 1e6)]), "fast_log10f": (np.log10, [(2, 1e6)]),
    "fast_dividef": (np.divide, [(-9, 9), (1, 9)]), "fast_powf": (np.power, [(0.1, 9), (-3, 3)]),
}  # fmt: skip


@tw.jit
def power(x, out, N: tl.constexpr, E: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.extra.libdevice.pow(tl.load(x + i), E))


def arguments(rng, ranges, dtype):
    return [rng.uniform(low, high, COUNT).astype(dtype) for low, high in ranges]


def ulps(got, want, dtype):
    unit = np.spacing(np.abs(want.astype(dtype))).astype(np.longdouble)
    return np.abs(got.astype(np.longdouble) - want) / unit


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors(apply, rng, name, dtype):
    function, ranges, *limits = FUNCTIONS[name]
    values = arguments(rng, ranges, dtype)
    want = np.asarray(function(*(v.astype(np.longdouble) for v in values)), np.longdouble)
    got = apply(name, values, dtype)
    assert ulps(got, want, dtype).max() <= limits[dtype == "float64"]


@pytest.mark.parametrize("low, high, largest", [(0.7, 1.45, 200), (0.99, 1.01, 5000), (1e-40, 1e-36, 1)])
def test_powers_far_from_one(apply, rng, low, high, largest):
    """Results over all of float32, for which the logarithm takes more than its precision."""
    x, y = arguments(rng, [(low, high), (-largest, largest)], "float32")
    want = np.power(x.astype(np.longdouble), y)
    got = apply("pow", [x, y], "float32")
    normal = (want > 2e-38) & (want < 3e38)
    assert normal.sum() > COUNT / 2
    assert ulps(got[normal], want[normal], np.float32).max() <= 4


def test_powers_of_special_numbers(apply):
    numbers = [0.0, 1, 2, 0.5, 3, np.inf, np.nan, 1e-45, 3e38, 2.5, 8388609.0, 16777218.0, 0.99]
    numbers = np.array([*numbers, 1e-30, 7, 1e10], np.float32)
    numbers = np.concatenate([numbers, -numbers])
    x, y = (each.ravel().copy() for each in np.meshgrid(numbers, numbers))
    with np.errstate(all="ignore"):
        want = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    got = np.concatenate(
        [apply("pow", [x[i : i + 256], y[i : i + 256]], "float32") for i in range(0, 1024, 256)]
    )
    np.testing.assert_allclose(got, want, rtol=4e-7, atol=3e-45)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(np.where(np.isnan(want), got, want)))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("exponent", [1, 2, 3, 4, 5, -1, 0.5])
def test_powers_of_constants(backend, rng, dtype, exponent):
    x = rng.uniform(0.1, 9, 256).astype(dtype)
    out = backend.poisoned(256, dtype)
    power[(1,)](backend.array(x, dtype), out, 256, exponent)
    want = np.power(x.astype(np.longdouble), exponent)
    assert ulps(backend.numpy(out), want, dtype).max() <= (4 if dtype != "float16" else 0.6)


@pytest.mark.parametrize("name", "log10 expm1 cbrt asinh acosh atanh sinh cosh asin acos atan".split())
def test_ends_of_ranges(apply, rng, name):
    """Numbers of all magnitudes, also subnormal ones, near the ends of domains and ranges."""
    x = np.ldexp(rng.uniform(1, 2, COUNT), rng.integers(-148, 127, COUNT)).astype(np.float32)
    x[:1024] = rng.uniform(-1.1, 1.1, 1024)
    x[1024:2048] = rng.uniform(87, 90, 1024)
    x[2048:3072] *= -1
    x[-12:] = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3.4e38, -3.4e38, 1e-45, -1e-45, 1e9]
    function, _, limit, _ = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        want = np.asarray(function(x.astype(np.longdouble)), np.longdouble)
        rounded = want.astype(np.float32)
    got = apply(name, [x], "float32")
    finite = np.isfinite(rounded)
    assert ulps(got[finite], want[finite], np.float32).max() <= limit
    np.testing.assert_array_equal(got[~finite], rounded[~finite])
    known = ~np.isnan(rounded)
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(rounded[known]))


def test_directions(apply, rng):
    """atan2 of points of all magnitudes, also subnormal ones, on the axes, and at infinity."""
    x, y = (np.ldexp(rng.uniform(-2, 2, COUNT), rng.integers(-148, 127, COUNT)) for _ in range(2))
    y[:1024] = x[:1024] * rng.uniform(0.5, 2, 1024)
    x, y = x.astype(np.float32), y.astype(np.float32)
    ends = np.array([0, 1, np.inf, np.nan, 1e-45, 3.4e38, 1e-38, 2], np.float32)
    ends = np.concatenate([ends, -ends])
    y[-256:], x[-256:] = (each.ravel() for each in np.meshgrid(ends, ends))
    want = np.arctan2(y.astype(np.longdouble), x)
    got = apply("atan2", [y, x], "float32")
    known = ~np.isnan(want)
    assert ulps(got[known], want[known], np.float32).max() <= 3
    np.testing.assert_array_equal(np.isnan(got), ~known)
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(want[known]))


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("largest", [1e3, 99_999, 1e6, 1e8])
def test_angles_of_many_turns(apply, rng, name, largest):
    x = rng.uniform(-largest, largest, COUNT).astype(np.float32)
    x[:1024] = np.rint(x[:1024] / (np.pi / 2)) * (np.pi / 2)  # next to the zeros
    x[-4:] = [0.0, -0.0, 100_000, -100_001]
    want = getattr(np, name)(x.astype(np.longdouble))
    got = apply(name, [x], "float32")
    assert ulps(got, want, np.float32).max() <= 4
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["log1p", "asinh", "exp10", "hypot"])
def test_narrow_floats_are_computed_in_float32(apply, backend, rng, name, dtype):
    function, ranges, *_ = FUNCTIONS[name]
    values = [
        backend.numpy(backend.array(v, dtype)).astype(np.float64) for v in arguments(rng, ranges, "float32")
    ]
    values = [np.clip(v, 0.25, 4) for v in values]
    out = apply(
        name, [backend.array(v, dtype) if backend.name != "cuda" else v.astype(dtype) for v in values], dtype
    )
    rounded = backend.numpy(backend.array(function(*values), dtype)).astype(np.float64)
    np.testing.assert_allclose(
        out.astype(np.float64), rounded, rtol=2.0**-7 if dtype == "bfloat16" else 2.0**-10
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", EXACT)
def test_whole_numbers(apply, rng, name, dtype):
    x = np.concatenate([rng.uniform(-9, 9, 1000), np.arange(-6, 6, 0.5)]).astype(dtype)
    np.testing.assert_array_equal(apply(name, [x], dtype), EXACT[name](x))


@pytest.mark.parametrize("name", FAST)
def test_fast_functions(apply, rng, name):
    function, ranges = FAST[name]
    values = arguments(rng, ranges, "float32")
    want = function(*(v.astype(np.float64) for v in values))
    np.testing.assert_allclose(apply(name, values, "float32"), want, rtol=2e-3, atol=2e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_remainder_and_copysign(apply, rng, dtype):
    x = np.concatenate([rng.uniform(-1e4, 1e4, 500), [5, -5, 2.5, 3.5, 7, 1, 0, -0.0, 1e30, 3, 3, 3]]).astype(
        dtype
    )
    y = np.concatenate([rng.uniform(-9, 9, 500), [2, 2, 1, 1, 2, 3, 1, 1, 7, np.inf, 1e-40, 6]]).astype(dtype)
    got = apply("remainder", [x, y], dtype)
    want = np.array(
        [math.remainder(a, b) if b else np.nan for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    )
    np.testing.assert_array_equal(got, want.astype(dtype))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
    np.testing.assert_array_equal(apply("copysign", [x, y], dtype), np.copysign(x, y))


SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-30], np.float32)


@pytest.mark.parametrize("name, test", [("isnan", np.isnan), ("isinf", np.isinf), ("finitef", np.isfinite)])
def test_questions(apply, name, test):
    np.testing.assert_array_equal(apply(name, [SPECIAL], "bool"), test(SPECIAL))


def test_questions_of_float64(apply):
    x = SPECIAL.astype(np.float64)
    np.testing.assert_array_equal(apply("isfinited", [x], "bool"), np.isfinite(x))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_values(apply, dtype):
    x, inf = SPECIAL.astype(dtype), np.inf
    y = np.array([inf, -inf, 1, inf, inf, -inf, 0, np.nan], dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(apply("hypot", [x, y], dtype), np.hypot(x, y))
        np.testing.assert_array_equal(apply("fdim", [x, y], dtype)[:7], np.maximum(x - y, 0)[:7])
    assert np.isnan(apply("sinpi", [x], dtype)[2:5]).all() and np.isnan(apply("cospi", [x], dtype)[2:5]).all()
    np.testing.assert_array_equal(apply("cospi", [np.array([0, 0.5, 1, 1.5], dtype)], dtype), [1, 0, -1, 0])
    np.testing.assert_array_equal(
        apply("exp10", [np.array([inf, -inf, 0, 400], dtype)], dtype), [inf, 0, 1, inf]
    )


def test_lengths_neither_overflow_nor_vanish(apply):
    x = np.array([3e300, 3e-300, 5e-324, 1.5e308], np.float64)
    y = np.array([4e300, 4e-300, 0, 1e308], np.float64)
    np.testing.assert_allclose(apply("hypot", [x, y], "float64"), np.hypot(x, y), rtol=1e-15)


def test_reciprocal_of_the_upper_half(apply, rng):
    x = rng.uniform(0.1, 9, 64)
    got = apply("rcp64h", [x], "float64")
    assert (got.view(np.uint64) & 0xFFFFFFFF == 0).all()
    np.testing.assert_allclose(got, 1 / x, rtol=2.0**-20)


@pytest.mark.compiled
@pytest.mark.parametrize("name", tl.extra.libdevice.__all__)
def test_every_function_assembles_for_a_gpu(assemble, kernels, name):
    import inspect

    function = getattr(tl.extra.libdevice, name)
    arity = len(inspect.signature(function).parameters)
    for types in _signatures(function.__doc__, arity):
        names = "xyzw"[:arity]
        pointers = {n: f"*{ty}" for n, ty in zip(names, types, strict=True)}
        assemble(kernels[arity], {**pointers, "out": "*fp64"}, {"N": 128, "F": function})


def _signatures(text, arity):
    """The types that the documentation says a function takes."""
    import re

    if "floats of one dtype" in text or "Takes a float" in text or "Takes float32 or float64" in text:
        return [("fp32",) * arity, ("fp64",) * arity]
    line = text[text.index("Takes (") :].split(".")[0]
    return [
        tuple(ty.replace("uint", "u").replace("int", "i") for ty in group.split(", "))
        for group in re.findall(r"\(([^)]*)\)", line)
    ]
