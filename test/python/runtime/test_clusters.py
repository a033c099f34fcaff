"""Programs in clusters (`num_ctas`): the same results, and multicast copies where neighbours load the same."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def locate(tile, tiles_m, tiles_n, GROUP: tl.constexpr):
    group = tile // (GROUP * tiles_n)
    rows = tl.minimum(tiles_m - group * GROUP, GROUP)
    within = tile % (GROUP * tiles_n)
    return group * GROUP + within % rows, within // rows


@tw.jit
def tile_of(
    a, b, tile_m, tile_n, M, N, K, a_row, b_row, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """A tile of a @ b, and its rows and columns."""
    m = tile_m * BM + tl.arange(0, BM)
    n = tile_n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + m[:, None] * a_row + k[None, :], (m < M)[:, None] & (k < K)[None, :], 0.0)
        right = tl.load(b + k[:, None] * b_row + n[None, :], (k < K)[:, None] & (n < N)[None, :], 0.0)
        acc = tl.dot(left, right, acc)
    return acc, m, n


@tw.jit
def matmul(
    a,
    b,
    c,
    M,
    N,
    K,
    a_row,
    b_row,
    c_row,
    a_next,
    b_next,
    c_next,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
    ADD: tl.constexpr,
):
    """c = a @ b for each of a batch along axis 1; with ADD, c += a @ b."""
    batch = tl.program_id(1)
    a += batch * a_next
    b += batch * b_next
    c += batch * c_next
    tile_m, tile_n = locate(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP)
    acc, m, n = tile_of(a, b, tile_m, tile_n, M, N, K, a_row, b_row, BM, BN, BK)
    mask = (m < M)[:, None] & (n < N)[None, :]
    targets = c + m[:, None] * c_row + n[None, :]
    if ADD:
        acc += tl.load(targets, mask, 0.0)
    tl.store(targets, acc.to(c.dtype.element_ty), mask)


@tw.jit
def own_loop(
    a,
    b,
    c,
    M,
    N,
    K,
    a_row,
    b_row,
    c_row,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    """c = a @ b by a persistent grid; each program counts its tiles a second time."""
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    stored = tl.program_id(0) - tl.num_programs(0)
    for tile in range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        tile_m, tile_n = locate(tile, tiles_m, tiles_n, GROUP)
        acc, m, n = tile_of(a, b, tile_m, tile_n, M, N, K, a_row, b_row, BM, BN, BK)
        stored += tl.num_programs(0)
        tile_m, tile_n = locate(stored, tiles_m, tiles_n, GROUP)
        m = tile_m * BM + tl.arange(0, BM)
        n = tile_n * BN + tl.arange(0, BN)
        mask = (m < M)[:, None] & (n < N)[None, :]
        tl.store(c + m[:, None] * c_row + n[None, :], acc.to(c.dtype.element_ty), mask)


@tw.jit
def chain(a, b, c, out, counts, M, K, b_row, c_row, BM: tl.constexpr, BN: tl.constexpr):
    """out = (a @ b) @ c, by blocks of columns of b: all programs load all of b and c."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    i = tl.arange(0, BN)
    left = tl.load(a + m[:, None] * BN + i[None, :], (m < M)[:, None], 0.0)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BN):
        k = start + i
        first = tl.dot(left, tl.load(b + i[:, None] * b_row + k[None, :], (k < K)[None, :], 0.0))
        second = tl.load(c + k[:, None] * c_row + i[None, :], (k < K)[:, None], 0.0)
        acc = tl.dot(first.to(tl.float16), second, acc)
    tl.store(out + m[:, None] * BN + i[None, :], acc, (m < M)[:, None])
    tl.store(counts + tl.program_id(0), tl.num_programs(0))


def operands(rng, *shapes):
    """Small integers, so that dots are exact."""
    return [rng.integers(-2, 3, shape).astype(np.float16) for shape in shapes]


SHAPES = [
    (64, 64, 64),  # one tile
    (64, 192, 32),  # three in a row
    (192, 64, 96),  # three in a column
    (320, 328, 128),  # an odd number of rows of tiles, and of tiles
    (1000, 504, 72),
]


def multiply(backend, a, b, c, blocks, group=8, add=False, **options):
    """Runs `matmul`; arrays have a batch dimension or none."""
    M, K, N = a.shape[-2], a.shape[-1], b.shape[-1]
    batch = a.shape[0] if a.ndim == 3 else 1
    grid = (tw.cdiv(M, blocks[0]) * tw.cdiv(N, blocks[1]), batch)
    a, b = backend.array(a), backend.array(b)
    matmul[grid](a, b, c, M, N, K, K, N, N, M * K, K * N, M * N, *blocks, group, add, **options)


@pytest.mark.parametrize("num_ctas", (1, 2, 4, 8))
@pytest.mark.parametrize("M, N, K", SHAPES)
def test_matmul(backend, rng, M, N, K, num_ctas):
    a, b = operands(rng, (M, K), (K, N))
    c = backend.poisoned((M, N), "float16")
    multiply(backend, a, b, c, (64, 64, 32), 3, num_ctas=num_ctas)
    np.testing.assert_array_equal(backend.numpy(c), a @ b)


@pytest.mark.parametrize("group", (1, 2, 8))
@pytest.mark.parametrize("M, N", ((64, 64), (448, 192), (832, 448)))
def test_batches_in_any_order(backend, rng, M, N, group):
    a, b = operands(rng, (3, M, 64), (3, 64, N))
    c = backend.poisoned((3, M, N), "float16")
    multiply(backend, a, b, c, (64, 64, 64), group, num_ctas=2)
    np.testing.assert_array_equal(backend.numpy(c), a @ b)


