"""Matmuls in common styles, on every back end: the results agree for every lowering."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def wrapped(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    """Rows and columns wrap around, programs are grouped, the last block of K is masked."""
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    offs_am = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c = accumulator.to(tl.float16)
    offs_cm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, c, mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


@tw.jit
def block_pointers(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    """Block pointers that a loop advances."""
    pid = tl.program_id(0)
    pid_m, pid_n = pid // tl.cdiv(N, BLOCK_N), pid % tl.cdiv(N, BLOCK_N)
    a_ptrs = tl.make_block_ptr(
        a_ptr, (M, K), (stride_am, stride_ak), (pid_m * BLOCK_M, 0), (BLOCK_M, BLOCK_K), (1, 0)
    )
    b_ptrs = tl.make_block_ptr(
        b_ptr, (K, N), (stride_bk, stride_bn), (0, pid_n * BLOCK_N), (BLOCK_K, BLOCK_N), (1, 0)
    )
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_ptrs, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(a, b)
        a_ptrs = tl.advance(a_ptrs, (0, BLOCK_K))
        b_ptrs = tl.advance(b_ptrs, (BLOCK_K, 0))
    c_ptrs = tl.make_block_ptr(
        c_ptr, (M, N), (stride_cm, stride_cn), (pid_m * BLOCK_M, pid_n * BLOCK_N), (BLOCK_M, BLOCK_N), (1, 0)
    )
    tl.store(c_ptrs, acc.to(tl.float16), boundary_check=(0, 1))


@tw.jit
def descriptors(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    """Tensor descriptors, and a loop over tiles around the loop over K."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [stride_am, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [stride_bk, 1], [BLOCK_K, BLOCK_N])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [stride_cm, 1], [BLOCK_M, BLOCK_N])
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * tiles_n, tl.num_programs(0), flatten=True):
        row, column = tile // tiles_n * BLOCK_M, tile % tiles_n * BLOCK_N
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            acc = tl.dot(a.load([row, k]), b.load([k, column]), acc)
        c.store([row, column], acc.to(tl.float16))


def run(backend, kernel, a, b, blocks, programs=None):
    """c = a @ b on a back end. The result is poisoned first, and its margin must stay unchanged."""
    (M, K), N = a.shape, b.shape[1]
    margin = np.full((M, N + 8), np.nan, np.float16)
    # A column-major matrix is passed as the memory of its transpose.
    x, y, c = (backend.array(m if m.flags.c_contiguous else m.T) for m in (a, b, margin))
    grid = programs or (tw.cdiv(M, blocks[0]) * tw.cdiv(N, blocks[1]),)
    strides = [s // 2 for array in (a, b, margin) for s in array.strides]
    kernel[grid](
        x, y, c, M, N, K, *strides,
        BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=blocks[2], GROUP_M=3, num_warps=4, num_stages=3,
    )  # fmt: skip
    result = backend.numpy(c)
    assert np.isnan(result[:, N:]).all()
    return result[:, :N]


def check(result, a, b):
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(result, expected, rtol=2e-3, atol=2e-3 * np.abs(expected).max())


SHAPES = [(128, 128, 64), (64, 64, 0), (200, 136, 72), (136, 264, 200), (37, 40, 24), (1, 8, 8), (65, 67, 33)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kernel", [wrapped, block_pointers, descriptors], ids=lambda k: k.fn.__name__)
def test_matmuls(backend, rng, kernel, shape):
    M, N, K = shape
    a = rng.standard_normal((M, K)).astype(np.float16)
    b = rng.standard_normal((K, N)).astype(np.float16)
    check(run(backend, kernel, a, b, (64, 64, 32)), a, b)


@pytest.mark.parametrize("kernel", [wrapped, block_pointers], ids=lambda k: k.fn.__name__)
@pytest.mark.parametrize("layout", ["NT", "TN", "TT"])
def test_transposed_operands(backend, rng, kernel, layout):
    a = rng.standard_normal((136, 72)).astype(np.float16)
    b = rng.standard_normal((72, 200)).astype(np.float16)
    a = np.asfortranarray(a) if layout[0] == "T" else a
    b = np.asfortranarray(b) if layout[1] == "T" else b
    check(run(backend, kernel, a, b, (64, 64, 32)), a, b)


@pytest.mark.parametrize("programs", [1, 2, 5])
def test_a_program_computes_several_tiles(backend, rng, programs):
    a = rng.standard_normal((200, 72)).astype(np.float16)
    b = rng.standard_normal((72, 136)).astype(np.float16)
    check(run(backend, descriptors, a, b, (64, 64, 32), (programs,)), a, b)


@pytest.mark.parametrize("kernel", [wrapped, block_pointers, descriptors], ids=lambda k: k.fn.__name__)
def test_rows_from_the_last_to_the_first(backend, rng, kernel):
    """No copy hardware supports a negative stride, but the results are the same."""
    if backend.name == "interpreter":
        pytest.skip("the interpreter sees only the array that it is given")
    M, N, K = 128, 64, 64
    a = rng.standard_normal((M, K)).astype(np.float16)
    b = rng.standard_normal((K, N)).astype(np.float16)
    x, y = backend.array(a), backend.array(b)
    c = backend.poisoned((M, N), "float16")
    kernel[(tw.cdiv(M, 64) * tw.cdiv(N, 64),)](
        x[M - 1 :], y, c, M, N, K, -K, 1, N, 1, N, 1,
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=3, num_warps=4, num_stages=3,
    )  # fmt: skip
    check(backend.numpy(c), a[::-1], b)
