"""The cost model of matmuls; needs no GPU."""

import numpy as np
import pytest
from tilewright.kernels.gemm.config import (
    Config,
    Problem,
    candidates,
    choose_hopper,
    choose_threads,
    clocks,
    passes,
    reach,
)
from tilewright.kernels.gemm.dense import NO_EPILOGUE, is_crowded


def tile(n, itemsize=2, **known):
    """Returns rows and columns of the tile for n cubed, and whether it uses ping-pong."""
    config = choose_hopper(Problem(n, n, n, 1, itemsize, **known))
    assert config.split_k == 1
    return config.block_m, config.block_n, config.ping_pong


def test_large_matmuls_take_large_tiles():
    """The largest tiles if they fill whole waves; ping-pong where the epilogue would be exposed."""
    assert tile(2048, plain=True) == tile(4096, plain=True) == (128, 256, False)
    assert tile(4096) == tile(4096, 1, function=False) == (128, 256, False)
    assert tile(2048) == tile(2048, 1, function=False) == (128, 128, True)
    assert tile(8192) == tile(8192, plain=True) == (128, 192, True)
    assert tile(8192, 1) == (128, 192, True)
    layer = choose_hopper(Problem(8192, 28672, 8192, 1, 2, plain=True))
    assert (layer.block_m, layer.block_n, layer.ping_pong) == (128, 192, True)


def test_exact_accumulation_takes_half_tiles_in_the_widest_tiles():
    """For 8192 cubed, tiles of 192 columns are faster: they add whole blocks at once."""
    assert tile(4096, 1, exact=True) == (128, 256, False)
    assert tile(8192, 1, exact=True) == (128, 192, False)
    assert list(passes(128, 256, 8, along_k=True, half_tiles=True)) == [(128, 128, 1), (128, 128, 1)]


@pytest.mark.parametrize("known", [{"crowded": True}, {"whole": True}, {"exact": True}], ids=str)
def test_problems_without_ping_pong(known):
    assert any(config.ping_pong for config in candidates(Problem(8192, 8192, 8192, 1, 1)))
    assert not any(config.ping_pong for config in candidates(Problem(8192, 8192, 8192, 1, 1, **known)))


def test_crowded_epilogues():
    out, steps = np.zeros((30, 40), np.float16), np.zeros((40, 80), np.float16)
    bias, flags = np.zeros(40, np.float16), NO_EPILOGUE | {"BIAS": "n", "ACTIVATION": "gelu"}
    added, wide = flags | {"ADD": "after", "HAS_ALPHA": True}, out.astype(np.float32)
    for others in (
        (out, None, (bias, None), flags),
        (out, out, (bias,), added),
        (wide, None, (bias,), flags),
    ):
        assert not is_crowded(*others)
    for crowded in (
        (wide, wide, (bias,), added),
        (np.zeros((3, 30, 40), np.float16), None, (bias,), flags),
        (out, None, (bias,), flags | {"INDICES": "mn"}),
        (out, None, (None, steps[:, 0]), flags),
        (out, steps[:30, ::2], (None,), added),
    ):
        assert is_crowded(*crowded)


def test_tile_widths_with_an_epilogue():
    plain, followed, exact = (
        {(config.block_m, config.block_n) for config in candidates(Problem(4096, 4096, 4096, 1, 1, **known))}
        for known in ({"plain": True}, {}, {"exact": True})
    )
    assert {(128, 192), (128, 208), (192, 192)} <= plain
    assert {(128, 192), (128, 160), (128, 144)} <= followed
    assert all(m.bit_count() == 1 and n.bit_count() <= 2 for m, n in followed)
    assert {n for _, n in exact if n.bit_count() > 1} == {192}