@pytest.mark.parametrize("M, N, K", ((128, 256, 64), (1100, 1288, 264)))
def test_large_tiles(backend, rng, M, N, K):
    a, b = operands(rng, (M, K), (K, N))
    c = backend.poisoned((M, N), "float16")
    multiply(backend, a, b, c, (128, 256, 64), num_warps=8, num_stages=4, num_ctas=2)
    np.testing.assert_array_equal(backend.numpy(c), a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.cuda
def test_more_tiles_than_run_at_once(backend):
    """Each program takes many tiles; the partner of the last one has none."""
    import torch

    for M, N in ((64 * 301, 64 * 13), (64 * 40, 64 * 41)):
        a, b = (torch.randint(-2, 3, shape, device="cuda").half() for shape in ((M, 192), (192, N)))
        c = torch.full((M, N), float("nan"), dtype=torch.half, device="cuda")
        for num_ctas in (2, 4):
            matmul[tw.cdiv(M, 64) * tw.cdiv(N, 64), 1](
                a,
                b,
                c.fill_(float("nan")),
                M,
                N,
                192,
                192,
                N,
                N,
                0,
                0,
                0,
                64,
                64,
                64,
                8,
                False,
                num_ctas=num_ctas,
            )
            assert torch.equal(c, a @ b)


@pytest.mark.parametrize("M", (64, 192, 832))
def test_no_program_adds_twice(backend, rng, M):
    """With an odd number of tiles the last program's partner has no tile, and must not add to this one."""
    a, b, c = operands(rng, (M, 64), (64, 64), (M, 64))
    there = backend.array(c)
    multiply(backend, a, b, there, (64, 64, 32), add=True, num_ctas=2)
    np.testing.assert_array_equal(backend.numpy(there), a @ b + c)


@pytest.mark.parametrize("programs", (1, 2, 3, 7, 64))
def test_loop_of_the_kernel(backend, rng, programs):
    M, N, K = 448, 320, 96
    a, b = operands(rng, (M, K), (K, N))
    c = backend.poisoned((M, N), "float16")
    a_there, b_there = backend.array(a), backend.array(b)
    own_loop[programs](a_there, b_there, c, M, N, K, K, N, N, 64, 64, 32, 4, num_ctas=2)
    np.testing.assert_array_equal(backend.numpy(c), a @ b)


@pytest.mark.parametrize("M", (64, 192, 1000))
@pytest.mark.parametrize("num_ctas", (1, 2, 4))
def test_programs_of_their_own(backend, rng, M, num_ctas):
    """A non-persistent kernel: its grid is rounded up, but the kernel sees the requested one."""
    a, b, c = operands(rng, (M, 64), (64, 192), (192, 64))
    out = backend.poisoned((M, 64), "float32")
    programs = tw.cdiv(M, 64)
    counts = backend.array(np.full(programs + 8, -1, np.int32))
    arrays = [backend.array(x) for x in (a, b, c)]
    chain[programs](*arrays, out, counts, M, 192, 192, 64, 64, 64, num_ctas=num_ctas)
    expected = np.full(programs + 8, -1, np.int32)
    expected[:programs] = programs
    np.testing.assert_array_equal(backend.numpy(counts), expected)
    # The result of the first dot is exact in float16.
    first = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(backend.numpy(out), first @ c.astype(np.float32))


def types_of(fn):
    """The argument types of a kernel, as in the tests above."""
    pointers = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "out": "*fp32", "counts": "*i32"}
    constants = ("BM", "BN", "BK", "GROUP", "ADD")
    return {name: pointers.get(name, "i32") for name in fn.arg_names if name not in constants}


def compiled(fn, constants, target="sm_90a", **options):
    types = types_of(fn)
    constants = {name: value for name, value in constants.items() if name in fn.arg_names}
    aligned = dict.fromkeys(types, 16)
    return compile_kernel(fn, types, constants, aligned, target, Options(**options), "ptx", report=True)


def remarks(kernel):
    return [remark["message"] for remark in kernel.report["remarks"]]


LARGE = {"BM": 128, "BN": 128, "BK": 64, "GROUP": 8, "ADD": False}


@pytest.mark.compiled
@pytest.mark.parametrize("fn", (matmul, own_loop))
def test_operand_that_neighbours_share_is_multicast(fn):
    kernel = compiled(fn, LARGE, num_warps=8, num_ctas=2)
    assert kernel.metadata["cluster"] == 2
    assert kernel.asm["warp"].count("multicast if") == 1
    assert ".reqnctapercluster 2, 1, 1" in kernel.asm["ptx"]
    assert any("each of the 2 CTAs of a cluster loads a part" in remark for remark in remarks(kernel))
    assert "cluster" not in compiled(fn, LARGE, num_warps=8).metadata


@pytest.mark.compiled
def test_operands_of_all_programs_are_always_multicast():
    kernel = compiled(chain, {"BM": 64, "BN": 64}, num_ctas=4)
    assert kernel.metadata["cluster"] == 4
    assert kernel.asm["warp"].count(" multicast :") == 2


@pytest.mark.compiled
def test_clusters_of_eight_at_most():
    assert compiled(matmul, LARGE, num_warps=8, num_ctas=16).metadata["cluster"] == 8


@pytest.mark.compiled
def test_devices_without_clusters_take_the_hint():
    assert "cluster" not in compiled(matmul, LARGE, "sm_80", num_warps=8, num_ctas=2).metadata
