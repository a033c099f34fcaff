from dataclasses import replace

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright import kernels
from tilewright.kernels.gemm import Config, reference

FLOATS = ("float32", "float16", "bfloat16")
SHAPES = [(1, 1, 1), (64, 64, 64), (128, 256, 96), (130, 67, 200), (16, 300, 33), (5, 513, 1000)]


@tw.jit
def squared_relu(x):
    x = tl.maximum(x, 0.0)
    return x * x


@tw.jit
def masked(x, rows, columns, operands):
    mask_ptr, stride, fill, M, N = operands
    keep = tl.load(mask_ptr + rows * stride + columns, mask=(rows < M) & (columns < N), other=0)
    return tl.where((keep != 0) & (columns <= rows), x, fill)


def normal(backend, rng, shape, dtype, scale=1.0):
    return backend.array(scale * rng.standard_normal(shape), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_matmul(backend, rng, shape, dtype):
    M, N, K = shape
    a, b = normal(backend, rng, (M, K), dtype), normal(backend, rng, (K, N), dtype)
    out = backend.poisoned((M, N), dtype)
    assert kernels.matmul(a, b, out=out) is out
    backend.check(out, reference.matmul(backend.numpy(a), backend.numpy(b)), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("activation", ["none", "relu", "gelu", "gelu_tanh", "silu"])
def test_activation(backend, rng, dtype, activation):
    a, b = normal(backend, rng, (70, 40), dtype, 1 / 6), normal(backend, rng, (40, 90), dtype)
    bias = normal(backend, rng, 90, dtype)
    expected = reference.matmul(*(backend.numpy(x) for x in (a, b, bias)), activation)
    backend.check(kernels.matmul(a, b, bias, activation), expected, dtype)


def test_activation_of_the_user(backend, rng):
    a, b = normal(backend, rng, (33, 40), "float16"), normal(backend, rng, (40, 50), "float16")
    expected = np.maximum(reference.matmul(backend.numpy(a), backend.numpy(b)), 0) ** 2
    out = kernels.matmul(a, b, activation=squared_relu, out_dtype="float32")
    backend.check(out, expected, "float32")


@pytest.mark.parametrize("config", [None, {"swap": True}, {"split_k": 3, "block_k": 32}], ids=str)
def test_activation_with_operands(backend, rng, config):
    a, b = normal(backend, rng, (70, 40), "float16"), normal(backend, rng, (40, 90), "float16")
    mask = rng.integers(0, 2, (70, 90))
    operands = (backend.array(mask, "int8"), 90, -5.0, 70, 90)
    out = backend.poisoned((70, 90), "float32")
    kernels.matmul(a, b, activation=masked, operands=operands, alpha=2.0, out=out, config=config)
    expected = 2 * reference.matmul(backend.numpy(a), backend.numpy(b))
    keep = (mask != 0) & (np.arange(90) <= np.arange(70)[:, None])
    backend.check(out, np.where(keep, expected, -5.0), "float32")


@pytest.mark.parametrize("config", [None, {"swap": True}, {"split_k": 3, "block_k": 32}], ids=str)
@pytest.mark.parametrize("addend", ["c", "residual"])
def test_added_matrix(backend, rng, addend, config):
    a, b = normal(backend, rng, (70, 150), "float16", 1 / 12), normal(backend, rng, (150, 90), "float16")
    added, bias = normal(backend, rng, (70, 1), "float32"), normal(backend, rng, 90, "bfloat16")
    arguments = {"c": added, "alpha": 0.5, "beta": -2.0} if addend == "c" else {"residual": added}
    out = backend.poisoned((70, 90), "float32")
    kernels.matmul(a, b, bias, "silu", out=out, config=config, **arguments)
    numbers = {name: backend.numpy(x) if name == addend else x for name, x in arguments.items()}
    expected = reference.matmul(*(backend.numpy(x) for x in (a, b, bias)), "silu", **numbers)
    backend.check(out, expected, "float32")


@pytest.mark.parametrize("tile", [(128, 128), (64, 256), (64, 192), (128, 192), (128, 64)], ids=str)
@pytest.mark.parametrize("M, N, K", [(128, 128, 64), (328, 520, 200), (640, 384, 136)])
@pytest.mark.parametrize("what", ["plain", "epilogue", "split"])
def test_ping_pong(backend, rng, M, N, K, tile, what):
    """Two warpgroups with a tile each, odd and even numbers of tiles, with and without epilogue."""
    config = Config(*tile, 64, num_warps=4, num_stages=4, ping_pong=True)
    a, b = normal(backend, rng, (M, K), "float16", K**-0.5), normal(backend, rng, (K, N), "float16")
    added, bias = normal(backend, rng, (M, N), "float16"), normal(backend, rng, N, "float16")
    numbers = [backend.numpy(x) for x in (a, b, bias)]
    out = backend.poisoned((M, N), "float16")
    if what == "plain":
        kernels.matmul(a, b, out=out, config=config)
        expected = reference.matmul(*numbers[:2])
    elif what == "epilogue":
        kernels.matmul(a, b, bias, "gelu", residual=added, out=out, config=config)
        expected = reference.matmul(*numbers, "gelu", residual=backend.numpy(added))
    else:
        kernels.matmul(a, b, out=out, alpha=0.5, beta=2.0, c=added, config=replace(config, split_k=2))
        expected = reference.matmul(*numbers[:2], alpha=0.5, beta=2.0, c=backend.numpy(added))
    backend.check(out, expected, "float16")


@pytest.mark.parametrize("rows", [64, 260])
@pytest.mark.parametrize(
    "config",
    [Config(128, 256, 64, 8, 4), Config(128, 192, 64, 4, 5, ping_pong=True), Config(128, 128, 64, 8, 4)],
    ids=["shared tile", "ping-pong", "deep"],
)
def test_long_accumulations(backend, rng, rows, config):
    """Long enough to throttle the producer; the number of steps is not a multiple of the slots."""
    a, b = normal(backend, rng, (rows, 6440), "float16"), normal(backend, rng, (200, 6440), "float16").T
    out = backend.poisoned((rows, 200), "float16")
    kernels.matmul(a, b, out=out, config=config)
    backend.check(out, reference.matmul(backend.numpy(a), backend.numpy(b)), "float16")


def test_result_over_what_is_added(backend, rng):
    a, b = normal(backend, rng, (130, 20), "float32"), normal(backend, rng, (20, 140), "float32")
    out = normal(backend, rng, (130, 140), "float32")
    expected = reference.matmul(backend.numpy(a), backend.numpy(b), c=backend.numpy(out).copy(), beta=3.0)
    backend.check(kernels.matmul(a, b, c=out, beta=3.0, out=out), expected, "float32")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("layout", ["NT", "TN", "TT", "sliced"])
def test_strides(backend, rng, dtype, layout):
    a, b = normal(backend, rng, (100, 70), dtype), normal(backend, rng, (70, 120), dtype)
    if layout == "sliced":
        a, b = a[::2, 3:67], b[1:65, ::3]
    else:
        # The same values in the transposed layout.
        def copy(x):
            return backend.array(backend.numpy(x).T, dtype).T

        a = copy(a) if layout[0] == "T" else a
        b = copy(b) if layout[1] == "T" else b
    backend.check(kernels.matmul(a, b), reference.matmul(backend.numpy(a), backend.numpy(b)), dtype)


@pytest.mark.parametrize("config", [None, {"split_k": 2, "block_k": 16}], ids=str)
@pytest.mark.parametrize(
    ("left", "right"),
    [((3,), (3,)), ((5, 1), (4,)), ((), (2, 3)), ((2, 1, 3), (1, 2, 1)), ((1,), ())],
    ids=str,
)
def test_batch(backend, rng, left, right, config):
    a = normal(backend, rng, (*left, 34, 50), "float16")
    b = normal(backend, rng, (*right, 50, 40), "float16")
    expected = reference.matmul(backend.numpy(a), backend.numpy(b))
    out = backend.poisoned(expected.shape, "float16")
    kernels.matmul(a, b, out=out, config=config)
    backend.check(out, expected, "float16")


def test_batch_of_views(backend, rng):
    """Heads between rows and columns, as attention has them."""
    a, b = normal(backend, rng, (2, 20, 3, 32), "float32"), normal(backend, rng, (2, 24, 3, 32), "float32")
    a, b = a.swapaxes(1, 2), b.swapaxes(1, 2).swapaxes(2, 3)
    backend.check(kernels.matmul(a, b), reference.matmul(backend.numpy(a), backend.numpy(b)), "float32")


@pytest.mark.parametrize("config", [None, {"split_k": 2, "block_k": 32}], ids=str)
def test_int8(backend, rng, config):
    a = backend.array(rng.integers(-128, 128, (70, 130)), "int8")
    b = backend.array(rng.integers(-128, 128, (130, 50)), "int8")
    exact = backend.numpy(a).astype(np.int64) @ backend.numpy(b).astype(np.int64)
    assert np.array_equal(backend.numpy(kernels.matmul(a, b, config=config)), exact)
    backend.check(kernels.matmul(a, b, alpha=0.25, config=config), 0.25 * exact, "float32")


@pytest.mark.parametrize(("left", "right"), [("e4m3fn", "e4m3fn"), ("e4m3fn", "e5m2"), ("e5m2", "e5m2")])
def test_float8(backend, rng, left, right):
    a = normal(backend, rng, (70, 130), f"float8_{left}")
    b = normal(backend, rng, (130, 50), f"float8_{right}")
    expected = reference.matmul(backend.numpy(a), backend.numpy(b))
    # Tensor cores keep some 14 bits of such accumulators.
    backend.check(kernels.matmul(a, b), expected, "float32", factor=400 if backend.name == "cuda" else 1)
    backend.check(kernels.matmul(a, b, out_dtype="bfloat16"), expected, "bfloat16")


@pytest.mark.parametrize(("precision", "factor"), [("tf32", 500), ("tf32x3", 2)])
def test_precision(backend, rng, precision, factor):
    a, b = normal(backend, rng, (64, 128), "float32"), normal(backend, rng, (128, 64), "float32")
    expected = reference.matmul(backend.numpy(a), backend.numpy(b))
    backend.check(kernels.matmul(a, b, precision=precision), expected, "float32", factor=factor)


def test_parts_are_added_in_order(backend, rng):
    a, b = normal(backend, rng, (40, 1000), "float16"), normal(backend, rng, (1000, 40), "float16")
    results = [backend.numpy(kernels.matmul(a, b, config={"split_k": 7})) for _ in range(3)]
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


@pytest.mark.parametrize("seed", range(12))
def test_random(backend, seed):
    rng = np.random.default_rng(seed)
    M, N, K = (int(2 ** rng.uniform(0, 8)) for _ in range(3))
    dtype = str(rng.choice(FLOATS))
    shapes = {"a": (M, K), "b": (K, N), "c": (M, N)}
    arrays = {}
    for name, (rows, columns) in shapes.items():
        transposed, gap, start = rng.random() < 0.5, int(rng.integers(1, 3)), int(rng.integers(0, 4))
        wide = (columns, rows) if transposed else (rows, columns)
        x = normal(backend, rng, (wide[0], start + gap * wide[1]), dtype)[:, start::gap]
        arrays[name] = x.T if transposed else x
    bias = normal(backend, rng, N, dtype) if rng.random() < 0.5 else None
    activation = str(rng.choice(["none", "relu", "gelu", "gelu_tanh", "silu"]))
    addend = str(rng.choice(["c", "residual", "none"]))
    parts = {"split_k": 2, "block_k": 16, "block_m": 64, "block_n": 32}
    config = rng.choice([None, {"swap": True}, parts, {"block_m": 192, "block_n": 48, "block_k": 32}])
    extra = {} if addend == "none" else {addend: arrays["c"]}
    out = backend.poisoned((M, N), dtype)
    kernels.matmul(arrays["a"], arrays["b"], bias, activation, alpha=K**-0.5, out=out, config=config, **extra)
    numbers = [None if x is None else backend.numpy(x) for x in (arrays["a"], arrays["b"], bias)]
    extra = {name: backend.numpy(x) for name, x in extra.items()}
    backend.check(out, reference.matmul(*numbers, activation, alpha=K**-0.5, **extra), dtype)


def test_empty(backend):
    a = backend.array(np.zeros((4, 0)), "float32")
    assert not backend.numpy(kernels.matmul(a, a.T)).any()
    assert tuple(kernels.matmul(a.T, a).shape) == (0, 0)


def test_matmul_refuses(backend):
    a = backend.array(np.zeros((4, 5)), "float32")
    b = backend.array(np.zeros((5, 6)), "float32")
    i = backend.array(np.zeros((5, 5)), "int8")
    for error, message, call in [
        (ValueError, r"b has shape \(4, 5\), expected \(\.\.\., 5, N\)", lambda: kernels.matmul(a, a)),
        (ValueError, "activation must be 'none', 'relu', .*, or a function of @tw.jit, got", lambda: kernels.matmul(
            a, b, activation="tanh")),
        (ValueError, "squared_relu has the parameters x, not x, rows, columns, operands", lambda: kernels.matmul(
            a, b, activation=squared_relu, operands=(1,))),
        (ValueError, "masked has the parameters x, rows, columns, operands", lambda: kernels.matmul(
            a, b, activation=masked)),
        (ValueError, "precision must be 'ieee', 'tf32' or 'tf32x3', got 'fp8'", lambda: kernels.matmul(
            a, b, precision="fp8")),
        (TypeError, "b is float16, expected float32, the type of a", lambda: kernels.matmul(
            a, backend.array(backend.numpy(b), "float16"))),
        (ValueError, r"bias has shape \(4, 5\), expected \(6,\)", lambda: kernels.matmul(a, b, a)),
        (ValueError, r"out has shape \(4, 5\), expected \(4, 6\)", lambda: kernels.matmul(a, b, out=a)),
        (ValueError, "c or residual, not both", lambda: kernels.matmul(a, b, c=a, residual=a)),
        (ValueError, r"c has shape \(4, 5\), which does not broadcast to \(4, 6\)", lambda: kernels.matmul(a, b, c=a)),
        (TypeError, "epilogue is computed in float32, got an int32 result", lambda: kernels.matmul(
            i, i, alpha=2, out_dtype="int32")),
        (ValueError, "config is a Config or a dict of block_m", lambda: kernels.matmul(a, b, config={"m": 1})),
        (ValueError, "block_n is a multiple of 16, got 24", lambda: kernels.matmul(a, b, config={"block_n": 24})),
        (ValueError, "block_m is a power of two or a multiple of 64, got 96", lambda: kernels.matmul(
            a, b, config={"block_m": 96})),
        (ValueError, "block_k is a power of two, got 48", lambda: kernels.matmul(a, b, config={"block_k": 48})),
    ]:  # fmt: skip
        with pytest.raises(error, match=message):
            call()
    batch = backend.array(np.zeros((2, 4, 5)), "float32")
    other = backend.array(np.zeros((3, 5, 6)), "float32")
    with pytest.raises(ValueError, match=r"leading dimensions do not broadcast: a \(2, 4, 5\), b"):
        kernels.matmul(batch, other)
    with pytest.raises(ValueError, match="split_k is a positive int, got 0"):
        Config(64, 64, 64, split_k=0)
