"""Dots and memory accesses of blocks whose dimensions are not powers of two."""

import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

SIZES = [100, 192, 176, 3]


@tw.jit
def dot_kernel(x, y, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(x + i[:, None] * K + k[None, :])
    b = tl.load(y + k[:, None] * N + j[None, :])
    tl.store(out + i[:, None] * N + j[None, :], tl.dot(a, b, out_dtype=tl.float32))


DOTS = [(48, 24, 40), (80, 96, 48), (192, 176, 80), (3, 5, 7), (100, 16, 33), (64, 96, 64)]


@pytest.mark.parametrize("sizes", DOTS, ids=str)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_dot(backend, rng, sizes, dtype):
    m, n, k = sizes
    # Infinities after the rows of the first operand, times zeros of the second, would give NaN.
    x = np.full(m * k + 64, np.inf, dtype)
    x[: m * k] = rng.integers(-4, 4, m * k)
    y = np.full(k * n + 64, np.inf, dtype)
    y[: k * n] = rng.integers(-4, 4, k * n)
    out = backend.poisoned((m, n), "float32")
    dot_kernel[1,](backend.array(x), backend.array(y), out, *sizes, num_warps=4)
    expected = x[: m * k].reshape(m, k).astype(np.float32) @ y[: k * n].reshape(k, n).astype(np.float32)
    np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def matmul_kernel(x, y, out, m, n, k, DESC: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    first, second = tl.program_id(0) * M, tl.program_id(1) * N
    if DESC:
        a = tl.make_tensor_descriptor(x, [m, k], [k, 1], [M, K])
        b = tl.make_tensor_descriptor(y, [k, n], [n, 1], [K, N])
        c = tl.make_tensor_descriptor(out, [m, n], [n, 1], [M, N])
        total = tl.zeros((M, N), tl.float32)
        for step in range(0, k, K):
            total = tl.dot(a.load([first, step]), b.load([step, second]), total)
        c.store([first, second], total.to(tl.float16))
    else:
        a = tl.make_block_ptr(x, (m, k), (k, 1), (first, 0), (M, K), (1, 0))
        b = tl.make_block_ptr(y, (k, n), (n, 1), (0, second), (K, N), (1, 0))
        c = tl.make_block_ptr(out, (m, n), (n, 1), (first, second), (M, N), (1, 0))
        total = tl.zeros((M, N), tl.float32)
        for _ in range(0, k, K):
            left = tl.load(a, boundary_check=(0, 1), padding_option="zero")
            total = tl.dot(left, tl.load(b, boundary_check=(0, 1), padding_option="zero"), total)
            a, b = tl.advance(a, (0, K)), tl.advance(b, (K, 0))
        tl.store(c, total.to(tl.float16), boundary_check=(0, 1))


BLOCKS = [(192, 128, 64), (128, 176, 64), (128, 80, 48), (96, 96, 32), (40, 24, 20)]


@pytest.mark.parametrize("blocks", BLOCKS, ids=str)
@pytest.mark.parametrize("desc", [True, False], ids=["descriptors", "block pointers"])
def test_matmul(backend, rng, blocks, desc):
    m, n, k = 256, 240, 160
    x, y = (rng.integers(-4, 4, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    out = backend.poisoned((m, n), "float16")
    grid = (tw.cdiv(m, blocks[0]), tw.cdiv(n, blocks[1]))
    matmul_kernel[grid](backend.array(x), backend.array(y), out, m, n, k, desc, *blocks)
    np.testing.assert_array_equal(backend.numpy(out), x @ y)


@pytest.mark.parametrize("num_warps", [1, 8, 16, 32])
def test_matmul_in_warps(backend, rng, num_warps):
    """Up to the maximum number of warps: with 32 none is left for a producer."""
    x, y = (rng.integers(-4, 4, shape).astype(np.float16) for shape in ((256, 160), (160, 240)))
    out = backend.poisoned((256, 240), "float16")
    matmul_kernel[1, 2](
        backend.array(x), backend.array(y), out, 256, 240, 160, True, 256, 128, 64, num_warps=num_warps
    )
    np.testing.assert_array_equal(backend.numpy(out), x @ y)


@tw.jit
def blocks_kernel(x, out, n, N: tl.constexpr, ADD: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [n], [1], [N])
    target = tl.make_tensor_descriptor(out, [n], [1], [N])
    for step in range(tl.cdiv(n, N)):
        target.store([step * N], source.load([step * N]) + 1)
        if ADD:
            target.atomic_add([step * N], source.load([step * N]))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("add", [False, True])
def test_blocks_end_at_their_size(backend, size, add):
    """Each block is written once, so a write past the end of a block would show."""
    x = np.arange(1000, dtype=np.float32)
    out = backend.poisoned(1100, "float32")
    before = backend.numpy(out).copy()
    blocks_kernel[1,](backend.array(x), out, 1000, N=size, ADD=add)
    np.testing.assert_array_equal(backend.numpy(out)[:1000], x + 1 + x * add)
    np.testing.assert_array_equal(backend.numpy(out)[1000:], before[1000:])


@tw.jit
def atomics_kernel(total, word, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(total + i % 2, i)
    tl.atomic_max(total + 2 + i * 0, i, mask=i < N - 1)
    tl.store(out + i, tl.atomic_cas(word + i, 0, i + 1))


@pytest.mark.parametrize("size", SIZES)
def test_atomics(backend, size):
    word = np.zeros(size + 40, np.int32)
    word[1] = 9
    total, words = backend.array(np.zeros(3, np.int32)), backend.array(word)
    out = backend.poisoned(size, "int32")
    atomics_kernel[1,](total, words, out, N=size)
    i = np.arange(size)
    assert backend.numpy(total).tolist() == [i[::2].sum(), i[1::2].sum(), size - 2]
    np.testing.assert_array_equal(backend.numpy(out), word[:size])
    word[:size] = i + 1
    word[1] = 9
    np.testing.assert_array_equal(backend.numpy(words), word)


ODD = [
    (dot_kernel, "x y out", "", {"M": 80, "N": 96, "K": 48}, "fp32"),
    (blocks_kernel, "x out", "n", {"N": 100, "ADD": True}, "fp32"),
    (atomics_kernel, "total word out", "", {"N": 100}, "i32"),
]


@pytest.mark.parametrize(
    "kernel, pointers, numbers, sizes, dtype", ODD, ids=lambda value: getattr(value, "__name__", "")
)
def test_odd_blocks_assemble(assemble, kernel, pointers, numbers, sizes, dtype):
    types = dict.fromkeys(pointers.split(), f"*{dtype}") | dict.fromkeys(numbers.split(), "i32")
    compiled = assemble(kernel, types, sizes, debug=True)
    assert compiled.spills == 0 and not compiled.metadata["advice"]


@pytest.mark.parametrize(
    "blocks, registers", [((192, 128, 64), 255), ((128, 176, 64), 232), ((128, 80, 48), 168)], ids=str
)
def test_resources_match_the_block(assemble, blocks, registers):
    """The ring and the registers fit 192 rows and are not padded to 256 rows, which would exceed both."""
    pointers, numbers = ("x", "y", "out"), ("m", "n", "k")
    types = dict.fromkeys(pointers, "*fp16") | dict.fromkeys(numbers, "i32")
    attrs = dict.fromkeys((*pointers, *numbers), 16)
    constants = {"DESC": True, **dict(zip("MNK", blocks, strict=True))}
    compiled = assemble(matmul_kernel, types, constants, attrs)
    rows, columns, depth = blocks
    slots = int(re.search(r"warp\.ring<(\d+) x", compiled.asm["warp"])[1])
    assert slots >= 3
    ring, result = slots * (rows + columns) * depth * 2, rows * columns * 2
    assert compiled.spills == 0 and not compiled.metadata["advice"]
    assert ring <= compiled.metadata["shared"] <= ring + result + 2048
    assert compiled.metadata["registers"] <= registers


@pytest.mark.parametrize("blocks", [(128, 256, 64), (96, 256, 32), (64, 320, 32)], ids=str)
def test_accumulators_larger_than_the_registers_assemble(assemble, blocks):
    types = {name: f"*{ty}" for name, ty in zip(("x", "y", "out"), ("fp16", "fp16", "fp16"), strict=True)}
    types |= dict.fromkeys(("m", "n", "k"), "i32")
    attrs = dict.fromkeys(types, 16)
    constants = dict(zip("MNK", blocks, strict=True))
    kernel = assemble(matmul_kernel, types, {"DESC": False} | constants, attrs, num_warps=4, num_stages=1)
    assert kernel.asm["cubin"]
