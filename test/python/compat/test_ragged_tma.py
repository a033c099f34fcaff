"""`triton.tools.ragged_tma`: groups of rows by one descriptor."""

import pytest
import tilewright.compat
from optional_packages import needs

tilewright.compat.install()

torch = needs("torch")

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.tools.ragged_tma import (  # noqa: E402
    atomic_add_ragged,
    create_ragged_descriptor,
    load_ragged,
    store_ragged,
)


@pytest.fixture
def device(backend):
    return "cuda" if backend.name == "cuda" else "cpu"


@triton.jit
def next_of_group(x, y, first, size, row, column, ADD: tl.constexpr):
    block = load_ragged(x, first, size, [row, column]) + 1
    if ADD:
        atomic_add_ragged(y, first, size, [row, column], block)
    else:
        store_ragged(y, first, size, (row, column), block)


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(
    "first, size, row, rows", [(5, 11, 8, 3), (0, 16, 8, 8), (32, 8, 0, 8), (7, 3, 8, 0)]
)
def test_nothing_beyond_the_group(device, first, size, row, rows, dtype, add):
    x = torch.arange(40 * 32, device=device).reshape(40, 32).to(getattr(torch, dtype)) % 1024
    y = torch.full_like(x, 2)
    descriptors = [create_ragged_descriptor(array, [8, 16]) for array in (x, y)]
    next_of_group[1,](*descriptors, first, size, row, 16, add)
    want = torch.full_like(x, 2)
    inside = (slice(first + row, first + row + rows), slice(16, 32))
    want[inside] = x[inside] + 1 + (2 if add else 0)
    assert torch.equal(y, want)


@triton.jit
def copy_rows(x, y, first, size, AXIS: tl.constexpr):
    offsets = [8, 0, 16] if AXIS == 0 else [1, 8, 16]
    store_ragged(
        y, first, size, offsets, load_ragged(x, first, size, offsets, ragged_dim=AXIS), ragged_dim=AXIS
    )


@pytest.mark.parametrize("axis", [0, 1, -2])
def test_three_axes(device, axis):
    shape, block = ((40, 4, 32), [8, 4, 16]) if axis == 0 else ((4, 40, 32), [1, 8, 16])
    x = torch.rand(shape, device=device)
    y = torch.zeros_like(x)
    descriptors = [create_ragged_descriptor(array, block, ragged_dim=axis) for array in (x, y)]
    copy_rows[1,](*descriptors, 5, 11, max(axis, 0) if axis != -2 else 1)
    want = torch.zeros_like(x)
    inside = (slice(13, 16), slice(None), slice(16, 32)) if axis == 0 else (1, slice(13, 16), slice(16, 32))
    want[inside] = x[inside]
    assert torch.equal(y, want)


@pytest.mark.parametrize(
    "shape, block, axis, message",
    [
        ((8, 8), [4, 4], 1, "one of 2 axes but the last, got 1"),
        ((8, 8), [4], 0, "blocks of as many, got 2 and 1"),
        ((8,), [4], 0, "two or three axes"),
    ],
)
def test_mistakes(shape, block, axis, message):
    with pytest.raises(ValueError, match=message):
        create_ragged_descriptor(torch.zeros(shape), block, ragged_dim=axis)


def test_too_many_rows():
    with pytest.raises(ValueError, match=r"2\*\*30 rows at most, got 1073741825"):
        create_ragged_descriptor(torch.zeros(1, 16, dtype=torch.int8).expand(2**30 + 1, 16), [4, 16])
