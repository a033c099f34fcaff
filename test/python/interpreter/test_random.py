"""The random numbers match the published generator and have the right distributions."""

import numpy as np
import pytest
import tilewright.language as tl
from tilewright.frontend import CompilationError
from tilewright.interpreter import interpret

# Counter, key and result as published with the generator (Random123, kat_vectors).
KNOWN = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


@pytest.mark.parametrize("counter, key, expected", KNOWN)
def test_known_answers(counter, key, expected):
    def kernel(counter, seed, out):
        c0, c1, c2, c3 = (tl.load(counter), tl.load(counter + 1), tl.load(counter + 2), tl.load(counter + 3))
        r0, r1, r2, r3 = tl.philox(tl.load(seed), c0, c1, c2, c3)
        tl.store(out, r0)
        tl.store(out + 1, r1)
        tl.store(out + 2, r2)
        tl.store(out + 3, r3)

    out = np.zeros(4, np.uint32)
    seed = np.array([key[0] | key[1] << 32], np.uint64)
    interpret(kernel)[1,](np.array(counter, np.uint32), seed, out)
    assert out.tolist() == expected


@pytest.mark.parametrize("function, mean, deviation", [(tl.rand, 0.5, 12**-0.5), (tl.randn, 0, 1)])
def test_distributions(function, mean, deviation):
    def kernel(out, seed, N: tl.constexpr):
        i = tl.program_id(0) * N + tl.arange(0, N)
        tl.store(out + i, function(seed, i))

    out, again = np.zeros(40000, np.float32), np.zeros(40000, np.float32)
    interpret(kernel)[10,](out, 7, N=4000)
    interpret(kernel)[40,](again, 7, N=1000)
    np.testing.assert_array_equal(out, again)
    assert abs(out.mean() - mean) < 0.02 and abs(out.std() - deviation) < 0.02
    assert len(np.unique(out)) > 39000
    if function is tl.rand:
        assert out.min() >= 0 and out.max() < 1


def test_offsets_of_64_bits_and_four_at_once():
    def kernel(out, N: tl.constexpr):
        i = tl.arange(0, N).to(tl.int64)
        tl.store(out + i, tl.randint(1, i))
        tl.store(out + N + i, tl.randint(1, i + 2**32))
        tl.store(out + 2 * N + i, tl.randint4x(1, i)[0])

    out = np.zeros((3, 16), np.uint32)
    interpret(kernel)[1,](out, N=16)
    np.testing.assert_array_equal(out[0], out[2])
    assert not np.any(out[0] == out[1])


def test_float_offsets():
    def kernel(out):
        tl.rand(1, tl.zeros((4,), tl.float32))

    with pytest.raises(CompilationError, match="a random number takes an integer as its offset"):
        interpret(kernel)[1,](np.zeros(1, np.float32))
