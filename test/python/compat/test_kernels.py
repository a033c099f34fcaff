"""Kernels in Triton's style, run with `import triton` under the compat module."""

import numpy as np
import pytest
import tilewright as tw
from tilewright.kernels.attention import reference

from . import triton_kernels as kernels


def test_softmax(backend, rng):
    x = rng.standard_normal((37, 781))
    out = backend.array(np.full(x.shape, np.nan), "float32")
    args = (out, backend.array(x, "float32"), 781, 781, 37, 781)
    kernel = kernels.softmax_kernel
    if backend.name != "interpreter":
        compiled = kernel.warmup(*args, BLOCK=1024, STAGES=2, num_warps=8, grid=(1,))
        compiled._init_handles()
        assert compiled.n_regs >= 1 and compiled.metadata.num_warps == 8
        compiled[(4, 1, 1)](*args, 1024, 2)
    else:
        kernel[(4, 1, 1)](*args, 1024, 2, num_warps=8)
    expected = np.exp(x - x.max(1, keepdims=True))
    backend.check(out, expected / expected.sum(1, keepdims=True), "float32")


@pytest.mark.parametrize("activation", ["", "leaky_relu"])
def test_matmul(backend, rng, activation):
    a, b = rng.standard_normal((100, 77)), rng.standard_normal((77, 130))
    out = backend.array(np.full((100, 130), np.nan), "float16")
    kernels.matmul_kernel[lambda meta: (tw.cdiv(100, meta["BM"]) * tw.cdiv(130, meta["BN"]),)](
        backend.array(a, "float16"),
        backend.array(b, "float16"),
        out,
        100, 130, 77, 77, 1, 130, 1, 130, 1,
        ACTIVATION=activation,
    )  # fmt: skip
    expected = a.astype(np.float16).astype(np.float64) @ b.astype(np.float16).astype(np.float64)
    backend.check(
        out, np.where(expected >= 0, expected, 0.01 * expected) if activation else expected, "float16"
    )


def test_dropout(backend, rng):
    x = rng.standard_normal(1000) + 10
    out = backend.array(np.full(1000, np.nan), "float32")
    kernels.dropout_kernel[lambda meta: (tw.cdiv(1000, meta["BLOCK"]),)](
        backend.array(x, "float32"), out, 1000, 0.5, 123, BLOCK=256
    )
    found = backend.numpy(out)
    kept = found != 0
    assert 400 < kept.sum() < 600
    np.testing.assert_allclose(found[kept], 2 * x[kept], rtol=1e-6)


