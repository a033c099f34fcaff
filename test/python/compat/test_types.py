"""Types as kernels written for Triton spell, create and query them, and reinterpreted arrays."""

import ml_dtypes
import numpy as np
import pytest
import tilewright.compat
from optional_packages import needs

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@tl.constexpr
def accumulator_type(element_type, is_wide):
    return tl.float64 if is_wide else element_type


@triton.jit
def lowest(dtype):
    """The least value of a type argument, which Triton wraps in a constexpr."""
    kind = dtype.value
    if kind.is_floating():
        return float("-inf")
    return kind.get_int_min_value()


@triton.constexpr_function
def element_of(pointer_or_descriptor: tl.tensor | tl.tensor_descriptor):
    is_descriptor = isinstance(pointer_or_descriptor, tl.tensor_descriptor)
    return pointer_or_descriptor.dtype if is_descriptor else pointer_or_descriptor.dtype.element_ty


@triton.jit
def elements_kernel(x_ptr, x_desc, out_ptr):
    same: tl.constexpr = element_of(x_ptr) == element_of(x_desc)
    tl.store(out_ptr, 1 if same and element_of(x_ptr) == tl.float16 else 0)


def test_functions_of_constants_see_types_of_values(backend):
    x, out = backend.array(np.zeros((16, 16)), "float16"), backend.array(np.zeros(1), "int32")
    elements_kernel[1,](
        x, triton.tools.tensor_descriptor.TensorDescriptor(x, [16, 16], [16, 1], [16, 16]), out
    )
    assert backend.numpy(out).tolist() == [1]


@triton.jit
def types_kernel(x_ptr, out_ptr, low_ptr, N: tl.constexpr):
    wide: tl.constexpr = accumulator_type(x_ptr.type.element_ty, True)
    same = accumulator_type(x_ptr.type.element_ty, is_wide=False)
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(wide)
    tl.store(out_ptr + i, x.to(same))
    tl.store(low_ptr, lowest(x_ptr.dtype.element_ty))
    tl.store(low_ptr + 1, lowest(tl.int16))


def test_functions_of_constants(backend):
    x = backend.array(np.arange(8), "float32")
    out, low = backend.array(np.zeros(8), "float32"), backend.array(np.zeros(2), "float32")
    types_kernel[1,](x, out, low, 8)
    backend.check(out, np.arange(8), "float32")
    assert backend.numpy(low).tolist() == [-np.inf, -32768]


@triton.jit
def block_pointer_kernel(x_ptr, out_ptr, N: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (N,), (1,), (0,), (N,), (0,))
    sink = tl.make_block_ptr(out_ptr, (N,), (1,), (0,), (N,), (0,))
    tl.static_assert(sink.type.is_ptr() and sink.type.element_ty == tl.block_type(tl.float16, [N]))
    tl.store(sink, tl.load(source).to(sink.type.element_ty))


def test_the_type_of_a_block_pointer(backend):
    out = backend.array(np.zeros(8), "float16")
    block_pointer_kernel[1,](backend.array(np.arange(8), "float32"), out, 8)
    backend.check(out, np.arange(8), "float16")


def test_types_by_their_spelling():
    assert tl.str_to_ty("*fp16", None) == tl.pointer_type(tl.float16)
    assert tl.str_to_ty("u64") == tl.uint64 and tl.str_to_ty("constexpr") is tl.constexpr
    assert tl.core.CONSTEXPR_0 == 0 and triton.aggregate is tl.aggregate


def test_facts_of_types():
    biases = [tl.float8e4nv, tl.float8e5, tl.float16, tl.bfloat16, tl.float32, tl.float64]
    assert [kind.exponent_bias for kind in biases] == [7, 15, 15, 127, 127, 1023]
    assert [kind.itemsize for kind in (tl.int1, tl.uint16, tl.float64, tl.pointer_type(tl.int8))] == [
        1,
        2,
        8,
        8,
    ]
    assert tl.block_type(tl.float16, [4, 8]).nbytes == 64 and tl.void.is_void() and not tl.int8.is_const()
    assert tl.pointer_type(tl.int8, const=True).is_const()


def test_names_of_types():
    names = tl.dtype.SINT_TYPES + tl.dtype.UINT_TYPES + tl.dtype.FP_TYPES + tl.dtype.OTHER_TYPES
    assert [tl.dtype(name).name for name in names] == names
    assert {*tl.dtype.STANDARD_FP_TYPES} < {*tl.dtype.FP_TYPES}
    assert all(tl.dtype(name).is_int_signed() for name in tl.dtype.SINT_TYPES)
    assert all(tl.dtype(name).is_int_unsigned() for name in tl.dtype.UINT_TYPES)
    assert not any(tl.dtype(name).is_int_signed() for name in tl.dtype.UINT_TYPES)


