"""Tuples, named tuples, functions and tensor descriptors as arguments of kernels."""

from collections import namedtuple

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

Scaled = namedtuple("Scaled", ["x", "scale"])


@tw.jit
def twice(x):
    return x * 2


@tw.jit
def combine(out, scaled, rest, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(scaled.x + at) * scaled.scale + rest[0]
    y, function = rest[1]
    if len(rest) == 3:
        value += rest[2]
    tl.store(out + at, function(value) + tl.load(y + at))


def test_tuples(backend, rng):
    x, y = rng.standard_normal((2, 32))
    out = backend.array(np.zeros(32), "float32")
    given = Scaled(backend.array(x, "float32"), 3.0)
    pair = (backend.array(y, "float32"), twice)
    combine[lambda meta: (len(meta["rest"]) - 1,)](out, given, (5, pair), BLOCK=32)
    backend.check(out, (x * 3 + 5) * 2 + y, "float32")
    # Another structure, another kernel.
    combine[(1,)](out, given, (5, pair, 0.5), BLOCK=32)
    backend.check(out, (x * 3 + 5.5) * 2 + y, "float32")


@tw.jit
def add_all(out, values):
    total = 0.0
    for pointer, factor in values:
        total += tl.load(pointer) * factor
    tl.store(out, total)


@pytest.mark.parametrize("debug", [False, True])
def test_as_many_as_a_fused_optimiser_passes(backend, debug):
    pairs = tuple((backend.array([k], "float32"), k % 7 + 2) for k in range(150))
    out = backend.array([0], "float32")
    add_all[1,](out, pairs, debug=debug)
    assert backend.numpy(out)[0] == sum(k * (k % 7 + 2) for k in range(150))


@tw.jit
def shift_block(source, target, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    target.store([row, column], source.load([row + 1, column + 2]))


@pytest.mark.parametrize("padding", ["zero", "nan"])
@pytest.mark.parametrize("shape", [(64, 64), (50, 72)], ids=str)
def test_descriptors(backend, rng, shape, padding):
    x = rng.standard_normal(shape)
    source, target = backend.array(x, "float16"), backend.array(np.zeros(shape), "float16")
    blocks = [16, 32]
    grid = (tw.cdiv(shape[0], 16), tw.cdiv(shape[1], 32))
    shift_block[grid](
        tw.TensorDescriptor.from_tensor(source, blocks, padding),
        tw.TensorDescriptor.from_tensor(target, blocks),
        *shape,
        *blocks,
    )
    outside = 0.0 if padding == "zero" else np.nan
    expected = np.pad(x.astype(np.float16), ((0, 1), (0, 2)), constant_values=outside)[1:, 2:]
    np.testing.assert_array_equal(backend.numpy(target), expected)


def test_wrong_descriptors():
    x = np.zeros((4, 4), np.float32)
    with pytest.raises(ValueError, match="the last stride of a tensor descriptor is 1, got 4"):
        tw.TensorDescriptor.from_tensor(x.T, [2, 2])
    with pytest.raises(ValueError, match="block_shape has 1 entries, shape has 2"):
        tw.TensorDescriptor.from_tensor(x, [2])
    with pytest.raises(ValueError, match="one to five axes, got 0"):
        tw.TensorDescriptor(x, [], [], [])
    with pytest.raises(ValueError, match="padding is 'zero' or 'nan', got 'one'"):
        tw.TensorDescriptor(x, [4], [1], [2], "one")


def test_descriptors_reach_no_further_than_the_memory(backend):
    x = np.zeros((6, 8), np.float32)
    for shape, strides in (([7, 8], [8, 1]), ([6, 9], [8, 1]), ([2, 8], [48, 1]), ([2, 8], [-8, 1])):
        with pytest.raises(ValueError, match="are not all in its memory, of 0 to 47"):
            tw.TensorDescriptor(x, shape, strides, [2, 4])
    with pytest.raises(ValueError, match=r"the elements 0 to 55 .* memory, of -8 to 39"):
        tw.TensorDescriptor(x[1:], [7, 8], [8, 1], [2, 4])
    if backend.is_emulated:
        return  # its arrays do not name the memory that they are part of
    with pytest.raises(ValueError, match="are not all in its memory, of 0 to 47"):
        tw.TensorDescriptor(backend.array(x), [np.int64(7), 8], [8, 1], [2, 4])


def test_descriptors_of_part_of_the_memory():
    x = np.zeros((6, 8), np.float32)
    tw.TensorDescriptor(x, [6, 8], [8, 1], [2, 4])
    tw.TensorDescriptor(x[1:3, 2:4], [5, 6], [8, 1], [2, 4])
    tw.TensorDescriptor(x[5:], [6, 8], [-8, 1], [2, 4])
    tw.TensorDescriptor(x, [0, 900], [900, 1], [2, 4])
    tw.TensorDescriptor(x, [2**30, 8], [8, 1], [2, 4])  # no end
    tw.TensorDescriptor(np.frombuffer(bytes(64), np.float32), [99], [1], [4])  # whose memory is not known


def test_unsupported_tuple_elements(backend):
    out = backend.array(np.zeros(32), "float32")
    with pytest.raises(TypeError, match=r"(?s)argument 'rest[.\[]1.*of type '?list"):
        combine[(1,)](out, Scaled(out, 1.0), (1, [out]), BLOCK=32)
