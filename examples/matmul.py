"""A simple matmul: c = a @ b, one tile of c per program.

On a Hopper GPU the compiler splits it into a producer that copies tiles and consumers that multiply them. The command
`tilewright explain examples/matmul.py:matmul_kernel` shows how.
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl


@tw.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    """Each program computes BLOCK_M x BLOCK_N elements of c; all arrays have contiguous rows."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        inside = start + k < K
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :], mask=(m < M)[:, None] & inside[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :], mask=inside[:, None] & (n < N)[None, :])
        acc = tl.dot(a, b, acc)
    c = acc.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c, mask=(m < M)[:, None] & (n < N)[None, :])


def matmul(a, b, c):
    """Computes c = a @ b for matrices with contiguous rows, on any device."""
    (M, K), N = a.shape, b.shape[1]
    blocks = {"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64}
    grid = (tw.cdiv(M, blocks["BLOCK_M"]), tw.cdiv(N, blocks["BLOCK_N"]))
    matmul_kernel[grid](a, b, c, M, N, K, **blocks, num_warps=8, num_stages=4)


def main():
    """Multiplies two small matrices and compares with NumPy."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((256, 128), (128, 512)))
    c = np.empty((256, 512), np.float16)
    matmul(a, b, c)
    print("matmul", np.allclose(c, a.astype(np.float32) @ b.astype(np.float32), atol=0.1))


if __name__ == "__main__":
    main()
