"""The operations that functions of the language become, with their options."""

import re

import pytest
import tilewright.language as tl


def test_load_and_store_options(tile):
    def kernel(x, out, n):
        i = tl.arange(0, 16)
        a = tl.load(x + i, mask=i < n, other=1, cache_modifier=".cg", eviction_policy="evict_last")
        b = tl.load(x + i, volatile=True)
        tl.store(out + i, a + b, mask=i < n, cache_modifier=".wt", eviction_policy="evict_first")

    text = tile(kernel, "*fp16", "*fp16", "i32")
    assert re.search(
        r"tile\.load %\w+, %\w+, %\w+ cache = cg evict = evict_last : tensor<16x!tile.ptr<f16>>", text
    )
    assert re.search(r"tile\.load %\w+ volatile : ", text)
    assert re.search(r"tile\.store %\w+, %\w+, %\w+ cache = wt evict = evict_first", text)


def test_no_hints(tile):
    def kernel(x, out):
        tl.store(
            out,
            tl.load(x, cache_modifier=None, eviction_policy=None),
            cache_modifier=None,
            eviction_policy=None,
        )

    text = tile(kernel, "*fp16", "*fp16")
    assert "tile.load" in text and "cache" not in text and "evict" not in text


def test_scalars_load_and_store_scalars(tile):
    def kernel(x, out, n):
        tl.store(out, tl.load(x, mask=n > 0, other=0.0), mask=n > 1)

    text = tile(kernel, "*fp32", "*fp32", "i32")
    assert re.search(r"tile\.load %arg0, %\w+, %\w+ : !tile\.ptr<f32>", text)


def test_bools_are_bytes_in_memory(tile):
    def kernel(x, out):
        i = tl.arange(0, 8)
        tl.store(out + i, tl.load(x + i) & (i > 3))

    text = tile(kernel, "*i1", "*i1")
    assert "%arg0: !tile.ptr<i8>" in text
    assert re.search(r"(%\w+) = tile\.load .*tensor<8x!tile\.ptr<i8>>(.*\n)+.*arith\.cmpi ne, \1", text)
    assert re.search(r"arith\.extui %\w+ : tensor<8xi1> to tensor<8xi8>\s+tile\.store", text)


def test_mask_and_value_broadcast_to_the_pointers(tile):
    def kernel(out, n):
        p = out + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
        tl.store(p, 1.0, mask=(tl.arange(0, 8) < n)[None, :])
        tl.load(p, mask=n > 3)

    text = tile(kernel, "*fp32", "i32")
    assert "tile.store" in text and "tensor<1x8xi1> -> tensor<4x8xi1>" in text
    assert "i1 -> tensor<4x8xi1>" in text


ATOMICS = [
    ("atomic_add", "fp32", "fadd"),
    ("atomic_add", "fp16", "fadd"),
    ("atomic_add", "i64", "add"),
    ("atomic_max", "i32", "max"),
    ("atomic_max", "u32", "umax"),
    ("atomic_max", "fp32", "fmax"),
    ("atomic_min", "u64", "umin"),
    ("atomic_min", "fp64", "fmin"),
    ("atomic_and", "i32", "and"),
    ("atomic_or", "u32", "or"),
    ("atomic_xor", "i32", "xor"),
    ("atomic_xchg", "fp32", "xchg"),
]


@pytest.mark.parametrize("name, ty, kind", ATOMICS)
def test_atomics(tile, name, ty, kind):
    def kernel(x, NAME: tl.constexpr):
        NAME(x + tl.arange(0, 4), 1, mask=tl.arange(0, 4) < 2, sem="relaxed", scope="sys")
        NAME(x, 1)

    text = tile(kernel, f"*{ty}", NAME=getattr(tl, name))
    assert re.search(rf"tile\.atomic_rmw {kind} relaxed sys %\w+, %\w+, %\w+ : tensor<4x", text)
    assert re.search(rf"tile\.atomic_rmw {kind} acq_rel gpu %arg0, %\w+ : !tile\.ptr", text)


