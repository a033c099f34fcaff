"""Kernels at the warp level, in the interpreter and on Hopper GPUs."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture(autouse=True)
def _has_warps(backend):
    if backend.name == "cpu":
        pytest.skip("the CPU back end has no warps")


def load_example(name):
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tutorial, attention = load_example("warp_gemm"), load_example("warp_attention")


@pytest.mark.parametrize(
    "shape", [(128, 256, 64), (128, 256, 0), (256, 512, 320), (200, 320, 144), (16, 16, 16)], ids=str
)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_tutorial(backend, rng, shape, dtype):
    M, N, K = shape
    a, b = (rng.standard_normal((rows, K)) for rows in (M, N))
    x, y = backend.array(a, dtype), backend.array(b, dtype)
    c = backend.poisoned((M, N), dtype)
    tutorial.gemm(x, y, c, programs=3)
    reference = backend.numpy(x).astype(np.float64) @ backend.numpy(y).astype(np.float64).T
    backend.check(c, reference, dtype)


@tw.jit
def copied(x_ptr, y_ptr, M, N, BLOCK: tl.constexpr, SLOTS: tl.constexpr):
    """y = 2 x: one role copies rows of blocks, the other reads them into registers."""
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BLOCK, 64])
    ring = warp.ring(SLOTS, x)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)

    def produce():
        for n in range(0, N, 64):
            slot = ring.acquire()
            slot.load(0, x, [tl.program_id(0) * BLOCK, n])
            ring.commit(slot)

    def consume():
        for n in range(0, N, 64):
            slot = ring.wait()
            block = slot[0].read()
            ring.release(slot)
            columns = n + tl.arange(0, 64)
            inside = (rows < M)[:, None] & (columns < N)[None, :]
            tl.store(y_ptr + rows[:, None] * N + columns[None, :], 2 * block, mask=inside)

    warp.specialize(warp.role(produce, warps=1), warp.role(consume, warps=4))


@pytest.mark.parametrize("slots", [1, 3])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_blocks_read_into_registers(backend, rng, slots, dtype):
    x = (rng.standard_normal((100, 208)) * 20).astype(dtype)
    y = backend.poisoned(x.shape, dtype)
    copied[(4,)](backend.array(x), y, 100, 208, BLOCK=32, SLOTS=slots)
    np.testing.assert_array_equal(backend.numpy(y), 2 * x)


@tw.jit
def load_blocks(ring, a, b, rows, columns, K):
    """Fills a ring with blocks along K."""
    for k in range(0, K, a.block_shape[1]):
        slot = ring.acquire()
        slot.load(0, a, [rows, k])
        slot.load(1, b, [columns, k])
        ring.commit(slot)


@tw.jit
def held_slots(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, ACC: tl.constexpr,
):  # fmt: skip
    """c = a @ b.T: the slot of the previous iteration is held until its wgmma is done."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    ring = warp.ring(3, a, b)
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N

    def consume():
        acc = tl.zeros((BLOCK_M, BLOCK_N), ACC)
        held = ring.no_slot()
        for k in range(0, K, BLOCK_K):
            slot = ring.wait()
            acc = warp.wgmma_wait(warp.wgmma(slot[0], slot[1].T, acc), pendings=1)
            ring.release(held, when=k > 0)
            held = slot
        acc = warp.wgmma_wait(acc)
        ring.release(held, when=K > 0)
        rows, columns = m + tl.arange(0, BLOCK_M)[:, None], n + tl.arange(0, BLOCK_N)[None, :]
        tl.store(c_ptr + rows * N + columns, acc, mask=(rows < M) & (columns < N))

    warp.specialize(warp.role(load_blocks, ring, a, b, m, n, K, warps=1), warp.role(consume, warps=4))


@pytest.mark.parametrize("K", [0, 64, 208])
@pytest.mark.parametrize("dtype", ["float16", "float8_e4m3fn", "int8", "float32"])
def test_slots_held_for_pending_wgmmas(backend, rng, dtype, K):
    M, N = 100, 72
    a, b = (rng.integers(-4, 5, (rows, K)).astype(np.float64) for rows in (M, N))
    acc_type = tl.int32 if dtype == "int8" else tl.float32
    c = backend.poisoned((M, N), "int32" if dtype == "int8" else "float32")
    held_slots[(2, 2)](
        backend.array(a, dtype),
        backend.array(b, dtype),
        c,
        M,
        N,
        K,
        BLOCK_M=64,
        BLOCK_N=64,
        BLOCK_K=32,
        ACC=acc_type,
    )
    np.testing.assert_array_equal(backend.numpy(c), a @ b.T)


