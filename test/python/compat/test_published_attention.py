"""Kernels of attention in Triton's style against NumPy."""

from itertools import pairwise

import numpy as np
import pytest
import tilewright as tw

from .published import attention as kernels


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@pytest.mark.parametrize("group", [1, 4])
def test_paged_decode(backend, rng, group):
    seqs, kv_heads, head, page, pages = 3, 2, 64, 16, 12
    lengths = np.array([1, 37, 64])
    q = backend.array(rng.standard_normal((seqs, kv_heads * group, head)), "float16")
    k, v = (backend.array(rng.standard_normal((pages, page, kv_heads, head)), "float16") for _ in range(2))
    tables = rng.permutation(pages)[: seqs * 4].reshape(seqs, 4)
    out = backend.poisoned((seqs, kv_heads * group, head), "float16")
    kernels.paged_decode_kernel[(seqs, kv_heads)](
        out, q, k, v, backend.array(tables, "int32"), backend.array(lengths, "int32"), 0.125,
        kv_heads * group * head, head, page * kv_heads * head, kv_heads * head, head, 4,
        HEAD=head, PAGE=page, GROUP=group, GROUP_PADDED=max(16, group),
    )  # fmt: skip
    q, k, v = (backend.numpy(x).astype(np.float64) for x in (q, k, v))
    expected = np.empty(q.shape)
    for s, n in enumerate(lengths):
        keys, values = (x[tables[s]].reshape(-1, kv_heads, head)[:n] for x in (k, v))
        for h in range(kv_heads * group):
            p = softmax(keys[:, h // group] @ q[s, h] * 0.125)
            expected[s, h] = p @ values[:, h // group]
    backend.check(out, expected, "float16", 2)


@pytest.mark.parametrize("n", [3, 200])
def test_flash_decoding(backend, rng, n):
    heads, head, splits = 3, 32, 8
    q, k, v = (rng.standard_normal(shape) for shape in ((heads, head), (heads, n, head), (heads, n, head)))
    arrays = [backend.array(x, "float32") for x in (q, k, v)]
    middle = backend.array(np.zeros((heads, splits, head)), "float32")
    lse, out = backend.poisoned((heads, splits), "float32"), backend.poisoned((heads, head), "float32")
    kernels.split_kv_kernel[(heads, splits)](
        *arrays, middle, lse, n, 0.2, head, splits * head, head, HEAD=head, BLOCK_N=16, SPLITS=splits
    )
    kernels.combine_splits_kernel[(heads,)](middle, lse, out, splits * head, head, HEAD=head, SPLITS=splits)
    p = softmax(np.einsum("hnd,hd->hn", k, q) * 0.2)
    backend.check(out, np.einsum("hn,hnd->hd", p, v), "float32", 4)


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("conjugate", [False, True])
@pytest.mark.parametrize("with_positions", [False, True])
def test_rope(backend, rng, interleaved, conjugate, with_positions):
    tokens, heads, dim, rotary = 10, 2, 48, 32
    x = rng.standard_normal((tokens, heads, dim))
    angle = rng.standard_normal((64, rotary // 2))
    positions = rng.integers(0, 64, tokens) if with_positions else np.arange(tokens)
    array = backend.array(x, "float32")
    kernels.rope_kernel[(tw.cdiv(tokens, 4), heads)](
        array, backend.array(np.cos(angle), "float32"), backend.array(np.sin(angle), "float32"),
        backend.array(positions, "int64") if with_positions else None,
        tokens, heads, rotary, heads * dim, dim, BLOCK_T=4, INTERLEAVED=interleaved, CONJUGATE=conjugate,
    )  # fmt: skip
    cos, sin = (f(angle[positions])[:, None] for f in (np.cos, np.sin))
    sin = -sin if conjugate else sin
    first, second = (slice(0, rotary, 2), slice(1, rotary, 2)) if interleaved else (
        slice(0, rotary // 2), slice(rotary // 2, rotary))  # fmt: skip
    expected = x.copy()
    expected[..., first] = x[..., first] * cos - x[..., second] * sin
    expected[..., second] = x[..., first] * sin + x[..., second] * cos
    backend.check(array, expected, "float32", 2)


def test_write_cache(backend, rng):
    tokens, width, page, pages = 5, 100, 4, 6
    key, value = rng.standard_normal((2, tokens, width)).astype(np.float32)
    slots = np.array([3, -1, 20, 9, 23])
    caches = [backend.array(np.zeros((pages, page, width), np.float32)) for _ in range(2)]
    kernels.write_cache_kernel[(tokens,)](
        backend.array(key), backend.array(value), *caches, backend.array(slots, "int64"), width, width, width,
        PAGE=page, BLOCK=64,
    )  # fmt: skip
    for cache, source in zip(caches, (key, value)):
        expected = np.zeros((pages * page, width), np.float32)
        expected[slots[slots >= 0]] = source[slots >= 0]
        np.testing.assert_array_equal(backend.numpy(cache).reshape(-1, width), expected)


def test_jagged_softmax(backend, rng):
    offsets = np.array([0, 3, 3, 40, 41])
    x = rng.standard_normal((41, 8)) * 3
    out = backend.poisoned(x.shape, "float32")
    kernels.jagged_softmax_kernel[(4,)](
        backend.array(x, "float32"), backend.array(offsets, "int64"), out, D=8, BLOCK_L=16
    )
    parts = [softmax(x[a:b], 0) for a, b in pairwise(offsets) if b > a]
    backend.check(out, np.concatenate(parts), "float32", 2)


@pytest.mark.parametrize("length", [64, 50])
def test_linear_attention(backend, rng, length):
    heads, K, V = 2, 32, 64
    q, k, v = (rng.standard_normal((heads, length, n)) * 0.3 for n in (K, K, V))
    decay = np.array([-0.05, -0.2])
    out, state = backend.poisoned((heads, length, V), "float32"), backend.poisoned((heads, K, V), "float32")
    kernels.linear_attention_kernel[(V // 32, heads)](
        *(backend.array(x, "float32") for x in (q, k, v)), out, backend.array(decay, "float32"), state,
        length, K=K, V=V, BT=16, BV=32, STORE_STATE=True,
    )  # fmt: skip
    expected, h = np.empty((heads, length, V)), np.zeros((heads, K, V))
    for t in range(length):
        h = h * 2 ** decay[:, None, None] + k[:, t, :, None] * v[:, t, None, :]
        expected[:, t] = np.einsum("hk,hkv->hv", q[:, t], h)
    backend.check(out, expected, "float32", 4)
    backend.check(state, h, "float32", 4)
