"""First operands of dots that a loop computes from loads: threads read them in the register layout of `wgmma`."""

import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def scaled(
    a, b, c, s, K, am, ak, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TRANSPOSED: tl.constexpr
):
    """`(a * s) @ b`: a is `(BM, K)`, or `(K, BM)` and transposed by the loop; s has a float32 scale for each k."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        inside = i + k < K
        if TRANSPOSED:
            x = tl.load(a + (i + k)[:, None] * ak + m[None, :] * am, mask=inside[:, None], other=0.0).T
        else:
            x = tl.load(a + m[:, None] * am + (i + k)[None, :] * ak, mask=inside[None, :], other=0.0)
        scale = tl.load(s + i + k, mask=inside, other=0.0)
        y = tl.load(b + (i + k)[:, None] * BN + n[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot((x * scale[None, :]).to(b.dtype.element_ty), y, acc)
    tl.store(c + m[:, None] * BN + n[None, :], acc)


TYPES = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "s": "*fp32", "K": "i32", "am": "i32", "ak": "i32"}


def check_registers(ptx):
    """Each `wgmma` has its first operand in registers, which are written after the wait for the previous `wgmma`."""
    mmas = list(re.finditer(r"wgmma\.mma_async[^;]*;", ptx))
    assert mmas
    for mma in mmas:
        operand = re.search(r"\}, *\{([^}]*)\}, *[%b]", mma[0])
        assert operand, mma[0]
        wait = ptx.rfind("wgmma.wait_group", 0, mma.start())
        for register in operand[1].split(","):
            assert ptx.rfind(f"\t{register.strip()}, ", 0, mma.start()) > wait, mma[0]


@tw.jit
def listed(a, at, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """`(2 * a[at]) @ b`: threads copy the rows that `at` lists."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    rows = tl.load(at + m)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + rows[:, None] * K + (i + k)[None, :], mask=(i + k < K)[None, :], other=0.0)
        y = tl.load(b + (i + k)[:, None] * BN + n[None, :], mask=(i + k < K)[:, None], other=0.0)
        acc = tl.dot(x + x, y, acc)
    tl.store(c + m[:, None] * BN + n[None, :], acc)


@pytest.mark.parametrize("depth", [16, 200])
def test_listed_rows(backend, rng, assemble, depth):
    sizes = {"BM": 64, "BN": 64, "BK": 32}
    a = rng.integers(-3, 4, (90, depth)).astype(np.float16)
    b = rng.integers(-3, 4, (depth, 64)).astype(np.float16)
    at = rng.integers(0, 90, 64).astype(np.int32)
    out = backend.poisoned((64, 64), "float32")
    arrays = backend.array(a, "float16"), backend.array(at), backend.array(b, "float16"), out
    listed[1,](*arrays, depth, **sizes)
    np.testing.assert_array_equal(backend.numpy(out), 2 * a[at].astype(np.float32) @ b.astype(np.float32))
    types = {"a": "*fp16", "at": "*i32", "b": "*fp16", "c": "*fp32", "K": "i32"}
    ptx = assemble(listed, types, sizes, dict.fromkeys(types, 16)).asm["ptx"]
    check_registers(ptx)
    assert "ldmatrix.sync.aligned.m8n8.x4.shared" in ptx and "cp.async.cg" in ptx
    # The next slot is filled during the wgmma: the barrier before the copies comes after it.
    loop = ptx[ptx.rfind("wgmma.wait_group", 0, ptx.rfind("wgmma.mma_async")) :]
    assert loop.index("wgmma.mma_async") < loop.index("cp.async.cg")


@pytest.mark.parametrize("depth", [16, 32, 200])
@pytest.mark.parametrize("order", ["rows", "columns", "transposed"])
@pytest.mark.parametrize("warps", [4, 8])
def test_scaled_first_operand(backend, rng, assemble, depth, order, warps):
    sizes = {"BM": 16 * warps, "BN": 64, "BK": 32, "TRANSPOSED": order == "transposed"}
    a = rng.integers(-3, 4, (sizes["BM"], depth)).astype(np.float16)
    b = rng.integers(-3, 4, (depth, 64)).astype(np.float16)
    s = rng.integers(-2, 3, depth).astype(np.float32)
    out = backend.poisoned((sizes["BM"], 64), "float32")
    stored = a if order == "rows" else np.ascontiguousarray(a.T)
    strides = (depth, 1) if order == "rows" else (1, sizes["BM"])
    arrays = backend.array(stored, "float16"), backend.array(b, "float16"), out, backend.array(s)
    scaled[1,](*arrays, depth, *strides, **sizes, num_warps=warps)
    np.testing.assert_array_equal(backend.numpy(out), (a.astype(np.float32) * s) @ b.astype(np.float32))


@pytest.mark.parametrize("aligned", [16, 8])
@pytest.mark.parametrize("order", ["rows", "columns", "transposed"])
@pytest.mark.parametrize("warps", [4, 8])
def test_read_in_the_layout_of_wgmma(assemble, aligned, order, warps):
    sizes = {"BM": 16 * warps, "BN": 64, "BK": 32, "TRANSPOSED": order == "transposed"}
    unit = "ak" if order == "rows" else "am"
    other = "am" if order == "rows" else "ak"
    attrs = dict.fromkeys(("a", "b", "c", "s"), 16) | {other: aligned, "K": aligned}
    types = {name: type for name, type in TYPES.items() if name != unit}
    compiled = assemble(scaled, types, sizes | {unit: 1}, attrs, num_warps=warps)
    ptx = compiled.asm["ptx"]
    assert compiled.asm["cubin"]
    check_registers(ptx)
    transposed = ".trans" if order != "rows" else ""
    assert f"ldmatrix.sync.aligned.m8n8.x4{transposed}.shared" in ptx