@tw.jit
def two_consumers(a_ptr, b_ptr, c_ptr, K, BLOCK_K: tl.constexpr):
    """c [128, 64] = a @ b.T: two roles read the same slots and compute 64 rows each."""
    a = tl.make_tensor_descriptor(a_ptr, [128, K], [K, 1], [64, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [64, K], [K, 1], [64, BLOCK_K])
    ring = warp.ring(2, a, a, b)

    def produce():
        for k in range(0, K, BLOCK_K):
            slot = ring.acquire()
            slot.load(0, a, [0, k])
            slot.load(1, a, [64, k])
            slot.load(2, b, [0, k])
            ring.commit(slot)

    def consume(half: tl.constexpr):
        acc = tl.zeros((64, 64), tl.float32)
        for _ in range(0, K, BLOCK_K):
            slot = ring.wait()
            acc = warp.wgmma_wait(warp.wgmma(slot[half], slot[2].T, acc))
            ring.release(slot)
        # Each role reduces through its own scratch in shared memory.
        rows = tl.sum(acc, axis=0)
        columns = tl.arange(0, 64)
        offset = (64 * half + tl.arange(0, 64))[:, None] * 64 + columns[None, :]
        tl.store(c_ptr + offset, acc)
        tl.store(c_ptr + (128 + half) * 64 + columns, rows)

    warp.specialize(
        warp.role(produce, warps=4, registers=40),
        warp.role(consume, 0, warps=4, registers=232),
        warp.role(consume, 1, warps=4, registers=232),
    )


def test_two_roles_read_one_ring(backend, rng):
    a, b = rng.integers(-4, 5, (128, 160)), rng.integers(-4, 5, (64, 160))
    c = backend.poisoned((130, 64), "float32")
    two_consumers[(1,)](backend.array(a, "float16"), backend.array(b, "float16"), c, 160, BLOCK_K=32)
    dot = (a @ b.T).astype(np.float32)
    sums = np.stack([dot[:64].sum(0), dot[64:].sum(0)])
    np.testing.assert_array_equal(backend.numpy(c), np.concatenate([dot, sums]))


@tw.jit
def alternating(log_ptr, N):
    """Two roles alternate, N times each, and log their order."""
    first_may_run, second_may_run = warp.named_barrier(8), warp.named_barrier(8)

    def note(number: tl.constexpr):
        count = tl.load(log_ptr)
        tl.store(log_ptr + 1 + count, number)
        tl.store(log_ptr, count + 1)

    def one():
        for _ in range(N):
            first_may_run.wait()
            note(1)
            second_may_run.arrive()

    def other():
        first_may_run.arrive()
        for i in range(N):
            second_may_run.wait()
            note(2)
            if i + 1 < N:
                first_may_run.arrive()

    warp.specialize(warp.role(one, warps=4), warp.role(other, warps=4))


def test_roles_alternate(backend):
    log = backend.array(np.zeros(21, np.int32))
    alternating[(1,)](log, 10)
    np.testing.assert_array_equal(backend.numpy(log), [20, *[1, 2] * 10])


@tw.jit
def ping_pong(a_ptr, b_ptr, c_ptr, M, N, K, TILE: tl.constexpr, BLOCK: tl.constexpr, SLOTS: tl.constexpr):
    """c = a @ b.T by two ping-pong groups with a tile each: one stores while the other multiplies."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [TILE, BLOCK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [TILE, BLOCK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [TILE, TILE])
    rings = (warp.ring(SLOTS, a, b), warp.ring(SLOTS, a, b))
    may_start = (warp.named_barrier(8), warp.named_barrier(8))
    columns, programs = tl.cdiv(N, TILE), tl.num_programs(0)
    tiles = tl.cdiv(M, TILE) * columns

    def produce():
        for pair in range(tl.program_id(0), tiles, 2 * programs):
            for group in tl.static_range(2):
                tile = pair + group * programs
                if tile < tiles:
                    m, n = tile // columns * TILE, tile % columns * TILE
                    for k in range(0, K, BLOCK):
                        slot = rings[group].acquire()
                        slot.load(0, a, [m, k])
                        slot.load(1, b, [n, k])
                        rings[group].commit(slot)

    def consume(group: tl.constexpr):
        if group == 1 and tl.program_id(0) < tiles:
            may_start[0].arrive()
        for pair in range(tl.program_id(0), tiles, 2 * programs):
            tile = pair + group * programs
            if tile < tiles:
                may_start[group].wait()
                acc = tl.zeros((TILE, TILE), tl.float32)
                for _ in range(0, K, BLOCK):
                    slot = rings[group].wait()
                    acc = warp.wgmma_wait(warp.wgmma(slot[0], slot[1].T, acc))
                    rings[group].release(slot)
                if tile + programs < tiles:  # the other group may start its wgmmas
                    may_start[1 - group].arrive()
                c.store([tile // columns * TILE, tile % columns * TILE], acc.to(c_ptr.dtype.element_ty))

    warp.specialize(
        warp.role(consume, 0, warps=4, registers=240),
        warp.role(consume, 1, warps=4, registers=240),
        warp.role(produce, warps=4, registers=24),
    )


@pytest.mark.parametrize("programs", [1, 2, 4])
@pytest.mark.parametrize("M, N, K", [(64, 64, 64), (192, 128, 96), (150, 172, 72)])
def test_ping_pong(backend, rng, M, N, K, programs):
    a, b = rng.integers(-4, 5, (M, K)), rng.integers(-4, 5, (N, K))
    c = backend.poisoned((M, N), "float32")
    x, y = backend.array(a, "float16"), backend.array(b, "float16")
    ping_pong[(programs,)](x, y, c, M, N, K, TILE=64, BLOCK=32, SLOTS=2)
    np.testing.assert_array_equal(backend.numpy(c), (a @ b.T).astype(np.float32))


@tw.jit
def clustered(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr, CLUSTER: tl.constexpr, ALWAYS: tl.constexpr):
    """c = a @ b.T by clusters of CTAs along M that multicast the blocks of b."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [64, BLOCK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [128, BLOCK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [64, 128])
    ring = warp.ring(3, a, b, cluster=CLUSTER)
    m, n = tl.program_id(0) * 64, tl.program_id(1) * 128

    def produce():
        for k in range(0, K, BLOCK):
            slot = ring.acquire()
            slot.load(0, a, [m, k])
            slot.load(1, b, [n, k], multicast=True if ALWAYS else k % (2 * BLOCK) == 0)
            ring.commit(slot)

    def consume():
        # Adds the rank in the cluster to each block of the result.
        acc = tl.zeros((64, 128), tl.float32) + warp.cluster_rank()
        for _ in range(0, K, BLOCK):
            slot = ring.wait()
            acc = warp.wgmma_wait(warp.wgmma(slot[0], slot[1].T, acc))
            ring.release(slot)
        c.store([m, n], acc)

    warp.specialize(warp.role(consume, warps=4), warp.role(produce, warps=1))


@pytest.mark.parametrize("always", [True, False])
@pytest.mark.parametrize("cluster", [2, 4])
def test_clusters(backend, rng, cluster, always):
    M, N, K = 256, 200, 320
    a, b = rng.integers(-4, 5, (M, K)), rng.integers(-4, 5, (N, K))
    c = backend.poisoned((M, N), "float32")
    clustered[(4, 2)](
        backend.array(a, "float16"),
        backend.array(b, "float16"),
        c,
        M,
        N,
        K,
        BLOCK=64,
        CLUSTER=cluster,
        ALWAYS=always,
    )
    ranks = np.repeat(np.arange(4) % cluster, 64)[:, None]
    np.testing.assert_array_equal(backend.numpy(c), a @ b.T + ranks)


@tw.jit
def chained(x_ptr, y_ptr, z_ptr):
    """z = (x @ y).T @ y and (x @ y) @ y, [64, 64] each: a computed operand in shared memory and in registers."""
    index = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]

    def compute():
        x, y = warp.shared((64, 64), tl.float16), warp.shared((64, 64), tl.float16)
        x.store(tl.load(x_ptr + index))
        y.store(tl.load(y_ptr + index))
        zeros = tl.zeros((64, 64), tl.float32)
        first = warp.wgmma_wait(warp.wgmma(x, y, zeros)).to(tl.float16)
        second = warp.wgmma(first, y, zeros)
        x.store(first)
        third, second = warp.wgmma_wait(warp.wgmma(x.T, y, zeros), second)
        tl.store(z_ptr + index, third)
        tl.store(z_ptr + 64 * 64 + index, second)

    warp.specialize(warp.role(compute, warps=4))


