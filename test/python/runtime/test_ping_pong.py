"""Two warpgroups that alternate between tiles (`ping_pong`): the same results for all tiles."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def block(
    a,
    b,
    tile_m,
    tile_n,
    M,
    N,
    K,
    last,
    a_row,
    b_row,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """A tile of a @ b over k < `last`, with its offsets in c and their mask."""
    m = tile_m * BM + tl.arange(0, BM)
    n = tile_n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, last, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + m[:, None] * a_row + k[None, :], (m < M)[:, None] & (k < K)[None, :], 0.0)
        right = tl.load(b + k[:, None] * b_row + n[None, :], (k < K)[:, None] & (n < N)[None, :], 0.0)
        acc = tl.dot(left, right, acc)
    return acc, m[:, None] * N + n[None, :], (m < M)[:, None] & (n < N)[None, :]


@tw.jit
def matmul(
    a,
    b,
    bias,
    c,
    M,
    N,
    K,
    a_row,
    b_row,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    ADD: tl.constexpr,
):
    """c = a @ b, a tile a program; with ADD, c = max(a @ b + bias, 0) + c."""
    tile = tl.program_id(0)
    columns = tl.cdiv(N, BN)
    acc, offsets, mask = block(a, b, tile // columns, tile % columns, M, N, K, K, a_row, b_row, BM, BN, BK)
    if ADD:
        n = tile % columns * BN + tl.arange(0, BN)
        acc = tl.maximum(acc + tl.load(bias + n, n < N, 0.0)[None, :], 0.0)
        acc += tl.load(c + offsets, mask, 0.0)
    tl.store(c + offsets, acc.to(c.dtype.element_ty), mask)


@tw.jit
def own_loop(a, b, c, M, N, K, a_row, b_row, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b by a persistent grid; each program counts its tiles a second time."""
    columns = tl.cdiv(N, BN)
    stored = tl.program_id(0) - tl.num_programs(0)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * columns, tl.num_programs(0)):
        acc, _, _ = block(a, b, tile // columns, tile % columns, M, N, K, K, a_row, b_row, BM, BN, BK)
        stored += tl.num_programs(0)
        m = stored // columns * BM + tl.arange(0, BM)
        n = stored % columns * BN + tl.arange(0, BN)
        mask = (m < M)[:, None] & (n < N)[None, :]
        tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty), mask)


