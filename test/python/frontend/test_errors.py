"""How errors are shown: the chain of calls, the columns, and none of our frames."""

import re

import pytest
import tilewright.language as tl
from tilewright.frontend import CompilationError, KernelFunction


def test_the_chain_of_calls_is_shown(tile):
    @KernelFunction
    def inner(p):
        tl.load(p, other=1)

    @KernelFunction
    def outer(p):
        inner(p + 1)

    def kernel(x):
        outer(x)

    with pytest.raises(CompilationError) as caught:
        tile(kernel, "*fp32")
    error = caught.value
    assert [frame.function for frame in error.frames] == ["inner", "outer", "kernel"]
    assert [frame.text.strip() for frame in error.frames] == [
        "tl.load(p, other=1)",
        "inner(p + 1)",
        "outer(x)",
    ]
    lines = str(error).splitlines()
    assert lines[0] == "`other` of tl.load needs a `mask`"
    assert re.fullmatch(r"  at .*test_errors\.py:\d+, in inner", lines[1])
    assert lines[3].endswith("^" * len("tl.load(p, other=1)"))
    assert [line.split()[0] for line in lines if line.startswith("  called")] == ["called", "called"]


def test_the_traceback_has_none_of_our_frames(tile):
    def kernel(x):
        tl.load(1)

    with pytest.raises(CompilationError) as caught:
        tile(kernel, "*fp32")
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_sources_that_cannot_be_read(tile):
    environment = {"tl": tl}
    exec("def kernel(x):\n    pass", environment)
    with pytest.raises(CompilationError, match=r"cannot compile kernel\(\): its source is not available"):
        tile(environment["kernel"], "*fp32")
    with pytest.raises(CompilationError, match="a kernel cannot be a lambda"):
        tile(lambda x: x, "*fp32")


def test_arguments_without_type_or_value(tile):
    def kernel(x, n):
        pass

    with pytest.raises(
        CompilationError, match=r"the argument 'n' of kernel\(\) has neither a type nor a value"
    ):
        tile(kernel, "*fp32")
    with pytest.raises(CompilationError, match=r"argument 'n': unknown type 'f31' in a signature"):
        tile(kernel, "*fp32", "f31")
    with pytest.raises(CompilationError, match=r"kernel\(\) has no argument 'm'"):
        tile(kernel, "*fp32", "i32", m=3)


def test_columns_count_characters(tile):
    def kernel(x):
        tl.static_print("größer", x.sun())  # !

    with pytest.raises(CompilationError) as caught:
        tile(kernel, "*fp32")
    frame = caught.value.frames[0]
    assert frame.text[frame.column - 1 : frame.column - 1 + frame.width] == "x.sun"
