"""Random numbers from counters of 32 and of 64 bits, on all back ends, against Python's integers."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

WORDS = {
    32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
    64: ((0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)),
}


def philox(counters, keys, width):
    """Ten rounds on four counters with two keys."""
    (m0, m1), (s0, s1) = WORDS[width]
    low = (1 << width) - 1
    (c0, c1, c2, c3), (k0, k1) = counters, keys
    for _ in range(10):
        p0, p1 = m0 * c0, m1 * c2
        c0, c1, c2, c3 = (p1 >> width) ^ c1 ^ k0, p1 & low, (p0 >> width) ^ c3 ^ k1, p0 & low
        k0, k1 = (k0 + s0) & low, (k1 + s1) & low
    return [c0, c1, c2, c3]


@tw.jit
def philox_kernel(counter_ptr, out_ptr, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    results = tl.philox(seed, tl.load(counter_ptr + i), 1, 2, 3)
    for part in tl.static_range(4):
        tl.store(out_ptr + part * N + i, results[part])


@pytest.mark.parametrize("width", [32, 64])
def test_philox(backend, width):
    counters = [0, 1, 2**width - 1, 0x1234567]
    array = backend.array(np.array(counters, f"uint{width}"), f"uint{width}")
    out = backend.array(np.zeros(16), f"uint{width}")
    seed = 0x5_0000_0007
    philox_kernel[1,](array, out, seed, 4)
    keys = (seed, 0) if width == 64 else (seed & 0xFFFFFFFF, seed >> 32)
    expected = np.array([philox((c, 1, 2, 3), keys, width) for c in counters], f"uint{width}").T
    assert np.array_equal(backend.numpy(out).reshape(4, 4), expected)


@tw.jit
def uniform_kernel(bits_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.random.uint_to_uniform_float(tl.load(bits_ptr + i)))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_uniform_numbers_stay_below_one(backend, dtype):
    limits = np.iinfo(dtype)
    bits = np.array([limits.min, limits.max, limits.max // 2, 0], dtype)
    out = backend.array(np.zeros(4), "float32")
    uniform_kernel[1,](backend.array(bits, dtype), out, 4)
    values = backend.numpy(out)
    assert (values >= 0).all() and (values < 1).all() and values.max() > 1 - 2e-7


def of_floats(x):
    tl.random.uint_to_uniform_float(x)  # !


def test_mistake(rejects):
    rejects(of_floats, "a random number takes an integer as its bits, got fp32", x="fp32")


@tw.jit
def normal_kernel(u1_ptr, u2_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    first, second = tl.pair_uniform_to_normal(tl.load(u1_ptr + i), tl.load(u2_ptr + i))
    tl.store(out_ptr + i, first)
    tl.store(out_ptr + N + i, second)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normal_numbers(backend, rng, dtype):
    """All around the circle; close to eighths of it, where the nearest quarter changes, most of all."""
    eighths = np.arange(8) / 8
    around = (eighths[:, None] + np.linspace(-3e-7, 3e-7, 64)[None, :]).ravel() % 1.0
    u2 = np.concatenate([rng.random(512), around]).astype(dtype)
    u2[u2 >= 1.0] = 0.0
    u1 = rng.random(1024).astype(dtype)
    out = backend.poisoned((2, 1024), dtype)
    normal_kernel[1,](backend.array(u1), backend.array(u2), out, 1024)
    radius, angle = (
        np.sqrt(-2.0 * np.log(np.maximum(u1.astype("float64"), 1e-7))),
        2 * np.pi * u2.astype("float64"),
    )
    expected = radius * np.stack([np.cos(angle), np.sin(angle)])
    np.testing.assert_allclose(
        backend.numpy(out), expected, rtol=0, atol=2e-6 if dtype == "float32" else 1e-12
    )
