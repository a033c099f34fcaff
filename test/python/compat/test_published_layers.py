"""Layers, optimisers and scans in Triton's style against NumPy."""

import numpy as np
import pytest
import tilewright as tw

from .published import layers as kernels


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("activation", ["", "silu"])
def test_group_norm(backend, rng, activation):
    batch, channels, groups, spatial = 2, 12, 4, 50
    x = rng.standard_normal((batch, channels, spatial)) + 3
    w, b = rng.standard_normal((2, channels))
    out = backend.poisoned(x.shape, "float32")
    kernels.group_norm_kernel[(groups, batch)](
        *(backend.array(v, "float32") if v is not out else v for v in (x,)), out,
        backend.array(w, "float32"), backend.array(b, "float32"), channels, channels // groups, spatial, 1e-5,
        ACTIVATION=activation, BLOCK_C=4, BLOCK_S=16,
    )  # fmt: skip
    grouped = x.reshape(batch, groups, -1)
    normal = (grouped - grouped.mean(2, keepdims=True)) / np.sqrt(grouped.var(2, keepdims=True) + 1e-5)
    expected = normal.reshape(x.shape) * w[:, None] + b[:, None]
    backend.check(out, expected * sigmoid(expected) if activation else expected, "float32", 4)


@pytest.mark.parametrize("rms", [False, True])
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("with_bias, with_z", [(True, True), (False, True), (True, False)])
def test_gated_norm(backend, rng, rms, before, with_bias, with_z):
    rows, groups, cols = 3, 2, 50
    x, z = rng.standard_normal((2, rows, groups * cols))
    w, b = rng.standard_normal((2, groups * cols))
    out = backend.poisoned(x.shape, "float32")
    mean, rstd = (backend.poisoned((groups, rows), "float32") for _ in range(2))
    kernels.gated_norm_kernel[(rows, groups)](
        backend.array(x, "float32"), out, backend.array(w, "float32"),
        backend.array(b, "float32") if with_bias else None, backend.array(z, "float32") if with_z else None,
        None if rms else mean, rstd, groups * cols, groups * cols, groups * cols, rows, cols, 1e-5,
        BLOCK_N=64, NORM_BEFORE_GATE=before, IS_RMS_NORM=rms, num_warps=2,
    )  # fmt: skip
    gate = z * sigmoid(z) if with_z else 1.0
    y = (x if before else x * gate).reshape(rows, groups, cols)
    y = y if rms else y - y.mean(2, keepdims=True)
    y = (y / np.sqrt((y * y).mean(2, keepdims=True) + 1e-5)).reshape(x.shape) * w + (b if with_bias else 0)
    backend.check(out, y * gate if before else y, "float32", 4)


@pytest.mark.parametrize("adamw", [False, True])
def test_adam(backend, rng, adamw):
    p, g, m = rng.standard_normal((3, 300))
    v = rng.random(300)
    arrays = [backend.array(x, "float32") for x in (p, g, m, v)]
    kernels.adam_kernel[(3,)](*arrays, 1e-2, 0.9, 0.99, 1e-8, 0.1, 3, 300, ADAMW=adamw, BLOCK=128)
    p, g = (p * (1 - 1e-3), g) if adamw else (p, g + 0.1 * p)
    m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
    p = p - 1e-2 / (1 - 0.9**3) * m / (np.sqrt(v / (1 - 0.99**3)) + 1e-8)
    for array, expected in zip((arrays[0], *arrays[2:]), (p, m, v)):
        backend.check(array, expected, "float32", 8)


def test_selective_scan(backend, rng):
    batch, length, dim, state = 2, 9, 20, 8
    u, dt = rng.standard_normal((2, batch, length, dim))
    A = -rng.random((dim, state))
    B, C = rng.standard_normal((2, batch, length, state))
    D, bias = rng.standard_normal((2, dim))
    out, last = backend.poisoned(u.shape, "float32"), backend.poisoned((batch, dim, state), "float32")
    kernels.selective_scan_kernel[(tw.cdiv(dim, 16), batch)](
        *(backend.array(x, "float32") for x in (u, dt, A, B, C, D, bias)), out, last, length, dim,
        DSTATE=state, BLOCK_D=16, HAS_BIAS=True, SOFTPLUS=True,
    )  # fmt: skip
    step, h = np.log1p(np.exp(dt + bias)), np.zeros((batch, dim, state))
    expected = np.empty_like(u)
    for t in range(length):
        h = h * np.exp(A * step[:, t, :, None]) + B[:, t, None] * (step[:, t] * u[:, t])[..., None]
        expected[:, t] = (h * C[:, t, None]).sum(2) + u[:, t] * D
    backend.check(out, expected, "float32", 8)
    backend.check(last, h, "float32", 8)