def test_layer_norm_with_locks(backend, rng):
    rows, cols, groups = 29, 200, 4
    x, dy = rng.standard_normal((2, rows, cols))
    w, b = rng.standard_normal((2, cols))
    given = {
        name: backend.array(value, "float32") for name, value in {"x": x, "dy": dy, "w": w, "b": b}.items()
    }
    y, dx = (backend.array(np.full((rows, cols), np.nan), "float32") for _ in range(2))
    mean, rstd = (backend.array(np.full(rows, np.nan), "float32") for _ in range(2))
    kernels.layer_norm_forward[(rows,)](
        given["x"], y, given["w"], given["b"], mean, rstd, cols, cols, 1e-5, BLOCK=128
    )
    center = x - x.mean(1, keepdims=True)
    scale = 1 / np.sqrt((center**2).mean(1, keepdims=True) + 1e-5)
    backend.check(y, center * scale * w + b, "float32", 2)
    dw, db = (backend.array(np.zeros((groups, cols)), "float32") for _ in range(2))
    locks = backend.array(np.zeros(2 * groups), "int32")
    kernels.layer_norm_backward[(rows,)](
        dx,
        given["dy"],
        dw,
        db,
        given["x"],
        given["w"],
        mean,
        rstd,
        locks,
        cols,
        cols,
        GROUP=groups,
        BLOCK=256,
    )
    xhat, wdy = center * scale, dy * w
    c1, c2 = (xhat * wdy).mean(1, keepdims=True), wdy.mean(1, keepdims=True)
    backend.check(dx, (wdy - xhat * c1 - c2) * scale, "float32", 4)
    np.testing.assert_allclose(backend.numpy(dw).sum(0), (dy * xhat).sum(0), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(backend.numpy(db).sum(0), dy.sum(0), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("host", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_attention(backend, rng, causal, host):
    B, H, N, D = 1, 2, 256, 64
    q, k, v = (backend.array(rng.standard_normal((B, H, N, D)), "float16") for _ in range(3))
    out = backend.array(np.full((B, H, N, D), np.nan), "float16")
    m = backend.array(np.full((B, H, N), np.nan), "float32")
    BM, BN = 128, 64
    arrays = [q, k, v, out]
    if host:
        flat = [x.reshape(B * H * N, D) for x in arrays]
        blocks = [[BM, D], [BN, D], [BN, D], [BM, D]]
        arrays = [tw.TensorDescriptor.from_tensor(x, block) for x, block in zip(flat, blocks)]
    kernels.attention_kernel[(tw.cdiv(N, BM), B * H, 1)](
        0.125,
        m,
        B,
        H,
        *arrays,
        N_CTX=N,
        HEAD=D,
        BM=BM,
        BN=BN,
        STAGE=3 if causal else 1,
        num_warps=8,
        num_stages=2,
    )
    expected = reference.attention(*(backend.numpy(x) for x in (q, k, v)), causal=causal, scale=0.125)
    backend.check(out, expected, "float16")


def test_grouped_matmul(backend, rng):
    shapes = [(64, 64, 64), (128, 64, 32), (32, 96, 128)]
    a = [backend.array(rng.standard_normal((m, k)), "float16") for m, n, k in shapes]
    b = [backend.array(rng.standard_normal((k, n)), "float16") for m, n, k in shapes]
    c = [backend.array(np.full((m, n), np.nan), "float16") for m, n, k in shapes]
    if backend.name == "interpreter":
        pytest.skip("addresses in memory are not arguments that the interpreter could check")

    def address(x):
        return x.data_ptr() if hasattr(x, "data_ptr") else x.ctypes.data

    pointers = [backend.array(np.array([address(x) for x in group], np.int64)) for group in (a, b, c)]
    sizes = backend.array(np.array(shapes, np.int32).ravel())
    strides = backend.array(np.array([(k, n, n) for m, n, k in shapes], np.int32).ravel())
    kernels.grouped_matmul_kernel[(4,)](*pointers, sizes, strides, 3, NUM_SM=4, BM=32, BN=32, BK=32)
    for x, y, z in zip(a, b, c):
        backend.check(z, backend.numpy(x).astype(np.float64) @ backend.numpy(y).astype(np.float64), "float16")


@pytest.mark.parametrize("subtile", [False, True])
@pytest.mark.parametrize("shape", [(256, 256, 128), (200, 136, 72)], ids=str)
def test_persistent_matmul(backend, rng, shape, subtile):
    M, N, K = shape
    a, b = (
        backend.array(rng.standard_normal((M, K)), "float16"),
        backend.array(rng.standard_normal((N, K)), "float16"),
    )
    c = backend.array(np.full((M, N), np.nan), "float16")
    BM, BN, BK = 128, 64, 64
    kernels.persistent_matmul_kernel[(3,)](
        tw.TensorDescriptor.from_tensor(a, [BM, BK]),
        tw.TensorDescriptor.from_tensor(b, [BN, BK]),
        tw.TensorDescriptor.from_tensor(c, [BM, BN // 2 if subtile else BN]),
        M, N, K, BM, BN, BK, 8, 3,
        EPILOGUE_SUBTILE=subtile, WARP_SPECIALIZE=True, num_stages=3, num_warps=8,
    )  # fmt: skip
    expected = backend.numpy(a).astype(np.float64) @ backend.numpy(b).astype(np.float64).T
    backend.check(c, expected, "float16")


def test_rotary(backend, rng):
    tokens, heads, half = 5, 3, 32
    x = rng.standard_normal((tokens, heads, 2 * half))
    angle = rng.standard_normal((tokens, half))
    out = backend.array(np.full(x.shape, np.nan), "float32")
    kernels.rotary_kernel[(tokens, heads)](
        backend.array(x, "float32"),
        backend.array(np.cos(angle), "float32"),
        backend.array(np.sin(angle), "float32"),
        out, heads, heads * 2 * half, 2 * half, HALF=half,
    )  # fmt: skip
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    first, second = x[..., :half], x[..., half:]
    backend.check(
        out, np.concatenate([first * cos - second * sin, second * cos + first * sin], -1), "float32"
    )


def test_cross_entropy(backend, rng):
    rows, cols = 9, 1000
    logits = rng.standard_normal((rows, cols)) * 5
    labels = rng.integers(0, cols, rows)
    labels[3] = -100
    loss, lse = (backend.array(np.full(rows, np.nan), "float32") for _ in range(2))
    kernels.cross_entropy_kernel[(rows,)](
        loss, lse, backend.array(logits, "float32"), backend.array(labels, "int64"), cols, cols, IGNORE=-100
    )
    expected = np.log(np.exp(logits).sum(1))
    backend.check(lse, expected, "float32", 2)
    picked = np.where(labels == -100, 0, expected - logits[np.arange(rows), labels])
    backend.check(loss, picked, "float32", 4)


def test_ordering(backend, rng):
    rows, block, k, bins = 3, 128, 8, 64
    x = rng.integers(0, bins, (rows, block))
    outs = [backend.array(np.full((rows, n), -1), "int32") for n in (block, k, block, bins)]
    kernels.ordering_kernel[(rows,)](backend.array(x, "int32"), *outs, K=k, BINS=bins, BLOCK=block)
    ordered, top, sums, counts = map(backend.numpy, outs)
    np.testing.assert_array_equal(ordered, np.sort(x, 1))
    np.testing.assert_array_equal(top, np.sort(x, 1)[:, ::-1][:, :k])
    np.testing.assert_array_equal(sums, np.cumsum(x, 1))
    np.testing.assert_array_equal(counts, [np.bincount(row, minlength=bins) for row in x])
