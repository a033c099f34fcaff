"""Promises of a kernel about its pointers, also about loop-carried ones, decide how they are loaded."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def promised(a_ptr, b_ptr, c_ptr, N, K, lengths, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A matmul of arrays with row lengths from memory; the kernel promises their alignment."""
    a_row, b_row = tl.load(lengths), tl.load(lengths + 1)
    m, n, k = (
        tl.program_id(0) * BM + tl.arange(0, BM),
        tl.program_id(1) * BN + tl.arange(0, BN),
        tl.arange(0, BK),
    )
    a_ptrs = a_ptr + m[:, None] * a_row + k[None, :]
    b_ptrs = b_ptr + k[:, None] * b_row + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(tl.cdiv(K, BK)):
        tl.multiple_of(a_ptrs, [16, 16])
        tl.multiple_of(b_ptrs, [16, 16])
        acc = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), acc)
        a_ptrs += BK
        b_ptrs += BK * b_row
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@pytest.mark.parametrize("num_warps", [1, 4, 8])
def test_promises_about_carried_pointers(backend, rng, num_warps):
    M, N, K = 128, 128, 192
    a, b = rng.standard_normal((M, K)).astype(np.float16), rng.standard_normal((K, N)).astype(np.float16)
    out = backend.poisoned((M, N), "float32")
    lengths = backend.array([K, N], "int32")
    promised[(M // 64, N // 64)](
        backend.array(a), backend.array(b), out, N, K, lengths, 64, 64, 32, num_warps=num_warps
    )
    backend.check(out, a.astype(np.float64) @ b.astype(np.float64), "float32")


@tw.jit
def groups(x, out, n, step, ASSUME: tl.constexpr):
    if ASSUME:
        tl.assume((n >= 0) & (n % 8 == 0))
        tl.assume(step > 0)
    i = tl.arange(0, 1024)
    acc = tl.zeros((1024,), tl.float32)
    for j in range(0, n, step):
        acc += tl.load(x + (n + i) // 8 + j)
    tl.store(out + i, acc)


@pytest.mark.parametrize("assumes", [False, True])
def test_assumptions_keep_the_result(backend, rng, assumes):
    x = rng.integers(0, 99, 256).astype(np.float32)
    for n, step in [(0, 1), (8, 3), (24, 5)]:
        out = backend.poisoned(1024, "float32")
        groups[1,](backend.array(x), out, n, step, assumes)
        expected = sum((x[(n + np.arange(1024)) // 8 + j] for j in range(0, n, step)), np.zeros(1024))
        np.testing.assert_array_equal(backend.numpy(out), expected)


@pytest.mark.compiled
def test_nonnegative_indices_need_fewer_instructions():
    types = {"x": "*fp32", "out": "*fp32", "n": "i32", "step": "i32"}

    def count(assumes):
        constants = {"ASSUME": assumes}
        compiled = compile_kernel(
            groups.fn, types, constants, {"x": 16, "out": 16}, "sm_90a", Options(), "ptx"
        )
        text = compiled.asm["ptx"]
        return text.count("ld.global"), text.count("shr.s32")

    (loads, shifts), (all_loads, all_shifts) = count(True), count(False)
    assert loads < all_loads and shifts < all_shifts


@pytest.mark.compiled
def test_promised_pointers_are_prefetched():
    names = promised.arg_names[:6]
    types = dict.fromkeys(names, "*fp16") | {"c_ptr": "*fp32", "lengths": "*i32", "N": "i32", "K": "i32"}
    compiled = compile_kernel(
        promised.fn,
        types,
        {"BM": 64, "BN": 64, "BK": 32},
        dict.fromkeys(types, 16),
        "sm_90a",
        Options(),
        "ptx",
    )
    copies = [line for line in compiled.asm["warp"].splitlines() if "warp.async_copy" in line]
    assert copies and all(" vector 8 " in line for line in copies)
