"""Indexing and slicing of blocks, and assignment to slices, as NumPy does it."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def load_tile(x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    return tl.load(x + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])


@tw.jit
def store_all(out, value, AT: tl.constexpr):
    """Write a block, flat, from the element AT on."""
    tl.store(out + AT + tl.arange(0, value.numel), tl.reshape(value, (value.numel,)))


@tw.jit
def read_kernel(x, out, row, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    t = load_tile(x, ROWS, COLUMNS)
    store_all(out, t[4:8], 0)
    store_all(out, t[::-1, 1::2], 64)
    store_all(out, t[row], 192)
    store_all(out, t[..., -1], 208)
    part = t[8:, None, :4, None]
    tl.static_assert(part.shape == (8, 1, 4, 1))
    store_all(out, part, 224)
    tl.store(out + 256, t[row, 3])
    tl.store(out + 257, t[2][5])
    tl.store(out + 258, tl.sum(t[0:1, 0:1]))


@pytest.mark.parametrize("dtype", ["float32", "int32", "float16", "int64"])
def test_reading(backend, dtype):
    values = np.arange(256).reshape(16, 16).astype(dtype)
    x, out = backend.array(values), backend.array(np.zeros(259), dtype)
    for row in (0, 13):
        read_kernel[1,](x, out, row, 16, 16)
        parts = [values[4:8], values[::-1, 1::2], values[row], values[..., -1], values[8:, None, :4, None]]
        single = [values[row, 3], values[2][5], values[0, 0]]
        expected = np.concatenate([*(part.reshape(-1) for part in parts), single])
        np.testing.assert_array_equal(backend.numpy(out), expected)


@tw.jit
def write_kernel(x, out, row, factor, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    t = load_tile(x, ROWS, COLUMNS)
    before = t
    t[0:4, :] = 0
    t[4:8, ::2] = t[8:12, 1::2]
    t[row] = 7
    t[-1, -1] += 100
    t[8:12, ::-1] = t[8:12]
    t[12:14, 0:8] = tl.arange(0, 8) * factor
    t[14:16, 1:16:2] = before[0:2, 1:9]
    for i in range(3):
        t[i, 2:4] = t[i, 2:4] + i + 1
    if factor > 2:
        t[:, 0] = before[:, 1]
    store_all(out, t, 0)
    store_all(out, before, 256)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("row, factor", [(1, 2), (9, 3)])
def test_assignment(backend, dtype, row, factor):
    values = np.arange(256).reshape(16, 16).astype(dtype)
    x, out = backend.array(values), backend.poisoned(512, dtype)
    write_kernel[1,](x, out, row, factor, 16, 16)
    t = values.copy()
    t[0:4, :] = 0
    t[4:8, ::2] = t[8:12, 1::2]
    t[row] = 7
    t[-1, -1] += 100
    t[8:12, ::-1] = t[8:12].copy()
    t[12:14, 0:8] = np.arange(8) * factor
    t[14:16, 1:16:2] = values[0:2, 1:9]
    for i in range(3):
        t[i, 2:4] += i + 1
    if factor > 2:
        t[:, 0] = values[:, 1]
    np.testing.assert_array_equal(backend.numpy(out), np.concatenate([t.reshape(-1), values.reshape(-1)]))


@tw.jit
def kinds_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    mask = i % 3 == 0
    mask[0:4] = False
    mask[5] = True
    pointers = x + i
    pointers[0:8] = pointers[8:16]
    values = tl.load(pointers)
    tl.store(out + i, tl.where(mask, values, -1.0))
    tl.store(out + N, tl.load(pointers[3]))
    tl.store(out + N + 1, tl.where(mask[5] & ~mask[0], 1.0, 0.0))


def test_blocks_of_bools_and_pointers(backend):
    values = np.arange(16, dtype=np.float32)
    x, out = backend.array(values), backend.poisoned(18, "float32")
    kinds_kernel[1,](x, out, N=16)
    mask = np.arange(16) % 3 == 0
    mask[0:4], mask[5] = False, True
    moved = np.concatenate([values[8:], values[8:]])
    np.testing.assert_array_equal(backend.numpy(out), [*np.where(mask, moved, -1), moved[3], 1])


@tw.jit
def get_kernel(x, out, index, N: tl.constexpr):
    tl.store(out, tl.load(x + tl.arange(0, N))[index])


@pytest.mark.parametrize("index", [8, -1])
def test_indices_are_checked_in_debug_mode(backend, index):
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    x, out = backend.array(np.zeros(8, np.float32)), backend.poisoned(1, "float32")
    with pytest.raises((tw.KernelAssertError, AssertionError), match=r"an index is outside of \[0, 8\)"):
        get_kernel[1,](x, out, index, N=8, debug=True)


@pytest.mark.parametrize("dtype", ["fp32", "i32"])
def test_slices_assemble(assemble, dtype):
    types = {"x": f"*{dtype}", "out": f"*{dtype}", "row": "i32"}
    assert assemble(read_kernel, types, {"ROWS": 16, "COLUMNS": 16}).spills == 0
    assemble(write_kernel, {**types, "factor": "i32"}, {"ROWS": 16, "COLUMNS": 16})


@tw.jit
def odd_kernel(x, out, N: tl.constexpr):
    t = tl.load(x + tl.arange(0, N))
    t[1:4] = t[5:8]
    tl.store(out + tl.arange(0, N), t)


def test_slices_of_any_size(backend):
    values = np.arange(8, dtype=np.float32)
    x, out = backend.array(values), backend.poisoned(8, "float32")
    odd_kernel[1,](x, out, N=8)
    assert backend.numpy(out).tolist() == [0, 5, 6, 7, 4, 5, 6, 7]


@tw.jit
def one_element_kernel(x, out, N: tl.constexpr):
    """Where a scalar is wanted, a block with one element is as good."""
    value = tl.load(x + tl.arange(0, 1)[:, None])
    if value > 2:
        tl.store(out, value.item() * 2)
    tl.store(out + 1, 1 if value > 3 else 2)
    count = tl.full((1,), 0, tl.int32)
    while count < N:
        count += 1
    tl.store(out + 2, count.item() + tl.load(x).item())


@pytest.mark.parametrize("first", [1, 3, 5])
def test_one_element_is_a_scalar(backend, first):
    out = backend.array(np.zeros(3, np.int32))
    one_element_kernel[1,](backend.array(np.array([first], np.int32)), out, 4)
    expected = [2 * first if first > 2 else 0, 1 if first > 3 else 2, 4 + first]
    np.testing.assert_array_equal(backend.numpy(out), expected)
