"""Test suites written for Triton check more than results: error locations, causes, caches and the PTX."""

import re
from collections import namedtuple

import numpy as np
import pytest
import tilewright as tw
import tilewright.compat

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.language import core  # noqa: E402

Pair = namedtuple("Pair", ("low", "high"))


@core.builtin
def is_constant(value, _semantic=None):
    return isinstance(value, tl.constexpr)


@core.extern
def doubled(value, _semantic=None):
    return tl.cast(value, tl.float32, _semantic=_semantic).to(tl.float16, _semantic=_semantic) * 2


@triton.jit
def types_kernel(out_ptr, strides):
    tl.static_assert(is_constant(strides[1]) and not is_constant(strides[0]))
    tl.static_assert(strides.type == tl.tuple_type([tl.int32, tl.constexpr_type(1)]))
    size: tl.constexpr = (0, (1, 2))
    tl.static_assert(size.type == ((0, (1, 2))).type and size.type != ((0, 1)).type)
    tl.static_assert(size[0].type == tl.constexpr_type(0))
    named: tl.constexpr = Pair(3, 4).type.fields
    tl.static_assert(named[0] == "low")
    tl.store(out_ptr, doubled(strides[0]))


@pytest.mark.compiled
def test_types_of_tuples_and_constants(backend):
    out = backend.array(np.zeros(1), "float16")
    types_kernel[1,](out, (9, 1))
    assert backend.numpy(out).tolist() == [18]
    assert list(tl.tuple_type([tl.int8])) == [tl.int8] and str(tl.tuple_type([tl.int8], ["x"])) == "[x:int8]"
    assert len({tl.tuple_type([tl.int8]), tl.tuple_type([tl.int8]), tl.tuple_type([tl.int16])}) == 2


@triton.jit
def perhaps(x, take):
    if take:
        return 2 * x


@triton.jit
def perhaps_kernel(out_ptr, take):
    value = perhaps(tl.load(out_ptr), take > 0)
    if take > 0:
        tl.store(out_ptr, value)


def test_a_path_that_gives_no_value(backend):
    """The value of that path is undefined, and never read."""
    for take, expected in ((2, 42), (-2, 21)):
        out = backend.array(np.array([21]), "int32")
        perhaps_kernel[1,](out, take)
        assert backend.numpy(out).tolist() == [expected]
    strict = triton.JITFunction(perhaps_kernel.fn)
    strict.numerics = "ieee"
    if backend.name == "cpu":
        with pytest.raises(tw.CompilationError, match="Inconsistent return types"):
            strict.warmup(out, 2)


def compiled(kernel, **constants):
    names = {name: "constexpr" if name in constants else "*fp32" for name in kernel.arg_names}
    return triton.compile(triton.compiler.ASTSource(kernel, names, constants))


@triton.jit
def refused():
    tl.program_id(7)


@triton.jit
def calling_kernel():
    # The error is in the next line.
    refused()


@triton.jit
def assert_kernel(n: tl.constexpr):
    tl.static_assert(n == 2)


def test_error_locations_in_functions():
    with pytest.raises(triton.CompilationError) as caught:
        compiled(calling_kernel)
    assert "in calling_kernel (at 3:4:)" in str(caught.value) and "in refused (at 2:4:)" in str(caught.value)
    inner = caught.value.__cause__
    assert isinstance(inner, triton.CompilationError) and "calling_kernel" not in str(inner)
    assert str(inner.__cause__).startswith("program_id axis must be 0, 1, or 2 but got 7")
    with pytest.raises(triton.compiler.errors.CompileTimeAssertionFailure, match=r"at 2:4:") as caught:
        compiled(assert_kernel, n=3)
    assert caught.value.__cause__ is None
    with pytest.raises(tw.CompilationError) as caught:
        tw.jit(assert_kernel.fn).warmup(3)
    assert "(at 2:4:)" not in str(caught.value)


def test_a_condition_that_is_a_number():
    @triton.jit
    def kernel():
        tl.where(tl.full((8,), 0, tl.uint32), 1.0, 2.0)

    with pytest.warns(UserWarning, match="condition of int1, got uint32"):
        compiled(kernel)


def test_a_variable_around_the_kernel():
    count = 3

    @triton.jit
    def kernel():
        tl.arange(0, count)

    with pytest.raises(triton.CompilationError, match="count is not defined as a compile-time constant"):
        compiled(kernel)


