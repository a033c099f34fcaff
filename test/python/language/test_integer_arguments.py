"""An int argument is a scalar with C's arithmetic, whatever its value: also 1, which kernels are compiled for."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

VALUES = [-1, 0, 1, 16, 2**31 - 1, 2**31, 2**40, -(2**40)]


@tw.jit
def expressions_kernel(out, n):
    tl.store(out + 0, (-n) // 2)
    tl.store(out + 1, (-n) % 2)
    tl.store(out + 2, (n - 8) // 3)
    tl.store(out + 3, (n - 8) % 3)
    tl.store(out + 4, -7 // (n | 1))
    tl.store(out + 5, -7 % (n | 1))
    tl.store(out + 6, n << 31)
    tl.store(out + 7, (n - 4) >> 1)
    tl.store(out + 8, -n)
    tl.store(out + 9, ~n)
    tl.store(out + 10, n * 2147483647 * 2)
    tl.store(out + 11, n + 2147483647)
    tl.store(out + 12, -2147483647 - n - n)
    tl.store(out + 13, n * n * 65537 * 65537)
    tl.store(out + 14, n.to(tl.int8) * 100)
    tl.store(out + 15, n.to(tl.uint32) - 2)
    tl.store(out + 16, (n + 254).to(tl.uint8))
    tl.store(out + 17, min(n, 3) - max(n, -5))
    tl.store(out + 18, tl.minimum(n, 3) * tl.maximum(n, -5))
    tl.store(out + 19, tl.cdiv(n, 4))
    tl.store(out + 20, tl.cdiv(-n, 3))
    tl.store(out + 21, (n > 0) + (n == 1) + (n >= 2))
    tl.store(out + 22, (n + 2147483647 > 0).to(tl.int32))
    tl.store(out + 23, (n / 4 * 8).to(tl.int64))
    tl.store(out + 24, tl.sum(n + tl.arange(0, 4).to(tl.int64) * 2147483647))
    tl.store(out + 25, tl.max(tl.full((4,), 100, tl.int8) * n))
    tl.store(out + 26, (n ^ 5) | (n & 12))
    tl.store(out + 27, abs(n - 5))
    tl.store(out + 28, (n and n - 16).to(tl.int32) * 2 + (not n))
    tl.store(out + 29, tl.where(n == 1, n, n - 1))
    tl.store(out + 30, n.to(tl.int64) * 2147483647 * 2)


def wrapped(number, bits):
    return (number + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def quotient(left, right):
    """C's division of integers."""
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def in_c(n):
    """What the kernel stores, by the rules of C with wrap-around."""
    bits = 32 if -(2**31) <= n < 2**31 else 64

    def w(number):
        return wrapped(number, bits)

    def rest(left, right):
        return left - quotient(left, right) * right

    minus, odd = w(-n), n | 1
    floats = np.float32(n) / np.float32(4) * np.float32(8)
    return [
        quotient(minus, 2), rest(minus, 2), quotient(w(n - 8), 3), rest(w(n - 8), 3), quotient(-7, odd), rest(-7, odd),
        w(n << 31), w(n - 4) >> 1, minus, ~n, w(n * 2147483647 * 2), w(n + 2147483647), w(-2147483647 - n - n),
        w(n * n * 65537 * 65537), wrapped(wrapped(n, 8) * 100, 8), (n - 2) % 2**32, (n + 254) % 256,
        w(min(n, 3) - max(n, -5)), w(min(n, 3) * max(n, -5)), quotient(w(n + 3), 4), quotient(w(minus + 2), 3),
        ((n > 0) + (n == 1) + (n >= 2)) % 2, int(w(n + 2147483647) > 0), int(floats),
        4 * n + 6 * 2147483647, w(100 * n), (n ^ 5) | (n & 12), abs(w(n - 5)),
        2 * (n not in (0, 16)) + (n == 0), n if n == 1 else w(n - 1), wrapped(n * 2147483647 * 2, 64),
    ]  # fmt: skip


def launched(kernel, backend, *arguments, count):
    out = backend.array(np.full(count, 77, np.int64))
    kernel[1,](out, *arguments)
    return backend.numpy(out).tolist()


@pytest.mark.parametrize("n", VALUES)
def test_arithmetic_of_arguments_is_that_of_c(backend, n):
    expected = in_c(n)
    interpreted = np.full(len(expected), 77, np.int64)
    tw.interpret(expressions_kernel)[1,](interpreted, n)
    assert interpreted.tolist() == expected
    assert launched(expressions_kernel, backend, n, count=len(expected)) == expected


