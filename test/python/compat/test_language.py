"""Language features that only kernels written for Triton may use."""

import inspect
import math

import numpy as np
import pytest
import tilewright as tw
import tilewright.compat
from optional_packages import needs

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def mixed_quotients_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.fdiv(x, 2) + tl.fdiv(i, 4.0) + tl.div_rn(8, x) + tl.fdiv(1, 4.0))


def test_quotients_with_one_float_operand(backend):
    x, out = np.arange(1, 9), backend.array(np.zeros(8), "float32")
    mixed_quotients_kernel[1,](backend.array(x, "float32"), out, 8)
    backend.check(out, x / 2 + np.arange(8) / 4 + 8 / x + 0.25, "float32")


@triton.jit
def late_options_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    running = tl.cumprod(x, dtype=tl.int32)
    tl.static_assert(running.dtype == tl.int32 and tl.cumprod(x).dtype == tl.int8)
    tl.store(out_ptr + i, tl.fdiv(running.to(tl.float32), 4.0, approx=True))


def test_options_of_late_releases(backend):
    out = backend.array(np.zeros(8), "float32")
    late_options_kernel[1,](backend.array(np.arange(1, 9), "int8"), out, 8)
    backend.check(out, np.cumprod(np.arange(1, 9)) / 4, "float32")
    assert triton.cdiv(x=7, y=2) == 4


@triton.jit
def annotated_kernel(out_ptr, n):
    twice: tl.constexpr = 2 * n
    tl.store(out_ptr, twice + 1)


def test_a_constexpr_that_is_none(backend):
    out = backend.array(np.zeros(1), "int32")
    annotated_kernel[1,](out, 20)
    assert backend.numpy(out).tolist() == [41]
    if backend.name != "interpreter":
        with pytest.raises(tw.CompilationError, match="must be known while compiling"):
            tw.jit(annotated_kernel.fn)[1,](out, 20)


@triton.jit
def mistaken_kernel(x_ptr):
    tl.store(x_ptr, tl.expand_dims(tl.arange(0, 8), -3))


def test_errors_as_code_for_triton_looks_at_them(backend):
    x = backend.array(np.zeros(8), "int32")
    expected = triton.CompilationError
    if backend.name == "interpreter":
        expected = triton.runtime.errors.InterpreterError
    with pytest.raises(triton.TritonError) as caught:
        mistaken_kernel[1,](x)
    assert isinstance(caught.value, expected)
    assert "invalid axis -3" in str(caught.value.__cause__)
    if backend.name != "interpreter":
        assert caught.value.error_message.startswith("invalid axis -3 of tl.expand_dims")
        with pytest.raises(tw.CompilationError) as plain:
            tw.jit(mistaken_kernel.fn)[1,](x)
        assert plain.value.__cause__ is None


@triton.jit
def shape_kernel(out_ptr, shape, strides, SHAPE: tl.constexpr):
    tl.static_assert(len(SHAPE) == 2)
    tl.store(out_ptr, shape[0] * 100 + shape[1])
    tl.store(out_ptr + 1, strides[0] * 100 + strides[1])
    tl.store(out_ptr + 2, SHAPE[0] * 100 + SHAPE[1])


def test_shapes_of_torch(backend):
    torch = needs("torch")
    x, out = torch.zeros(4, 6), backend.array(np.zeros(3), "int32")
    shape_kernel[1,](out, x.shape, x.stride(), x.size())
    assert backend.numpy(out).tolist() == [406, 601, 406]


@triton.jit
def signs_kernel(x_ptr, magnitude_ptr, negative_ptr):
    i = tl.arange(0, 256)
    x = tl.load(x_ptr + i)
    tl.store(magnitude_ptr + i, tl.abs(x))
    tl.store(negative_ptr + i, -x)


