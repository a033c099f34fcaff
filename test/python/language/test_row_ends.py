"""What is written behind the columns of an array whose rows are longer: nothing."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def product(a, b, c, M, N, stride, S: tl.constexpr, FORM: tl.constexpr):
    m, n, k = tl.program_id(0) * S + tl.arange(0, S), tl.program_id(1) * S + tl.arange(0, S), tl.arange(0, S)
    x = tl.load(a + m[:, None] * S + k[None, :])
    y = tl.load(b + k[:, None] * stride + n[None, :], mask=(n < N)[None, :], other=0.0)
    acc = tl.dot(x, y) + 1.0
    inside = (m < M)[:, None] & (n < N)[None, :]
    if FORM == "pointers":
        tl.store(c + m[:, None] * stride + n[None, :], acc, mask=inside)
    elif FORM == "atomic":
        tl.atomic_add(c + m[:, None] * stride + n[None, :], acc, mask=inside, sem="relaxed")
    else:
        desc = tl.make_tensor_descriptor(c, [M, N], [stride, 1], [S, S])
        desc.store([tl.program_id(0) * S, tl.program_id(1) * S], acc)


@pytest.mark.parametrize("form", ["pointers", "atomic", "descriptor"])
@pytest.mark.parametrize("columns, stride", [(37, 40), (69, 80), (1, 16), (64, 80), (101, 104), (72, 72)])
def test_nothing_is_written_behind_rows(backend, rng, columns, stride, form):
    a = rng.integers(-3, 4, (128, 64)).astype(np.float16)
    b = rng.integers(-3, 4, (64, stride)).astype(np.float16)
    out = backend.array(np.zeros((128, stride)), "float32")
    product[2, -(-columns // 64)](
        backend.array(a, "float16"), backend.array(b, "float16"), out, 100, columns, stride, 64, form
    )
    expected = np.zeros((128, stride), np.float32)
    expected[:100, :columns] = a[:100].astype(np.float32) @ b[:, :columns].astype(np.float32) + 1
    np.testing.assert_array_equal(backend.numpy(out), expected)


@pytest.mark.parametrize("form", ["pointers", "descriptor"])
@pytest.mark.parametrize("divisor", [1, 8])
def test_who_stores(assemble, form, divisor):
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "stride": "i32"}
    attrs = {"a": 16, "b": 16, "c": 16, "stride": 16} | ({"N": divisor} if divisor > 1 else {})
    ptx = assemble(product, types, {"S": 64, "FORM": form}, attrs).asm["ptx"]
    assert ("cp.async.bulk.tensor.2d.global" in ptx) == (divisor == 8)