def test_computed_operands(backend, rng):
    x, y = rng.integers(-2, 3, (64, 64)), rng.integers(-1, 2, (64, 64))
    z = backend.poisoned((128, 64), "float32")
    chained[(1,)](backend.array(x, "float16"), backend.array(y, "float16"), z)
    np.testing.assert_array_equal(backend.numpy(z), np.concatenate([(x @ y).T @ y, x @ y @ y]))


@pytest.mark.parametrize("columns", [64, 128])
@pytest.mark.parametrize("rows", [128, 384])
def test_attention(backend, rng, rows, columns):
    q, k, v = (rng.standard_normal((2, rows, columns)) for _ in range(3))
    arrays = [backend.array(x, "float16") for x in (q, k, v)]
    out = backend.poisoned(q.shape, "float16")
    attention.attention(*arrays, out)
    q, k, v = (backend.numpy(x).astype(np.float64) for x in arrays)
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(columns)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    backend.check(out, weights / weights.sum(-1, keepdims=True) @ v, "float16", factor=2)


def test_attention_of_other_shapes(backend):
    x = backend.array(np.zeros((1, 100, 64), np.float16))
    with pytest.raises(
        ValueError, match="expected a multiple of 128 rows of 64 or 128 columns, got 100 of 64"
    ):
        attention.attention(x, x, x, x)
