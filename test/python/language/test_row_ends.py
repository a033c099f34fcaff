"""Nothing is written after the last column of an array with a longer row stride."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def dot_kernel(a, b, c, M, N, stride, S: tl.constexpr, FORM: tl.constexpr):
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
def test_nothing_is_written_after_rows(backend, rng, columns, stride, form):
    a = rng.integers(-3, 4, (128, 64)).astype(np.float16)
    b = rng.integers(-3, 4, (64, stride)).astype(np.float16)
    out = backend.array(np.zeros((128, stride)), "float32")
    dot_kernel[2, -(-columns // 64)](
        backend.array(a, "float16"), backend.array(b, "float16"), out, 100, columns, stride, 64, form
    )
    expected = np.zeros((128, stride), np.float32)
    expected[:100, :columns] = a[:100].astype(np.float32) @ b[:, :columns].astype(np.float32) + 1
    np.testing.assert_array_equal(backend.numpy(out), expected)


@pytest.mark.parametrize("form", ["pointers", "descriptor"])
@pytest.mark.parametrize("divisor", [1, 8])
def test_tma_stores_aligned_rows(assemble, form, divisor):
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "stride": "i32"}
    attrs = {"a": 16, "b": 16, "c": 16, "stride": 16} | ({"N": divisor} if divisor > 1 else {})
    ptx = assemble(dot_kernel, types, {"S": 64, "FORM": form}, attrs).asm["ptx"]
    assert ("cp.async.bulk.tensor.2d.global" in ptx) == (divisor == 8)


@tw.jit
def dot_of_loaded_sizes(a, b, c, sizes, S: tl.constexpr, ADD: tl.constexpr):
    """The sizes are loaded from memory, so the device makes the tensor maps."""
    M, N, stride = tl.load(sizes), tl.load(sizes + 1), tl.load(sizes + 2)
    left = tl.make_tensor_descriptor(a, [M, S], [S, 1], [S, S])
    right = tl.make_tensor_descriptor(b, [S, N], [stride, 1], [S, S])
    desc = tl.make_tensor_descriptor(c, [M, N], [stride, 1], [S, S])
    for row in range(0, M, S):
        for column in range(0, N, S):
            acc = tl.dot(left.load([row, 0]), right.load([0, column])) + 1.0
            if ADD:
                desc.atomic_add([row, column], acc)
            else:
                desc.store([row, column], acc)


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize(
    "rows, columns, stride", [(100, 37, 40), (128, 69, 80), (1, 3, 8), (100, 72, 80), (64, 64, 64), (0, 5, 8)]
)
def test_nothing_is_written_after_rows_of_loaded_sizes(backend, rng, rows, columns, stride, add):
    a = rng.integers(-3, 4, (128, 64)).astype(np.float16)
    b = rng.integers(-3, 4, (64, stride)).astype(np.float16)
    out = backend.array(np.full((128, stride), 5), "float32")
    sizes = backend.array(np.array([rows, columns, stride]), "int32")
    dot_of_loaded_sizes[1,](backend.array(a, "float16"), backend.array(b, "float16"), out, sizes, 64, add)
    expected = np.full((128, stride), 5, np.float32)
    dot = a[:rows].astype(np.float32) @ b[:, :columns].astype(np.float32) + 1
    expected[:rows, :columns] = dot + 5 if add else dot
    np.testing.assert_array_equal(backend.numpy(out), expected)


@pytest.mark.compiled
@pytest.mark.parametrize("add", [False, True])
def test_stores_of_loaded_sizes(assemble, add):
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "sizes": "*i32"}
    made = assemble(dot_of_loaded_sizes, types, {"S": 64, "ADD": add}, dict.fromkeys(types, 16))
    assert made.asm["warp"].count("warp.tma_store ") == 1
    assert ("tile.atomic_rmw" if add else "tile.store") in made.asm["warp"]
