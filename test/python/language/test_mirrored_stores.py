"""A matrix times its own transpose: tiles on and above the diagonal are computed, and stored twice."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def symmetric(x_ptr, out_ptr, M, K, B: tl.constexpr, BK: tl.constexpr, BRANCH: tl.constexpr):
    """With BRANCH only tiles off the diagonal are mirrored; otherwise diagonal tiles are stored twice in place."""
    i, j = tl.program_id(0), tl.program_id(1)
    if i > j:
        return
    m, n = i * B + tl.arange(0, B), j * B + tl.arange(0, B)
    k = tl.arange(0, BK)
    acc = tl.zeros((B, B), tl.float32)
    for start in range(0, K, BK):
        inside = (start + k < K)[None, :]
        a = tl.load(x_ptr + m[:, None] * K + start + k[None, :], mask=(m < M)[:, None] & inside, other=0.0)
        b = tl.load(x_ptr + n[:, None] * K + start + k[None, :], mask=(n < M)[:, None] & inside, other=0.0)
        acc = tl.dot(a, b.T, acc)
    tile = acc.to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + m[:, None] * M + n[None, :], tile, mask=(m < M)[:, None] & (n < M)[None, :])
    if not BRANCH or i < j:
        mask = (n < M)[:, None] & (m < M)[None, :]
        tl.store(out_ptr + n[:, None] * M + m[None, :], tile.T, mask=mask)


@pytest.mark.parametrize("branch", [False, True])
@pytest.mark.parametrize("M, K, block, warps", [(256, 64, 64, 4), (264, 72, 128, 4), (200, 136, 128, 8)])
def test_both_triangles(backend, rng, M, K, block, warps, branch):
    x = rng.standard_normal((M, K)).astype(np.float16)
    out = backend.poisoned((M, M), "float16")
    tiles = tw.cdiv(M, block)
    symmetric[(tiles, tiles)](backend.array(x), out, M, K, block, 64, branch, num_warps=warps)
    backend.check(out, x.astype(np.float64) @ x.astype(np.float64).T, "float16")


@pytest.mark.compiled
@pytest.mark.parametrize("branch", [False, True])
def test_tma_copies_disjoint_tiles(branch):
    """TMA copies both tiles if they are disjoint, and neither if they may overlap, as copies are unordered."""
    types = {"x_ptr": "*fp16", "out_ptr": "*fp16", "M": "i32", "K": "i32"}
    constants = {"B": 128, "BK": 64, "BRANCH": branch}
    options = Options(num_warps=4, num_stages=4)
    compiled = compile_kernel(
        symmetric.fn, types, constants, dict.fromkeys(types, 16), "sm_90a", options, "ptx"
    )
    text = compiled.asm["warp"]
    assert (text.count("warp.tma_store "), text.count("tile.store")) == ((2, 0) if branch else (0, 2))
