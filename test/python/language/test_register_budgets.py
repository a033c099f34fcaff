"""Registers per thread: roles redistribute the launched registers, and a bound fits all warps of an SM."""

import re

import pytest
import tilewright as tw
import tilewright.language as tl

pytestmark = pytest.mark.compiled


@tw.jit
def two_dots(a, b, c, sizes, N, K, S: tl.constexpr, T: tl.constexpr, LOADED: tl.constexpr):
    """Two dots of each block, so that accumulators take many registers."""
    i, j = tl.arange(0, S), tl.arange(0, T)
    if LOADED:
        N = tl.load(sizes)
    left = tl.make_tensor_descriptor(a, [N, K], [K, 1], [S, 64])
    right = tl.make_tensor_descriptor(b, [N, K], [K, 1], [T, 64])
    for row in range(0, N, S):
        first = tl.zeros((S, T), tl.float32)
        second = tl.zeros((S, T), tl.float32)
        for start in range(0, K, 64):
            x = left.load([row, start])
            first = tl.dot(x, right.load([row, start]).T, first)
            second = tl.dot(x, right.load([row + T, start]).T, second)
        tl.store(c + (row + i)[:, None] * T + j[None, :], first * second)


TYPES = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "sizes": "*i32", "N": "i32", "K": "i32"}


def compiled(assemble, num_warps, shape, loaded=False, **options):
    attributes = dict.fromkeys(("a", "b", "c", "K"), 16)
    constants = {"S": shape[0], "T": shape[1], "LOADED": loaded}
    return assemble(two_dots, TYPES, constants, attributes, num_warps=num_warps, **options)


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("num_warps, shape", [(8, (128, 128)), (16, (256, 128))])
def test_roles_ask_for_at_most_the_launched_registers(assemble, num_warps, shape, loaded):
    """A role that asks for more registers waits forever."""
    kernel = compiled(assemble, num_warps, shape, loaded)
    ptx, warp = kernel.asm["ptx"], kernel.asm["warp"]
    threads = int(re.search(r"\.reqntid (\d+)", ptx)[1])
    warps, budgets = re.search(r"warp\.specialize warps \[(.*?)\].* registers \[(.*?)\]", warp).groups()
    asked = sum(
        32 * int(count) * int(budget)
        for count, budget in zip(warps.split(","), budgets.split(","), strict=True)
    )
    assert asked <= threads * kernel.metadata["registers"]


@pytest.mark.parametrize(
    "num_warps, asked, bound", [(16, 255, 96), (16, 88, 88), (8, 255, 168), (8, 256, 168), (4, 200, 200)]
)
def test_bounds_fit_all_warps(assemble, num_warps, asked, bound):
    """An SM has four partitions: with 16 consumer warps the producer warp is the fifth warp of one of them."""
    ptx = compiled(assemble, num_warps, (64, 64), maxnreg=asked).asm["ptx"]
    assert f".reqntid {32 * num_warps + 32}" in ptx
    assert f".maxnreg {bound}" in ptx


def test_no_wgmma_has_more_accumulators_than_registers(assemble):
    """Two dots of 128 columns become one wgmma of 256 columns with 8 warps, but not with 16."""
    few, many = (compiled(assemble, *how).asm["ptx"] for how in ((8, (128, 128)), (16, (256, 128))))
    assert "m64n256k16" in few
    assert "m64n256k16" not in many and "m64n128k16" in many


@pytest.mark.parametrize(
    "num_warps, shape, options", [(16, (256, 256), {}), (4, (64, 256), {"maxnreg": 152})]
)
def test_accumulators_that_exceed_the_registers(assemble, num_warps, shape, options):
    with pytest.raises(tw.CompilationError) as caught:
        compiled(assemble, num_warps, shape, **options)
    assert "each thread holds 128 accumulators of this wgmma at once" in str(caught.value)
    assert "first = tl.dot(x, right.load([row, start]).T, first)" in str(caught.value)
