"""Dots whose tile coordinates are quotients by arguments, in grids of one and of three dimensions."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

TILE, DEPTH = 64, 64


@tw.jit
def by_number(a_desc, b_desc, out_ptr, first, width, K, TILE: tl.constexpr, DEPTH: tl.constexpr):
    """Tile numbers start at `first`, which may be negative; tile (0, 0) is in the middle of the inputs."""
    pid = tl.program_id(0)
    row, column = (pid + first) // width, (pid + first) % width
    acc = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, K, DEPTH):
        a = a_desc.load([(row + 16) * TILE, k])
        b = b_desc.load([(column + 16) * TILE, k])
        acc = tl.dot(a, b.T, acc)
    i = tl.arange(0, TILE)
    tl.store(out_ptr + (pid * TILE + i[:, None]) * TILE + i[None, :], acc)


WIDTHS = [1, 2, 3, 4, 5, 8, 16]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("first", [0, -15, 3])
def test_coords_by_number(backend, rng, width, first):
    programs, K = 16, 128
    a, b = (rng.integers(-4, 5, (36 * TILE, K)).astype("float16") for _ in range(2))
    out = backend.poisoned((programs, TILE, TILE), "float32")
    blocks = [tw.TensorDescriptor.from_tensor(backend.array(x), [TILE, DEPTH]) for x in (a, b)]
    by_number[programs,](*blocks, out, first, width, K, TILE, DEPTH, num_warps=4)
    for pid, result in enumerate(backend.numpy(out)):
        number = pid + first
        row = int(number / width)  # rounded to zero, as in C
        rows, columns = ((16 + x) * TILE for x in (row, number - row * width))
        expected = a[rows : rows + TILE].astype("float32") @ b[columns : columns + TILE].astype("float32").T
        np.testing.assert_array_equal(result, expected)


@tw.jit
def by_grid(a_desc, b_desc, out_ptr, K, TILE: tl.constexpr, DEPTH: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    acc = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, K, DEPTH):
        a = a_desc.load([(z * tl.num_programs(1) + y) * TILE, k])
        b = b_desc.load([x * TILE, k])
        acc = tl.dot(a, b.T, acc)
    number = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    i = tl.arange(0, TILE)
    tl.store(out_ptr + (number * TILE + i[:, None]) * TILE + i[None, :], acc)


@pytest.mark.parametrize("grid", [(1, 1, 5), (2, 1, 6), (1, 3, 4), (4, 2, 2), (3, 5, 2), (8, 1, 1)])
def test_coords_by_grid(backend, rng, grid):
    K = 128
    a = rng.integers(-4, 5, (grid[1] * grid[2] * TILE, K)).astype("float16")
    b = rng.integers(-4, 5, (grid[0] * TILE, K)).astype("float16")
    out = backend.poisoned((grid[1] * grid[2], grid[0], TILE, TILE), "float32")
    blocks = [tw.TensorDescriptor.from_tensor(backend.array(x), [TILE, DEPTH]) for x in (a, b)]
    by_grid[grid](*blocks, out, K, TILE, DEPTH, num_warps=4)
    full = (a.astype("float32") @ b.astype("float32").T).reshape(grid[1] * grid[2], TILE, grid[0], TILE)
    np.testing.assert_array_equal(backend.numpy(out), full.swapaxes(1, 2))
