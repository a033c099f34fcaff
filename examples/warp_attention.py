"""Forward attention in the warp language for a Hopper GPU: softmax(q @ k.T * scale) @ v.

Each iteration starts two wgmmas: the scores of the next keys, and the last weights times their values. The softmax of the
scores overlaps with the second one. docs/warp-language.md explains the parts. Without a GPU it runs in the interpreter:
TILEWRIGHT_INTERPRET=1 python examples/warp_attention.py
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp

LOG2_E: tl.constexpr = 1.4426950408889634


@tw.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, heads, N, scale,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, D: tl.constexpr, SLOTS: tl.constexpr,
):  # fmt: skip
    """All arrays are [heads, N, D] with contiguous rows; N is a multiple of BLOCK_M and BLOCK_N."""
    q = tl.make_tensor_descriptor(q_ptr, [heads, N, D], [N * D, D, 1], [1, BLOCK_M, D])
    k = tl.make_tensor_descriptor(k_ptr, [heads, N, D], [N * D, D, 1], [1, BLOCK_N, D])
    v = tl.make_tensor_descriptor(v_ptr, [heads, N, D], [N * D, D, 1], [1, BLOCK_N, D])
    out = tl.make_tensor_descriptor(out_ptr, [heads, N, D], [N * D, D, 1], [1, BLOCK_M, D])
    queries, keys, values = warp.ring(1, q), warp.ring(SLOTS, k), warp.ring(SLOTS, v)
    head, m = tl.program_id(1), tl.program_id(0) * BLOCK_M

    def fill(ring, array, row):
        slot = ring.acquire()
        slot.load(0, array, [head, row, 0])
        ring.commit(slot)

    def produce():
        fill(queries, q, m)
        fill(keys, k, 0)
        for n in range(BLOCK_N, N, BLOCK_N):
            fill(keys, k, n)
            fill(values, v, n - BLOCK_N)
        fill(values, v, N - BLOCK_N)

    def softmax(scores, top, total):
        """Returns the weights of a block of scores, the new maximum and sum, and the factor for the accumulator."""
        new = tl.maximum(top, tl.max(scores, axis=1) * (scale * LOG2_E))
        weights = tl.exp2(scores * (scale * LOG2_E) - new[:, None])
        shrink = tl.exp2(top - new)
        return weights.to(q.dtype), new, total * shrink + tl.sum(weights, axis=1), shrink

    def consume():
        none = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        top, total = tl.full((BLOCK_M,), -1e30, tl.float32), tl.zeros((BLOCK_M,), tl.float32)
        acc = tl.zeros((BLOCK_M, D), tl.float32)
        query = queries.wait()
        key = keys.wait()
        scores = warp.wgmma_wait(warp.wgmma(query[0], key[0].T, none))
        keys.release(key)
        weights, top, total, shrink = softmax(scores, top, total)
        for _ in range(BLOCK_N, N, BLOCK_N):
            key, value = keys.wait(), values.wait()
            scores = warp.wgmma(query[0], key[0].T, none)
            acc = warp.wgmma(weights, value[0], acc)
            scores = warp.wgmma_wait(scores, pendings=1)
            keys.release(key)
            following, top, total, shrink = softmax(scores, top, total)
            acc = warp.wgmma_wait(acc) * shrink[:, None]
            values.release(value)
            weights = following
        queries.release(query)
        value = values.wait()
        acc = warp.wgmma_wait(warp.wgmma(weights, value[0], acc))
        values.release(value)
        acc = (acc / total[:, None]).to(q.dtype)
        out.store([head, m, 0], acc.reshape(1, BLOCK_M, D))

    warp.specialize(
        warp.role(consume, warps=8, registers=240),
        warp.role(produce, warps=4, registers=24),
    )


def attention(q, k, v, out):
    """out = softmax(q @ k.T / sqrt(D)) @ v for arrays [heads, N, D] of float16 or bfloat16."""
    heads, N, D = q.shape
    if N % 128 or D not in (64, 128):
        raise ValueError(f"expected a multiple of 128 rows of 64 or 128 columns, got {N} of {D}")
    blocks = {"BLOCK_M": 128, "BLOCK_N": 128, "D": D, "SLOTS": 2}
    attention_kernel[(N // 128, heads)](q, k, v, out, heads, N, D**-0.5, **blocks)


def main():
    """Compares with NumPy on two small heads."""
    interpreted = tw.knobs.INTERPRET.flag()
    if not interpreted and not tw.cuda.is_available():
        print("warp_attention.py needs a Hopper GPU, or TILEWRIGHT_INTERPRET=1")
        return
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 256, 64)).astype(np.float16) for _ in range(3))
    out = np.empty_like(q)
    arrays = (q, k, v, out) if interpreted else [tw.from_numpy(x) for x in (q, k, v, out)]
    attention(*arrays)
    weights = np.exp(q.astype(np.float32) @ k.astype(np.float32).transpose(0, 2, 1) / 8)
    expected = weights / weights.sum(-1, keepdims=True) @ v.astype(np.float32)
    result = out if interpreted else tw.to_numpy(arrays[3])
    print("warp_attention", np.allclose(result, expected, atol=0.01))


if __name__ == "__main__":
    main()