def test_arrays_of_floats_without_negative_zero():
    torch = needs("torch")
    codes = torch.arange(4, dtype=torch.uint8)
    assert triton.reinterpret(codes, tl.float8e4b8).dtype == torch.float8_e4m3fnuz
    assert triton.reinterpret(codes, tl.float8e5b16).dtype == torch.float8_e5m2fnuz
    assert triton.reinterpret(codes.numpy(), tl.float8e4b8).dtype == ml_dtypes.float8_e4m3fnuz


@triton.jit
def copy_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


@pytest.mark.parametrize("library", ["own", "torch"])
def test_arrays_of_floats_that_no_library_has(backend, library):
    codes = backend.array(np.arange(0x7F), "uint8")
    as_f16, again = backend.poisoned((0x7F,), "float16"), backend.poisoned((0x7F,), "uint8")
    if library == "torch" and backend.name != "cuda":
        torch = needs("torch")
        codes, as_f16, again = (torch.from_numpy(array) for array in (codes, as_f16, again))
    copy_kernel[1,](triton.reinterpret(codes, tl.float8e4b15), as_f16, 0x7F)
    want = (np.arange(0x7F, dtype=np.uint16) << 7).view(np.float16)  # a float16 without the low bits
    np.testing.assert_array_equal(backend.numpy(as_f16), want)
    copy_kernel[1,](as_f16, triton.reinterpret(again, tl.float8e4b15), 0x7F)
    np.testing.assert_array_equal(backend.numpy(again), np.arange(0x7F))


def test_arrays_of_other_types_are_arrays_still():
    codes = np.arange(4, dtype=np.uint8)
    seen = triton.reinterpret(codes, tl.float8e4b15)
    assert seen.dtype is tl.float8e4b15 and seen.shape == (4,) and seen.base is codes is seen.data
    assert seen.copy().dtype is tl.float8e4b15 and triton.reinterpret(seen, tl.int8).dtype == np.int8
    with pytest.raises(TypeError, match="elements of 32 bits cannot be seen as fp8e4b15"):
        triton.reinterpret(np.zeros(4, np.float32), tl.float8e4b15)


@triton.jit
def made_type_kernel(x_ptr, out_ptr):
    bits: tl.constexpr = x_ptr.dtype.element_ty.primitive_bitwidth
    kind: tl.constexpr = tl.dtype(f"uint{bits}")
    tl.store(out_ptr, tl.load(x_ptr).to(kind, bitcast=True))


def test_types_by_names_that_a_kernel_makes(backend):
    out = backend.array([0], "uint32")
    made_type_kernel[1,](backend.array([1.0], "float32"), out)
    assert backend.numpy(out).tolist() == [0x3F800000]


@triton.jit
def numbers_kernel(x_ptr, out_ptr, NUMBER: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x < NUMBER)
    tl.store(out_ptr + N + i, x == NUMBER)
    tl.store(out_ptr + 2 * N + i, NUMBER < x)


@pytest.mark.parametrize(
    "dtype, values, number",
    [
        ("float16", [0.0999755859375, 0.10003662109375, 0.0, -0.1], 0.1),
        ("bfloat16", [0.1, 0.099609375, 1.0, 0.10009765625], 0.1),
        ("float16", [0.0, 1.0, 0.5, -0.5], 0.5),
        ("float16", [65504.0, -65504.0, 1.0, 0.0], 1e5),
        ("uint8", [0, 1, 200, 255], 300),
        ("uint8", [0, 1, 200, 255], -1),
        ("int8", [-128, -1, 0, 127], 200),
        ("uint32", [0, 1, 2**31, 2**32 - 1], 2**32),
    ],
)
def test_numbers_compared_with_tensors(backend, dtype, values, number):
    """Such numbers keep their own type, which may be wider than the tensor's."""
    x, out = backend.array(np.array(values), dtype), backend.array(np.zeros(12), "int8")
    numbers_kernel[1,](x, out, number, 4)
    exact = backend.numpy(x).astype(np.float64)
    compared = np.float64(np.float32(number)) if isinstance(number, float) else number
    expected = np.concatenate([exact < compared, exact == compared, exact > compared])
    assert backend.numpy(out).tolist() == expected.tolist()


@triton.jit
def greatest_kernel(x_ptr, out_ptr, K: tl.constexpr, N: tl.constexpr, WIDE: tl.constexpr):
    best = tl.topk(tl.load(x_ptr + tl.arange(0, N)), K)
    tl.static_assert(best.dtype == (WIDE if K < N else x_ptr.dtype.element_ty))
    tl.store(out_ptr + tl.arange(0, K), best)


@pytest.mark.parametrize(
    "dtype, wide", [("uint8", tl.int32), ("bfloat16", tl.float32), ("float16", tl.float32)]
)
@pytest.mark.parametrize("count", [4, 16])
def test_the_greatest_have_the_type_of_a_maximum(backend, dtype, wide, count):
    x, out = backend.array(np.arange(16) * 7 % 16, dtype), backend.array(np.zeros(count), "float32")
    greatest_kernel[1,](x, out, count, 16, wide)
    assert backend.numpy(out).tolist() == list(range(15, 15 - count, -1))
