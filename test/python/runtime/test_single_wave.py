"""Kernels with one program per multiprocessor (`single_wave`): the same results for all grids."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from test_ping_pong import block
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def matmul(
    a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, IN_TWO: tl.constexpr
):
    """c[i] = a[i] @ b[i] + bias, one tile per program; with IN_TWO it is stored in two halves."""
    tiles = tl.cdiv(N, BN)
    tile_m, tile_n = tl.program_id(0) // tiles, tl.program_id(0) % tiles
    a += tl.program_id(1) * M * K
    b += tl.program_id(1) * K * N
    acc, offsets, mask = block(a, b, tile_m, tile_n, M, N, K, K, K, N, BM, BN, BK)
    n = tile_n * BN + tl.arange(0, BN)
    acc += tl.load(bias + n, n < N, 0.0)[None, :]
    c += tl.program_id(1) * M * N
    if IN_TWO:
        m = tile_m * BM + tl.arange(0, BM)
        parts = acc.reshape(BM, 2, BN // 2).permute(0, 2, 1).split()
        for i in tl.static_range(2):
            half = tile_n * BN + i * (BN // 2) + tl.arange(0, BN // 2)
            mask = (m < M)[:, None] & (half < N)[None, :]
            tl.store(c + m[:, None] * N + half[None, :], parts[i].to(c.dtype.element_ty), mask)
    else:
        tl.store(c + offsets, acc.to(c.dtype.element_ty), mask)


@pytest.mark.parametrize(
    "batch, M, N, K",
    [
        (1, 64, 64, 64),  # one tile
        (2, 136, 200, 96),
        (1, 64, 64, 0),  # no dots
        (1, 24, 40, 1000),
        (3, 640, 712, 72),  # more than multiprocessors
    ],
)
@pytest.mark.parametrize("in_two", (False, True))
@pytest.mark.parametrize("options", ({}, {"num_stages": 5}, {"ping_pong": True}, {"num_ctas": 2}), ids=str)
def test_matmul(backend, rng, batch, M, N, K, in_two, options):
    """Operands are small integers, so that dots are exact."""
    a, b, bias = (
        rng.integers(-2, 3, shape).astype(np.float16) for shape in ((batch, M, K), (batch, K, N), (N,))
    )
    c = backend.poisoned((batch, M, N), "float32")
    grid = tw.cdiv(M, 64) * tw.cdiv(N, 64), batch
    arrays = (backend.array(x) for x in (a, b, bias))
    matmul[grid](*arrays, c, M, N, K, 64, 64, 32, in_two, single_wave=True, **options)
    np.testing.assert_array_equal(backend.numpy(c), a.astype(np.float32) @ b.astype(np.float32) + bias)


def compiled(target="sm_90a", **options):
    types = dict.fromkeys(("a", "b", "c", "bias"), "*fp16") | dict.fromkeys("MNK", "i32")
    constants = {"BM": 64, "BN": 64, "BK": 64, "IN_TWO": False}
    options = Options(**options)
    return compile_kernel(
        matmul, types, constants, dict.fromkeys(types, 16), target, options, "ptx", report=True
    )


@pytest.mark.compiled
def test_each_block_runs_one_program():
    alone, several = compiled(single_wave=True), compiled()
    assert "warp.persistent" in several.asm["warp"]
    assert "warp.persistent" not in alone.asm["warp"]
    assert "{first}" in alone.asm["warp"]
    assert "{first}" not in several.asm["warp"]
    assert any(
        "launches are declared a single wave" in remark["message"] for remark in alone.report["remarks"]
    )


@pytest.mark.compiled
def test_one_program_has_all_memory():
    """Two programs of three slots would fit."""
    assert "!warp.ring<8 x" in compiled(single_wave=True).asm["warp"]
    assert "extra_slots" not in compiled(single_wave=True).asm["warp"]


@pytest.mark.compiled
def test_tile_coordinates_are_known_before_the_first_mma():
    """In PTX all divisions are before it."""
    ptx = compiled(single_wave=True).asm["ptx"]
    consumer = ptx[: ptx.index("wgmma.mma_async")]
    assert "@none exit" in consumer
    assert "div.s32" in consumer


@pytest.mark.compiled
def test_devices_without_roles_take_the_hint():
    assert "single_wave" not in compiled("sm_80", single_wave=True).asm["warp"]


def test_option_is_checked():
    with pytest.raises(TypeError, match="single_wave is True or False, got 1"):
        Options(single_wave=1)
