"""Dots in sequence without a loop, with more operands than fit into shared memory."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def convolution(x, w, y, H, W, C: tl.constexpr, OUT: tl.constexpr, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    """x [H, W, C] with w [TAPS, TAPS, C, OUT], zeros around: y [H * W, OUT]."""
    pixels = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    channels = tl.arange(0, C)
    acc = tl.zeros((BLOCK, OUT), tl.float32)
    for r in tl.static_range(TAPS):
        for s in tl.static_range(TAPS):
            i, j = pixels // W + r - TAPS // 2, pixels % W + s - TAPS // 2
            inside = (i >= 0) & (i < H) & (j >= 0) & (j < W) & (pixels < H * W)
            part = tl.load(x + (i * W + j)[:, None] * C + channels[None, :], mask=inside[:, None], other=0.0)
            weights = tl.make_block_ptr(
                w + (r * TAPS + s) * C * OUT, (C, OUT), (OUT, 1), (0, 0), (C, OUT), (1, 0)
            )
            acc += tl.dot(part, tl.load(weights, boundary_check=(0, 1)))
    out = tl.make_block_ptr(y, (H * W, OUT), (OUT, 1), (tl.program_id(0) * BLOCK, 0), (BLOCK, OUT), (1, 0))
    tl.store(out, acc.to(y.dtype.element_ty), boundary_check=(0,))


@pytest.mark.parametrize("num_warps, block", [(4, 64), (8, 128)])
def test_convolution(backend, rng, num_warps, block):
    # On a GPU each program computes several tiles.
    H, W, C, OUT = (150, 151, 128, 128) if backend.name == "cuda" else (11, 13, 128, 128)
    x, w = rng.standard_normal((H, W, C)), rng.standard_normal((3, 3, C, OUT))
    x, w = backend.array(x, "float16"), backend.array(w, "float16")
    y = backend.poisoned((H * W, OUT), "float16")
    convolution[tw.cdiv(H * W, block)](
        x, w, y, H, W, C=C, OUT=OUT, TAPS=3, BLOCK=block, num_warps=num_warps, num_stages=2
    )
    padded = np.pad(backend.numpy(x).astype(np.float64), ((1, 1), (1, 1), (0, 0)))
    expected = sum(
        padded[r : r + H, s : s + W] @ backend.numpy(w)[r, s].astype(np.float64)
        for r in range(3)
        for s in range(3)
    )
    backend.check(y, expected.reshape(H * W, OUT), "float16")
