"""Integers that wrap around on their way to an address or a mask: narrow types and hashes."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

N = 256
LIMIT = tl.constexpr(90)


@tw.jit
def by_index(x_ptr, out_ptr, KIND: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    if KIND == "bytes":
        j = (i.to(tl.uint8) + 200).to(tl.int32)
    elif KIND == "signed bytes":
        j = (i.to(tl.int8) + 100).to(tl.int32) + 128
    elif KIND == "offsets":
        x_ptr += 128
        j = i.to(tl.int8) + 100
    elif KIND == "multiples":
        j = (i.to(tl.int16) * 1000).to(tl.int32) + 32768
    elif KIND == "quotients":
        j = (i.to(tl.int8) // 16).to(tl.int32) + 8
    else:
        j = i.to(tl.int16)
        for _ in range(3):
            j += 20000
        j = j.to(tl.int32) + 32768
    tl.store(out_ptr + i, tl.load(x_ptr + j))
    tl.store(out_ptr + N + i, tl.load(x_ptr + j, mask=j < LIMIT, other=-1))


@pytest.mark.parametrize("kind", ["bytes", "signed bytes", "offsets", "multiples", "quotients", "sums"])
def test_indices_of_few_bits(backend, kind):
    i = np.arange(N)
    byte = i.astype(np.int8).astype(int)
    j = {
        "bytes": (i + 200) % 256,
        "signed bytes": (i + 100).astype(np.int8).astype(int) + 128,
        "offsets": (i + 100).astype(np.int8).astype(int),
        "multiples": (i * 1000).astype(np.int16).astype(int) + 32768,
        "quotients": np.trunc(byte / 16).astype(int) + 8,
        "sums": (i + 60000).astype(np.int16).astype(int) + 32768,
    }[kind]
    x = np.arange(65536, dtype=np.int32) * 3
    out = backend.poisoned((2, N), "int32")
    by_index[1,](backend.array(x), out, kind, N)
    read = x[j + 128 * (kind == "offsets")]
    np.testing.assert_array_equal(backend.numpy(out), np.stack([read, np.where(j < LIMIT.value, read, -1)]))


@tw.jit
def groups(x_ptr, out_ptr, first, threshold, KIND: tl.constexpr, N: tl.constexpr):
    """Eight neighbours share one element of x, but each has its own mask bit."""
    row = tl.arange(0, 4)[:, None]
    column = tl.arange(0, N)[None, :]
    if KIND == "hash":
        inside = column * 1103515245 + 12345 < threshold
    elif KIND == "bytes":
        inside = column.to(tl.int8) * 3 < threshold
    else:
        column += first * 16
        inside = column < threshold
    value = tl.load(x_ptr + 64 + row * 128 + column // 8, mask=inside, other=-1)
    tl.store(out_ptr + row * N + tl.arange(0, N)[None, :], value)


@pytest.mark.parametrize(
    "kind, first, threshold", [("hash", 0, 1 << 29), ("bytes", 0, 5), ("negative", -5, 99)]
)
def test_groups_that_begin_outside(backend, kind, first, threshold):
    row, i = np.arange(4)[:, None], np.arange(N)[None, :]
    column = i + first * 16
    inside = {
        "hash": (i.astype(np.int64) * 1103515245 + 12345).astype(np.int32) < threshold,
        "bytes": (i * 3).astype(np.int8) < threshold,
        "negative": column < threshold,
    }[kind]
    x = np.arange(1024, dtype=np.int32)
    out = backend.poisoned((4, N), "int32")
    groups[1,](backend.array(x), out, first, threshold, kind, N)
    at = 64 + row * 128 + np.trunc(column / 8).astype(int)
    np.testing.assert_array_equal(backend.numpy(out), np.where(inside, x[at], -1))


@tw.jit
def by_wrapped_steps(x_ptr, out_ptr, STEP: tl.constexpr, GROUP: tl.constexpr, N: tl.constexpr):
    n = tl.arange(0, N)
    i = tl.program_id(0) * STEP + n
    value = tl.load(x_ptr + ((i // GROUP) & 63)) * 1000 + tl.load(x_ptr + ((i % (3 * GROUP)) & 63))
    tl.store(out_ptr + tl.program_id(0) * N + n, value)


@pytest.mark.parametrize("step, group", [(2**29, 8), (2**28 + 16, 8), (2**30, 4), (2**27, 8)])
def test_large_steps(backend, rng, step, group):
    programs, x = 9, rng.integers(0, 100, 64)
    out = backend.poisoned((programs, N), "int32")
    by_wrapped_steps[programs,](backend.array(x, "int32"), out, step, group, N)
    i = (np.arange(programs)[:, None] * step + np.arange(N)).astype(np.int32).astype(np.int64)
    quotient, rest = np.sign(i) * (abs(i) // group), np.sign(i) * (abs(i) % (3 * group))
    np.testing.assert_array_equal(backend.numpy(out), x[quotient & 63] * 1000 + x[rest & 63])


@tw.jit
def by_widened_multiples(x_ptr, out_ptr, step, KIND: tl.constexpr, N: tl.constexpr):
    n = tl.arange(0, N)
    wide = (n * step).to(tl.int64)
    if KIND == "magnitude":
        wide = tl.abs(wide)
    elif KIND == "quotient":
        wide = wide // 3
    elif KIND == "bits":
        wide = wide >> 31
    else:
        wide = tl.where(wide > 0, wide, 5)
    tl.store(out_ptr + n, tl.load(x_ptr + (wide & 63)))


@pytest.mark.parametrize("kind", ["magnitude", "quotient", "bits", "choice"])
@pytest.mark.parametrize("step", [2**31 - 1, -(2**31), 2**30 + 3, 7])
def test_multiples_widened_after_they_wrap(backend, rng, step, kind):
    x = rng.integers(0, 100, 64)
    out = backend.poisoned((N,), "int32")
    by_widened_multiples[1,](backend.array(x, "int32"), out, step, kind, N)
    wide = (np.arange(N) * step).astype(np.int32).astype(np.int64)
    wide = {
        "magnitude": abs(wide),
        "quotient": np.sign(wide) * (abs(wide) // 3),
        "bits": wide >> 31,
        "choice": np.where(wide > 0, wide, 5),
    }[kind]
    np.testing.assert_array_equal(backend.numpy(out), x[wide & 63])


@tw.jit
def by_wrapped_offsets(x_ptr, out_ptr, step, start, WIDE: tl.constexpr, N: tl.constexpr):
    n = tl.arange(0, N)
    if WIDE:
        at = (n.to(tl.int64) * step).to(tl.int32) + start
    else:
        at = n * step + start
    inside = (at >= 0) & (at < 64)
    tl.store(out_ptr + at * 2, tl.load(x_ptr + at, mask=inside), mask=inside)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    "step, start", [(2**30, 3), (2**30 + 1, 0), (2**31 - 1, 50), (1, 0), (1, -5), (2, 1)]
)
def test_offsets_that_wrap_back_into_the_array(backend, rng, step, start, wide):
    x = rng.integers(0, 100, 64)
    out = backend.array(np.full(N, -1), "int32")
    by_wrapped_offsets[1,](backend.array(x, "int32"), out, step, start, wide, N)
    at = (np.arange(N) * step + start).astype(np.int32)
    at = at[(at >= 0) & (at < 64)]
    expected = np.full(N, -1)
    expected[2 * at] = x[at]
    np.testing.assert_array_equal(backend.numpy(out), expected)