@pytest.mark.parametrize("name", ["float8_e5m2", "float8_e4m3fn"])
def test_signs_of_narrow_floats_are_bits(backend, name):
    import ml_dtypes

    bits = np.arange(256, dtype=np.uint8)
    x = backend.array(bits.view(getattr(ml_dtypes, name)))
    outs = [backend.array(np.zeros(256, getattr(ml_dtypes, name))) for _ in range(2)]
    signs_kernel[1,](x, *outs)
    for out, expected in zip(outs, (bits & 127, bits ^ 128), strict=True):
        if backend.is_emulated:
            out = out.get()
        elif backend.name == "cuda":
            out = out.view(torch_bytes()).cpu().numpy()
        np.testing.assert_array_equal(out.view(np.uint8), expected)


def torch_bytes():
    import torch

    return torch.uint8


@triton.jit
def shifts_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i, x >> y)
    tl.store(out_ptr + N + i, x << y)


@pytest.mark.parametrize("left, right", [("int8", "uint8"), ("int16", "uint64"), ("int32", "uint32")])
def test_unsigned_counts_keep_the_sign_of_shifted_values(backend, left, right):
    values, counts = np.array([-128, -3, 77, 1]), np.array([1, 2, 3, 0])
    out = backend.array(np.zeros(8), left)
    shifts_kernel[1,](backend.array(values, left), backend.array(counts, right), out, 4)
    shifted = np.concatenate(
        [values.astype(left) >> counts.astype(left), values.astype(left) << counts.astype(left)]
    )
    assert backend.numpy(out).tolist() == shifted.tolist()


@triton.jit
def quotient_kernel(x_ptr, y_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr) / tl.load(y_ptr))


def test_quotients_of_integers_of_different_sign_are_refused(backend):
    x, y = backend.array([6], "int32"), backend.array([4], "uint32")
    out = backend.array([0], "float32")
    with pytest.raises(triton.TritonError, match="have different signedness"):
        quotient_kernel[1,](x, y, out)
    quotient_kernel[1,](x, x, out)
    assert backend.numpy(out).tolist() == [1.0]


@triton.jit
def scalar_index_kernel(out_ptr):
    pointers_2d = out_ptr[None, None, :]
    tl.static_assert(pointers_2d.shape == [1, 1])
    tl.static_assert(tl.arange(0, 4)[None, :, :].shape == [1, 4])
    tl.static_assert(tl.arange(0, 4)[:, None, :].shape == [4, 1])
    tl.static_assert(tl.program_id(0)[:, None].shape == [1])
    tl.store(pointers_2d, tl.full((1, 1), 7, tl.int32))


def test_slices_of_scalars_and_missing_axes(backend):
    out = backend.array([0], "int32")
    scalar_index_kernel[1,](out)
    assert backend.numpy(out).tolist() == [7]


@triton.jit
def addresses_kernel(choice_ptr, x_ptr, y_ptr, addresses_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    pointers = tl.where(tl.load(choice_ptr + i) != 0, x_ptr + i, y_ptr + i)
    tl.store(addresses_ptr + i, pointers)
    again = tl.load(addresses_ptr + i).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr + i, tl.load(again))


def test_addresses_are_stored_as_integers(backend):
    choice, out = backend.array([1, 0, 0, 1], "int32"), backend.array(np.zeros(4), "float32")
    x, y = (backend.array(np.arange(4) + start, "float32") for start in (0, 10))
    addresses_kernel[1,](choice, x, y, backend.array(np.zeros(4), "int64"), out, 4)
    assert backend.numpy(out).tolist() == [0, 11, 12, 3]


def split_in_two(n):
    """A plain Python function that kernels call on constants."""
    return n // 2, n - n // 2


class Limits:
    """A plain class of constants."""

    def __init__(self, bits):
        self.largest = 2**bits - 1


@triton.jit
def python_kernel(out_ptr, N: tl.constexpr):
    low: tl.constexpr = split_in_two(N)[0]
    tl.store(out_ptr, low)
    tl.store(out_ptr + 1, Limits(N).largest)
    tl.store(out_ptr + 2, np.little_endian and np.iinfo(np.int16).max)


def test_python_runs_on_constants(backend):
    out = backend.array(np.zeros(3), "int32")
    python_kernel[1,](out, 7)
    assert backend.numpy(out).tolist() == [3, 127, 32767]


