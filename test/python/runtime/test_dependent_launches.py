"""Kernels that start before earlier kernels of their stream are done."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.extra.cuda.gdc_wait()
    value = tl.load(x + i, i < n)
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(x + i, value + 1, i < n)


@tw.jit
def reverse(x, out, n, BLOCK: tl.constexpr):
    """out[i] = x[n - 1 - i]: each program reads the output of another program of the previous kernel."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.extra.cuda.gdc_wait()
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(out + i, tl.load(x + n - 1 - i, i < n), i < n)


@tw.jit
def matmul(a, b, c, N: tl.constexpr, BLOCK: tl.constexpr):
    """c = a @ b, of N x N."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, 64)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    tl.extra.cuda.gdc_wait()
    for start in range(0, N, 64):
        left = tl.load(a + rows[:, None] * N + start + k[None, :])
        acc = tl.dot(left, tl.load(b + (start + k[:, None]) * N + columns[None, :]), acc)
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(c + rows[:, None] * N + columns[None, :], acc.to(tl.float16))


@tw.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n), i < n)


def rounds(backend):
    """The number of launches that could overlap. The interpreter runs programs one by one, so few are enough."""
    return 2 if backend.name == "interpreter" else 20


def test_chain_of_kernels(backend, rng):
    n = 100_000
    x = rng.integers(0, 1000, n).astype(np.int32)
    here, there = backend.array(x), backend.poisoned((n,), "int32")
    for _ in range(rounds(backend)):
        for kernel, args in [(add_one, (here,)), (reverse, (here, there)), (reverse, (there, here))]:
            kernel[tw.cdiv(n, 256)](*args, n, 256, launch_pdl=True)
    np.testing.assert_array_equal(backend.numpy(here), x + rounds(backend))


def test_kernel_that_never_waits_runs_in_order(backend):
    n = 100_000
    x, out = backend.array(np.zeros(n, np.int32)), backend.poisoned((n,), "int32")
    for _ in range(rounds(backend)):
        add_one[tw.cdiv(n, 256)](x, n, 256, launch_pdl=True)
        copy[tw.cdiv(n, 256)](x, out, n, 256, launch_pdl=True)
    np.testing.assert_array_equal(backend.numpy(out), np.full(n, rounds(backend)))


def test_matmul_waits(backend, rng):
    """The producer warp waits, too."""
    N = 256
    a = backend.array(np.eye(N)[rng.permutation(N)].astype(np.float16))
    x = rng.integers(-4, 5, (N, N)).astype(np.float16)
    want, blocks = x.copy(), [backend.array(x), backend.poisoned((N, N), "float16")]
    for step in range(6):
        matmul[N // 128, N // 128](
            a, blocks[step % 2], blocks[1 - step % 2], N, 128, num_warps=8, launch_pdl=True
        )
        want = backend.numpy(a).astype(np.float16) @ want
    np.testing.assert_array_equal(backend.numpy(blocks[0]), want)


@pytest.mark.compiled
def test_bound(backend):
    x = backend.array(np.zeros(100, np.int32))
    launch = add_one.bind(1, x, 100, 128, launch_pdl=True)
    launch()
    launch()
    assert (backend.numpy(x) == 2).all()


@pytest.mark.compiled
@pytest.mark.parametrize("target, waits", [("sm_90a", True), ("sm_90", True), ("sm_80", False)])
def test_instructions(target, waits):
    types = {"x": "*i32", "n": "i32"}
    compiled = compile_kernel(add_one.fn, types, {"BLOCK": 128}, {}, target, Options(), "ptx")
    assert compiled.metadata.get("waits_for_launches", False) is waits
    assert ("griddepcontrol.wait" in compiled.asm["ptx"]) is waits
    assert ("griddepcontrol.launch_dependents" in compiled.asm["ptx"]) is waits


@pytest.mark.compiled
def test_the_warp_that_loads_waits():
    types = dict.fromkeys("abc", "*fp16")
    compiled = compile_kernel(
        matmul.fn,
        types,
        {"N": 256, "BLOCK": 128},
        dict.fromkeys(types, 16),
        "sm_90a",
        Options(num_warps=8),
        "ptx",
    )
    roles = compiled.asm["warp"].split("warp.specialize")[1].split("}, {")
    assert ["tile.launch_wait" in role for role in roles[:2]] == [True, True]
    assert compiled.asm["ptx"].count("griddepcontrol.wait") == 2


@pytest.mark.compiled
def test_a_kernel_that_never_waits_is_not_started_early():
    from tilewright.runtime.backends import starts_early

    def early(kernel, **options):
        types = {"x": "*i32", "out": "*i32", "n": "i32"}
        types = {name: type for name, type in types.items() if name in kernel.fn.__code__.co_varnames}
        made = compile_kernel(kernel.fn, types, {"BLOCK": 128}, {}, "sm_90a", Options(**options), "ptx")
        return starts_early(made, made.options)

    assert early(add_one, launch_pdl=True)
    assert not early(add_one)
    assert not early(copy, launch_pdl=True)


@pytest.mark.compiled
def test_option_is_a_flag(backend):
    with pytest.raises(TypeError, match="launch_pdl is True or False, got 1"):
        add_one[1](backend.array(np.zeros(1, np.int32)), 1, 16, launch_pdl=1)
