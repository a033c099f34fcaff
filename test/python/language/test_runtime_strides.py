"""Operands of dots with strides that are known only at run time."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

PIXELS, CHANNELS, FILTERS, TAPS = 64, 48, 64, 9


@tw.jit
def taps_kernel(
    x, weights, out, filters, channels, taps, filter_stride, channel_stride,
    P: tl.constexpr, C: tl.constexpr, F: tl.constexpr,
):  # fmt: skip
    """The sum over taps of `x` [taps, pixels, channels] times the weights of each tap."""
    pixel, filter, total = tl.arange(0, P), tl.arange(0, F), tl.zeros((P, F), tl.float32)
    for tap in range(taps):
        for first in range(0, channels, C):
            channel = first + tl.arange(0, C)
            inside = channel < channels
            values = tl.load(
                x + (tap * P + pixel[:, None]) * channels + channel[None, :], inside[None, :], 0.0
            )
            chosen = tl.load(
                weights + channel[:, None] * channel_stride + filter[None, :] * filter_stride + tap,
                inside[:, None] & (filter < filters)[None, :],
                0.0,
            )
            total = tl.dot(values, chosen, total)
    at = pixel[:, None] * filters + filter[None, :]
    tl.store(out + at, total, (filter < filters)[None, :])


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("num_warps", [1, 4])
def test_weights_of_convolutions(backend, rng, channels_first, dtype, num_warps):
    """One of the strides is 9, the other a multiple of 16."""
    x = rng.uniform(-1, 1, (TAPS, PIXELS, CHANNELS)).astype(dtype)
    dims = (CHANNELS, FILTERS) if channels_first else (FILTERS, CHANNELS)
    weights = rng.uniform(-1, 1, (*dims, TAPS)).astype(dtype)
    strides = (TAPS, FILTERS * TAPS) if channels_first else (CHANNELS * TAPS, TAPS)
    out = backend.poisoned((PIXELS, FILTERS), "float32")
    taps_kernel[(1,)](
        backend.array(x), backend.array(weights), out, FILTERS, CHANNELS, TAPS, *strides,
        PIXELS, 32, FILTERS, num_warps=num_warps,
    )  # fmt: skip
    equation = "tpc,cft->pf" if channels_first else "tpc,fct->pf"
    expected = np.einsum(equation, x.astype(np.float64), weights.astype(np.float64))
    np.testing.assert_allclose(backend.numpy(out), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.compiled
@pytest.mark.parametrize("channel, filter", [(9, 432), (576, 9)])
def test_lanes_follow_the_shorter_stride(assemble, channel, filter):
    """The weights are loaded element by element: lanes hold the low bits of the index with the shorter stride."""
    strides = {"channel_stride": channel, "filter_stride": filter}
    types = dict.fromkeys(("x", "weights", "out"), "*fp16") | {"out": "*fp32"}
    types |= dict.fromkeys(("filters", "channels", "taps", *strides), "i32")
    divisors = {name: 16 for name in types if strides.get(name, 16) % 16 == 0 and name != "taps"}
    kernel = assemble(taps_kernel, types, {"P": 64, "C": 32, "F": 64}, divisors)
    text = kernel.asm["warp"]
    layout = next(line for line in text.splitlines() if "tile.load" in line and "tensor<32x64x" in line)
    name = layout.rsplit("#", 1)[1].rstrip(">")
    lane = next(line for line in text.splitlines() if line.startswith(f"#{name} = ")).split("lane = ")[1]
    assert lane.startswith("[[1, 0], [2, 0], " if channel < filter else "[[0, 1], [0, 2], ")
