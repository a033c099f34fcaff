"""`a < b <= c`, of blocks and of constants."""

import numpy as np
import tilewright as tw
import tilewright.language as tl


@tw.jit
def between(x_ptr, out_ptr, low, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    inside = low < x <= 5 != N
    tl.static_assert(1 < N <= 64 < 100)
    tl.store(out_ptr + i, tl.where(inside, 1, 0))


def test_of_blocks(backend):
    x = np.arange(16, dtype=np.int32)
    out = backend.poisoned((16,), "int32")
    between[1,](backend.array(x), out, 2, 16)
    np.testing.assert_array_equal(backend.numpy(out), (x > 2) & (x <= 5))
