"""Registers of a thread: what roles deal out again is there, and a bound is one for all warps of a multiprocessor."""

import re

import pytest
import tilewright as tw
import tilewright.language as tl

pytestmark = pytest.mark.compiled


@tw.jit
def products(a, b, c, sizes, N, K, S: tl.constexpr, T: tl.constexpr, MADE: tl.constexpr):
    """Two products of each block, so that sums take many registers."""
    i, j = tl.arange(0, S), tl.arange(0, T)
    if MADE:
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


def compiled(assemble, num_warps, sides, made=False, **options):
    attributes = dict.fromkeys(("a", "b", "c", "K"), 16)
    constants = {"S": sides[0], "T": sides[1], "MADE": made}
    return assemble(products, TYPES, constants, attributes, num_warps=num_warps, **options)


@pytest.mark.parametrize("made", [False, True])
@pytest.mark.parametrize("num_warps, sides", [(8, (128, 128)), (16, (256, 128))])
def test_roles_deal_out_what_their_threads_start_with(assemble, num_warps, sides, made):
    """A role that asks for more waits for ever."""
    kernel = compiled(assemble, num_warps, sides, made)
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
def test_no_bound_is_above_what_all_warps_can_have(assemble, num_warps, asked, bound):
    """Warps lie in four parts: beside 16 a producer's is the fifth of one of them."""
    ptx = compiled(assemble, num_warps, (64, 64), maxnreg=asked).asm["ptx"]
    assert f".reqntid {32 * num_warps + 32}" in ptx
    assert f".maxnreg {bound}" in ptx


def test_no_instruction_has_more_sums_than_registers(assemble):
    """Two products of 128 columns are one instruction of 256 where 8 warps compute them, not where 16 do."""
    few, many = (compiled(assemble, *how).asm["ptx"] for how in ((8, (128, 128)), (16, (256, 128))))
    assert "m64n256k16" in few
    assert "m64n256k16" not in many and "m64n128k16" in many


@pytest.mark.parametrize(
    "num_warps, sides, options", [(16, (256, 256), {}), (4, (64, 256), {"maxnreg": 152})]
)
def test_sums_that_no_thread_has_registers_for(assemble, num_warps, sides, options):
    with pytest.raises(tw.CompilationError) as caught:
        compiled(assemble, num_warps, sides, **options)
    assert "each thread holds 128 sums of this product at once" in str(caught.value)
    assert "first = tl.dot(x, right.load([row, start]).T, first)" in str(caught.value)
