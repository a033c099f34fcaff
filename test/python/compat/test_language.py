"""What kernels written for Triton may do with the language, and others need not."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.compat

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@tl.constexpr
def accumulator_type(element_type, is_wide):
    return tl.float64 if is_wide else element_type


@triton.jit
def lowest(dtype):
    """Of a type that is passed as an argument, where Triton has a constexpr around it."""
    kind = dtype.value
    if kind.is_floating():
        return float("-inf")
    return kind.get_int_min_value()


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
    torch = pytest.importorskip("torch")
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
        found = out.view(torch_bytes()).cpu().numpy() if backend.name == "cuda" else out.view(np.uint8)
        np.testing.assert_array_equal(found, expected)


def torch_bytes():
    import torch

    return torch.uint8
