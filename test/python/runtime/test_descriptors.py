"""Tensor descriptors as arguments: each launch uses their present state."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

pytestmark = pytest.mark.compiled


@tw.jit
def copy(source, target, n, SCALE: tl.constexpr = 1.0):
    block: tl.constexpr = source.block_shape
    rows = tl.program_id(0) * block[0]
    for column in range(0, n, block[1]):
        target.store([rows, column], source.load([rows, column]) * SCALE)


@pytest.fixture
def pair(backend, rng):
    """Two arrays of 20 x 40 and their descriptors with blocks of 8 x 16."""
    values = rng.normal(size=(20, 40)).astype(np.float32)
    arrays = backend.array(values), backend.array(np.zeros((20, 40), np.float32))
    return values, arrays, [tw.TensorDescriptor.from_tensor(array, [8, 16]) for array in arrays]


def test_copies(backend, pair):
    values, (_, target), (source, result) = pair
    compiled = copy[3](source, result, 40)
    np.testing.assert_array_equal(backend.numpy(target), values)
    assert copy[3](source, result, 40) is compiled
    assert copy.warmup(source, result, 40).arg_types == compiled.arg_types
    assert copy[3](source, result, 40, num_warps=8) is not compiled


def test_grid_sees_the_descriptors(backend, pair):
    values, (_, target), (source, result) = pair
    copy[lambda meta: tw.cdiv(meta["source"].shape[0], meta["source"].block_shape[0])](source, result, n=40)
    np.testing.assert_array_equal(backend.numpy(target), values)


def test_block_shape_may_change(backend, pair):
    values, (_, target), (source, result) = pair
    first = copy[3](source, result, 40)
    source.block_shape = result.block_shape = [16, 8]
    assert copy[2](source, result, 40, SCALE=2.0) is not first
    np.testing.assert_array_equal(backend.numpy(target), 2 * values)
    source.block_shape = result.block_shape = [8, 16]
    assert copy[3](source, result, 40) is first


def test_shape_bounds_the_copy(backend, pair):
    values, (_, target), (source, result) = pair
    result.shape = (10, 20)
    copy[3](source, result, 40)
    expected = np.zeros_like(values)
    expected[:10, :20] = values[:10, :20]
    np.testing.assert_array_equal(backend.numpy(target), expected)


def test_lists_may_change_in_place(backend, pair):
    values, (_, target), (source, result) = pair
    for rows, columns in ((10, 20), (20, 20), (20, 7), (20, 7), (20, 40)):
        result.shape[:] = rows, columns
        target[:] = 0
        copy[3](source, result, 40)
        expected = np.zeros_like(values)
        expected[:rows, :columns] = values[:rows, :columns]
        np.testing.assert_array_equal(backend.numpy(target), expected)
    first = copy[3](source, result, 40)
    source.block_shape[1] = result.block_shape[1] = 8
    assert copy[3](source, result, 40) is not first
    source.strides[0] = 1
    copy[3](source, result, 40)
    moved = np.lib.stride_tricks.as_strided(values, values.shape, (4, 4))
    np.testing.assert_array_equal(backend.numpy(target), moved)
    source.strides[0] = None
    with pytest.raises(TypeError):
        copy[3](source, result, 40)


def test_other_arrays_of_the_same_shape(backend, rng):
    """Their sizes are other objects, and their element types may differ."""
    for number in range(4):
        values = rng.normal(size=(300, 400)).astype(np.float32 if number < 3 else np.float64)
        given, target = backend.array(values), backend.array(np.zeros_like(values))
        source, result = (tw.TensorDescriptor.from_tensor(array, [8, 16]) for array in (given, target))
        copy[38](source, result, 400)
        np.testing.assert_array_equal(backend.numpy(target), values)


def test_grid_may_launch_the_kernel(backend, pair):
    """The inner launch uses other descriptors while the outer one is prepared."""
    values, (given, target), (source, result) = pair
    other, launches = backend.array(np.zeros((20, 40), np.float32)), []

    def grid(meta):
        narrow = tw.TensorDescriptor(other, [10, 40], [40, 1], [8, 8])
        copy[3](tw.TensorDescriptor(given, [20, 30], [40, 1], [8, 8]), narrow, 40)
        if len(launches) == 1:
            copy.forget()
        launches.append(1)
        return (3,)

    expected = np.zeros_like(values)
    expected[:10, :30] = values[:10, :30]
    for _ in range(3):
        target[:] = 0
        copy[grid](source, result, 40)
        np.testing.assert_array_equal(backend.numpy(target), values)
        np.testing.assert_array_equal(backend.numpy(other), expected)


def test_descriptors_in_other_positions(backend, pair):
    @tw.jit
    def mark(left, right, out_ptr, mark):
        tl.store(out_ptr, mark)

    _, (given, _), (source, _) = pair
    out = backend.array(np.zeros(1, np.int32))
    for number, arguments in enumerate(
        [(source, given), (given, source), (source, source), (given, given)] * 2
    ):
        compiled = mark[1](*arguments, out, number)
        assert backend.numpy(out)[0] == number
        for name, argument in zip(("left", "right"), arguments):
            assert (f"{name}.base" in compiled.arg_types) == isinstance(argument, tw.TensorDescriptor)


def test_shapes_may_be_numbers_of_numpy(backend, pair):
    values, (_, target), (source, result) = pair
    source.shape = list(np.array([20, 40]))
    copy[3](source, result, 40)
    np.testing.assert_array_equal(backend.numpy(target), values)


def test_padding_is_compiled_in(backend, pair):
    values, (_, target), (source, result) = pair
    source.shape = [20, 30]
    copy[3](source, result, 40)
    assert (backend.numpy(target)[:, 30:] == 0).all()
    source.padding = "nan"
    copy[3](source, result, 40)
    assert np.isnan(backend.numpy(target)[:, 30:]).all()
    np.testing.assert_array_equal(backend.numpy(target)[:, :30], values[:, :30])


def test_bound(backend, pair):
    values, (_, target), (source, result) = pair
    launch = copy.bind(3, source, result, 40)
    result.shape = [1, 1]  # the bound state stays
    launch()
    np.testing.assert_array_equal(backend.numpy(target), values)


@pytest.mark.parametrize(
    "base, message",
    [
        ((1, 2), r"kernel copy_anew\(\): the base of a tensor descriptor is an array"),
        ("text", r"argument 'source.base' of kernel copy_anew\(\): cannot pass 'text'"),
    ],
)
@pytest.mark.parametrize("is_known", [False, True])
def test_base_is_an_array(backend, pair, base, message, is_known):
    """The check does not depend on earlier launches with such blocks, and later launches still work."""

    @tw.jit
    def copy_anew(source, target):
        target.store([0, 0], source.load([0, 0]))

    values, (array, target), (source, result) = pair
    if is_known:
        copy_anew[1](source, result)
    source.base = base
    with pytest.raises(TypeError, match=message):
        copy_anew[1](source, result)
    source.base = array
    copy_anew[1](source, result)
    np.testing.assert_array_equal(backend.numpy(target)[:8, :16], values[:8, :16])