@pytest.mark.compiled
def test_numbers_of_warps(backend):
    @triton.jit
    def kernel(x_ptr):
        pass

    for kind in (ValueError, AssertionError):
        with pytest.raises(kind, match="num_warps must be a power of 2 up to 32, got 3"):
            kernel[1,](backend.array(np.zeros(1), "float32"), num_warps=3)


ATOMICS = {
    "add": ("old = tl.atomic_add(p, 1.0, sem=SEM)", "atom.global.gpu.{}.add.f32"),
    "cas": ("old = tl.atomic_cas(p.to(tl.pointer_type(tl.int32)), 0, 1, SEM)", "atom.global.{}.gpu.cas.b32"),
}


@pytest.mark.parametrize("kind", ATOMICS)
@pytest.mark.parametrize("sem", ["acquire", "acq_rel"])
def test_text_of_atomics(kind, sem):
    @triton.jit
    def kernel(p, SEM: tl.constexpr):
        OPERATION  # noqa: B018, F821
        tl.store(p, old)  # noqa: F821

    call, expected = ATOMICS[kind]
    kernel._unsafe_update_src(kernel.src.replace("OPERATION  #", call + "  #"))
    source = triton.compiler.ASTSource(kernel, {"p": "*fp32", "SEM": "constexpr"}, {"SEM": sem})
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    assert re.search(re.escape(expected.format(sem)), triton.compile(source, target).asm["ptx"])


@triton.jit(do_not_specialize=["N"])
def unspecialized_constant_kernel(N: tl.constexpr):
    pass


def test_constants_that_are_not_specialized_for():
    for run in (
        lambda: unspecialized_constant_kernel.warmup(5, grid=(1,)),
        lambda: triton.compile(triton.compiler.ASTSource(unspecialized_constant_kernel, {}, {"N": 5})),
    ):
        with pytest.raises(
            tw.CompilationError, match="N marked as constexpr and listed in do_not_specialize"
        ):
            run()


@triton.jit
def narrow_kernel(in_ptr, out_ptr):
    block = tl.make_tensor_descriptor(in_ptr, [64, 64], [64, 1], [4, 2]).load([0, 0])
    tl.store(out_ptr, tl.sum(block))


def test_narrow_blocks_of_descriptors():
    signature = {"in_ptr": "*fp32", "out_ptr": "*fp32"}
    words = r"at least 16 bytes in the last dimension, but got 2 \* 4 = 8 bytes"
    with pytest.raises(tw.CompilationError, match=words) as raised:
        triton.compile(triton.compiler.ASTSource(narrow_kernel, signature))
    assert "Descriptor block shape must have" in str(raised.value.__cause__)
    assert triton.compile(triton.compiler.ASTSource(tw.jit(narrow_kernel.fn), signature)).asm["tile"]


@triton.jit
def scaled_kernel(out_ptr):
    a, b = tl.full((32, 64), 0, tl.uint8), tl.full((64, 32), 0, tl.uint8)
    scale = tl.full((32, 4), 127, tl.uint8)
    tl.store(out_ptr, tl.max(tl.dot_scaled(a, scale, "e5m2", b, None, "e5m2")))


def test_scales_for_so_many_elements_as_their_type_says():
    signature = {"out_ptr": "*fp32"}
    words = r"lhs_scale must be a tensor of shape \[32, 2\]\. Got \[32, 4\]"
    with pytest.raises(tw.CompilationError, match=words):
        triton.compile(triton.compiler.ASTSource(scaled_kernel, signature))
    assert triton.compile(triton.compiler.ASTSource(tw.jit(scaled_kernel.fn), signature)).asm["tile"]


@triton.jit
def least_kernel(out_ptr):
    tl.make_tensor_descriptor(out_ptr, [64], [1], [16]).atomic_min([0], tl.zeros((16,), tl.float32))


def test_reductions_that_triton_does_not_have():
    signature = {"out_ptr": "*fp32"}
    with pytest.raises(tw.CompilationError, match=r"desc\.atomic_min takes no fp32 in Triton"):
        triton.compile(triton.compiler.ASTSource(least_kernel, signature))
    assert triton.compile(triton.compiler.ASTSource(tw.jit(least_kernel.fn), signature)).asm["tile"]
