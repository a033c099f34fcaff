"""How many blocks run on a multiprocessor at once, against NVIDIA's occupancy calculator."""

import pytest
from tilewright.explain.occupancy import occupancy


@pytest.mark.parametrize(
    "capability, warps, registers, shared, blocks, limited_by",
    [
        (90, 4, 32, 0, 16, ("warps", "registers")),
        (90, 4, 33, 0, 12, ("registers",)),  # registers come in units of 256 a warp
        (90, 1, 16, 0, 32, ("blocks",)),
        (90, 12, 168, 230400, 1, ("shared memory", "registers")),
        (90, 4, 64, 100 * 1024, 2, ("shared memory",)),
        (80, 8, 128, 0, 2, ("registers",)),
        (80, 4, 32, 40 * 1024, 4, ("shared memory",)),
        (86, 4, 32, 0, 12, ("warps",)),
        (90, 32, 64, 0, 1, ("registers",)),
    ],
)
def test_blocks(capability, warps, registers, shared, blocks, limited_by):
    found = occupancy(capability, warps, registers, shared)
    assert (found.blocks, found.limited_by) == (blocks, limited_by)
    assert found.warps == blocks * warps


def test_without_registers_the_rest_counts():
    assert occupancy(90, 4, None, 0).limited_by == ("warps",)


def test_unknown_gpu():
    assert occupancy(75, 4, 32, 0) is None
