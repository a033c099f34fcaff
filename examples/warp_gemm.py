"""A matmul in the warp language for a Hopper GPU: c = a @ b.T, with explicit roles, ring and wgmma.

One warpgroup copies blocks of a and b into the slots of a ring, and two others multiply them. docs/warp-language.md
explains each line. Without a GPU it runs in the interpreter: TILEWRIGHT_INTERPRET=1 python examples/warp_gemm.py
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp


@tw.jit
def gemm_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SLOTS: tl.constexpr,
):  # fmt: skip
    """c [M, N] = a [M, K] @ b [N, K].T, all with contiguous rows; the grid is persistent."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    ring = warp.ring(SLOTS, a, b)
    columns = tl.cdiv(N, BLOCK_N)
    tiles = tl.cdiv(M, BLOCK_M) * columns

    def produce():
        for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
            m, n = tile // columns * BLOCK_M, tile % columns * BLOCK_N
            for k in range(0, K, BLOCK_K):
                slot = ring.acquire()
                slot.load(0, a, [m, k])
                slot.load(1, b, [n, k])
                ring.commit(slot)

    def consume():
        for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
            acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for _ in range(0, K, BLOCK_K):
                slot = ring.wait()
                acc = warp.wgmma_wait(warp.wgmma(slot[0], slot[1].T, acc))
                ring.release(slot)
            m, n = tile // columns * BLOCK_M, tile % columns * BLOCK_N
            c.store([m, n], acc.to(c_ptr.dtype.element_ty))

    warp.specialize(
        warp.role(consume, warps=8, registers=240),
        warp.role(produce, warps=4, registers=24),
    )


def gemm(a, b, c, programs=132):
    """c = a @ b.T for matrices with contiguous rows, of multiples of 16 columns."""
    (M, K), N = a.shape, b.shape[0]
    gemm_kernel[(programs,)](a, b, c, M, N, K, BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, SLOTS=4)


def main():
    """Multiplies two small matrices and compares with NumPy."""
    interpreted = tw.knobs.INTERPRET.flag()
    if not interpreted and not tw.cuda.is_available():
        print("warp_gemm.py needs a Hopper GPU, or TILEWRIGHT_INTERPRET=1")
        return
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((200, 144), (320, 144)))
    c = np.empty((200, 320), np.float16)
    x, y, z = (a, b, c) if interpreted else map(tw.from_numpy, (a, b, c))
    gemm(x, y, z, programs=4)
    result = z if interpreted else tw.to_numpy(z)
    print("warp_gemm", np.allclose(result, a.astype(np.float32) @ b.astype(np.float32).T, atol=0.1))


if __name__ == "__main__":
    main()
