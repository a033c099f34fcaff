"""Kernels found on disk without the front end, only if it would produce the same code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tilewright

pytestmark = pytest.mark.compiled

HELPERS = """
import tilewright as tw
import tilewright.language as tl

OFFSET: tl.constexpr = 10
SCALE = tl.constexpr(2)
NAMES = tl.constexpr((1, 2))

@tl.constexpr_function
def plain(n):
    return n + 1

@tw.jit
def inner(x, y=3):
    return x * y

@tw.jit
def called(x):
    return inner(x) + OFFSET
"""

SCRIPT = """
import math
import sys
import numpy as np
import tilewright as tw
import tilewright.language as tl
import helpers
from helpers import called

LOCAL: tl.constexpr = 1000

def make(outside):
    outside = tl.constexpr(outside)

    @tw.jit
    def kernel(out, x, ADD: tl.constexpr = 5):
        value = called(x) * helpers.SCALE + outside + LOCAL + max(ADD, 0)
        tl.store(out, value)

    return kernel

out = np.zeros(1, np.int32)
compiled = make(100)[1](out, 7)
print(out[0], compiled.from_cache, "tilewright.frontend.compile" in sys.modules, compiled.constexprs)
"""
# (7 * 3 + 10) * 2 + 100 + 1000 + 5
RESULT = 1167


@pytest.fixture
def run(tmp_path):
    """`run(edits)`: the output of the script in a new process: the result, whether the kernel was on disk, and
    whether the front end ran. `edits` are pairs of a text and its replacement, in either file."""

    def run(*edits, **environment):
        helpers, script = HELPERS, SCRIPT
        for old, new in edits:
            assert old in helpers + script
            helpers, script = helpers.replace(old, new), script.replace(old, new)
        (tmp_path / "helpers.py").write_text(helpers)
        (tmp_path / "script.py").write_text(script)
        directories = {
            "PYTHONPATH": str(Path(tilewright.__file__).parents[1]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache"),
        }
        command = [sys.executable, tmp_path / "script.py"]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **directories, **environment}
        )
        assert done.returncode == 0, done.stderr
        *printed, last = done.stdout.splitlines()
        result, from_cache, front_end, constants = last.split(" ", 3)
        assert constants == "{'ADD': constexpr[%s]}" % ("6" if ("= 5", "= 6") in edits else "5")
        return int(result), from_cache == "True", front_end == "True", *printed

    return run


def test_second_process_needs_no_front_end(run):
    assert run() == (RESULT, False, True)
    assert run() == (RESULT, True, False)


# Edits, and the result of the kernel after each.
EDITS = {
    "kernel": (("value = called(x)", "value = 1 + called(x)"), RESULT + 1),
    "called function": (("return inner(x)", "return 1 + inner(x)"), RESULT + 2),
    "function called by that": (("return x * y", "return x * y + 1"), RESULT + 2),
    "default of a called function": (("y=3", "y=4"), RESULT + 14),
    "default of a constant": (("= 5", "= 6"), RESULT + 1),
    "global": (("LOCAL: tl.constexpr = 1000", "LOCAL: tl.constexpr = 2000"), RESULT + 1000),
    "global of another module": (("OFFSET: tl.constexpr = 10", "OFFSET: tl.constexpr = 11"), RESULT + 2),
    "attribute of a module": (("tl.constexpr(2)", "tl.constexpr(3)"), RESULT + 31),
    "variable around the kernel": (("make(100)", "make(101)"), RESULT + 1),
    "another function of the name": (
        ("from helpers import called", "from helpers import inner as called"),
        RESULT - 20,
    ),
    "Python's function hidden": (
        ("LOCAL: tl", "@tw.jit\ndef max(a, b):\n    return b\n\nLOCAL: tl"),
        RESULT - 5,
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_edits_are_seen(run, what):
    edit, result = EDITS[what]
    run()
    assert run(edit) == (result, False, True)
    assert run(edit) == (result, True, False)
    assert run()[:2] == (RESULT, True)


# Values that change without an edit.
@pytest.mark.parametrize(
    ("line", "change"),
    [
        ("LOCAL: tl.constexpr = 1000", 'LOCAL: tl.constexpr = int(__import__("os").environ["VALUE"])'),
        ("make(100)", 'make(int(__import__("os").environ["VALUE"]) - 900)'),
    ],
)
def test_values_are_seen(run, line, change):
    edit = (line, change)
    assert run(edit, VALUE="1000") == (RESULT, False, True)
    assert run(edit, VALUE="1000") == (RESULT, True, False)
    assert run(edit, VALUE="1001") == (RESULT + 1, False, True)
    assert run(edit, VALUE="1001") == (RESULT + 1, True, False)
    assert run(edit, VALUE="1000") == (RESULT, True, True)


def test_functions_that_run_while_compiling(run):
    edit = ("max(ADD, 0)", "helpers.plain(ADD)")
    assert run(edit) == (RESULT + 1, False, True)
    # Their inputs are unknown, so they always run.
    assert run(edit) == (RESULT + 1, True, True)


def test_attributes_of_functions(run):
    kernel = ("max(ADD, 0)", "called.more")
    assert run(kernel, ("LOCAL: tl", "called.more = 6\nLOCAL: tl")) == (RESULT + 1, False, True)
    value = ("LOCAL: tl", 'called.more = int(__import__("os").environ["VALUE"])\nLOCAL: tl')
    assert run(kernel, value, VALUE="7") == (RESULT + 2, False, True)
    assert run(kernel, value, VALUE="8") == (RESULT + 3, False, True)
    assert run(kernel, value, VALUE="8") == (RESULT + 3, True, True)


def test_compile_time_output_is_always_printed(run):
    edit = ("tl.store(out, value)", 'tl.static_print("seen"); tl.store(out, value)')
    assert run(edit) == (RESULT, False, True, "seen")
    assert run(edit) == (RESULT, True, True, "seen")


def test_always_compile(run):
    run()
    assert run(TILEWRIGHT_ALWAYS_COMPILE="1") == (RESULT, False, True)


def test_damaged_or_lost_entries(run, tmp_path):
    run()
    notes, kernel = sorted((tmp_path / "cache").rglob("*.twc"), key=lambda path: path.stat().st_size)
    content = notes.read_bytes()
    notes.write_bytes(content[:-1])
    assert run() == (RESULT, True, True)
    kernel.unlink()
    assert run() == (RESULT, False, True)
    assert run() == (RESULT, True, False)
