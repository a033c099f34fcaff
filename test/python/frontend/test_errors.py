"""Presentation of errors: the chain of calls, the columns, and none of our frames."""

import importlib.util
import os
import re

import pytest
import tilewright.language as tl
from tilewright.frontend import CompilationError, Frame, KernelFunction
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


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


def test_functions_of_the_language_are_not_shown():
    own = Frame(tl.__file__, 1, 1, 1, "own", "own")
    user = Frame(__file__, 1, 1, 1, "user", "user")
    assert CompilationError("message", [own, user]).frames == (user,)
    assert CompilationError("message", [own]).frames == (own,)


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


@pytest.mark.parametrize("stem", [b"k\xe4rnel", "größe 数".encode(), b"\xed\xa0\x80", b"a'\"\\\n"])
def test_names_of_files_are_any_bytes(tmp_path, stem):
    """Compiler errors show the line of the file, even if its name is not valid Unicode."""
    path = os.path.join(tmp_path, os.fsdecode(stem) + ".py")
    try:
        with open(path, "w") as file:
            file.write(
                "import tilewright.language as tl\n\n\ndef kernel(x):\n    tl.store(x, tl.load(x) + 1)\n"
            )
            file.write("\n\ndef wrong(x):\n    tl.store(x, tl.arange(0, 4) / 'text')\n")
            file.write("\n\ndef large(x):\n    value = tl.exp(tl.load(x + tl.arange(0, 1 << 20)))\n")
            file.write("    tl.store(x, tl.sum(value / tl.sum(value)))\n")
    except OSError:
        pytest.skip("the file system does not take this name")
    spec = importlib.util.spec_from_file_location("named", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    compiled = compile_kernel(module.kernel, {"x": "*fp32"}, {}, {}, "sm_90a", Options(), "ptx")
    assert ".entry kernel(" in compiled.asm["ptx"]
    with pytest.raises(CompilationError) as caught:
        compile_kernel(module.wrong, {"x": "*fp32"}, {}, {}, "sm_90a", Options(), "ptx")
    assert caught.value.file == path and "tl.arange(0, 4) / 'text'" in str(caught.value)
    with pytest.raises(CompilationError, match="a block that 4 warps hold has at most") as caught:
        compile_kernel(module.large, {"x": "*fp32"}, {}, {}, "sm_90a", Options(), "ptx")
    assert caught.value.file == path and "value = tl.exp(" in caught.value.frames[0].text


def test_objects_are_shown_without_where_they_lie(tile):
    def module(x):
        tl.load(tl.make_block_ptr(x, (4,), (1,), (0,), (4,), (0,)), boundary_check=(0,), padding_option=tl)

    with pytest.raises(CompilationError) as caught:
        tile(module, "*fp32")
    assert "__init__.py" not in str(caught.value) and "<module 'tilewright.language'>" in str(caught.value)

    def function(x):
        tl.make_tensor_descriptor(x, [4, 4], [4, tl.exp], [4, 4])

    with pytest.raises(CompilationError) as caught:
        tile(function, "*fp32")
    assert " at 0x" not in str(caught.value) and "<function exp>" in str(caught.value)
