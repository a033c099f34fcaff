"""Tiles with more values than a thread has registers: each element is finished before the next one starts."""

import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright import _tilewright
from tilewright.options import Options
from tilewright.runtime.assemblers import assembler_paths
from tilewright.runtime.compiler import compile_kernel

pytestmark = pytest.mark.compiled


@tw.jit
def waves(out, N: tl.constexpr):
    i = tl.arange(0, N)
    x = i.to(tl.float32)
    tl.store(out + i, tl.sin(x) * tl.cos(x) + tl.log(x))


@tw.jit
def numbers(out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.randn(42, i))


@tw.jit
def remainders(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i).to(tl.int64)
    w = tl.load(x + (i * 7) % N, mask=i % 3 == 0, other=5).to(tl.int64)
    tl.store(out + i, v // (w % 13 + 20) % (v % 7 + 9) + w, mask=i % 11 != 3)


def test_results_do_not_depend_on_the_element_order(backend, rng):
    x = rng.integers(0, 1 << 20, 16384).astype(np.int32)
    out = backend.poisoned(x.shape, "int64")
    before = backend.numpy(out).copy()
    remainders[1,](backend.array(x), out, N=x.size)
    i, v = np.arange(x.size), x.astype(np.int64)
    w = np.where(i % 3 == 0, v[i * 7 % x.size], 5)
    expected = v // (w % 13 + 20) % (v % 7 + 9) + w
    np.testing.assert_array_equal(backend.numpy(out), np.where(i % 11 != 3, expected, before))


def ptx(kernel, size, num_warps=4, dtype="fp32"):
    types = {name: f"*{dtype}" for name in kernel.arg_names if name != "N"}
    attrs = dict.fromkeys(types, 16)
    options = Options(num_warps=num_warps)
    made = compile_kernel(kernel.fn, types, {"N": size}, attrs, "sm_90a", options, stop_after="ptx")
    return made.asm["ptx"].splitlines()


def begins_to_store_early(lines):
    """Whether arithmetic follows the first store."""
    stores = [index for index, line in enumerate(lines) if re.search(r"\bst\.global", line)]
    computed = [index for index, line in enumerate(lines) if re.search(r"\b(mul|fma|call)\b", line)]
    return stores[0] < max(index for index in computed if index < stores[-1])


@pytest.mark.parametrize("kernel", [waves, numbers])
def test_elements_are_computed_where_they_are_stored(kernel):
    assert begins_to_store_early(ptx(kernel, 16384))


@tw.jit
def logarithms(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, tl.log(v * v) + tl.log(v * v + 1))


def test_inline_ptx_is_emitted_at_its_use():
    lines = ptx(logarithms, 16384)
    stores = [index for index, line in enumerate(lines) if re.search(r"\bst\.global", line)]
    assert stores[0] < max(index for index, line in enumerate(lines) if "not.pred" in line)


@tw.jit
def normed_dot(a, b, out, N: tl.constexpr):
    i, k = tl.arange(0, N), tl.arange(0, 64)
    acc = tl.dot(tl.load(a + i[:, None] * 64 + k[None, :]), tl.load(b + k[:, None] * N + i[None, :]))
    norm = tl.rsqrt(tl.exp(acc) + tl.exp(-acc) * acc)
    tl.store(out + i[:, None] * N + i[None, :], norm.to(out.dtype.element_ty))


def test_epilogue_is_computed_element_by_element():
    lines = ptx(normed_dot, 128, dtype="bf16")
    assert any("wgmma.mma_async" in line for line in lines)
    first = next(index for index, line in enumerate(lines) if "rsqrt.approx" in line)
    assert first < max(index for index, line in enumerate(lines) if "ex2.approx" in line)


@tw.jit
def chained(q, keys, out, rounds, N: tl.constexpr, D: tl.constexpr):
    """Four parts of a row: their operands and accumulators together with the keys exceed the registers."""
    i, j, d = tl.arange(0, 16), tl.arange(0, N), tl.arange(0, D)
    at = i[:, None] * (4 * D) + d[None, :]
    q0, q1 = tl.load(q + at), tl.load(q + at + D)
    q2, q3 = tl.load(q + at + 2 * D), tl.load(q + at + 3 * D)
    acc0, acc1 = tl.zeros((16, D), tl.float32), tl.zeros((16, D), tl.float32)
    acc2, acc3 = tl.zeros((16, D), tl.float32), tl.zeros((16, D), tl.float32)
    most = tl.zeros((16,), tl.float32)
    for r in range(rounds):
        rows = keys + (r * N + j)[:, None] * (4 * D) + d[None, :]
        k0, k1 = tl.load(rows), tl.load(rows + D)
        k2, k3 = tl.load(rows + 2 * D), tl.load(rows + 3 * D)
        s = tl.dot(q0, tl.trans(k0)) + tl.dot(q1, tl.trans(k1))
        s += tl.dot(q2, tl.trans(k2)) + tl.dot(q3, tl.trans(k3))
        most = tl.maximum(most, tl.max(s, 1))
        p = tl.where(s > most[:, None] - 4, 1.0, 0.0).to(tl.float16)
        acc0 += tl.dot(p, k0)
        acc1 += tl.dot(p, k1)
        acc2 += tl.dot(p, k2)
        acc3 += tl.dot(p, k3)
    tl.store(out + at, acc0)
    tl.store(out + at + D, acc1)
    tl.store(out + at + 2 * D, acc2)
    tl.store(out + at + 3 * D, acc3)


def test_operands_of_many_dots(backend, rng):
    n, d, rounds = 64, 128, 3
    q = rng.integers(-1, 2, (16, 4 * d)).astype(np.float16)
    keys = rng.integers(-1, 2, (rounds * n, 4 * d)).astype(np.float16)
    out = backend.poisoned(q.shape, "float32")
    chained[1,](backend.array(q), backend.array(keys), out, rounds, N=n, D=d)
    expected, most = np.zeros(q.shape), np.zeros(16)
    for part in np.split(keys.astype(np.float64), rounds):
        s = q @ part.T
        most = np.maximum(most, s.max(1))
        expected += (s > most[:, None] - 4) @ part
    np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def gates(x, gate, out, rows, N: tl.constexpr, M: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, M)[None, :]
    inside = (i < rows) & (j != 7)
    a = tl.load(x + i * M + j, mask=inside, other=2)
    g = tl.load(gate + j)
    tl.store(out + j * N + i, a * g, mask=inside)
    tl.store(x + i * M + j, a - g, mask=inside)


@tw.jit
def shift(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i + 1, tl.load(x + i))


def test_blocks_without_registers_are_computed_in_slices(backend, rng):
    n, m, rows = 1024, 128, 1000
    x, gate = rng.integers(0, 999, (n, m)).astype(np.int32), rng.integers(0, 999, m).astype(np.int32)
    device, out = backend.array(x), backend.poisoned((m, n), "int32")
    expected = backend.numpy(out).copy()
    inside = np.indices(x.shape)[1] != 7
    inside[rows:] = False
    expected[inside.T] = (x * gate).T[inside.T]
    gates[1,](device, backend.array(gate), out, rows, N=n, M=m)
    np.testing.assert_array_equal(backend.numpy(out), expected)
    np.testing.assert_array_equal(backend.numpy(device), np.where(inside, x - gate, x))


def test_slices_have_no_hazards(backend, rng):
    x = rng.integers(0, 999, 65537).astype(np.int32)
    device = backend.array(x)
    shift[1,](device, N=x.size - 1)
    np.testing.assert_array_equal(backend.numpy(device), np.concatenate([x[:1], x[:-1]]))


@tw.jit
def exponentials(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.exp(tl.load(x + i)))


def test_slices_are_few_instructions():
    """Accesses stay wide, and a larger block does not need more of them."""
    large = ptx(exponentials, 1 << 18)
    assert sum("ld.global.v4" in line for line in large) == 8
    assert abs(len(ptx(exponentials, 1 << 20)) - len(large)) < 9


def test_blocks_in_registers_keep_their_order():
    assert not begins_to_store_early(ptx(waves, 1024))


def test_more_warps_have_fewer_registers():
    """A thread has 32 elements in both cases, but only 64 registers with 32 warps."""
    assert not begins_to_store_early(ptx(waves, 4096, num_warps=4))
    assert begins_to_store_early(ptx(waves, 32768, num_warps=32))


@pytest.mark.skipif(
    not _tilewright.assemblers(assembler_paths()), reason="no assembler of PTX on this machine"
)
def test_nothing_is_spilled():
    types, attrs = {"out": "*fp32"}, {"out": 16}
    made = compile_kernel(numbers.fn, types, {"N": 16384}, attrs, "sm_90a", Options())
    assert made.spills == 0
