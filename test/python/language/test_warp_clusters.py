"""CTAs of a cluster read shared memory of each other, in the interpreter and on Hopper."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp
from tilewright.language.errors import LanguageError
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@pytest.fixture(autouse=True)
def _has_warps(request):
    if "backend" in request.fixturenames and request.getfixturevalue("backend").name == "cpu":
        pytest.skip("the CPU back end has no warps")


@tw.jit
def rotated(x_ptr, y_ptr, SIZE: tl.constexpr, TRANSPOSED: tl.constexpr, CLUSTER: tl.constexpr):
    """Twice: each CTA replaces its block by the block of the next CTA in the cluster, or by its transpose."""
    part = warp.shared((SIZE, SIZE), x_ptr.dtype.element_ty, cluster=CLUSTER)
    first = tl.program_id(0) * SIZE * SIZE

    def role():
        rows, columns = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
        offsets = first + rows * SIZE + columns
        block = tl.load(x_ptr + offsets)
        for _ in range(2):
            part.store(block)
            warp.cluster_barrier()
            other = part.T if TRANSPOSED else part
            block = other.read((warp.cluster_rank() + 1) % CLUSTER)
            warp.cluster_barrier()
        tl.store(y_ptr + offsets, block)

    warp.specialize(warp.role(role, warps=4))


@pytest.mark.parametrize("cluster", (2, 4, 8))
@pytest.mark.parametrize("transposed", (False, True))
@pytest.mark.parametrize("dtype", ("float32", "float16", "int8", "int64"))
def test_read_of_the_next_program(backend, rng, dtype, transposed, cluster):
    x = rng.integers(-99, 99, (16, 32, 32)).astype(dtype)
    y = backend.poisoned(x.shape, dtype)
    rotated[16](backend.array(x), y, 32, transposed, cluster)
    expected = np.roll(x.reshape(-1, cluster, 32, 32), -2, axis=1).reshape(x.shape)
    np.testing.assert_array_equal(backend.numpy(y), expected)  # two transposes cancel


@tw.jit
def row_sums(x_ptr, y_ptr, N, BLOCK: tl.constexpr, CLUSTER: tl.constexpr):
    """y[row] = the sum of a row; each CTA of a cluster adds up a part."""
    parts = warp.shared((BLOCK,), tl.float32, cluster=CLUSTER)
    row, rank = tl.program_id(0) // CLUSTER, warp.cluster_rank()

    def role():
        lanes = tl.arange(0, BLOCK)
        part = tl.zeros((BLOCK,), tl.float32)
        for start in range(rank * BLOCK, N, CLUSTER * BLOCK):
            part += tl.load(x_ptr + row * N + start + lanes, start + lanes < N, 0.0)
        parts.store(part)
        warp.cluster_barrier()
        total = tl.zeros((BLOCK,), tl.float32)
        for other in range(CLUSTER):
            total += parts.read(other)
        warp.cluster_barrier()
        if rank == 0:
            tl.store(y_ptr + row, tl.sum(total))

    warp.specialize(warp.role(role, warps=4))


@pytest.mark.parametrize("N", (1, 1000, 5000))
def test_row_of_a_cluster(backend, rng, N):
    x = rng.integers(-9, 9, (3, N)).astype(np.float32)
    y = backend.poisoned((3,), "float32")
    row_sums[3 * 4](backend.array(x), y, N, 256, 4)
    np.testing.assert_array_equal(backend.numpy(y), x.sum(1))


@tw.jit
def split_k_dot(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b.T: two CTAs of a cluster share a tile. Each multiplies half of K and stores half of the tile."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    ring = warp.ring(3, a, b)
    shared_acc = warp.shared((BM, BN), tl.float32, cluster=2)
    tile, rank = tl.program_id(0) // 2, warp.cluster_rank()
    m, n = tile // tl.cdiv(N, BN) * BM, tile % tl.cdiv(N, BN) * BN

    def produce():
        for k in range(rank * BK, K, 2 * BK):
            slot = ring.acquire()
            slot.load(0, a, [m, k])
            slot.load(1, b, [n, k])
            ring.commit(slot)
        warp.cluster_barrier()
        warp.cluster_barrier()

    def consume():
        acc = tl.zeros((BM, BN), tl.float32)
        for _ in range(rank * BK, K, 2 * BK):
            slot = ring.wait()
            acc = warp.wgmma_wait(warp.wgmma(slot[0], slot[1].T, acc))
            ring.release(slot)
        shared_acc.store(acc)
        warp.cluster_barrier()
        acc += shared_acc.read(1 - rank)
        warp.cluster_barrier()
        rows, columns = m + tl.arange(0, BM)[:, None], n + tl.arange(0, BN)[None, :]
        mine = (rows // 16 % 2 == rank) & (rows < M) & (columns < N)
        tl.store(c_ptr + rows * N + columns, acc, mine)

    warp.specialize(warp.role(consume, warps=4), warp.role(produce, warps=1))


@pytest.mark.parametrize("M, N, K", ((64, 64, 64), (192, 128, 320), (100, 80, 1008)))
def test_accumulators_of_two_ctas(backend, rng, M, N, K):
    a, b = (rng.integers(-3, 4, (rows, K)).astype(np.float16) for rows in (M, N))
    c = backend.poisoned((M, N), "float32")
    split_k_dot[2 * tw.cdiv(M, 64) * tw.cdiv(N, 64)](
        backend.array(a), backend.array(b), c, M, N, K, 64, 64, 64
    )
    np.testing.assert_array_equal(backend.numpy(c), a.astype(np.float32) @ b.astype(np.float32).T)


@pytest.mark.parametrize("fn, constants", [(rotated, {"SIZE": 32, "TRANSPOSED": False, "CLUSTER": 4})])
def test_code(fn, constants):
    made = compile_kernel(
        fn.fn, {"x_ptr": "*fp32", "y_ptr": "*fp32"}, constants, {}, "sm_90a", Options(), stop_after="ptx"
    )
    assert made.metadata["cluster"] == 4
    ptx = made.asm["ptx"]
    assert "mapa.shared::cluster" in ptx and "ld.shared::cluster" in ptx
    # Two in the loop, and two by the compiler at the start and the end of the kernel.
    assert ptx.count("barrier.cluster.wait.aligned") == 4


class TestRaces:
    """Races that the interpreter finds."""

    def run(self, kernel, match):
        with pytest.raises(LanguageError, match=match):
            tw.interpret(kernel)[2](np.zeros(64, np.float32))

    def test_read_before_the_barrier(self):
        def kernel(x_ptr):
            part = warp.shared((64,), tl.float32, cluster=2)

            def role():
                part.store(tl.load(x_ptr + tl.arange(0, 64)))
                part.read(1 - warp.cluster_rank())

            warp.specialize(warp.role(role, warps=1))

        self.run(kernel, "no barrier of the cluster in between")

    def test_store_before_the_barrier(self):
        def kernel(x_ptr):
            part = warp.shared((64,), tl.float32, cluster=2)

            def role():
                warp.cluster_barrier()
                x = part.read(1 - warp.cluster_rank())
                part.store(x)

            warp.specialize(warp.role(role, warps=1))

        self.run(kernel, "no barrier of the cluster in between")

    def test_barriers_that_one_role_passes(self):
        def kernel(x_ptr):
            warp.shared((64,), tl.float32, cluster=2)

            def role():
                warp.cluster_barrier()

            def other():
                pass

            warp.specialize(warp.role(role, warps=1), warp.role(other, warps=1))

        self.run(kernel, "role.. waits for a barrier of the cluster")

    def test_no_such_program(self):
        def kernel(x_ptr):
            part = warp.shared((64,), tl.float32, cluster=2)

            def role():
                part.read(2)

            warp.specialize(warp.role(role, warps=1))

        self.run(kernel, "a cluster of 2 are 0 and up, got 2")

    def test_grid_that_is_no_multiple(self):
        with pytest.raises(LanguageError, match=r"3 programs along its first dimension.*a multiple.* 2"):
            tw.interpret(rotated)[3](np.zeros(3 * 64, np.float32), np.zeros(3 * 64, np.float32), 8, False, 2)
