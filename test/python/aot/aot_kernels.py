"""Kernels that the tests compile ahead of time."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def add(x, y, out, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@tw.jit
def add_dependent(x, y, out, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.extra.cuda.gdc_wait()
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@tw.jit
def scalars(out, a, b, c, d, e, f, g):
    tl.store(out + 0, a.to(tl.float64))
    tl.store(out + 1, b.to(tl.float64))
    tl.store(out + 2, c.to(tl.float64))
    tl.store(out + 3, d.to(tl.float64))
    tl.store(out + 4, e.to(tl.float64))
    tl.store(out + 5, f.to(tl.float64))
    tl.store(out + 6, g.to(tl.float64))


@tw.jit
def strided(x, out, n, stride, TAG: tl.constexpr):
    """out[i] = x[i * stride] + TAG"""
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    tl.store(out + i, tl.load(x + i * stride, i < n) + TAG, i < n)


@tw.jit
def linear_index(out):
    at = tl.program_id(0) + tl.num_programs(0) * (tl.program_id(1) + tl.num_programs(1) * tl.program_id(2))
    tl.store(out + at, at)


@tw.jit(debug=True)
def positive(x):
    tl.device_assert(tl.load(x + tl.program_id(0)) > 0, "not positive")


@tw.jit
def shout(x):
    value = tl.load(x)
    tl.device_print("value", value)
    tl.device_print("not a number", value * float("nan"))
    tl.device_print("code", value.to(tl.int16), hex=True)
    tl.device_print("positive", value > 0)
    tl.device_print("nothing")


@tw.jit
def chain(flags, out):
    """Each program waits for the next one, the last for nobody."""
    program, last = tl.program_id(0), tl.num_programs(0) - 1
    if program < last:
        while tl.atomic_add(flags + program + 1, 0) == 0:
            pass
    tl.store(out + program, program)
    tl.atomic_xchg(flags + program, 1)


@tw.jit(deterministic=True)
def tickets(counter, out):
    tl.store(out + tl.program_id(0), tl.atomic_add(counter, 1))


@tw.jit
def sort_all(x, N: tl.constexpr):
    """Large tiles: needs scratch memory."""
    i = tl.arange(0, N)
    tl.store(x + i, tl.sort(tl.load(x + i)))


@tw.jit
def matmul(
    c, a, b, M, N, K, stride_c, stride_a, stride_b, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * stride_a + k[None, :], (m[:, None] < M) & (k[None, :] < K), 0.0)
        y = tl.load(b + k[:, None] * stride_b + n[None, :], (k[:, None] < K) & (n[None, :] < N), 0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * stride_c + n[None, :], acc, (m[:, None] < M) & (n[None, :] < N))


@tw.jit
def matmul_of_descriptors(c, a, b, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([row, k]), b.load([column, k]).T, acc)
    c.store([row, column], acc.to(tl.float16))


@tw.jit
def grouped_matmul(
    c_ptrs,
    a_ptrs,
    b_ptrs,
    sizes,
    M: tl.constexpr,
    N: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """c[g] = a[g] @ b[g].T of M x k[g] and N x k[g] arrays, whose addresses the kernel loads."""
    group, k_size = tl.program_id(0), tl.load(sizes + tl.program_id(0))
    a_ptr = tl.load(a_ptrs + group).to(tl.pointer_type(tl.float16))
    b_ptr = tl.load(b_ptrs + group).to(tl.pointer_type(tl.float16))
    c_ptr = tl.load(c_ptrs + group).to(tl.pointer_type(tl.float16))
    a = tl.make_tensor_descriptor(a_ptr, [M, k_size], [k_size, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, k_size], [k_size, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    row, column = tl.program_id(1) * BM, tl.program_id(2) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, k_size, BK):
        acc = tl.dot(a.load([row, k]), b.load([column, k]).T, acc)
    c.store([row, column], acc.to(tl.float16))
