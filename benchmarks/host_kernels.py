"""Kernels of the benchmark of launches; `tw` and `tl` are the modules of Tilewright or of Triton."""


def empty(tw, tl):
    """Returns an empty kernel with eight arguments."""

    @tw.jit
    def kernel(a, b, c, d, e, f, g, h):
        pass

    return kernel


def two_matmuls_of_descriptors(tw, tl):
    """Returns a kernel that multiplies the results of two matmuls elementwise; it takes four descriptors."""

    @tw.jit
    def kernel(rows, left, right, result, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        x, y = tl.program_id(0) * BM, tl.program_id(1) * BN
        first = tl.zeros([BM, BN], tl.float32)
        second = tl.zeros([BM, BN], tl.float32)
        for i in range(0, k, BK):
            block = rows.load([x, i])
            first = tl.dot(block, left.load([y, i]).T, first)
            second = tl.dot(block, right.load([y, i]).T, second)
        result.store([x, y], (first * second).to(tl.float16))

    return kernel


def two_matmuls(tw, tl):
    """Returns the same kernel for four arrays; it makes the descriptors."""
    body = two_matmuls_of_descriptors(tw, tl)

    @tw.jit
    def kernel(a, b, c, out, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        rows = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
        left = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
        right = tl.make_tensor_descriptor(c, [n, k], [k, 1], [BN, BK])
        result = tl.make_tensor_descriptor(out, [m, n], [n, 1], [BM, BN])
        body(rows, left, right, result, k, BM, BN, BK)

    return kernel