@pytest.mark.parametrize("name, ty, kind", [case for case in ATOMICS if case[0] != "atomic_xchg"])
def test_atomics_of_descriptors(tile, name, ty, kind):
    def kernel(x, n, NAME: tl.constexpr):
        desc = tl.make_tensor_descriptor(x, [n], [1], [16])
        NAME(desc, [0], tl.full((16,), 1, desc.dtype))

    text = tile(kernel, f"*{ty}", "i32", NAME=getattr(tl.tensor_descriptor, name))
    assert re.search(rf"tile\.descriptor_store %\w+\[%\w+\], %\w+ reduce {kind} : ", text)


def test_compare_and_swap(tile):
    def kernel(x):
        tl.atomic_cas(x, 0, 1, sem="acquire", scope="cta")

    assert re.search(
        r"tile\.atomic_cas acquire cta %arg0, %\w+, %\w+ : !tile\.ptr<i32>", tile(kernel, "*i32")
    )


@pytest.mark.parametrize(
    "options, expected",
    [
        ({}, ""),
        ({"input_precision": "tf32"}, "precision = tf32"),
        ({"allow_tf32": True}, "precision = tf32"),
        ({"allow_tf32": False}, ""),
        ({"input_precision": "tf32x3"}, "precision = tf32x3"),
    ],
)
def test_dot_is_exact_unless_asked(tile, options, expected):
    allow, precision = options.get("allow_tf32"), options.get("input_precision")

    def kernel(x, ALLOW: tl.constexpr, PRECISION: tl.constexpr):
        a = tl.full((16, 16), tl.load(x), tl.float32)
        tl.store(x, tl.sum(tl.dot(a, a, allow_tf32=ALLOW, input_precision=PRECISION)))

    (line,) = [
        line
        for line in tile(kernel, "*fp32", ALLOW=allow, PRECISION=precision).splitlines()
        if "tile.dot" in line
    ]
    assert expected in line and (expected or "precision" not in line)


POINTER_CASTS = """
tile.ptr_to_int %arg0 : !tile.ptr<f32> -> i64
tile.int_to_ptr %0 : i64 -> !tile.ptr<f16>
tile.bitcast %arg0 : !tile.ptr<f32> -> !tile.ptr<i32>
"""


def test_pointer_casts(tile):
    def kernel(x):
        address = x.to(tl.int64)
        tl.store(address.to(tl.pointer_type(tl.float16)), 1.0)
        tl.store(x.to(tl.pointer_type(tl.int32), bitcast=True), 1)

    text = tile(kernel, "*fp32")
    for line in POINTER_CASTS.split("\n"):
        assert line in text


def test_casts_between_narrow_floats_go_through_a_wider_one(tile):
    def kernel(x, y):
        tl.store(x, tl.load(y).to(tl.float16))
        tl.store(y, tl.load(x).to(tl.bfloat16))

    text = tile(kernel, "*fp16", "*bf16")
    assert "arith.extf" in text and "arith.truncf" in text


NAN = [(tl.PropagateNan.NONE, "arith.maxnumf"), (tl.PropagateNan.ALL, "arith.maximumf")]


@pytest.mark.parametrize("option, op", NAN)
def test_maximum_and_nan(tile, option, op):
    def kernel(x, y, OPTION: tl.constexpr):
        tl.store(x, tl.maximum(y, 1.0, propagate_nan=OPTION))

    assert op in tile(kernel, "*fp32", "fp32", OPTION=option)


def test_math_of_f16_is_computed_in_float32(tile):
    def kernel(x, y):
        tl.store(x, tl.math.tanh(y))

    text = tile(kernel, "*fp16", "fp16")
    assert "math.tanh %0 : f32" in text and "arith.truncf" in text


def test_functions_outside_of_a_kernel():
    with pytest.raises(tl.LanguageError, match="only be called inside a kernel"):
        tl.program_id(0)
    with pytest.raises(tl.LanguageError, match="only be called inside a kernel"):
        tl.load([1.0, 2.0])
    assert tl.cdiv(7, 2) == 4
