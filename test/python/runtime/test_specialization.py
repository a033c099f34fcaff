"""Properties of arguments that select the compiled code."""

import sys
import types

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs

pytestmark = pytest.mark.compiled


def aligned(shape, dtype=np.float32, offset=0):
    """An array whose address is `offset` elements after a multiple of 16."""
    dtype = np.dtype(dtype)
    memory = np.zeros(int(np.prod(shape)) * dtype.itemsize + 64, np.uint8)
    start = -memory.ctypes.data % 64 + offset * dtype.itemsize
    return memory[start : start + int(np.prod(shape)) * dtype.itemsize].view(dtype).reshape(shape)


def test_types_hints_and_constants(kernel, compilations):
    kernel.warmup(aligned(8), aligned(8, np.float16, offset=1), 48, BLOCK=128)
    (made,) = compilations
    assert made["types"] == {"x": "*fp32", "y": "*fp16", "n": "i32", "scale": "fp32"}
    assert made["attrs"] == {"x": 16, "n": 16}
    assert made["constants"] == {"BLOCK": 128}
    assert made["target"] == "cpu"


@pytest.mark.parametrize(
    "dtype, name",
    [
        (np.bool_, "*i1"),
        (np.int8, "*i8"),
        (np.int16, "*i16"),
        (np.int32, "*i32"),
        (np.int64, "*i64"),
        (np.uint8, "*u8"),
        (np.uint16, "*u16"),
        (np.uint32, "*u32"),
        (np.uint64, "*u64"),
        (np.float16, "*fp16"),
        (np.float32, "*fp32"),
        (np.float64, "*fp64"),
        (ml_dtypes.bfloat16, "*bf16"),
        (ml_dtypes.float8_e4m3fn, "*fp8e4nv"),
        (ml_dtypes.float8_e5m2, "*fp8e5"),
        (ml_dtypes.float8_e4m3fnuz, "*fp8e4b8"),
        (ml_dtypes.float8_e5m2fnuz, "*fp8e5b16"),
    ],
)
def test_array_types(kernel, compilations, dtype, name):
    kernel.warmup(np.zeros(4, dtype), None, 2)
    assert compilations[0]["types"]["x"] == name


@pytest.mark.parametrize(
    "value, type, hint",
    [
        (3, "i32", None),
        (32, "i32", 16),
        (0, "i32", 16),
        (-16, "i32", 16),
        (24, "i32", 8),
        (-8, "i32", 8),
        (2**31 + 8, "i64", 8),
        (12, "i32", None),
        (2**31 - 1, "i32", None),
        (2**31, "i64", 16),
        (-(2**31) - 1, "i64", None),
        (2**63 - 1, "i64", None),
        (2**63, "u64", 16),
        (2**64 - 1, "u64", None),
        (1.5, "fp32", None),
        (True, "i1", None),
        (np.int32(7), "i32", None),
        (np.uint64(2**63 + 1), "u64", None),
        (np.float32(2.0), "fp32", None),
        (np.float64(2.0), "fp32", None),
        (np.longdouble(2.0), "fp32", None),
        (np.int8(-16), "i32", 16),
        (np.bool_(False), "i1", None),
    ],
)
def test_scalars(kernel, compilations, value, type, hint):
    kernel.warmup(None, None, value)
    assert compilations[0]["types"]["n"] == type
    assert compilations[0]["attrs"].get("n") == hint


def test_one_and_none_become_constants(kernel, compilations):
    kernel.warmup(None, aligned(8), 1, True)
    assert compilations[0]["constants"] == {"x": None, "n": 1, "BLOCK": 64}
    assert compilations[0]["types"] == {"y": "*fp32", "scale": "i1"}


def test_constexpr_objects_count_as_their_values(kernel, compilations):
    kernel.warmup(None, None, tl.constexpr(5))
    assert compilations[0]["types"]["n"] == "i32"


def test_same_key_compiles_once(kernel, compilations):
    x = aligned(8)
    first = kernel.warmup(x, x, 33)
    assert kernel.warmup(aligned(99), x, 35, scale=2.0, BLOCK=64).asm is first.asm
    assert len(compilations) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"n": 32},
        {"n": 40},
        {"n": 1},
        {"n": 2**40 + 1},
        {"x": aligned(8, offset=1)},
        {"x": aligned(8, np.int32)},
        {"x": None},
        {"scale": 1},
        {"BLOCK": 128},
        {"BLOCK": 64.0},
        {"num_warps": 8},
        {"num_stages": 2},
        {"debug": True},
    ],
    ids=str,
)
def test_different_keys_compile_again(kernel, compilations, change):
    arguments = {"x": aligned(8), "y": aligned(8), "n": 33}
    kernel.warmup(**arguments)
    kernel.warmup(**(arguments | change))
    kernel.warmup(**(arguments | change))
    assert len(compilations) == 2


