"""Kernels compiled with `check_nan`: NaNs computed from numbers are reported at their op if they reach memory."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

N = 16


@tw.jit
def divide_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i) / tl.load(y + i)
    tl.store(out + i, value, mask=i < n)


@tw.jit
def where_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i) * tl.log(tl.load(y + i))
    tl.store(out + i, tl.where(i < n, value, 0.0))


@tw.jit
def sum_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    used = tl.where(i < n, tl.load(x + i), 0.0)
    total = tl.sum(used)
    tl.store(out, total + tl.sum(tl.load(y + i)))


@tw.jit
def loop_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for _ in range(3):
        tl.store(out + i, total, mask=i < n)
        total += tl.sqrt(tl.load(x + i) - tl.load(y + i))
    tl.store(out + i, total, mask=i < n)


@tw.jit
def branch_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    if n > 2:
        value = value - tl.load(y + i)
    tl.store(out + i, tl.broadcast_to(value[None, :], (2, N)).reshape(2 * N)[0:N])


@tw.jit
def dot_kernel(x, y, out, n, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(x + i) + 0.0 * j
    b = tl.load(y + j) + 0.0 * i
    dot = tl.dot(a, b)
    tl.store(out + i + 0 * j, dot, mask=(j == 5) & (i < n))


@tw.jit
def halve(value):
    return value / (value - value)


@tw.jit
def call_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(out + i, halve(tl.load(x + i)), mask=i < n)


@tw.jit
def multiply(a, b):
    return a * b


@tw.jit
def reduce_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out, tl.reduce(tl.where(i < n, tl.load(x + i), 1.0), 0, multiply))


@tw.jit
def narrow_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = (tl.load(x + i) - tl.load(y + i)).to(tl.float8e5).to(tl.float16)
    tl.store(out + i, value, mask=i < n)


@tw.jit
def root(value):
    return tl.sqrt(value)


@tw.jit
def map_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.map_elementwise(root, tl.load(x + i))
    tl.store(out + i, value, mask=i < n)


@tw.jit
def described_kernel(x, y, out, n, N: tl.constexpr):
    described = tl.make_tensor_descriptor(out, [N], [1], [N])
    i = tl.arange(0, N)
    described.store([0], tl.where(i < n, tl.load(x + i) % tl.load(y + i), 0.0))


@tw.jit
def flip_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.flip(tl.cumsum(tl.load(x + i) / tl.load(y + i), 0))
    tl.store(out + i, value, mask=i < n)


def special(**values):
    """Ones, with other values from index 4 on."""
    given = {name: np.ones(N, np.float32) for name in ("x", "y")}
    for name, value in values.items():
        given[name][4:] = value
    return given


INF = float("inf")

#: kernel, its arrays, the line of the NaN relative to the decorator, the message.
FOUND = [
    (divide_kernel, special(x=0, y=0), 3, "/ makes a NaN out of numbers, which tl.store writes"),
    (where_kernel, special(x=0, y=0), 3, r"\* makes a NaN"),
    (where_kernel, special(y=-1), 3, "tl.log makes a NaN"),
    (sum_kernel, special(x=INF, y=-INF), 5, r"\+ makes a NaN"),
    (loop_kernel, special(x=-1), 6, "tl.sqrt makes a NaN"),
    (branch_kernel, special(x=INF, y=INF), 5, "- makes a NaN"),
    (dot_kernel, special(x=0, y=INF), None, "tl.dot makes a NaN"),
    (call_kernel, special(x=0), None, "/ makes a NaN out of numbers, which tl.atomic_add writes"),
    (reduce_kernel, {"x": np.float32([0] * 5 + [INF] * 11), "y": np.ones(N, np.float32)}, None, r"\* makes a NaN"),
    (flip_kernel, special(x=0, y=0), 3, "/ makes a NaN"),
    (narrow_kernel, special(x=INF, y=INF), 3, "- makes a NaN"),
    (map_kernel, special(x=-1), 3, "tl.map_elementwise makes a NaN"),
    (described_kernel, special(y=0), 4, "% makes a NaN out of numbers, which a store through a descriptor writes"),
]  # fmt: skip


def run(kernel, backend, given, n):
    out = backend.array(np.zeros(N, np.float16 if kernel is narrow_kernel else np.float32))
    kernel[1,](backend.array(given["x"]), backend.array(given["y"]), out, n, N=N, check_nan=True)
    return backend.numpy(out)


@pytest.mark.parametrize(
    "kernel, given, line, message", FOUND, ids=lambda entry: getattr(entry, "__name__", "")
)
def test_nans_that_reach_memory(backend, kernel, given, line, message):
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    with pytest.raises((tw.KernelAssertError, AssertionError), match=message) as caught:
        run(kernel, backend, given, N)
    if line is not None:
        assert f"{__file__}:{kernel.fn.__code__.co_firstlineno + line}" in str(caught.value)


def test_the_function_that_makes_it_is_named(backend):
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    with pytest.raises((tw.KernelAssertError, AssertionError)) as caught:
        run(call_kernel, backend, special(x=0), N)
    assert f"{__file__}:{halve.fn.__code__.co_firstlineno + 2}" in str(caught.value)


#: A NaN that is computed but masked out, one that is loaded, and kernels without a NaN.
ALLOWED = [
    (divide_kernel, special(x=0, y=0), 4),
    (where_kernel, special(x=0, y=0), 4),
    (sum_kernel, special(x=INF, y=-1), 4),
    (loop_kernel, special(x=-1), 4),
    (dot_kernel, special(x=0, y=INF), 4),
    (dot_kernel, special(), N),
    (divide_kernel, special(x=INF, y=0), N),
    (divide_kernel, special(x=float("nan")), N),
    (sum_kernel, special(x=float("nan"), y=-INF), N),
    (dot_kernel, special(x=float("nan")), N),
    (reduce_kernel, special(x=float("nan"), y=0), N),
    (flip_kernel, {"x": np.float32([1] * 15 + [0]), "y": np.float32([1] * 15 + [0])}, 0),
    (narrow_kernel, special(x=INF, y=INF), 4),
    (map_kernel, special(x=-1), 4),
    (described_kernel, special(y=0), 4),
]


@pytest.mark.parametrize("kernel, given, n", ALLOWED, ids=lambda entry: getattr(entry, "__name__", ""))
def test_nans_that_do_not_count(backend, kernel, given, n):
    checked = run(kernel, backend, given, n)
    out = backend.array(np.zeros(N, checked.dtype))
    kernel[1,](backend.array(given["x"]), backend.array(given["y"]), out, n, N=N, debug=True)
    np.testing.assert_array_equal(checked, backend.numpy(out))


@tw.jit
def drop_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i) / tl.load(y + i)
    tl.store(out + i, tl.maximum(value, 1.0))
    tl.store(out + n, tl.max(value))


def test_maxima_that_drop_nans(backend):
    assert run(drop_kernel, backend, special(x=0, y=0), 0).tolist() == [1.0] * N


@tw.jit
def attention_kernel(q, k, v, out, length, N: tl.constexpr, D: tl.constexpr):
    rows, d = tl.arange(0, N), tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + d)
    best = tl.full((N,), -float("inf"), tl.float32)
    norm, acc = tl.zeros((N,), tl.float32), tl.zeros((N, D), tl.float32)
    for start in range(0, length, N):
        columns = start + rows
        inside = columns[:, None] < length
        key = tl.load(k + columns[:, None] * D + d, mask=inside, other=0.0)
        value = tl.load(v + columns[:, None] * D + d, mask=inside, other=0.0)
        seen = (columns[None, :] < length) & (columns[None, :] <= rows[:, None])
        score = tl.where(seen, tl.dot(query, key.T), -float("inf"))
        largest = tl.maximum(best, tl.max(score, 1))
        weight = tl.exp(score - largest[:, None])
        scale = tl.exp(best - largest)
        norm = norm * scale + tl.sum(weight, 1)
        acc = tl.dot(weight, value, acc * scale[:, None])
        best = largest
    tl.store(out + rows[:, None] * D + d, acc / norm[:, None], mask=rows[:, None] < length)


def test_attention_has_none(backend):
    rng = np.random.default_rng(0)
    q, k, v = (backend.array(rng.standard_normal((32, 16)), "float32") for _ in range(3))
    out = backend.array(np.zeros((32, 16), np.float32))
    attention_kernel[1,](q, k, v, out, 20, N=32, D=16, check_nan=True, debug=True)
    assert np.isfinite(backend.numpy(out)).all()


@tw.jit
def stored_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = (tl.load(x + i) / tl.load(y + i)).to(tl.float8e4b8)
    tl.store(out.to(tl.pointer_type(tl.float8e4b8)) + i, value, mask=i < n)


def test_floats_that_only_memory_knows(backend):
    run(stored_kernel, backend, special(x=0, y=0), 4)
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    with pytest.raises((tw.KernelAssertError, AssertionError), match="/ makes a NaN"):
        run(stored_kernel, backend, special(x=0, y=0), N)


def test_the_environment_asks_for_it(backend, monkeypatch):
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    monkeypatch.setenv("TILEWRIGHT_CHECK_NAN", "1")
    kernel = tw.jit(divide_kernel.fn)
    out = backend.array(np.zeros(N, np.float32))
    zeros = backend.array(np.zeros(N, np.float32))
    with pytest.raises((tw.KernelAssertError, AssertionError), match="/ makes a NaN"):
        kernel[1,](zeros, zeros, out, N, N=N)
    tw.jit(divide_kernel.fn, check_nan=False)[1,](zeros, zeros, out, N, N=N)


@pytest.mark.compiled
def test_messages_of_the_compilation_come_once(capsys):
    @tw.jit
    def printing_kernel(x):
        tl.static_print("compiled for", x)
        tl.store(x, tl.load(x) - 1)

    printing_kernel.warmup(np.zeros(1, np.float32), check_nan=True)
    assert capsys.readouterr().out == "compiled for pointer<fp32>\n"