@tw.jit
def parts(a, b, ends, c, tiles, M, N, K, a_row, b_row, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c[t] = a[:, :ends[t]] @ b[:ends[t]]: tiles with unequal parts of k, multiples of BK, some with none."""
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        last = tl.load(ends + tile)
        acc, offsets, mask = block(a, b, 0, 0, M, N, K, last, a_row, b_row, BM, BN, BK)
        tl.store(c + tile * M * N + offsets, acc.to(c.dtype.element_ty), mask)


@tw.jit
def running(a, b, c, tiles, M, N, K, a_row, b_row, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c[t] = c[t - 1] + a @ b, of one program: each tile reads the result of the tile before."""
    for tile in range(tl.program_id(0) + 1, tiles, tl.num_programs(0)):
        acc, offsets, mask = block(a, b, 0, 0, M, N, K, K, a_row, b_row, BM, BN, BK)
        before = tl.load(c + (tile - 1) * M * N + offsets, mask, 0.0)
        tl.store(c + tile * M * N + offsets, (before + acc).to(c.dtype.element_ty), mask)


def operands(rng, *shapes):
    """Small integers, so that dots are exact."""
    return [rng.integers(-2, 3, shape).astype(np.float16) for shape in shapes]


def run(backend, kernel, grid, arrays, *others, **options):
    """Calls `kernel`; the last of `arrays` is the result and passed as it is."""
    *inputs, result = arrays
    kernel[grid](*(backend.array(x) for x in inputs), result, *others, ping_pong=True, **options)


SHAPES = [
    (64, 64, 64),  # one tile
    (64, 128, 32),  # two tiles
    (192, 64, 96),  # three
    (320, 328, 128),
    (1000, 504, 72),
]


@pytest.mark.parametrize("M, N, K", SHAPES)
@pytest.mark.parametrize("add", (False, True))
def test_matmul(backend, rng, M, N, K, add):
    a, b, bias, c = operands(rng, (M, K), (K, N), (N,), (M, N))
    there = backend.array(c)
    grid = tw.cdiv(M, 64) * tw.cdiv(N, 64)
    run(backend, matmul, (grid,), (a, b, bias, there), M, N, K, K, N, 64, 64, 32, add)
    np.testing.assert_array_equal(backend.numpy(there), np.maximum(a @ b + bias, 0) + c if add else a @ b)


@pytest.mark.parametrize("blocks", ((128, 128, 64), (64, 256, 64)))
def test_tiles_that_fill_the_registers(backend, rng, blocks):
    M, N, K = 900, 776, 264
    a, b, bias = operands(rng, (M, K), (K, N), (N,))
    c = backend.poisoned((M, N), "float16")
    grid = tw.cdiv(M, blocks[0]) * tw.cdiv(N, blocks[1])
    run(backend, matmul, (grid,), (a, b, bias, c), M, N, K, K, N, *blocks, False, num_stages=4)
    np.testing.assert_array_equal(backend.numpy(c), a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("programs", (1, 2, 3, 7, 64))
def test_loop_of_the_kernel(backend, rng, programs):
    M, N, K = 448, 320, 96
    a, b = operands(rng, (M, K), (K, N))
    c = backend.poisoned((M, N), "float16")
    run(backend, own_loop, (programs,), (a, b, c), M, N, K, K, N, 64, 64, 32)
    np.testing.assert_array_equal(backend.numpy(c), a @ b)


@pytest.mark.parametrize("programs", (1, 3))
def test_tiles_of_unequal_length(backend, rng, programs):
    """A group that skips a tile knows how many slots the tile takes."""
    ends = np.array([64, 0, 256, 32, 0, 0, 160, 96, 224], np.int32)
    a, b = operands(rng, (64, 256), (256, 64))
    c = backend.poisoned((len(ends), 64, 64), "float32")
    run(backend, parts, (programs,), (a, b, ends, c), len(ends), 64, 64, 256, 256, 64, 64, 64, 32)
    expected = [a[:, :end].astype(np.float32) @ b[:end].astype(np.float32) for end in ends]
    np.testing.assert_array_equal(backend.numpy(c), np.stack(expected))


def test_tiles_that_need_each_other(backend, rng):
    """Such tiles do not alternate between groups."""
    a, b = operands(rng, (64, 64), (64, 64))
    c = backend.array(np.zeros((6, 64, 64), np.float32))
    run(backend, running, (1,), (a, b, c), 6, 64, 64, 64, 64, 64, 64, 64, 32)
    once = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(backend.numpy(c), np.arange(6)[:, None, None] * once)


@pytest.mark.cuda
def test_more_tiles_than_run_at_once(backend):
    """Many tiles per group, over and over: nothing hangs, and the results are the same."""
    import torch

    M, N, K = 64 * 301, 64 * 13, 192
    a, b = (torch.randint(-2, 3, shape, device="cuda").half() for shape in ((M, K), (K, N)))
    for _ in range(20):
        c = torch.full((M, N), float("nan"), dtype=torch.half, device="cuda")
        matmul[301 * 13,](a, b, b, c, M, N, K, K, N, 64, 64, 64, False, ping_pong=True)
        assert torch.equal(c, a @ b)


def compiled(fn, target="sm_90a", blocks=(128, 128, 64), **options):
    types = dict.fromkeys(("a", "b", "c", "bias"), "*fp16") | {"ends": "*i32"}
    constants = dict(zip(("BM", "BN", "BK"), blocks, strict=True)) | {"ADD": False}
    constants = {name: value for name, value in constants.items() if name in fn.arg_names}
    types = {name: types.get(name, "i32") for name in fn.arg_names if name not in constants}
    options = Options(ping_pong=True, **options)
    return compile_kernel(fn, types, constants, dict.fromkeys(types, 16), target, options, "ptx", report=True)


def remarks(kernel):
    return [remark["message"] for remark in kernel.report["remarks"]]


@pytest.mark.compiled
@pytest.mark.parametrize("fn", (matmul, own_loop, parts))
def test_groups(fn):
    kernel = compiled(fn, debug=True)
    assert "warps [8, 4] ping_pong_groups 2 registers [240, 24]" in kernel.asm["warp"]
    assert kernel.metadata["num_threads"] == 384
    assert any("2 ping-pong groups alternate between tiles" in remark for remark in remarks(kernel))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "fn, options, reason",
    (
        (matmul, {"num_warps": 8}, "a tile is computed by one warpgroup, and num_warps is not 4"),
        (running, {}, "it may load data that the previous tile has yet to store"),
    ),
)
def test_reasons_against_groups(fn, options, reason):
    kernel = compiled(fn, **options)
    assert "ping_pong_groups" not in kernel.asm["warp"]
    assert any(remark == f"no ping-pong, all warps share each tile: {reason}" for remark in remarks(kernel))


@pytest.mark.compiled
def test_devices_without_roles_take_the_hint():
    assert "ping_pong_groups" not in compiled(matmul, "sm_80", (64, 64, 32)).asm["warp"]


def test_option_is_checked():
    with pytest.raises(TypeError, match="ping_pong is True or False, got 1"):
        Options(ping_pong=1)
