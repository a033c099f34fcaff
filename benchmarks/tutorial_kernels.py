"""Matmul kernels of Triton's tutorials, one source for both compilers.

Each is called as ``kernel[grid](operands, M, N, K, strides, blocks)``. Flags such as ``FLATTEN`` select variants of
the tutorials.
"""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def tile_coordinates(tile, num_m, num_n, GROUP: tl.constexpr):
    """Returns row and column of a tile; tiles go down GROUP rows before the next column."""
    in_group = GROUP * num_n
    first = (tile // in_group) * GROUP
    size = min(num_m - first, GROUP)
    return first + (tile % size), (tile % in_group) // size


@tw.jit
def pointers(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """Pointers; rows and columns wrap around, k is masked."""
    pid = tl.program_id(axis=0)
    num_m, num_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * num_n
    first = (pid // in_group) * GROUP
    size = min(num_m - first, GROUP)
    pid_m = first + ((pid % in_group) % size)
    pid_n = (pid % in_group) // size
    m = (pid_m * BM + tl.arange(0, BM)) % M
    n = (pid_n * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + (m[:, None] * stride_am + k[None, :] * stride_ak)
    b_ptrs = b_ptr + (k[:, None] * stride_bk + n[None, :] * stride_bn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - i * BK, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - i * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    c = acc.to(c_ptr.dtype.element_ty)
    rows, columns = pid_m * BM + tl.arange(0, BM), pid_n * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + stride_cm * rows[:, None] + stride_cn * columns[None, :]
    tl.store(c_ptrs, c, mask=(rows[:, None] < M) & (columns[None, :] < N))


@tw.jit
def block_pointers(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """Block pointers that the loop advances."""
    pid_m, pid_n = tile_coordinates(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP)
    a_block = tl.make_block_ptr(a_ptr, (M, K), (stride_am, stride_ak), (pid_m * BM, 0), (BM, BK), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (K, N), (stride_bk, stride_bn), (0, pid_n * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc)
        a_block = tl.advance(a_block, (0, BK))
        b_block = tl.advance(b_block, (BK, 0))
    c_block = tl.make_block_ptr(
        c_ptr, (M, N), (stride_cm, stride_cn), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0)
    )
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


@tw.jit
def persistent_pointers(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, NUM_SMS: tl.constexpr,
):  # fmt: skip
    """One program per multiprocessor; rows and columns out of bounds are clamped to index 0."""
    start = tl.program_id(axis=0)
    num_m, num_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    k_tiles = tl.cdiv(K, BK)
    num_tiles = num_m * num_n
    stored = start - NUM_SMS
    k = tl.arange(0, BK)
    for tile in tl.range(start, num_tiles, NUM_SMS, flatten=True):
        pid_m, pid_n = tile_coordinates(tile, num_m, num_n, GROUP)
        m = pid_m * BM + tl.arange(0, BM)
        n = pid_n * BN + tl.arange(0, BN)
        m = tl.max_contiguous(tl.multiple_of(tl.where(m < M, m, 0), BM), BM)
        n = tl.max_contiguous(tl.multiple_of(tl.where(n < N, n, 0), BN), BN)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for i in range(k_tiles):
            ks = i * BK + tl.arange(0, BK)
            a_ptrs = a_ptr + (m[:, None] * stride_am + ks[None, :] * stride_ak)
            b_ptrs = b_ptr + (ks[:, None] * stride_bk + n[None, :] * stride_bn)
            a = tl.load(a_ptrs, mask=k[None, :] < K - i * BK, other=0.0)
            b = tl.load(b_ptrs, mask=k[:, None] < K - i * BK, other=0.0)
            acc = tl.dot(a, b, acc)
        stored += NUM_SMS
        pid_m, pid_n = tile_coordinates(stored, num_m, num_n, GROUP)
        rows, columns = pid_m * BM + tl.arange(0, BM), pid_n * BN + tl.arange(0, BN)
        c_ptrs = c_ptr + stride_cm * rows[:, None] + stride_cn * columns[None, :]
        c = acc.to(c_ptr.dtype.element_ty)
        tl.store(c_ptrs, c, mask=(rows[:, None] < M) & (columns[None, :] < N))


@tw.jit
def descriptors(
    a_desc, b_desc, c_desc, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, B_ROWS: tl.constexpr,
    WARP_SPECIALIZE: tl.constexpr, TYPE: tl.constexpr,
):  # fmt: skip
    """Descriptors from the host; B_ROWS: b is stored as K x N, not N x K."""
    pid_m, pid_n = tile_coordinates(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in tl.range(tl.cdiv(K, BK), warp_specialize=WARP_SPECIALIZE):
        a = a_desc.load([pid_m * BM, i * BK])
        if B_ROWS:
            b = b_desc.load([i * BK, pid_n * BN])
            acc = tl.dot(a, b, acc)
        else:
            b = b_desc.load([pid_n * BN, i * BK])
            acc = tl.dot(a, b.T, acc)
    c_desc.store([pid_m * BM, pid_n * BN], acc.to(TYPE))


@tw.jit
def tiles_of_descriptors(
    a_desc, b_desc, c_desc, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, NUM_SMS: tl.constexpr,
    B_ROWS: tl.constexpr, SUBTILE: tl.constexpr, FLATTEN: tl.constexpr, WARP_SPECIALIZE: tl.constexpr,
    TYPE: tl.constexpr,
):  # fmt: skip
    """Computes the tiles of one of NUM_SMS programs; SUBTILE: each tile is stored in two parts."""
    start = tl.program_id(axis=0)
    num_m, num_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    k_tiles = tl.cdiv(K, BK)
    num_tiles = num_m * num_n
    stored = start - NUM_SMS
    for tile in tl.range(start, num_tiles, NUM_SMS, flatten=FLATTEN, warp_specialize=WARP_SPECIALIZE):
        pid_m, pid_n = tile_coordinates(tile, num_m, num_n, GROUP)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for i in range(k_tiles):
            a = a_desc.load([pid_m * BM, i * BK])
            if B_ROWS:
                b = b_desc.load([i * BK, pid_n * BN])
                acc = tl.dot(a, b, acc)
            else:
                b = b_desc.load([pid_n * BN, i * BK])
                acc = tl.dot(a, b.T, acc)
        stored += NUM_SMS
        pid_m, pid_n = tile_coordinates(stored, num_m, num_n, GROUP)
        if SUBTILE:
            parts = tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1))
            left, right = tl.split(parts)
            c_desc.store([pid_m * BM, pid_n * BN], left.to(TYPE))
            c_desc.store([pid_m * BM, pid_n * BN + BN // 2], right.to(TYPE))
        else:
            c_desc.store([pid_m * BM, pid_n * BN], acc.to(TYPE))


@tw.jit
def persistent_descriptors(
    a_desc, b_desc, c_desc, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, NUM_SMS: tl.constexpr,
    B_ROWS: tl.constexpr, SUBTILE: tl.constexpr, FLATTEN: tl.constexpr, WARP_SPECIALIZE: tl.constexpr,
    TYPE: tl.constexpr,
):  # fmt: skip
    """Descriptors from the host."""
    tiles_of_descriptors(
        a_desc, b_desc, c_desc, M, N, K, BM, BN, BK, GROUP, NUM_SMS, B_ROWS, SUBTILE, FLATTEN,
        WARP_SPECIALIZE, TYPE,
    )  # fmt: skip


@tw.jit
def device_descriptors(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, NUM_SMS: tl.constexpr,
    B_ROWS: tl.constexpr, SUBTILE: tl.constexpr, FLATTEN: tl.constexpr, WARP_SPECIALIZE: tl.constexpr,
):  # fmt: skip
    """Descriptors made in the kernel."""
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    if B_ROWS:
        b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    else:
        b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c_desc = tl.make_tensor_descriptor(
        c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN // 2 if SUBTILE else BN]
    )
    tiles_of_descriptors(
        a_desc, b_desc, c_desc, M, N, K, BM, BN, BK, GROUP, NUM_SMS, B_ROWS, SUBTILE, FLATTEN,
        WARP_SPECIALIZE, c_ptr.dtype.element_ty,
    )  # fmt: skip
