"""Kernels compiled with `debug`: their checks pass where they should, also in functions that kernels call."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def checked_sum(x, limit):
    tl.device_assert(x < limit, "too large")
    return x + limit


@tw.jit
def kernel(out_ptr, limit, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, checked_sum(i, limit))


@pytest.mark.compiled
def test_checks_that_hold(backend):
    out = backend.array(np.zeros(16, np.int32))
    kernel[1,](out, 16, N=16, debug=True)
    np.testing.assert_array_equal(backend.numpy(out), np.arange(16, 32))


@tw.jit
def zeros_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.expect_zero(tl.load(x_ptr + i), i > 3) + 1)


def test_expect_zero(backend):
    x = np.array([3, 2, 1, 0, 0, 0, 0, 0], np.float32)
    out = backend.poisoned(8, "float32")
    zeros_kernel[1,](backend.array(x), out, N=8, debug=True)
    np.testing.assert_array_equal(backend.numpy(out), x + 1)
    if backend.name == "cuda":
        return  # a failed assertion ends the use of the device by this process
    with pytest.raises(AssertionError, match="expected to be zero is not"):
        zeros_kernel[1,](backend.array(x[::-1].copy()), out, N=8, debug=True)


@tw.jit
def loops_kernel(out_ptr, last, N: tl.constexpr):
    count = 0
    for i in range(last, last - 4, -1):
        count += i - last
    for i in range(last - 4, last):
        if i == last - 1:
            break
        count += 10
    tl.store(out_ptr, count + tl.sum(tl.arange(0, N)))


@pytest.mark.compiled
def test_checks_leave_the_compilers_own_arithmetic_alone(backend):
    out = backend.array(np.zeros(1, np.int32))
    loops_kernel[1,](out, 2**31 - 1, N=8, debug=True)
    assert backend.numpy(out).tolist() == [-6 + 30 + 28]


@pytest.mark.compiled
@pytest.mark.parametrize("limit, message", [(7, "too large"), (2**31 - 4, r"int32 overflow in \+")])
def test_checks_that_fail(backend, limit, message):
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    out = backend.array(np.zeros(16, np.int32))
    kernel[1,](out, limit, N=16)  # without checks
    with pytest.raises(tw.KernelAssertError, match=message):
        kernel[1,](out, limit, N=16, debug=True)


@tw.jit
def matmul_kernel_of_test(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    rows = i * n
    tl.store(out + i, tl.load(x + rows // n))


@tw.jit
def pointer_loop_kernel(x, out, n, N: tl.constexpr):
    offset = tl.arange(0, N)
    for _ in range(3):
        tl.store(out + offset % N, tl.load(x + offset % N))
        offset += n


@tw.jit
def minus_kernel(x, out, n, N: tl.constexpr):
    tl.store(out, tl.load(x - -(-(n + 1) - 1) + 2 + n))


@tw.jit
def sum_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.sum(tl.where(i < 2, n, 0))
    tl.store(out + i, total)


@tw.jit
def cumsum_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    sums = tl.cumsum(tl.where(i < 2, n, 0), 0)
    tl.store(out + i, sums)


@tw.jit
def block_kernel(x, out, n, N: tl.constexpr):
    described = tl.make_tensor_descriptor(x, [N], [1], [N])
    start = n.to(tl.int64) * 2
    tl.store(out + tl.arange(0, N), described.load([start]))


@tw.jit
def advance_kernel(x, out, n, N: tl.constexpr):
    block = tl.make_block_ptr(x, (N,), (1,), (n,), (N,), (0,))
    block = tl.advance(block, (n,))
    tl.store(out + tl.arange(0, N), tl.load(block, boundary_check=(0,)))


LARGE = 2**31 - 3
OVERFLOWS = [
    (matmul_kernel_of_test, LARGE, 3, r"int32 overflow in \*"),
    (pointer_loop_kernel, LARGE // 2, 5, r"int32 overflow in \+"),
    (minus_kernel, LARGE + 1, 2, "int32 overflow in unary -"),
    (sum_kernel, LARGE, 3, r"int32 overflow in tl\.sum"),
    (cumsum_kernel, LARGE, 3, r"int32 overflow in tl\.cumsum"),
    (block_kernel, LARGE, 4, "int32 overflow in the offsets"),
    (advance_kernel, LARGE, 3, r"int32 overflow in \+"),
]


@pytest.mark.parametrize(
    "kernel, n, line, message", OVERFLOWS, ids=lambda entry: getattr(entry, "__name__", "")
)
def test_offsets_that_overflow(backend, kernel, n, line, message):
    x, out = backend.array(np.zeros(16, np.int32)), backend.array(np.zeros(16, np.int32))
    kernel[1,](x, out, 1, N=16, debug=True)
    if backend.name == "cuda":
        pytest.skip("a failed assertion ends the use of the device by this process")
    with pytest.raises((tw.KernelAssertError, AssertionError), match=message) as caught:
        kernel[1,](x, out, n, N=16, debug=True)
    if backend.name == "cpu":
        assert f"{__file__}:{kernel.fn.__code__.co_firstlineno + line}" in str(caught.value)


@tw.jit
def printing_kernel(x, N: tl.constexpr):
    value = tl.load(x + tl.arange(0, N))
    tl.device_print("x", value)
    tl.device_print("ends with a colon:", tl.program_id(0))
    tl.device_print("y = ", tl.sum(value))
    tl.device_print("")
    tl.device_print("nothing more")
    tl.device_print("", tl.sum(value))
    tl.device_print("two", tl.sum(value), tl.max(value) * 16, hex=True)
    tl.device_print("narrow", tl.sum(value).to(tl.int8) - 9, hex=True)
    tl.device_print("wide", value.to(tl.int64), hex=True)
    tl.device_print("negative", tl.sum(value) - 9)
    tl.device_print("unsigned", (tl.sum(value) - 9).to(tl.uint32))
    tl.device_print("float", value / 3)
    tl.device_print("half", tl.sum(value).to(tl.float16))
    tl.device_print("bool", value > 3)
    tl.device_print("bool", value > 3, hex=True)


def test_printed_lines(backend, capfd):
    printing_kernel[1,](backend.array([3, 5], "int32"), 2)
    if backend.name == "cuda":
        backend.synchronize()
    lines = capfd.readouterr().out.splitlines()
    expected = [
        "idx (0) x: 3",
        "idx (1) x: 5",
        "idx () ends with a colon: 0",
        "idx () y = 8",
        "",
        "nothing more",
        "idx () 8",
        "idx () two: (operand 0) 0x00000008",
        "idx () two: (operand 1) 0x00000050",
        "idx () narrow: 0xff",
        "idx (0) wide: 0x0000000000000003",
        "idx (1) wide: 0x0000000000000005",
        "idx () negative: -1",
        "idx () unsigned: 4294967295",
        "idx (0) float: 1.000000",
        "idx (1) float: 1.666667",
        "idx () half: 8.000000",
        "idx (0) bool: 0",
        "idx (1) bool: 1",
        "idx (0) bool: 0x0",
        "idx (1) bool: 0x1",
    ]
    assert sorted(lines) == sorted(f"pid (0, 0, 0) {line}" for line in expected)


@tw.jit
def loop_by(out_ptr, step):
    for i in range(0, 8, step):
        tl.store(out_ptr + i, i)


@pytest.mark.compiled
def test_a_step_of_zero_is_found(backend):
    out = backend.array(np.zeros(8, np.int32))
    loop_by[1,](out, 3, debug=True)
    assert backend.numpy(out).tolist() == [0, 0, 0, 3, 0, 0, 6, 0]
    if backend.name != "cuda":
        with pytest.raises(tw.KernelAssertError, match="the step of a loop is not 0"):
            loop_by[1,](out, 0, debug=True)


@tw.jit
def assuming_kernel(x, out, stride, N: tl.constexpr):
    tl.assume((stride % 16 == 0) & (stride >= 0))
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + stride + i))


def test_assumptions(backend):
    x = backend.array(np.arange(96), "int32")
    out = backend.poisoned((32,), "int32")
    for stride in (0, 16, 48):
        for debug in (False, True):
            assuming_kernel[1,](x, out, stride, N=32, debug=debug)
            assert backend.numpy(out).tolist() == list(range(stride, stride + 32))
    for stride in (7, -16):
        if backend.name == "interpreter":
            with pytest.raises(AssertionError, match="an assumption does not hold"):
                assuming_kernel[1,](x, out, stride, N=32)
        elif backend.name == "cpu":  # ends the use of a GPU by this process
            with pytest.raises(tw.KernelAssertError, match="an assumption does not hold"):
                assuming_kernel[1,](x, out, stride, N=32, debug=True)
