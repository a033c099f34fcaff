"""Operands of dots with further uses, in another layout or later."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def used_thrice(x, out, sums, M: tl.constexpr, N: tl.constexpr):
    """A tile that is an operand of dots on threads and on tensor cores, and also used in its loaded layout."""
    n = tl.arange(0, N)
    at = tl.arange(0, M)[:, None] * N + n[None, :]
    v = tl.load(x + at)
    one = n[:, None] == n[None, :]
    w = v ^ tl.dot((v % 64).to(tl.float32), one.to(tl.float32)).to(tl.int32)
    w = w ^ tl.dot((v % 64).to(tl.int8), one.to(tl.int8), out_dtype=tl.int32)
    tl.store(out + at, w)
    tl.store(sums + n, tl.reduce(v | 1, 0, lambda a, b: a * b))


def test_tile_that_three_read(backend, rng, assemble):
    x = rng.integers(0, 1 << 30, (64, 32)).astype(np.int32)
    out, sums = backend.poisoned((64, 32), "int32"), backend.poisoned((32,), "int32")
    used_thrice[1,](backend.array(x), out, sums, 64, 32)
    np.testing.assert_array_equal(backend.numpy(out), x)
    np.testing.assert_array_equal(backend.numpy(sums), np.multiply.reduce(x | 1, 0, np.int32))
    types = {"x": "*i32", "out": "*i32", "sums": "*i32"}
    assert assemble(used_thrice, types, {"M": 64, "N": 32}, dict.fromkeys(types, 16), num_stages=7).asm[
        "cubin"
    ]


@tw.jit
def copied_and_computed(a, b, c, M, N, K, sa, sb, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Threads prefetch one operand, and compute the other from their loads."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    p = tl.make_block_ptr(a, (M, K), (1, sa), (0, 0), (BM, BK), (0, 1))
    acc = tl.zeros((BM, BN), tl.float32)
    for i in tl.range(tl.cdiv(K, BK) - 1, -1, -1):
        inside = ((i * BK + k) < K)[:, None] & (n < N)[None, :]
        x = tl.load(tl.advance(p, (0, i * BK)), boundary_check=(0, 1), padding_option="zero")
        y = tl.load(b + (i * BK + k)[:, None] * sb + n[None, :], mask=inside)
        acc = tl.dot(x, tl.where(inside, y, tl.zeros_like(y)), acc)
    tl.store(c + m[:, None] * BN + n[None, :], acc)


@pytest.mark.parametrize("depth", [1, 16, 100])
def test_copies_with_computed_operands(backend, rng, assemble, depth):
    a = rng.integers(-3, 4, (depth, 64)).astype(np.float16)
    b = rng.integers(-3, 4, (depth, 128)).astype(np.float16)
    out = backend.poisoned((64, 128), "float32")
    arrays = backend.array(a, "float16"), backend.array(b, "float16")
    options = {"num_stages": 4} if backend.name == "cuda" else {}
    copied_and_computed[1,](*arrays, out, 64, 128, depth, 64, 128, 64, 128, 16, **options)
    np.testing.assert_array_equal(backend.numpy(out), a.T.astype(np.float32) @ b.astype(np.float32))
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32"} | dict.fromkeys(("M", "N", "K", "sa", "sb"), "i32")
    attrs = {"a": 16, "b": 16, "c": 16, "M": 16, "N": 16, "K": 8, "sa": 16, "sb": 16}
    assert assemble(copied_and_computed, types, {"BM": 64, "BN": 128, "BK": 16}, attrs, num_stages=4).asm[
        "cubin"
    ]