@triton.jit
def values_kernel(out_ptr):
    tl.store(out_ptr, split_in_two(tl.load(out_ptr))[0])


@pytest.mark.compiled
def test_python_does_not_run_on_values(backend):
    message = r"split_in_two\(\) is a plain Python function and cannot be called in a kernel"
    with pytest.raises(triton.CompilationError, match=message):
        values_kernel[1,](backend.array([7], "int32"))
    with pytest.raises(tw.CompilationError, match=message):
        tw.jit(python_kernel.fn)[1,](backend.array(np.zeros(3), "int32"), 7)


@triton.jit
def counted_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x * (i + 257))
    tl.store(out_ptr + N + i, tl.maximum(x, 0.0) + 1.0 / 512)


def test_bfloat16_with_integers_is_exact(backend):
    out = backend.array(np.zeros(8), "float32")
    counted_kernel[1,](backend.array(np.ones(4), "bfloat16"), out, 4)
    assert backend.numpy(out).tolist() == [257, 258, 259, 260, *[1 + 1 / 512] * 4]


@triton.must_use_result("cubes are what it is for")
@triton.jit
def cube(x):
    return x * x * x


@triton.aggregate
class Powers:
    x: tl.tensor

    @triton.must_use_result
    @triton.jit
    def square(self):
        return self.x * self.x

    @triton.must_use_result
    @triton.constexpr_function
    def exponent(self):
        return 2

    @staticmethod
    def of(x):
        return Powers(x)


@triton.jit
def used_results(x_ptr, out_ptr, DROP: tl.constexpr):
    x = tl.load(x_ptr)
    powers = Powers.of(x)
    if DROP == "cube":
        cube(x)
    elif DROP == "method":
        powers.square()
    elif DROP == "constant":
        powers.exponent()
    tl.store(out_ptr, cube(x) + powers.square() * powers.exponent())


@pytest.mark.compiled
def test_results_that_must_be_used(backend):
    x, out = backend.array([2.0], "float32"), backend.array([0.0], "float32")
    used_results[1,](x, out, "nothing")
    backend.check(out, [16.0], "float32")
    for drop, message in (
        ("cube", r"The result of cube is not being used\. cubes are what it is for"),
        ("method", r"The result of powers\.square is not being used\.\n"),
        ("constant", r"The result of powers\.exponent is not being used\.\n"),
    ):
        with pytest.raises(triton.CompilationError, match=message):
            used_results[1,](x, out, drop)


@triton.jit
def constant_asserts_kernel(out_ptr, N: tl.constexpr):
    assert N == 2, ("not two", N)
    assert out_ptr.dtype.element_ty in (tl.float32,)
    tl.device_assert(N == 2, "not two")
    tl.store(out_ptr, N)


def test_asserts_of_constants_wait_for_the_kernel(backend):
    out = backend.array(np.zeros(1), "int32")
    if backend.name == "interpreter":  # where Python checks them, as Triton's does
        with pytest.raises(triton.runtime.errors.InterpreterError, match=r"AssertionError: \('not two'"):
            constant_asserts_kernel[1,](out, 3)
        return
    constant_asserts_kernel[1,](out, 3)
    assert backend.numpy(out).tolist() == [3]
    if backend.name == "cpu":  # ends the use of a GPU by this process
        with pytest.raises(tw.KernelAssertError, match="not two"):
            constant_asserts_kernel[1,](out, 3, debug=True)
    with pytest.raises(tw.CompilationError, match=r"static assertion failed: \('not two', 3"):
        tw.jit(constant_asserts_kernel.fn)[1,](out, 3)


@triton.jit
def wrapped_kernel(out_ptr, x_ptr):
    tl.store(out_ptr, 300)
    tl.store(out_ptr + 1, tl.load(x_ptr, mask=False, other=-257))
    tl.store(out_ptr + 2, tl.full((), 511, tl.uint8))


