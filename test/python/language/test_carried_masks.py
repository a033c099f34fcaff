"""Loop-carried masks and pointers that the loop updates for its next iteration."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def row_sums(x_ptr, out_ptr, N, BLOCK: tl.constexpr, LATE: tl.constexpr, POINTERS: tl.constexpr):
    """out[i] = sum(x[i, :N]). With LATE the first mask includes the whole first block."""
    columns = tl.arange(0, BLOCK)
    row_ptr = x_ptr + tl.program_id(0) * N
    ptrs = row_ptr + columns
    mask = columns < N if not LATE else columns >= 0
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(tl.cdiv(N, BLOCK)):
        total += tl.load(ptrs, mask=mask, other=0.0)
        columns += BLOCK
        ptrs = row_ptr + columns if POINTERS else ptrs + BLOCK
        mask = columns < N
    tl.store(out_ptr + tl.program_id(0), tl.sum(total))


@pytest.mark.parametrize("n", (1, 31, 64, 65, 1000))
@pytest.mark.parametrize("pointers", (False, True))
def test_masks(backend, rng, n, pointers):
    x = rng.integers(-9, 9, (5, n)).astype(np.float32)
    out = backend.poisoned((5,), "float32")
    row_sums[5](backend.array(x), out, n, 64, False, pointers)
    np.testing.assert_array_equal(backend.numpy(out), x.sum(1))


def test_a_mask_that_starts_otherwise(backend, rng):
    """The first block has its own mask, which the mask of the loop must not replace."""
    x = rng.integers(-9, 9, (3, 40)).astype(np.float32)
    padded = np.concatenate([x.ravel(), np.ones(64, np.float32)])
    out = backend.poisoned((2,), "float32")
    row_sums[2](backend.array(padded), out, 40, 64, True, False)
    flat = x.ravel()
    np.testing.assert_array_equal(backend.numpy(out), [flat[:64].sum(), flat[40:104].sum()])


@tw.jit
def packed_dot(
    a_ptr, words_ptr, scales_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """c = a @ (4-bit weights * column scales); a word holds eight weights that are adjacent along k."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_k, word_k = k, k
    a_ptrs = a_ptr + m[:, None] * K + a_k[None, :]
    word_ptrs = words_ptr + (word_k[:, None] // 8) * N + n[None, :]
    a_mask = (m[:, None] < M) & (a_k[None, :] < K)
    word_mask = (word_k[:, None] < K) & (n[None, :] < N)
    shift = ((word_k % 8) * 4)[:, None]
    scales = tl.load(scales_ptr + n, mask=n < N, other=0.0)
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=a_mask, other=0.0)
        words = tl.load(word_ptrs, mask=word_mask, other=0)
        weights = ((words >> shift) & 15).to(tl.float16) - 8.0
        acc = tl.dot(a, (weights * scales[None, :]).to(tl.float16), acc)
        a_ptrs += BK
        word_ptrs += BK // 8 * N
        a_k += BK
        word_k += BK
        a_mask = (m[:, None] < M) & (a_k[None, :] < K)
        word_mask = (word_k[:, None] < K) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("shape", ((32, 64, 128), (17, 40, 72), (65, 130, 264)), ids=str)
def test_packed_weights(backend, rng, shape):
    M, N, K = shape
    a = rng.integers(-2, 3, (M, K)).astype(np.float16)
    weights = rng.integers(0, 16, (K, N))
    words = (weights.reshape(K // 8, 8, N) << (4 * np.arange(8))[None, :, None]).sum(1)
    words = words.astype(np.uint32).view(np.int32)
    scales = rng.choice([0.5, 1.0, 2.0], N).astype(np.float16)
    c = backend.poisoned((M, N), "float32")
    grid = tw.cdiv(M, 32), tw.cdiv(N, 64)
    packed_dot[grid](*(backend.array(x) for x in (a, words, scales)), c, M, N, K, 32, 64, 64)
    expected = a.astype(np.float64) @ ((weights - 8) * scales.astype(np.float64))
    np.testing.assert_array_equal(backend.numpy(c), expected)


@pytest.mark.compiled
def test_masks_are_not_carried():
    """No loop carries a mask, and each word is loaded once."""
    types = dict(zip(packed_dot.arg_names, ["*fp16", "*i32", "*fp16", "*fp32"] + ["i32"] * 3, strict=False))
    constants = {"BM": 32, "BN": 64, "BK": 64}
    compiled = compile_kernel(
        packed_dot.fn, types, constants, dict.fromkeys(types, 16), "sm_90a", Options(), "warp"
    )
    assert "tensor<64x64x!tile.ptr<i32>" not in compiled.asm["warp"]
    loops = [line for line in compiled.asm["warp"].splitlines() if "iter_args" in line]
    assert loops and not any("xi1" in line for line in loops)