def test_equal_constants_of_different_types_differ(kernel, compilations):
    for block in (1, True, 1.0):
        kernel.warmup(None, None, 2, BLOCK=block)
    assert [made["constants"]["BLOCK"] for made in compilations] == [1, True, 1.0]


def test_do_not_specialize(compilations):
    @tw.jit(do_not_specialize=["n", 1])
    def kernel(x, m, n, k):
        pass

    kernel.warmup(aligned(8), 1, 32, 1)
    assert compilations[0]["types"] == {"x": "*fp32", "m": "i32", "n": "i32"}
    assert compilations[0]["attrs"] == {"x": 16}


def test_do_not_specialize_on_alignment(compilations):
    @tw.jit(do_not_specialize_on_alignment=["x", "n"])
    def kernel(x, n, m):
        pass

    kernel.warmup(aligned(8), 32, 32)
    kernel.warmup(aligned(8), 1, 32)
    assert compilations[0]["attrs"] == {"m": 16}
    assert compilations[1]["constants"] == {"n": 1}


def test_options_reach_the_compiler(kernel, compilations):
    kernel.warmup(None, None, 2, num_warps=8, num_stages=5)
    options = compilations[0]["options"]
    assert (options.num_warps, options.num_stages, options.debug) == (8, 5, False)


def test_an_option_may_be_a_parameter(compilations):
    @tw.jit
    def kernel(n, num_warps: tl.constexpr):
        pass

    kernel.warmup(3, num_warps=2)
    assert compilations[0]["constants"] == {"num_warps": 2}
    assert compilations[0]["options"].num_warps == 2


def test_torch_tensors(kernel, compilations):
    torch = needs("torch")
    kernel.warmup(torch.zeros(4, dtype=torch.bfloat16), torch.zeros(4, requires_grad=True)[1:], 2)
    assert compilations[0]["types"] == {"x": "*bf16", "y": "*fp32", "n": "i32", "scale": "fp32"}
    assert compilations[0]["attrs"] == {"x": 16}


@pytest.mark.parametrize("protocol", ["__array_interface__", "__dlpack__"])
def test_protocols(kernel, compilations, protocol):
    members = {protocol: property(lambda self: getattr(self.array, protocol))}
    if protocol == "__dlpack__":
        members["__dlpack_device__"] = property(lambda self: self.array.__dlpack_device__)
    array = type("Array", (), members)()
    array.array = aligned(8, np.float64, offset=1)
    kernel.warmup(array, None, 2)
    assert compilations[0]["types"]["x"] == "*fp64"
    assert "x" not in compilations[0]["attrs"]


def test_old_dlpack_without_versions(kernel, compilations):
    class Old:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, stream=None):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)

    kernel.warmup(Old(aligned(8, np.int16)), None, 2)
    assert compilations[0]["types"]["x"] == "*i16"
    assert compilations[0]["attrs"]["x"] == 16


class OnGpu:
    """Claims to be on a GPU, but its memory is on the CPU; records the requested streams."""

    refused = ()

    def __init__(self, array):
        self.array = array
        self.asked = []

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked.append(stream)
        if stream in self.refused:
            raise RuntimeError(f"no stream has the handle {stream}")
        return self.array.__dlpack__()


def test_dlpack_is_asked_not_to_wait(kernel, compilations):
    x = OnGpu(aligned(8, np.int16))
    kernel.warmup(x, None, 2)
    assert x.asked == [-1]
    assert compilations[0]["types"]["x"] == "*i16"


def test_dlpack_of_arrays_that_refuse_stream_minus_one(kernel, compilations):
    x = type("KnowsHandlesAlone", (OnGpu,), {"refused": (-1,)})(aligned(8, np.int16))
    kernel.warmup(x, None, 2)
    assert x.asked == [-1, None]
    assert compilations[0]["types"]["x"] == "*i16"


def test_dlpack_of_arrays_that_cannot_be_exported(kernel):
    x = type("Broken", (OnGpu,), {"refused": (-1, None)})(aligned(8, np.int16))
    with pytest.raises(TypeError, match=r"argument 'x' of kernel .*: cannot read the array") as caught:
        kernel.warmup(x, None, 2)
    assert "no stream has the handle None" in str(caught.value.__cause__)


@pytest.mark.parametrize("other_interface", [False, True])
def test_dlpack_of_jax_is_asked_for_no_stream(kernel, compilations, monkeypatch, other_interface):
    """JAX takes -1 for a handle, and has no other interface for bfloat16, so its array is awaited first."""

    def refuse(self):
        raise AttributeError("no letter for this dtype")

    class Array(OnGpu):
        refused = (-1,)

        def block_until_ready(self):
            self.asked.append("ready")

        if other_interface:
            __cuda_array_interface__ = property(refuse)

    monkeypatch.setitem(sys.modules, "jax", types.SimpleNamespace(Array=Array))
    x = Array(aligned(8, np.int16))
    kernel.warmup(x, None, 2)
    assert x.asked == ["ready", None]
    assert compilations[0]["types"]["x"] == "*i16"