@pytest.mark.parametrize(("M", "N"), [(512, 512), (1024, 1024), (16, 8192), (128, 8192), (2048, 2048)])
def test_most_multiprocessors_get_a_tile(M, N):
    config = choose_hopper(Problem(M, N, 4096, 1, 2))
    rows, columns = (N, M) if config.swap else (M, N)
    programs = -(-rows // config.block_m) * -(-columns // config.block_n) * config.split_k
    assert 80 <= programs


def test_few_rows_are_not_padded():
    config = choose_hopper(Problem(8, 4096, 4096, 1, 2))
    assert config.swap
    assert config.block_n == 16


def test_deep_matmuls_of_few_tiles_are_split():
    assert choose_hopper(Problem(128, 128, 65536, 1, 2)).split_k > 4
    assert choose_hopper(Problem(128, 128, 128, 1, 2)).split_k == 1


def test_accumulators_fit_in_registers():
    """A thread has at most 256 registers."""
    for exact, accumulators in [(False, 1), (True, 1), (False, 2)]:
        for config in candidates(Problem(4096, 4096, 4096, 1, 1, exact, accumulators)):
            held = config.block_m * config.block_n * accumulators // (32 * config.num_warps)
            assert config.block_n % 16 == 0
            # Wide tiles add half of the accumulator of a block at a time.
            of_block = 0 if not exact else held // 2 if config.block_n > 192 else held
            assert held + of_block <= (192 if exact or config.ping_pong else 128)


@pytest.mark.parametrize(
    "extents", [(130, 140, 300), (5, 128, 128), (200, 1, 1000), (4096, 4096, 4096)], ids=str
)
def test_tiles_are_within_blocks_of_scales(extents):
    for accumulators in (1, 2):
        config = choose_hopper(Problem(*extents, 1, 1, True, accumulators, whole=True, scale_block=128))
        assert config.block_k == 128
        assert max(config.block_m, config.block_n) <= 128
        assert (config.split_k, config.swap) == (1, False)


def test_more_work_costs_more():
    config = Config(128, 128, 64, 8)
    costs = [clocks(Problem(n, n, n, 1, 2), config) for n in (512, 1024, 4096, 8192)]
    assert costs == sorted(costs)
    assert clocks(Problem(4096, 4096, 4096, 8, 2), config) > 6 * costs[2]


def test_remaining_rows_are_read_by_all_warpgroups():
    """192 rows are 128, 64 for each of two warpgroups, and 64 whose columns they divide."""
    assert list(passes(192, 160, 8, along_k=True)) == [(64, 128, 2), (64, 32, 2), (128, 160, 1)]
    problem = Problem(8192, 8192, 8192, 1, 2)
    rate = {rows: rows / clocks(problem, Config(rows, 192, 64, 8)) for rows in (128, 192, 256)}
    assert rate[192] < rate[256]


def test_cuda_cores_take_large_tiles_if_all_multiprocessors_get_one():
    assert choose_threads(Problem(4096, 4096, 4096, 1, 4)).block_m == 128
    assert choose_threads(Problem(512, 512, 4096, 1, 4)).block_m == 64
    assert choose_threads(Problem(4096, 4096, 4096, 1, 4, accumulators=2)).block_m == 64


@pytest.mark.parametrize("pitch, cost", [(8192, 1), (8256, 1.5), (8224, 1.75), (8208, 1.875 * 1.125)])
def test_reach_of_rows(pitch, cost):
    """Rows that start within a line of 128 bytes, or a sector of 32, touch more of them."""
    assert reach(pitch) == cost


def test_clusters_for_rows_that_do_not_start_at_lines():
    """Clusters halve the L2 traffic, which pays where L2 bandwidth is the limit."""
    extents = (5000, 5000, 5000, 1, 2)
    assert (
        choose_hopper(Problem(*extents, plain=True, a_reach=reach(10000), b_reach=reach(10000))).num_ctas == 2
    )
    assert choose_hopper(Problem(*extents, plain=True)).num_ctas == 1
    config = choose_hopper(Problem(4096, 4104, 4104, 1, 2, a_reach=reach(8208), b_reach=reach(8208)))
    assert (config.block_m, config.block_n, config.num_ctas) == (256, 128, 2)
