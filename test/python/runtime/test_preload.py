"""Hooks around compilations, and kernels precompiled from their data."""

import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

pytestmark = pytest.mark.compiled


@tw.jit
def add(a, b, out, n, N: tl.constexpr, kind: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    mask = i < n
    total = tl.load(a + i, mask).to(kind) + tl.load(b + i, mask).to(kind)
    tl.store(out + i, total, mask)


@tw.jit
def subtract(a, out):
    tl.store(out, -tl.load(a))


@tw.jit
def apply(x, out, function: tl.constexpr):
    tl.store(out, function(tl.load(x)))


@tw.jit
def pairs(values, out):
    tl.store(out, tl.load(values[0]) + values[1])


Pair = namedtuple("Pair", ("array", "number"))


@tw.jit
def square(x):
    return x * x


def arguments(backend):
    a, b = np.arange(20, dtype=np.float32), np.ones(20, np.float32)
    return [backend.array(array) for array in (a, b, np.zeros(20, np.float32))]


def fresh(kernel):
    return tw.jit(kernel.fn)


def recorded(call):
    """The compilations that a hook sees of a call."""
    seen = []
    with tw.compile_hook(seen.append):
        call()
    return seen


def test_hooks_see_compilations(backend):
    kernel, order = fresh(add), []
    with tw.compile_hook(lambda c: order.append(("before", c)), lambda c: order.append(("after", c))):
        kernel[2,](*arguments(backend), 20, N=16, kind=tl.float32, num_warps=2)
        kernel[2,](*arguments(backend), 20, N=16, kind=tl.float32, num_warps=2)
    (first, made), (second, same) = order
    assert (first, second) == ("before", "after") and made is same
    assert made.kernel == "add" and made.function is kernel
    assert made.types["a"] == "*fp32" and made.types["n"] == "i32"
    assert made.constants == {"N": 16, "kind": tl.float32}
    assert made.divisors["a"] == 16
    assert made.options.num_warps == 2
    assert made.device == ("cpu" if backend.name == "cpu" else "cuda:0")
    assert not made.is_warmup
    kernel[2,](*arguments(backend), 20, N=16, kind=tl.float32, num_warps=1)
    assert len(order) == 2


def test_preloaded_kernels_are_found(backend):
    (seen,) = recorded(lambda: fresh(add).warmup(*arguments(backend), 20, N=16, kind=tl.float32))
    assert seen.is_warmup
    kernel = fresh(add)
    preloaded = kernel.preload(seen.specialization_data)
    assert len(kernel.device_caches[0][0]) == 1 and preloaded.name == "add"
    a, b, out = arguments(backend)
    assert recorded(lambda: kernel[2,](a, b, out, 20, N=16, kind=tl.float32)) == []
    np.testing.assert_array_equal(backend.numpy(out), np.arange(20) + 1)
    assert len(recorded(lambda: kernel[2,](a, b, out, 20, N=8, kind=tl.float32))) == 1


@pytest.mark.parametrize(
    "value", [None, True, 7, -0.0, float("inf"), "text", (1, ("a", tl.int8)), tl.float16]
)
def test_constants_come_back_as_they_were(value):
    from tilewright.runtime.plain import from_plain, plain

    back = from_plain(plain(value))
    assert type(back) is type(value) and repr(back) == repr(value)


def test_arguments_of_several_values(backend):
    x, out = backend.array(np.full(1, 3.0, np.float32)), backend.array(np.zeros(1, np.float32))
    (seen,) = recorded(lambda: fresh(pairs).warmup((x, 4), out))
    kernel = fresh(pairs)
    kernel.preload(seen.specialization_data)
    assert recorded(lambda: kernel[1,]((x, 4), out)) == []
    assert backend.numpy(out).item() == 7


def test_in_another_process(backend, tmp_path):
    """The data alone is enough."""
    if backend.name != "cpu":
        pytest.skip("once is enough")
    (seen,) = recorded(lambda: fresh(add).warmup(*arguments(backend), 20, N=16, kind=tl.float32))
    (tmp_path / "data").write_text(seen.specialization_data)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_preload as t; import tilewright as tw\n"
        "made = t.add.preload(open(sys.argv[2]).read())\n"
        "class Cpu:\n  name = 'cpu'\n  array = staticmethod(lambda a: a)\n"
        "a, b, out = t.arguments(Cpu)\n"
        "print(len(t.recorded(lambda: t.add[2,](a, b, out, 20, N=16, kind=t.tl.float32))), out.sum())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, __file__.rpartition("/")[0], tmp_path / "data"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["0", "210.0"]


def test_true_of_a_hook_prevents_the_launch(backend):
    a, b, out = arguments(backend)
    kernel = fresh(add)
    with tw.compile_hook(lambda made: True):
        assert kernel[2,](a, b, out, 20, N=16, kind=tl.float32) is None
        assert kernel.warmup(a, b, out, 20, N=16, kind=tl.float32) is None
    assert not backend.numpy(out).any()
    (seen,) = recorded(lambda: kernel[2,](a, b, out, 20, N=16, kind=tl.float32))
    assert backend.numpy(out).any()
    with tw.compile_hook(lambda made: True):
        assert fresh(add).preload(seen.specialization_data) is None


def test_errors_of_hooks_and_kernels_pass_through(backend):
    def fails(made):
        raise KeyError("mine")

    with tw.compile_hook(fails), pytest.raises(KeyError, match="mine"):
        fresh(add)[2,](*arguments(backend), 20, N=16, kind=tl.float32)
    with pytest.raises(TypeError, match="a compile hook is a function of a Compilation, got 3"):
        tw.compile_hook(3)


def test_data_of_another_kernel(backend):
    (seen,) = recorded(lambda: fresh(add).warmup(*arguments(backend), 20, N=16, kind=tl.float32))
    with pytest.raises(
        RuntimeError, match=r"Specialization data is for \S+add but trying to preload for \S+subtract"
    ):
        subtract.preload(seen.specialization_data)


@pytest.mark.parametrize("data", ["", "3", "{}", "[]", '{"name": "x"}', None])
def test_invalid_data(data):
    with pytest.raises(ValueError, match=r"no specialisation data of kernel subtract\(\)"):
        subtract.preload(data)


def test_arguments_that_cannot_be_written_down(backend):
    x, out = backend.array(np.ones(1, np.float32)), backend.array(np.zeros(1, np.float32))
    (seen,) = recorded(lambda: fresh(apply).warmup(x, out, function=square))
    with pytest.raises(
        TypeError, match=r"the constant 'function' of kernel apply\(\) cannot be written down"
    ):
        seen.specialization_data  # noqa: B018
    (seen,) = recorded(lambda: fresh(pairs).warmup(Pair(x, 4), out))
    with pytest.raises(TypeError, match=r"arguments of kernel pairs\(\) cannot be written down"):
        seen.specialization_data  # noqa: B018


def test_hooks_of_triton(backend):
    from tilewright.compat.knobs import runtime

    seen, after, kernel = [], [], fresh(add)
    hook = lambda **given: seen.append(given)  # noqa: E731
    runtime.jit_cache_hook = hook
    runtime.jit_post_compile_hook = lambda **given: after.append(given)
    try:
        assert runtime.jit_cache_hook is hook
        kernel.warmup(*arguments(backend), 20, N=16, kind=tl.float32)
    finally:
        runtime.jit_cache_hook = runtime.jit_post_compile_hook = None
    assert runtime.jit_cache_hook is None
    assert len(seen) == len(after) == 1 and seen[0]["compile"] == after[0]["compile"]
    assert seen[0]["fn"].jit_function is kernel and seen[0]["is_manual_warmup"]
    assert seen[0]["repr"].startswith("add[num_warps=4, ")
    assert recorded(lambda: fresh(add).preload(seen[0]["compile"]["specialization_data"]))
