"""The back end under test agrees with the interpreter on every operation. The interpreter is tested against NumPy."""

import importlib.util
import itertools

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw

pytestmark = pytest.mark.compiled
N = 64
TYPES = {
    "int1": np.bool_, "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64,
    "float8e4nv": ml_dtypes.float8_e4m3fn, "float8e5": ml_dtypes.float8_e5m2,
}  # fmt: skip
FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
# Relative to the magnitude of the result: rounding to the type, and a few units of mathematical functions.
TOLERANCE = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 2e-6, "float64": 1e-13}

TEMPLATE = """
import tilewright as tw
import tilewright.language as tl


@tw.jit
def multiply(a, b):
    return a * b


@tw.jit
def kernel(out_ptr, a_ptr, b_ptr, n, N: tl.constexpr, COUNT: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    m = a.reshape(4, 16)
    result = {expression}
    tl.store(out_ptr + tl.arange(0, COUNT), tl.reshape(result, (COUNT,)))
"""


def load(expression, directory):
    path = directory / "generated_kernel.py"
    path.write_text(TEMPLATE.format(expression=expression))
    spec = importlib.util.spec_from_file_location(f"generated_{abs(hash(expression))}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def values(dtype, low, high, seed):
    rng = np.random.default_rng(seed)
    kind = np.dtype(TYPES[dtype])
    if dtype[:3] in ("int", "uin"):
        low = max(low, 0) if dtype[0] == "u" or dtype == "int1" else low
        return rng.integers(low, high, N).astype(kind)
    return rng.uniform(low, high, N).astype(kind)


def check(backend, tmp_path, expression, dtype, out, count=N, low=-8, high=8, low_b=None, exact=False):
    kernel = load(expression, tmp_path)
    a = values(dtype, low, high, 1)
    b = values(dtype, low if low_b is None else low_b, high, 2)
    expected = np.zeros(count, TYPES[out])
    tw.interpret(kernel)[1,](expected, a, b, 5, N=N, COUNT=count)
    result = backend.array(np.zeros(count, TYPES[out]))
    kernel[1,](result, backend.array(a), backend.array(b), 5, N=N, COUNT=count)
    result = backend.numpy(result)
    expected = backend.numpy(expected)
    if exact or out not in TOLERANCE:
        np.testing.assert_array_equal(result, expected)
        return
    limit = TOLERANCE[out]
    result, expected = result.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_allclose(result, expected, rtol=limit, atol=limit)


@pytest.mark.parametrize("dtype", FLOATS + INTS)
@pytest.mark.parametrize(
    "op", ["a + b", "a - b", "a * b", "tl.maximum(a, b)", "tl.minimum(a, b)", "-a", "tl.abs(a)"]
)
def test_arithmetic(backend, tmp_path, op, dtype):
    check(backend, tmp_path, op, dtype, dtype, exact=True)


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize(
    "op", ["a // b", "a % b", "a & b", "a | b", "a ^ b", "~a", "a >> 2", "a << 3", "a >> (b % 4)"]
)
def test_integers(backend, tmp_path, op, dtype):
    check(backend, tmp_path, op, dtype, dtype, low=-100, high=100, low_b=1)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["a / b", "a % b", "tl.fma(a, b, a)", "tl.clamp(a, -1, b)"])
def test_floats(backend, tmp_path, op, dtype):
    check(backend, tmp_path, op, dtype, dtype, low_b=1)


COMPARISONS = ["a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "tl.where(a < b, a > 1, b > 1)"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int8", "int32", "uint8", "uint32"])
@pytest.mark.parametrize("op", COMPARISONS)
def test_comparisons(backend, tmp_path, op, dtype):
    check(backend, tmp_path, op, dtype, "int1", low=-3, high=3)


MATH = [
    ("exp", -5, 5), ("exp2", -5, 5), ("log", 0.1, 9), ("log2", 0.1, 9), ("sqrt", 0, 9), ("sqrt_rn", 0, 9),
    ("rsqrt", 0.1, 9), ("sin", -5, 5), ("cos", -5, 5), ("math.tanh", -5, 5), ("erf", -3, 3), ("floor", -5, 5),
    ("ceil", -5, 5), ("sigmoid", -5, 5),
]  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name, low, high", MATH, ids=[entry[0] for entry in MATH])
def test_math(backend, tmp_path, name, low, high, dtype):
    check(backend, tmp_path, f"tl.{name}(a)", dtype, dtype, low=low, high=high)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_umulhi(backend, tmp_path, dtype):
    check(backend, tmp_path, "tl.umulhi(a, b)", dtype, dtype, low=0, high=2**31 - 1)


@pytest.mark.parametrize(
    "source, target", [pair for pair in itertools.product(TYPES, TYPES) if pair[0] != pair[1]]
)
def test_casts(backend, tmp_path, source, target):
    check(backend, tmp_path, f"a.to(tl.{target})", source, target, low=0, high=15, exact=True)


@pytest.mark.parametrize("source, target", [("int32", "float32"), ("float32", "uint32"), ("float16", "int16"),
                                            ("bfloat16", "float16"), ("int64", "float64")])  # fmt: skip
def test_bitcasts(backend, tmp_path, source, target):
    check(backend, tmp_path, f"a.to(tl.{target}, bitcast=True)", source, target, exact=True)


REDUCTIONS = [
    ("tl.sum(m, {})", "float32 int32 int64 float64"),
    ("tl.max(m, {})", "float32 int32 uint32"),
    ("tl.min(m, {})", "float32 int64"),
    ("tl.argmax(m, {})", "float32 int32"),
    ("tl.argmin(m, {}).to(tl.int64)", "int64"),
    ("tl.xor_sum(m, {})", "int32"),
    ("tl.reduce(m, {}, multiply)", "float32 int64"),
    ("tl.max(m, {}, return_indices=True)[0]", "float32"),
]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    "op, dtype", [(op, dtype) for op, dtypes in REDUCTIONS for dtype in dtypes.split()], ids=str
)
def test_reductions(backend, tmp_path, op, dtype, axis):
    out = "int32" if "argmax" in op else dtype
    check(backend, tmp_path, op.format(axis), dtype, out, count=(16, 4)[axis], low=-2, high=2)


SHAPES = [
    "tl.trans(m)", "m.T.reshape(64)", "tl.permute(a.reshape(2, 4, 8), (2, 0, 1))", "tl.sum(m, 0)[None, :] + m",
    "tl.sum(m, 1)[:, None] * m", "tl.broadcast_to(tl.max(m, 1, keep_dims=True), (4, 16))", "m + tl.sum(a)",
    "tl.softmax(m, 1)", "tl.rand(n, i)", "tl.randn(n, i)", "a[:, None].reshape(4, 16) + m",
    "tl.where((i < n)[None, :], a, 0.0)",
]  # fmt: skip


@pytest.mark.parametrize("op", SHAPES)
def test_shapes(backend, tmp_path, op):
    check(backend, tmp_path, op, "float32", "float32")


DOTS = [("float16", "float32"), ("bfloat16", "float32"), ("float32", "float32"), ("float64", "float64"),
        ("int8", "int32"), ("float8e5", "float32"), ("float8e4nv", "float32")]  # fmt: skip


@pytest.mark.parametrize("dtype, out", DOTS)
def test_dot(backend, tmp_path, dtype, out):
    stretched = "tl.broadcast_to(m.reshape(1, 4, 16), (4, 4, 16)).reshape(16, 16)"
    dot = f"tl.dot({stretched}, tl.trans({stretched}))"
    check(backend, tmp_path, dot, dtype, out, count=256, low=-2, high=2)
