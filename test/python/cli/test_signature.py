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
    )


def test_constants_and_defaults():
    parsed = parse_signature("*fp32, None, i64:1, True", kernel.params)
    assert parsed == ({"x": "*fp32"}, {"y": None, "n": 1, "flag": True, "BLOCK": 64}, {})


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