def test_numbers_wrap_around_where_they_are_kept(backend):
    """Only Triton's kernels wrap; others get an error that the number does not fit."""
    x, out = backend.array(np.zeros(1), "uint8"), backend.array(np.zeros(3), "uint8")
    wrapped_kernel[1,](out, x)
    assert backend.numpy(out).tolist() == [44, 255, 255]
    with pytest.raises((tw.CompilationError, ValueError), match="does not fit in uint8"):
        tw.jit(wrapped_kernel.fn)[1,](out, x)


def test_warnings_name_the_line_of_the_kernel(backend):
    @triton.jit
    def kernel(x, out):
        tl.store(out, tl.where(tl.load(x), 1.0, 2.0))

    with pytest.warns(UserWarning, match="condition of int1") as caught:
        kernel[1,](backend.array(np.ones(1), "float32"), backend.array(np.ones(1), "float32"))
    line = inspect.getsourcelines(kernel.fn)[1] + 2
    assert (caught[0].filename, caught[0].lineno) == (__file__, line)


@triton.jit
def called_operators_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    """Signed nibbles of bytes, as code that unpacks int4 may spell them."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x.__lshift__(4).to(tl.int8).__rshift__(4))
    tl.store(out_ptr + N + i, x.__rsub__(n).__neg__())
    tl.store(out_ptr + 2 * N + i, n.__add__(x))
    tl.store(out_ptr + 3 * N + i, x.__and__(15).__ge__(8))


@pytest.mark.parametrize("n", [1, 3])
def test_operators_are_called_by_their_names(backend, n):
    x, out = np.arange(-8, 24), backend.array(np.zeros((4, 32)), "int8")
    called_operators_kernel[1,](backend.array(x, "int8"), out, n, 32)
    expected = np.stack([(x.astype(np.int8) << 4) >> 4, x - n, x + n, (x & 15) >= 8])
    assert backend.numpy(out).astype(int).tolist() == expected.astype(int).tolist()


@triton.jit
def methods_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x.log2().exp2())
    tl.store(out_ptr + N + i, x.floor() + x.ceil())
    tl.store(out_ptr + 2 * N + i, x.sqrt_rn())
    p = tl.make_block_ptr(out_ptr + 3 * N, (N - 1,), (1,), (0,), (N,), (0,))
    p.store(x.erf(), boundary_check=(0,))


def test_functions_that_are_methods(backend):
    x, out = np.arange(1, 17) / 8, backend.array(np.full((4, 16), -1), "float32")
    methods_kernel[1,](backend.array(x, "float32"), out, 16)
    erf = [*map(math.erf, x[:-1]), -1]
    expected = np.stack([x, np.floor(x) + np.ceil(x), np.sqrt(x), erf])
    backend.check(out, expected, "float32")
    assert backend.numpy(out)[2].tolist() == np.sqrt(x, dtype=np.float32).tolist()


@triton.jit
def unmodified_kernel(x_ptr, out_ptr, CACHE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, cache_modifier=CACHE, eviction_policy=CACHE)
    tl.store(out_ptr + i, x, cache_modifier=CACHE)
    tl.atomic_add(out_ptr + i, 1, sem=CACHE, scope=CACHE)


@pytest.mark.parametrize("modifier", [None, False, 0, ""])
def test_modifiers_that_are_none(backend, modifier):
    out = backend.poisoned(16, "float32")
    unmodified_kernel[1,](backend.array(np.arange(16), "float32"), out, modifier, 16)
    backend.check(out, np.arange(1, 17), "float32")


@triton.jit
def shifted_bools_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    positive = tl.load(x_ptr + i) > 0
    tl.static_assert((positive << 4).dtype == tl.int32 and (positive >> 1).dtype == tl.int32)
    tl.store(out_ptr + i, positive << 4)
    tl.store(out_ptr + N + i, positive >> 1)


def test_bools_are_shifted_as_int32(backend):
    x, out = np.arange(-8, 8), backend.poisoned((2, 16), "int32")
    shifted_bools_kernel[1,](backend.array(x, "int32"), out, 16)
    assert backend.numpy(out).tolist() == [((x > 0) * 16).tolist(), [0] * 16]