@tw.jit
def pair_kernel(out, pair):
    tl.store(out, (-pair[0]) // 2)
    tl.store(out + 1, pair[1] + 2147483647)


@tw.jit(do_not_specialize=["n"])
def unspecialized_kernel(out, n):
    tl.store(out, (-n) // 2)
    tl.store(out + 1, n + 2147483647)


@pytest.mark.parametrize("n", [1, 2, True])
def test_parts_of_tuples_and_bools(backend, n):
    expected = [quotient(wrapped(-n, 1 if n is True else 32), 2), wrapped(n + 2147483647, 32)]
    if n is not True:
        assert launched(pair_kernel, backend, (n, n), count=2) == expected
        assert launched(unspecialized_kernel, backend, n, count=2) == expected
    else:
        interpreted = np.zeros(2, np.int64)
        tw.interpret(unspecialized_kernel)[1,](interpreted, n)
        assert launched(unspecialized_kernel, backend, n, count=2) == interpreted.tolist()


@tw.jit
def static_kernel(out, n):
    LIMIT: tl.constexpr = n
    if n == 1 and n * 2 > 1:
        tl.static_assert(n < 2)
        tl.store(out + tl.arange(0, n + 3), (1, 2, 3)[n] * LIMIT)
    else:
        tl.static_assert(False)
    for i in tl.static_range(n):
        tl.store(out + 4 + i, tl.zeros((n,), tl.int64).shape[0])


@pytest.mark.compiled
def test_an_argument_of_one_is_known_while_compiling(backend):
    assert launched(static_kernel, backend, 1, count=5) == [2, 2, 2, 2, 1]
    with pytest.raises(tw.CompilationError, match="known while compiling"):
        static_kernel[1,](backend.array(np.zeros(5, np.int64)), 2)


@tw.jit
def assigned_kernel(out, n):
    x = n
    if x == 1:
        y = x * 2147483647
    else:
        y = x - 7
    while x < 5:
        x += n
    tl.store(out, y + x)


@pytest.mark.parametrize("n", [1, 2])
def test_a_variable_that_starts_as_an_argument(backend, n):
    expected = wrapped(2147483647 + 5, 32) if n == 1 else -5 + 6
    assert launched(assigned_kernel, backend, n, count=1) == [expected]


@tw.jit
def copy_kernel(out, x, stride, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets * stride))


@tw.jit
def contiguous_kernel(out, x, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets))


@pytest.mark.once
def test_a_stride_of_one_is_contiguous():
    signatures = {
        copy_kernel: "*fp32:16, *fp32:16, i32:1, 1024",
        contiguous_kernel: "*fp32:16, *fp32:16, 1024",
    }
    for kernel, signature in signatures.items():
        ptx = str(tw.aot.compile(kernel, signature, "sm_90a", stages=("ptx",)).asm["ptx"])
        assert ptx.count("ld.global") == ptx.count("ld.global.v4") == 2, ptx


@tw.jit(numerics="triton")
def triton_kernel(out, n):
    tl.store(out, (-n) // 2)


@pytest.mark.compiled
def test_under_the_numerics_of_triton_one_is_a_constant(backend):
    assert launched(triton_kernel, backend, 1, count=1) == [-1]
    assert launched(triton_kernel, backend, 3, count=1) == [-1]


@tw.jit
def quotient_kernel(out, n):
    tl.store(out, (-n) // 2)
    tl.store(out + 1, n * 2147483647 * 2)


@pytest.mark.once
@pytest.mark.parametrize(
    "entry, expected",
    [
        ("i32:1", [0, -2]),
        ("1", [0, -2]),
        ("i64:1", [0, 2**32 - 2]),
        ("3", [-1, wrapped(3 * 2147483647 * 2, 32)]),
    ],
)
def test_ints_that_signatures_compile_in(entry, expected):
    compiled = tw.aot.compile(quotient_kernel, f"*i64, {entry}", "cpu", stages=("tile",))
    text = compiled.asm["tile"]
    assert all(f"arith.constant {number} : i64" in text for number in expected), text


@pytest.mark.once
def test_a_signature_has_no_float_of_value_one():
    with pytest.raises(tw.aot.SignatureError, match="':1' is the int 1, which is no fp32"):
        tw.aot.compile(quotient_kernel, "*i64, fp32:1", "cpu")


@tw.jit
def preloaded_kernel(out, n):
    tl.store(out, (-n) // 2)


@pytest.mark.compiled
def test_specialization_data_keeps_the_type(backend):
    said = []
    with tw.compile_hook(lambda made: said.append(made.specialization_data)):
        assert launched(preloaded_kernel, backend, 1, count=1) == [0]
    compiled = preloaded_kernel.preload(said[0])
    preloaded_kernel.device_caches.clear()
    assert compiled.constexprs == {"n": 1}
    assert launched(preloaded_kernel, backend, 1, count=1) == [0]
