"""Kernels on disk."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import tilewright

pytestmark = pytest.mark.compiled

PRELUDE = """
import numpy as np
import tilewright as tw
import tilewright.language as tl

@tw.jit
def double(x, BLOCK: tl.constexpr, FACTOR: tl.constexpr = 2):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) * FACTOR)

def launch(**options):
    x = np.ones(16, np.float32)
    compiled = double[1](x, BLOCK=16, **options)
    return x[0], compiled.from_cache
"""


@pytest.fixture
def run(tmp_path):
    """`run(code, **environment)`: the output of `code` in a new process. All processes share one cache."""

    def run(code, **environment):
        script = tmp_path / "script.py"
        script.write_text(PRELUDE + textwrap.dedent(code))
        directories = {
            "PYTHONPATH": str(Path(tilewright.__file__).parents[1]),
            "TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache"),
        }
        command = [sys.executable, script]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **directories, **environment}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), done.stderr

    run.directory = tmp_path / "cache"
    return run


def entries(directory):
    """The files of kernels. Notes on what the front end read lie next to each."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    return [path for path in files if b'"kind": "notes"' not in path.read_bytes()]


def test_second_process_finds_the_kernel(run):
    assert run("print(launch())")[0] == "(np.float32(2.0), False)"
    assert run("print(launch())")[0] == "(np.float32(2.0), True)"
    assert len(entries(run.directory)) == 1


@pytest.mark.parametrize("change", ["FACTOR=3", "num_warps=8", "num_stages=2", "debug=True"])
def test_changes_of_the_key(run, change):
    run("print(launch())")
    out, _ = run(f"print(launch({change}))")
    assert out.endswith("False)")
    assert len(entries(run.directory)) == 2


def test_always_compile(run):
    run("print(launch())")
    assert run("print(launch())", TILEWRIGHT_ALWAYS_COMPILE="1")[0] == "(np.float32(2.0), False)"


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "text"])
def test_damaged_entry_is_compiled_again(run, damage):
    run("print(launch())")
    (entry,) = entries(run.directory)
    content = bytearray(entry.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 0x10
    entry.write_bytes(
        {"truncate": content[:-100], "flip": content, "empty": b"", "text": b"not an entry"}[damage]
    )
    assert run("print(launch())")[0] == "(np.float32(2.0), False)"
    assert run("print(launch())")[0] == "(np.float32(2.0), True)"


def test_cache_that_cannot_be_used(run, tmp_path):
    (tmp_path / "file").write_text("")
    out, warnings = run("print(launch(), launch())", TILEWRIGHT_CACHE_DIR=str(tmp_path / "file"))
    assert out == "(np.float32(2.0), False) (np.float32(2.0), False)"
    assert warnings.count("kernels are not cached on disk") == 1


def test_dump(run, tmp_path):
    run("print(launch())", TILEWRIGHT_DUMP_DIR=str(tmp_path / "dump"))
    stages = {path.suffix for path in (tmp_path / "dump").iterdir()}
    assert stages >= {".tile", ".llvm", ".obj"}


def test_directory_is_looked_up_at_each_compilation(run, tmp_path):
    """A directory that is set later is used from then on; the first one keeps its entries."""
    found, _ = run(
        """
        import os
        first = os.environ["TILEWRIGHT_CACHE_DIR"]
        print(launch()[1])
        for directory in (first + "2", first):
            os.environ["TILEWRIGHT_CACHE_DIR"] = directory
            double._dispatcher.clear()
            print(launch()[1])
        """
    )
    assert found.split() == ["False", "False", "True"]
