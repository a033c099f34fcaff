"""Tiles with loaded coordinates: an index of a block, the page of a table, a row for each element.

Loops prefetch such loads, and prefetch their indices even earlier. Nothing is read past the end of either.
"""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


def rows_that_fault(backend, rng, rows, columns, used, dtype="float16"):
    """An array whose rows are NaN unless they are `used`: a result that reads such a row is NaN, too."""
    x = rng.standard_normal((rows, columns))
    x[np.setdiff1d(np.arange(rows), used)] = np.nan
    return backend.array(x, dtype)


@tw.jit
def block_sparse(
    first_ptr, column_ptr, v_ptr, d_ptr, out_ptr, N, B: tl.constexpr, BN: tl.constexpr, STAGES: tl.constexpr
):
    """A block-sparse matrix, given by a list of its nonzero B x B blocks, times a dense matrix."""
    row = tl.program_id(0)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    i = tl.arange(0, B)
    acc = tl.zeros((B, BN), tl.float32)
    for j in tl.range(tl.load(first_ptr + row), tl.load(first_ptr + row + 1), num_stages=STAGES):
        column = tl.load(column_ptr + j)
        v = tl.load(v_ptr + j * B * B + i[:, None] * B + i[None, :])
        d = tl.load(d_ptr + (column * B + i)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
        acc = tl.dot(v, d, acc)
    tl.store(out_ptr + (row * B + i)[:, None] * N + n[None, :], acc, mask=n[None, :] < N)


@pytest.mark.parametrize("block, num_warps", [(16, 1), (32, 4), (64, 4), (128, 8)])
@pytest.mark.parametrize("stages", [1, 2, 3, 5])
def test_block_sparse(backend, rng, block, num_warps, stages):
    rows, columns, n = 5, 7, 136
    present = rng.random((rows, columns)) < 0.5
    present[1], present[2], present[3] = False, np.eye(columns, dtype=bool)[3], True
    where = [np.flatnonzero(row) for row in present]
    first = np.concatenate([[0], np.cumsum([len(row) for row in where])])
    listed = np.concatenate(where)
    v = backend.array(rng.standard_normal((len(listed), block, block)), "float16")
    d = backend.array(rng.standard_normal((columns * block, n)), "float16")
    out = backend.poisoned((rows * block, n), "float32")
    block_sparse[(rows, tw.cdiv(n, 64))](
        backend.array(first, "int32"),
        backend.array(listed, "int32"),
        v,
        d,
        out,
        n,
        block,
        64,
        stages,
        num_warps=num_warps,
    )
    dense = np.zeros((rows, block, columns, block))
    values = backend.numpy(v).astype(np.float64)
    for row in range(rows):
        for j in range(first[row], first[row + 1]):
            dense[row, :, listed[j]] = values[j]
    expected = dense.reshape(rows * block, columns * block) @ backend.numpy(d).astype(np.float64)
    backend.check(out, expected, "float32")


@tw.jit
def paged_attention(
    q_ptr,
    k_ptr,
    v_ptr,
    table_ptr,
    length_ptr,
    out_ptr,
    pitch,
    PAGE: tl.constexpr,
    BM: tl.constexpr,
    D: tl.constexpr,
    DV: tl.constexpr,
    STAGES: tl.constexpr,
):
    """Keys and values lie in pages, which a table lists for each sequence."""
    sequence = tl.program_id(0)
    length = tl.load(length_ptr + sequence)
    m, d, e, j = tl.arange(0, BM), tl.arange(0, D), tl.arange(0, DV), tl.arange(0, PAGE)
    q = tl.load(q_ptr + (sequence * BM + m)[:, None] * D + d[None, :])
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DV), tl.float32)
    for i in tl.range(tl.cdiv(length, PAGE), num_stages=STAGES):
        page = tl.load(table_ptr + sequence * pitch + i)
        rows = page * PAGE + j
        inside = i * PAGE + j < length
        k = tl.load(k_ptr + rows[None, :] * D + d[:, None], mask=inside[None, :], other=0.0)
        v = tl.load(v_ptr + rows[:, None] * DV + e[None, :], mask=inside[:, None], other=0.0)
        p = tl.where(inside[None, :], tl.dot(q, k) * 0.125, -float("inf"))
        higher = tl.maximum(top, tl.max(p, 1))
        shrink = tl.exp(top - higher)
        p = tl.exp(p - higher[:, None])
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        top = higher
    tl.store(out_ptr + (sequence * BM + m)[:, None] * DV + e[None, :], acc / total[:, None])


def attend(q, k, v):
    p = q @ k.T * 0.125
    p = np.exp(p - p.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True) @ v


