"""Mistakes of many kinds: each is reported at its line, in terms of the language."""

import importlib
import math
import sys

import numpy
import pytest
from tilewright.frontend import KernelFunction

SETTINGS = {"a": 1}


class Settings:
    pass


@KernelFunction
def launched(x):
    pass


MISTAKES = [
    ("tl.store(x, x.origin)", "a value of type pointer<fp32> has no attribute 'origin'"),
    (
        "tl.store(x, tl.cat(tl.arange(0, 4), 3))",
        "tl.cat takes two blocks of one rank, got <[4], int32> and int32",
    ),
    (
        "tl.store(x, tl.cat(tl.zeros((2, 3), tl.int32), tl.zeros((2, 4), tl.int32)))",
        "tl.cat along axis 0 takes blocks whose other dimensions are equal, got <[2, 3], int32> and <[2, 4], int32>",
    ),
    ("tl.store(x, tl.load(x, msk=True))", "load(): got an unexpected keyword argument 'msk'"),
    ("tl.store(x, 2 ** (2**40))", "the result of ** is too large for a constant"),
    ("tl.store(x, 1 << 10**9)", "the result of << is too large for a constant"),
    ("tl.static_print('a' * 10**9)", "the result of * is too large for a constant"),
    ("tl.static_print(10**9 * (1, 2))", "the result of * is too large for a constant"),
    ("tl.zeros(8.5, tl.float32)", "the shape of tl.full is made of compile-time integers, got 8.5"),
    ("tl.arange(0, 16 / 2)", "give an int, which quotients by // are"),
    (
        "tl.store(x, tl.load(x, mask=tl.load(x).to(tl.int32)))",
        "the mask of tl.load is a block of bools, got int32",
    ),
    ("tl.store(x, 1.0, mask=tl.program_id(0))", "compare: mask=i < n, or mask=flags != 0"),
    ("tl.load(x).float()", "x.to(tl.float32) converts"),
    ("[1, 2].append(3)", "lists are not changed in a kernel: values = values + [value]"),
    ("tl.zeros((8, 0), tl.float32)", "the dimensions of tl.full are positive, got [8, 0]"),
    ("tl.zeros((8,), 'float32')", "tl.full needs a type such as tl.float32, got 'float32'"),
    ("tl.program_id(tl.load(x))", "program_id axis must be 0, 1, or 2 but got fp32"),
    ("tl.program_id(True + 2)", "program_id axis must be 0, 1, or 2 but got 3"),
    ("print(1, sep=2)", "print in a kernel takes values only, got sep="),
    ("tl.arange(8, 0)", "tl.arange(8, 0) is empty"),
    (
        "tl.store(x, math.sin(tl.load(x)))",
        "sin() is evaluated while compiling, but an argument is a scalar of type fp32",
    ),
    (
        "tl.store(x, SETTINGS['a'])",
        "the global variable 'SETTINGS' is not a compile-time constant: it is of type dict",
    ),
    ("tl.store(x, Settings())", "'Settings' cannot be called in a kernel"),
    ("tl.store(x, {'a': 1}['a'])", "dicts are not supported in a kernel"),
    ("tl.store(x, lambda y: y)", "expected a block, a scalar or a number, got function <lambda>"),
    ("tl.store(x, x)", "the stored value is pointer<fp32> but the pointer points to fp32"),
    ("tl.store(x, tl.load(tl.load(x)))", "tl.load needs a pointer or a block of pointers, got fp32"),
    ("tl.store(x, 1 / 0)", "division by zero"),
    ("tl.store(x, tl.load(x).to(int))", "a cast needs a type such as tl.float32, got <class 'int'>"),
    ("tl.store(x, tl.load(x) @ tl.load(x))", "@ is not defined for values of the kernel"),
    ("tl.store(x, [i for i in range(10**9)])", "unrolling makes 1000000000 iterations"),
    ("tl.static_print(f'{1:zz}')", "Unknown format code 'z'"),
    ("a, b = tl.load(x)", "cannot unpack a scalar of type fp32"),
    ("a, b, c = 1, 2", "not enough values to unpack (expected 3, got 2)"),
    ("a, b = 1, 2, 3", "too many values to unpack (expected 2, got 3)"),
    ("tl.load(x).z = 3", "a scalar of type fp32 has no fields that can be assigned"),
    ("tl.store(x, tl.float32)", "expected a block, a scalar or a number, got tl.float32"),
    ("tl.store(x, tl.dtype)", "expected a block, a scalar or a number"),
    ("del x", "'del' is not supported in a kernel"),
    ("import os", "'import' is not supported in a kernel"),
    ("class A: pass", "classes are not supported in a kernel"),
    ("yield x", "'yield' is not supported in a kernel"),
    ("assert False, 'no ' + 'way'", "static assertion failed: no way"),
    ("n: tl.constexpr = tl.load(x)", "the value of a tl.constexpr must be known while compiling"),
    ("tl.extra.libdevice.nothing(x)", "has no attribute 'nothing'"),
    ("tl.store(x, *(1, 2, 3, 4, 5, 6))", "store(): too many positional arguments"),
    ("tl.store(x, **{'value': 1})", "'**' is not supported in a kernel"),
    ("tl.multiple_of(tl.arange(0, 8), 0)", "tl.multiple_of takes positive compile-time integers, got [0]"),
    (
        "tl.reduce(tl.arange(0, 8), 0, lambda a: a)",
        "the combine function of tl.reduce is called with 2 arguments, but <lambda>(a) takes 1",
    ),
    (
        "tl.advance(tl.make_block_ptr(x, (8,), (1,), (0,), (8,), (0,)), (8,))",
        "It leaves the block pointer where it is",
    ),
    (
        "tl.make_block_ptr(x, (8,), (1,), (0,), (8,), (0,)).advance((8,))",
        "It leaves the block pointer where it is",
    ),
    ("tl.store(x, tl.load(x) + None)", "or what a function without a result gives"),
    (
        "tl.store(x, 1 + tl.make_tensor_descriptor(x, [8, 8], [8, 1], [4, 8]))",
        "+ does not take the constant 1 and a tensor_descriptor<<[4, 8], fp32>>",
    ),
    (
        "tl.exp(tl.make_tensor_descriptor(x, [8, 8], [8, 1], [4, 8]))",
        "load a block first: desc.load(offsets)",
    ),
    ("tl.store(x, tl.float32(3))", "x.to(tl.float32) converts"),
    ("tl.static_assert(tl.program_id(0) in (1, 2))", "compare a value of the kernel with each"),
    ("tl.static_print(None + 1)", "or what a function without a result gives"),
    ("tl.full((4,), float('nan'), tl.int32)", "the value of tl.full is nan, which does not fit in int32"),
    ("tl.full((4,), -1e10, tl.int32)", "the value of tl.full is -10000000000.0, which does not fit in int32"),
    (
        "tl.inline_asm_elementwise('add.f32 $0, $1, $1;', '=f', [tl.load(x)], tl.float32, True, 1)",
        "needs input registers for 1 x 'f32'",
    ),
    ("max(tl.arange(0, 8))", "tl.max(x, axis=0) reduces a block"),
    ("min(tl.load(x))", "expected a tuple, got a scalar of type fp32"),
    ("sum(tl.arange(0, 8))", "expected a tuple, got a block of type <[8], int32>"),
    ("tl.store(x, round(tl.load(x)))", "tl.extra.libdevice.rint rounds to the nearest integer"),
    (
        "tl.arange(0, x.shape[0])",
        "a pointer does not know the shape of its array: pass the dimensions as arguments",
    ),
    ("tl.store(x, tl.mean(tl.load(x)))", "divide the sum: tl.sum(x, axis=0) / n"),
    ("tl.arange(0, 8).astype(tl.float32)", "x.to(tl.float32) converts"),
    ("tl.store(x, numpy.exp(tl.load(x)))", "tl.exp is for values of the kernel"),
    ("LAUNCHED[(1,)](x)", "a kernel launches no other one, as launched[...] would"),
]


def make(tmp_path, monkeypatch, statement):
    """A kernel with the statement in its second line, in a new module."""
    (tmp_path / "mistaken.py").write_text(
        f"import tilewright.language as tl\n\n\ndef kernel(x):\n    {statement}  # !\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    sys.modules.pop("mistaken", None)
    module = importlib.import_module("mistaken")
    module.SETTINGS, module.Settings, module.math = SETTINGS, Settings, math
    module.LAUNCHED, module.numpy = launched, numpy
    return module.kernel


@pytest.mark.parametrize("statement, message", MISTAKES, ids=[statement for statement, _ in MISTAKES])
def test_the_message_and_its_location(tmp_path, monkeypatch, rejects, statement, message):
    error = rejects(make(tmp_path, monkeypatch, statement), message, x="*fp32")
    assert "tilewright/" not in str(error).replace("tilewright/language/extra", "")
