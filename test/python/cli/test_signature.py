"""Signatures as text."""

import re

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.aot import SignatureError, parse_signature
from tilewright.aot.signature import split_entries


@tw.jit
def kernel(x, y, n, flag, BLOCK: tl.constexpr = 64):
    pass


def test_entries():
    parsed = parse_signature("*fp16:16, *bf16, i32:16, i1, 128", kernel.params)
    assert parsed == (
        {"x": "*fp16", "y": "*bf16", "n": "i32", "flag": "i1"},
        {"BLOCK": 128},
        {"x": 16, "n": 16},
        {},
    )


def test_constants_and_defaults():
    parsed = parse_signature("*fp32, None, i64:1, True", kernel.params)
    assert parsed == ({"x": "*fp32"}, {"y": None, "n": 1, "flag": True, "BLOCK": 64}, {}, {})


@tw.jit
def described(matrix, out, BM: tl.constexpr, BK: tl.constexpr = 32):
    tl.store(out, tl.sum(matrix.load([0, 0])))


def test_descriptors():
    types, constants, divisors, trees = parse_signature(
        "tensordesc<fp16[BM, BK]>:16, *fp32, 64", described.params
    )
    assert types == {
        "matrix.base": "*fp16",
        "matrix.shape0": "i32",
        "matrix.shape1": "i32",
        "matrix.stride0": "i64",
        "out": "*fp32",
    }
    assert constants == {"BM": 64, "BK": 32}
    assert divisors == {"matrix.base": 16, "matrix.shape1": 16, "matrix.stride0": 16}
    assert trees["matrix"].block_shape == (64, 32)
    assert trees["matrix"].members == ("matrix.base", "matrix.shape0", "matrix.shape1", "matrix.stride0")


@pytest.mark.parametrize(
    "entry, message",
    [
        ("tensordesc", "a descriptor is written tensordesc<fp16[128, 64]>, got 'tensordesc'"),
        ("tensordesc<fp16>", "a descriptor is written tensordesc<fp16[128, 64]>"),
        ("tensordesc<fp17[4]>", "parameter 'matrix': unknown type '*fp17'"),
        ("tensordesc<fp16[]>", "a descriptor block has one to five dimensions, got 'tensordesc<fp16[]>'"),
        ("tensordesc<fp16[1, 1, 1, 1, 1, 1]>", "a descriptor block has one to five dimensions"),
        ("tensordesc<fp16[4, BN]>", "is a positive int or a constant of the kernel, got 'BN'"),
        ("tensordesc<fp16[4, -1]>", "is a positive int or a constant of the kernel, got '-1'"),
        ("tensordesc<fp16[4, 4]>:8", "no hint '8' for a descriptor; ':16' says that address, strides"),
    ],
)
def test_descriptors_that_are_none(entry, message):
    with pytest.raises(SignatureError, match=re.escape(message)):
        parse_signature(f"{entry}, *fp32, 64", described.params)


def test_split():
    assert split_entries("") == []
    assert split_entries("a, 'b,c', (1, 2), [3, (4, 5)]") == ["a", "'b,c'", "(1, 2)", "[3, (4, 5)]"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("*fp32, *fp32, i32, i1, 1, 2", "the signature has 6 entries, the kernel 5 parameters"),
        ("*fp32, *fp32", "the signature has no entry for parameter 'n'"),
        ("*fp31, *fp32, i32, i1", "parameter 'x': unknown type '*fp31'"),
        (
            "*fp32:4, *fp32, i32, i1",
            "parameter 'x': no hint '4' for *fp32; ':16' is a multiple of 16, ':8' one of 8, ':1' the int 1",
        ),
        ("*fp32:1, *fp32, i32, i1", "parameter 'x': no hint '1' for *fp32"),
        (
            "*fp32, *fp32, i32, i1, i32",
            "parameter 'BLOCK' is tl.constexpr: write a constant instead of 'i32'",
        ),
        ("*fp32, , i32, i1", "parameter 'y': unknown type ''"),
    ],
)
def test_errors(text, message):
    with pytest.raises(SignatureError, match=re.escape(message)):
        parse_signature(text, kernel.params)