@pytest.mark.parametrize("bm, page, num_warps", [(16, 16, 4), (64, 64, 4), (128, 32, 8)])
@pytest.mark.parametrize("stages", [2, 4])
def test_paged_attention(backend, rng, bm, page, num_warps, stages):
    d, dv, pages, entries = 64, 128, 24, 8
    lengths = np.array([page * 5 + 3, 1, page * 2, page * entries])
    # Table entries after the end of a sequence are not valid pages.
    table = np.full((len(lengths), entries), 1 << 28)
    free = list(rng.permutation(pages))
    for sequence, length in enumerate(lengths):
        for i in range(-(-length // page)):
            table[sequence, i] = free.pop()
    rows = [(table[s][:, None] * page + np.arange(page)).ravel()[:length] for s, length in enumerate(lengths)]
    k = rows_that_fault(backend, rng, pages * page, d, np.concatenate(rows))
    v = rows_that_fault(backend, rng, pages * page, dv, np.concatenate(rows))
    q = backend.array(rng.standard_normal((len(lengths), bm, d)), "float16")
    out = backend.poisoned((len(lengths), bm, dv), "float32")
    paged_attention[(len(lengths),)](
        q,
        k,
        v,
        backend.array(table, "int32"),
        backend.array(lengths, "int32"),
        out,
        entries,
        page,
        bm,
        d,
        dv,
        stages,
        num_warps=num_warps,
    )
    q, k, v = (backend.numpy(x).astype(np.float64) for x in (q, k, v))
    expected = np.stack([attend(q[s], k[r], v[r]) for s, r in enumerate(rows)])
    backend.check(out, expected, "float16")


@tw.jit
def gathered_rows(
    x_ptr,
    index_ptr,
    w_ptr,
    out_ptr,
    K,
    N,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    TWICE: tl.constexpr,
    STAGES: tl.constexpr,
):
    """x times the rows of w that an index lists, directly or through a second lookup."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n, k = tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, K, BK, num_stages=STAGES):
        inside = start + k < K
        rows = tl.load(index_ptr + start + k, mask=inside, other=0)
        if TWICE:
            rows = tl.load(index_ptr + rows, mask=inside, other=0)
        x = tl.load(x_ptr + m[:, None] * K + (start + k)[None, :], mask=inside[None, :], other=0.0)
        w = tl.load(w_ptr + rows[:, None] * N + n[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(x, w, acc)
    tl.store(out_ptr + m[:, None] * BN + n[None, :], acc)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("bm, num_warps", [(16, 4), (64, 4), (128, 8)])
@pytest.mark.parametrize("stages", [2, 3])
def test_gathered_rows(backend, rng, bm, num_warps, stages, twice):
    n, bk = 64, 32
    for K in (0, 8, 32, 72, 232):
        index = rng.permutation(2 * max(K, 1))[:K]
        if twice:
            index = rng.permutation(K)
        used = index[index] if twice else index
        x = backend.array(rng.standard_normal((2 * bm, K)), "float16")
        w = rows_that_fault(backend, rng, 2 * max(K, 1), n, used)
        out = backend.poisoned((2 * bm, n), "float32")
        gathered_rows[(2,)](
            x, backend.array(index, "int32"), w, out, K, n, bm, n, bk, twice, stages, num_warps=num_warps
        )
        expected = backend.numpy(x).astype(np.float64) @ backend.numpy(w).astype(np.float64)[used]
        backend.check(out, expected, "float32")


@tw.jit
def experts(
    a_ptr,
    w_ptr,
    token_ptr,
    expert_ptr,
    out_ptr,
    tokens,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    TOP: tl.constexpr,
    STAGES: tl.constexpr,
):
    """Each block of BM slots goes to one expert; most slots hold a token."""
    block = tl.program_id(0)
    slot = block * BM + tl.arange(0, BM)
    token = tl.load(token_ptr + slot)
    inside = token < tokens
    expert = tl.load(expert_ptr + block).to(tl.int64)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_at = a_ptr + (token[:, None] // TOP * K + k[None, :])
    w_at = w_ptr + expert * N * K + (n % N)[None, :] * K + k[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, K, BK, num_stages=STAGES):
        a = tl.load(a_at, mask=inside[:, None] & (k[None, :] < K - start), other=0.0)
        w = tl.load(w_at, mask=k[:, None] < K - start, other=0.0)
        acc = tl.dot(a, w, acc)
        a_at += BK
        w_at += BK
    at = out_ptr + token[:, None] * N + n[None, :]
    tl.store(at, acc.to(tl.bfloat16), mask=inside[:, None] & (n[None, :] < N))


@pytest.mark.parametrize("bm, num_warps", [(16, 4), (64, 4), (128, 8)])
@pytest.mark.parametrize("N, K", [(96, 160), (128, 200)])
def test_experts(backend, rng, bm, num_warps, N, K):
    tokens, top, count = 50, 2, 4
    blocks = 6
    token = rng.permutation(blocks * bm)
    token[token >= top * tokens] = top * tokens + 12345
    a = backend.array(rng.standard_normal((tokens, K)), "bfloat16")
    w = backend.array(rng.standard_normal((count, N, K)), "bfloat16")
    expert = rng.integers(0, count, blocks)
    out = backend.array(np.zeros((top * tokens, N)), "bfloat16")
    experts[(blocks, tw.cdiv(N, 64))](
        a,
        w,
        backend.array(token, "int32"),
        backend.array(expert, "int32"),
        out,
        top * tokens,
        N,
        K,
        bm,
        64,
        64,
        top,
        3,
        num_warps=num_warps,
    )
    expected = np.zeros((top * tokens, N))
    x, y = backend.numpy(a).astype(np.float64), backend.numpy(w).astype(np.float64)
    for slot, t in enumerate(token):
        if t < top * tokens:
            expected[t] = y[expert[slot // bm]] @ x[t // top]
    backend.check(out, expected, "bfloat16")


@tw.jit
def list_walk(next_ptr, x_ptr, w_ptr, out_ptr, start, count, B: tl.constexpr):
    """Each block names its successor."""
    i = tl.arange(0, B)
    at = start
    acc = tl.zeros((B, B), tl.float32)
    for _ in range(count):
        x = tl.load(x_ptr + at * B * B + i[:, None] * B + i[None, :])
        w = tl.load(w_ptr + at * B * B + i[:, None] * B + i[None, :])
        acc = tl.dot(x, w, acc)
        at = tl.load(next_ptr + at)
    tl.store(out_ptr + i[:, None] * B + i[None, :], acc)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
def test_list_walk(backend, rng, count):
    B, blocks = 64, 8
    order = rng.permutation(blocks)
    following = np.full(blocks, 1 << 20)
    following[order[:-1]] = order[1:]
    x = rows_that_fault(backend, rng, blocks, B * B, order[:count])
    w = rows_that_fault(backend, rng, blocks, B * B, order[:count])
    out = backend.poisoned((B, B), "float32")
    list_walk[(1,)](backend.array(following, "int32"), x, w, out, int(order[0]), count, B, num_stages=3)
    pairs = [(backend.numpy(x)[b].reshape(B, B), backend.numpy(w)[b].reshape(B, B)) for b in order[:count]]
    expected = sum((a.astype(np.float64) @ b.astype(np.float64) for a, b in pairs), np.zeros((B, B)))
    backend.check(out, expected, "float32")


@tw.jit
def rewritten_index(index_ptr, x_ptr, w_ptr, out_ptr, count, B: tl.constexpr):
    """The loop writes the index that its next iteration reads."""
    i = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for j in range(count):
        at = tl.load(index_ptr + j)
        x = tl.load(x_ptr + at * B * B + i[:, None] * B + i[None, :])
        w = tl.load(w_ptr + i[:, None] * B + i[None, :])
        acc = tl.dot(x, w, acc)
        tl.store(index_ptr + j + 1, at + 2)
    tl.store(out_ptr + i[:, None] * B + i[None, :], acc)


def test_rewritten_index(backend, rng):
    B, count = 64, 5
    x = rows_that_fault(backend, rng, 2 * count, B * B, np.arange(0, 2 * count, 2))
    w = backend.array(rng.standard_normal((B, B)), "float16")
    out = backend.poisoned((B, B), "float32")
    index = backend.array(np.r_[0, np.ones(count)], "int32")
    rewritten_index[(1,)](index, x, w, out, count, B, num_stages=3)
    blocks = backend.numpy(x).astype(np.float64)[::2].reshape(count, B, B)
    backend.check(out, blocks.sum(0) @ backend.numpy(w).astype(np.float64), "float32")
    assert backend.numpy(index).tolist() == [0, 2, 4, 6, 8, 10]


@tw.jit
def moved_blocks(
    list_ptr, x_ptr, w_ptr, out_ptr, rows, count, B: tl.constexpr, HALF: tl.constexpr, STAGES: tl.constexpr
):
    """Listed blocks in halves: the block pointer advances by the difference of two list entries."""
    start = tl.load(list_ptr) * B
    x = tl.make_block_ptr(x_ptr, (rows, B), (B, 1), (start, 0), (HALF, B), (1, 0))
    w = tl.make_block_ptr(w_ptr, (B, rows), (1, B), (0, start), (B, HALF), (0, 1))
    acc = tl.zeros((HALF, HALF), tl.float32)
    for i in tl.range(0, count * 2, num_stages=STAGES):
        acc = tl.dot(tl.load(x), tl.load(w), acc)
        here = tl.load(list_ptr + i // 2)
        following = tl.load(list_ptr + i // 2 + 1, mask=i // 2 + 1 < count, other=0)
        step = (following - here) * B - B + HALF if i % 2 == 1 else HALF
        x = tl.advance(x, (step, 0))
        w = tl.advance(w, (0, step))
    i = tl.arange(0, HALF)
    tl.store(out_ptr + i[:, None] * HALF + i[None, :], acc)


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("stages", [1, 3])
def test_moved_blocks(backend, rng, count, stages):
    B, half, blocks = 128, 64, 7
    listed = rng.permutation(blocks)[: max(count, 1)]
    x, w = (rows_that_fault(backend, rng, blocks, B * B, listed) for _ in range(2))
    out = backend.poisoned((half, half), "float32")
    moved_blocks[1,](backend.array(listed, "int32"), x, w, out, blocks * B, count, B, half, stages)
    a, b = (backend.numpy(v).astype(np.float64).reshape(blocks, 2, half, B)[listed[:count]] for v in (x, w))
    backend.check(out, np.einsum("chik,chjk->ij", a, b), "float32")
