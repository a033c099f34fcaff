"""Kernels without a plain source file: `exec`, `python -c`, consoles, doctest, classes, functions and archives."""

import code
import doctest
import linecache
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright import CompilationError

pytestmark = pytest.mark.compiled
TEXT = """
import tilewright as tw
import tilewright.language as tl

@tw.jit
def add(x, y):
    return x + y

@tw.jit
def kernel(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, add(tl.load(x + i, mask=i < n), 1), mask=i < n)
"""
RUN = """
import numpy as np
for each in (kernel, tw.interpret(kernel)):
    x = np.arange(5)
    _ = each[1,](x, 5, B=8)
    assert x.tolist() == [1, 2, 3, 4, 5], x
print("both ran")
"""
IN_TEXT = TEXT + RUN


def check(kernel):
    for each in (kernel, tw.interpret(kernel)):
        x = np.arange(5)
        each[1,](x, 5, B=8)
        assert x.tolist() == [1, 2, 3, 4, 5]


def test_text_given_to_exec():
    namespace = {}
    exec(TEXT, namespace)
    check(namespace["kernel"])


def run_text(text, name):
    namespace = {"__name__": "made"}
    exec(compile(text, name, "exec"), namespace)
    return namespace["kernel"]


@pytest.mark.parametrize("name", ["<made>", "made.py"])
def test_text_compiled_under_a_name(name):
    first, second = run_text(TEXT, name), run_text(TEXT.replace("+ y", "+ 2 * y - 1"), name)
    check(first)
    check(second)


def test_kernels_of_a_function_of_a_text():
    body = textwrap.indent(f"{TEXT}\nreturn kernel", "    ")
    check(run_text(f"from __future__ import annotations\ndef make():{body}\nkernel = make()\n", "<made>"))


def test_text_in_linecache():
    name, text = "<cell 1 of a notebook>", "\n" + TEXT
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    try:
        check(run_text(text, name))
    finally:
        del linecache.cache[name]


def test_text_of_a_console(capsys):
    console = code.InteractiveConsole()
    for line in TEXT.strip().splitlines():
        console.push(line)
    console.push("")
    check(console.locals["kernel"])


def test_doctest():
    lines = [line for line in IN_TEXT.splitlines() if line]
    text = "\n".join(("... " if line[0] == " " or line[:3] == "def" else ">>> ") + line for line in lines)
    test = doctest.DocTestParser().get_doctest(f"{text}\nboth ran\n", {}, "kernels", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def run_python(*arguments, **keywords):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, **keywords)


def test_text_on_the_command_line():
    done = run_python("-c", IN_TEXT)
    assert done.stdout == "both ran\n", done.stderr


def test_module_in_an_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "modules.zip", "w") as archive:
        archive.writestr("zipped.py", IN_TEXT)
    done = run_python(
        "-c", f"import sys; sys.path.insert(0, {str(tmp_path / 'modules.zip')!r}); import zipped"
    )
    assert done.stdout == "both ran\n", done.stderr


def refused(kernel, message):
    for each in (kernel, tw.interpret(kernel)):
        with pytest.raises(CompilationError) as caught:
            each[1,](np.arange(5), 5, B=8)
        assert message in str(caught.value)


def test_text_that_nobody_keeps():
    namespace = {}
    exec("\n" + TEXT, namespace)
    refused(namespace["kernel"], "cannot compile kernel(): its source is not available")
    refused(
        namespace["kernel"],
        "Python keeps no text of <string>: define the kernel in a file or a notebook cell",
    )


def test_standard_input():
    done = run_python(input=IN_TEXT)
    assert done.returncode == 1
    assert (
        "hint: Python keeps no text of <stdin>: define the kernel in a file or a notebook cell" in done.stderr
    )


def test_file_that_is_gone(tmp_path):
    namespace = {}
    file = str(tmp_path / "gone.py")
    exec(compile("\n" + TEXT, file, "exec"), namespace)
    refused(namespace["kernel"], f"hint: {file} is read when the kernel is compiled: put it where it was")


def run_file(file, text):
    file.write_text(text)
    namespace = {"__name__": "made"}
    exec(compile(text, str(file), "exec"), namespace)
    return namespace["kernel"]


CHANGES = {
    "edited": lambda file: file.write_text(TEXT.replace("x + y", "x * y")),
    "moved": lambda file: file.write_text("x = 1\n" * 5 + TEXT),
    "cut": lambda file: file.write_text("x = 1\n"),
    "removed": lambda file: file.unlink(),
    "no text": lambda file: file.write_bytes(b"\xff\xfe" + bytes(99)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_file_that_changes_after_the_definition(tmp_path, change):
    """The definition at decoration time runs, as for any function of Python."""
    file = tmp_path / "changing.py"
    kernel = run_file(file, TEXT)
    CHANGES[change](file)
    check(kernel)


def test_file_in_another_encoding(tmp_path):
    file, text = tmp_path / "changing.py", "# coding: latin-1\nname = 'é'\n" + TEXT
    file.write_bytes(text.encode("latin-1"))
    namespace = {"__name__": "made"}
    exec(compile(text, str(file), "exec"), namespace)
    file.unlink()
    check(namespace["kernel"])


def test_kernels_of_a_changed_file_are_not_taken_from_the_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "changing.py"
    first = run_file(file, TEXT)
    second = run_file(file, TEXT.replace("x + y", "x + y * 3"))
    x = np.arange(5)
    second[1,](x, 5, B=8)
    assert x.tolist() == [3, 4, 5, 6, 7]
    check(first)
    third = run_file(file, TEXT)
    check(third)


class Holder:
    @tw.jit
    def kernel(x, n, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

    @tw.jit
    @staticmethod
    def under(x, n, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

    above = staticmethod(kernel)


@pytest.mark.parametrize("name", ["kernel", "under", "above"])
def test_kernels_of_a_class_and_its_instances(name):
    check(getattr(Holder, name))
    check(getattr(Holder(), name))


def test_kernel_nested_in_functions():
    def outer():
        def inner():
            @tw.jit
            def kernel(x, n, B: tl.constexpr):
                i = tl.arange(0, B)
                tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

            return kernel

        return inner()

    check(outer())


def test_lambda():
    kernel = tw.jit(lambda x, n, B: None)
    refused(kernel, "a kernel cannot be a lambda")
    refused(kernel, "hint: define the kernel with def")