def test_scan_of_chunks(backend, rng):
    a, b = rng.random((50, 20)), rng.standard_normal((50, 20))
    out = backend.poisoned((50, 20), "float32")
    kernels.scan_chunks_kernel[(2,)](
        backend.array(a, "float32"), backend.array(b, "float32"), out, 50, 20, BLOCK_T=16, BLOCK_D=16
    )
    expected, h = np.empty_like(b), np.zeros(20)
    for t in range(50):
        h = expected[t] = a[t] * h + b[t]
    backend.check(out, expected, "float32", 4)


def test_chunk_state(backend, rng):
    chunks, chunk, headdim, dstate = 2, 40, 32, 48
    x = backend.array(rng.standard_normal((chunks, chunk, headdim)), "float16")
    b = backend.array(rng.standard_normal((chunks, chunk, dstate)), "float16")
    dt = rng.random((chunks, chunk)) * 0.1
    da = np.cumsum(-dt, 1)
    out = backend.poisoned((chunks, headdim, dstate), "float32")
    kernels.chunk_state_kernel[(2 * 2, chunks)](
        x, b, backend.array(dt, "float32"), backend.array(da, "float32"), out, chunk, headdim, dstate,
        BLOCK_M=16, BLOCK_N=32, BLOCK_K=16,
    )  # fmt: skip
    scale = np.exp(da[:, -1:] - da) * dt
    x, b = (backend.numpy(value).astype(np.float64) for value in (x, b))
    backend.check(out, np.einsum("ckm,ckn,ck->cmn", x, b, scale), "float16")


@pytest.mark.parametrize("stride, padding, with_bias", [(1, 1, True), (2, 0, False)])
def test_conv2d(backend, rng, stride, padding, with_bias):
    N, C, H, W, OC, taps = 2, 5, 9, 8, 20, 3
    x, w, bias = (
        rng.standard_normal((N, C, H, W)),
        rng.standard_normal((OC, C, taps, taps)),
        rng.standard_normal(OC),
    )
    OH, OW = ((size + 2 * padding - taps) // stride + 1 for size in (H, W))
    out = backend.poisoned((N, OC, OH, OW), "float32")
    kernels.conv2d_kernel[(tw.cdiv(N * OH * OW, 32), tw.cdiv(OC, 16))](
        backend.array(x, "float32"), backend.array(w, "float32"),
        backend.array(bias, "float32") if with_bias else None, out, N, C, H, W, OC, OH, OW, stride, padding,
        KH=taps, KW=taps, BLOCK_M=32, BLOCK_N=16, BLOCK_K=16,
    )  # fmt: skip
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (taps, taps), (2, 3))[:, :, ::stride, ::stride]
    expected = np.einsum("nchwij,ocij->nohw", windows, w) + (bias[:, None, None] if with_bias else 0)
    backend.check(out, expected, "float32", 2)


@pytest.mark.parametrize("softcap", [0.0, 5.0])
def test_linear_cross_entropy(backend, rng, softcap):
    M, V, D = 20, 100, 40
    x = backend.array(rng.standard_normal((M, D)), "float16")
    w = backend.array(rng.standard_normal((V, D)) * 0.5, "float16")
    labels = rng.integers(0, V, M)
    labels[[2, 5]] = -100
    loss, lse = (backend.poisoned((M,), "float32") for _ in range(2))
    kernels.linear_cross_entropy_kernel[(tw.cdiv(M, 16),)](
        x, w, backend.array(labels, "int64"), loss, lse, V, D, -100, softcap, HAS_SOFTCAP=softcap > 0,
        BLOCK_M=16, BLOCK_V=32, BLOCK_D=16, M=M,
    )  # fmt: skip
    logits = backend.numpy(x).astype(np.float64) @ backend.numpy(w).astype(np.float64).T
    logits = softcap * np.tanh(logits / softcap) if softcap else logits
    expected = np.log(np.exp(logits).sum(1))
    backend.check(lse, expected, "float32", 4)
    picked = np.where(labels == -100, 0, expected - logits[np.arange(M), labels])
    backend.check(loss, picked, "float32", 8)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("descending", [0, 1])
def test_sort_by_hand(backend, rng, dtype, descending):
    x = rng.integers(-1000, 1000, (3, 64)).astype(dtype)
    out = backend.poisoned(x.shape, dtype)
    kernels.sort_rows_kernel[(3,)](backend.array(x), out, DESCENDING=descending, LOG2=6)
    expected = np.sort(x, 1)
    np.testing.assert_array_equal(backend.numpy(out), expected[:, ::-1] if descending else expected)
