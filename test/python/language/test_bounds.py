"""Accesses outside of arrays: found in debug mode and by the interpreter, at the user's line."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs
from tilewright.interpreter import OutOfBounds


@tw.jit
def shift_kernel(x, out, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + shift + i, mask=i >= 2)
    tl.store(out + i, value)


@tw.jit
def store_kernel(x, out, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + shift + i, tl.load(x + i))


@tw.jit
def atomic_kernel(x, out, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(out + shift + i, tl.load(x + i))


@tw.jit
def loop_kernel(x, out, shift, N: tl.constexpr):
    pointer = x + tl.arange(0, 2)
    total = tl.zeros((2,), tl.float32)
    for _ in range(N // 2 + shift):
        total += tl.load(pointer)
        pointer += 2
    tl.store(out + tl.arange(0, 2), total)


@tw.jit
def branch_kernel(x, out, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    pointer = x
    if shift > 0:
        pointer = x + shift * 1000
    tl.store(out + i, tl.load(pointer + i))


@tw.jit
def tuple_kernel(arrays, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(arrays[1] + i, tl.load(arrays[0] + i + shift))


@tw.jit
def block_kernel(x, out, shift, N: tl.constexpr):
    block = tl.make_block_ptr(x, (N,), (1,), (shift,), (N,), (0,))
    tl.store(out + tl.arange(0, N), tl.load(block))


@tw.jit
def described_kernel(x, out, shift, N: tl.constexpr):
    described = tl.make_tensor_descriptor(x, [N + shift], [1], [N])
    tl.store(out + tl.arange(0, N), described.load([shift]))


@tw.jit
def swapping_kernel(x, out, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    source, target = out, x + shift
    for _ in range(3):
        source, target = target, source
    tl.store(target + i, tl.load(source + i))


@tw.jit
def while_kernel(x, out, shift, N: tl.constexpr):
    pointer, left = x, shift + 1
    while left > 0:
        pointer += N // 2
        left -= 1
    tl.store(out, tl.load(pointer + tl.arange(0, N // 2) - N // 2 + shift // 2).sum())


@tw.jit
def advanced(pointer, by):
    for _ in range(by):
        pointer += 1
    return pointer


@tw.jit
def called_kernel(x, out, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(advanced(x, shift) + i))


@tw.jit
def chosen_kernel(x, out, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    pointers = tl.where(i % 2 == 0, x + i + shift, out + i)
    tl.store(out + i, tl.load(pointers[None, :].broadcast_to(1, N).reshape(N)))


@tw.jit
def nested_kernel(x, out, shift, N: tl.constexpr):
    row, total = x, 0.0
    for _ in range(2):
        for _ in range(N // 2):
            total += tl.load(row)
            row += 1
        row += shift
    tl.store(out, total)


FOUND = [
    (shift_kernel, "tl.load outside of 'x'", 3),
    (store_kernel, "tl.store outside of 'out'", 3),
    (atomic_kernel, "tl.atomic_add outside of 'out'", 3),
    (loop_kernel, "tl.load outside of 'x'", 5),
    (branch_kernel, "tl.load outside of 'x'", 6),
    (tuple_kernel, r"tl.load outside of 'arrays\.0'", 3),
    (swapping_kernel, "tl.load outside of 'x'", 6),
    (while_kernel, "tl.load outside of 'x'", 6),
    (called_kernel, "tl.load outside of 'x'", 3),
    (chosen_kernel, "tl.load outside of 'x'", 4),
    (nested_kernel, "tl.load outside of 'x'", 5),
    (block_kernel, "tl.load outside of 'x'", 3),
    (described_kernel, "the array of a tensor descriptor lies outside of 'x'", 3),
]


def run(kernel, backend, shift):
    x, out = backend.array(np.arange(8, dtype=np.float32)), backend.array(np.zeros(8, np.float32))
    arrays = ((x, out),) if kernel is tuple_kernel else (x, out)
    kernel[1,](*arrays, shift, N=8, debug=True)
    return backend.numpy(out)


@pytest.mark.parametrize("kernel, message, line", FOUND, ids=lambda entry: getattr(entry, "__name__", ""))
def test_accesses_outside_are_found(backend, kernel, message, line):
    run(kernel, backend, 0)
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    if backend.name == "interpreter":
        with pytest.raises(OutOfBounds):
            run(kernel, backend, 2)
        return
    with pytest.raises(tw.KernelAssertError, match=message) as caught:
        run(kernel, backend, 2)
    assert f"{__file__}:{kernel.fn.__code__.co_firstlineno + line}" in str(caught.value)


def test_masked_lanes_are_not_checked(backend):
    assert run(shift_kernel, backend, -2)[2:].tolist() == [0, 1, 2, 3, 4, 5]


def test_a_view_ends_where_it_ends(backend):
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    whole, out = np.arange(16, dtype=np.float32), np.zeros(8, np.float32)
    store_kernel[1,](whole[4:12], out, 0, N=8, debug=True)
    assert out.tolist() == list(range(4, 12))
    with pytest.raises((tw.KernelAssertError, OutOfBounds)):
        store_kernel[1,](whole[4:11], out, 0, N=8, debug=True)
    backwards = whole[::-1]
    with pytest.raises((tw.KernelAssertError, OutOfBounds)):
        store_kernel[1,](backwards, out, 0, N=8, debug=True)  # its first element is the last in memory


@tw.jit
def pointers_kernel(table, out, N: tl.constexpr):
    x = tl.load(table).to(tl.pointer_type(tl.float32))
    tl.store(out + tl.arange(0, N), tl.load(x + tl.arange(0, N)))


@pytest.mark.compiled
def test_loaded_pointers_are_not_checked(backend):
    x, out = backend.array(np.arange(8, dtype=np.float32)), backend.poisoned(8, "float32")
    address = x.data_ptr() if hasattr(x, "data_ptr") else x.ctypes.data
    pointers_kernel[1,](backend.array(np.array([address])), out, N=8, debug=True)
    assert backend.numpy(out).tolist() == list(range(8))


@tw.jit
def strides_kernel(x, table, out, N: tl.constexpr):
    """Loaded pointers, alone and merged with an argument."""
    loaded = tl.load(table).to(tl.pointer_type(tl.float32))
    pointer, total = loaded, 0.0
    for k in range(2 * N):
        total += tl.load(pointer)
        if k == N - 1:
            pointer = x
        else:
            pointer += 1
    tl.store(out, total)


@pytest.mark.compiled
def test_loaded_pointers_of_loops(backend):
    x, out = backend.array(np.arange(8, dtype=np.float32)), backend.array(np.zeros(1, np.float32))
    other = backend.array(np.ones(8, np.float32))
    address = other.data_ptr() if hasattr(other, "data_ptr") else other.ctypes.data
    table = backend.array(np.array([address]))
    strides_kernel[1,](x, table, out, N=8, debug=True)
    assert backend.numpy(out).tolist() == [8 + 28]
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    with pytest.raises(tw.KernelAssertError, match=r"tl\.load outside of 'x'"):
        strides_kernel[1,](x[:7], table, out, N=8, debug=True)


@tw.jit
def neighbours_kernel(x, y, out, N: tl.constexpr):
    pointer = x
    for _ in range(N):
        pointer += 1
    tl.store(out, tl.load(pointer))


@pytest.mark.compiled
def test_the_neighbour_of_an_array_is_outside(backend):
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    whole, out = np.arange(16, dtype=np.float32), np.zeros(1, np.float32)
    with pytest.raises(tw.KernelAssertError, match=r"tl\.load outside of 'x'"):
        neighbours_kernel[1,](whole[:8], whole[8:], out, N=8, debug=True)


@pytest.mark.compiled
def test_extents_are_passed_in_debug_mode_only():
    x = np.zeros(8, np.float32)
    plain = store_kernel.warmup(x, x, 0, N=8, debug=False)
    checked = store_kernel.warmup(x, x, 0, N=8, debug=True)
    assert list(plain.arg_types) == ["x", "out", "shift"]
    assert list(checked.arg_types)[3:] == ["begin of x", "end of x", "begin of out", "end of out"]
    assert checked.written == ["out"]


@pytest.mark.compiled
def test_extents_of_arrays():
    from tilewright.runtime.extents import extent

    x = np.zeros((4, 8), np.int16)
    start = x.ctypes.data
    assert extent(x) == (start, start + 64)
    assert extent(x[1:3, ::2]) == (start + 16, start + 16 + 16 + 12 + 2)
    assert extent(x[::-1]) == (start, start + 64)
    assert extent(x[:0]) == (start, start)
    torch = needs("torch")
    y = torch.zeros(4, 8)
    assert extent(y[1:, 2:4]) == (y.data_ptr() + 40, y.data_ptr() + 40 + 64 + 8)
