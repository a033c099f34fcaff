"""`tilewright run`."""

import pytest

SCRIPT = """
import sys
x = np.arange(100, dtype=np.float32)
out = np.zeros_like(x)
add[tw.cdiv(100, 64)](x, x, out, 100)
print(sys.argv[1:], out.sum(), type(add[1]).__name__)
"""


def test_script_with_arguments(tilewright, source):
    source.write_text(source.read_text() + SCRIPT)
    done = tilewright("run", "--interpret", source, "--size", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['--size', '3'] 9900.0 partial\n"


@pytest.mark.compiled
def test_compiled(tilewright, source):
    source.write_text(source.read_text() + SCRIPT)
    done = tilewright("run", source)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[] 9900.0 Launcher\n"


@pytest.mark.compiled
def test_error_in_a_kernel_is_shown_without_traceback(tilewright, source):
    source.write_text(source.read_text() + "\nwrong[1](np.zeros(4, np.float32))\n")
    done = tilewright("run", source)
    assert done.returncode == 1
    assert "tl.store(x, undefined)" in done.stderr
    assert "Traceback" not in done.stderr


def test_missing_file(tilewright):
    done = tilewright("run", "nothing.py")
    assert (done.returncode, done.stderr) == (1, "tilewright run: no file nothing.py\n")


@pytest.mark.parametrize(
    "text, shown",
    [
        ("def (", "SyntaxError: invalid syntax"),
        (
            "\nimport nowhere_to_be_found",
            "line 2, in <module>\n    import nowhere_to_be_found\nModuleNotFoundError",
        ),
    ],
)
def test_errors_of_the_script(tilewright, tmp_path, text, shown):
    """Their tracebacks begin in the script."""
    script = tmp_path / "ünïcode script.py"
    script.write_text(text)
    done = tilewright("run", script)
    assert done.returncode == 1
    assert shown in done.stderr
    assert done.stderr.count("File ") == 1 and "frozen" not in done.stderr
