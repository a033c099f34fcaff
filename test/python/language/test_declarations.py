"""Variables that are declared before they are assigned."""

import numpy as np
import tilewright as tw
import tilewright.language as tl


@tw.jit
def declared(out_ptr, n, WIDE: tl.constexpr):
    SIZE: tl.constexpr
    total: tl.int32
    if WIDE:
        SIZE = 8
    else:
        SIZE = 4
    total = last = n
    for i in range(3):
        last: tl.int32
        last = total
        total += SIZE
    i = tl.arange(0, SIZE)
    tl.store(out_ptr + i, total + last)


def test_declared_before_the_branches(backend):
    for wide, want in ((True, [2 * 1 + 24 + 16] * 8), (False, [2 * 1 + 12 + 8] * 4 + [0] * 4)):
        out = backend.array(np.zeros(8), "int32")
        declared[1,](out, 1, wide)
        assert backend.numpy(out).tolist() == want


@tw.jit
def becomes_a_value(out_ptr, n):
    N: tl.constexpr
    N = 4
    if n > 2:
        N = 5
    tl.store(out_ptr, N)


def test_a_declared_constant_that_branches_merge(backend):
    out = backend.array(np.zeros(1), "int32")
    becomes_a_value[1,](out, 3)
    assert backend.numpy(out).tolist() == [5]
