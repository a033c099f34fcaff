"""`tilewright info`, and options of the whole command."""

import json
import pathlib
import re

import pytest
from tilewright import knobs
from tilewright._tilewright import llvm_version

pytestmark = pytest.mark.once


def test_json_has_every_section(tilewright, tmp_path):
    done = tilewright("info", "--json", TILEWRIGHT_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["Versions"]["LLVM"] == llvm_version()
    assert found["Disk cache"]["directory"] == str(tmp_path / "cache")
    assert found["Disk cache"]["content"].startswith("0 kernels, 0.0 MiB of at most 2048 MiB")
    assert list(found["Environment"]) == [knob.name for knob in knobs.ALL]


def test_text(tilewright):
    done = tilewright("info", TILEWRIGHT_LIBCUDA="/nonexistent/libcuda.so")
    assert done.returncode == 0, done.stderr
    assert "none: no CUDA driver found: /nonexistent/libcuda.so" in done.stdout
    assert "Assemblers of PTX" in done.stdout


def test_settings_that_cannot_be(tilewright):
    done = tilewright("info", TILEWRIGHT_NUM_THREADS="-3")
    assert done.returncode == 0, done.stderr
    assert "none: TILEWRIGHT_NUM_THREADS='-3' is not a number" in done.stdout


def test_version_and_help(tilewright):
    assert tilewright("--version").stdout.startswith("tilewright 0.")
    bare = tilewright()
    assert bare.returncode == 2
    assert bare.stdout == tilewright("--help").stdout
    for command in ("compile", "run", "cache", "info"):
        assert command in bare.stdout
        assert tilewright(command, "--help").returncode == 0


@pytest.mark.parametrize("text, value", [("1", True), ("yes", True), ("OFF", False), ("", False)])
def test_flags(monkeypatch, text, value):
    monkeypatch.setenv(knobs.DEBUG.name, text)
    assert knobs.DEBUG.flag() is value


def test_flag_that_is_none(monkeypatch):
    monkeypatch.setenv(knobs.DEBUG.name, "maybe")
    with pytest.raises(ValueError, match="TILEWRIGHT_DEBUG is 'maybe'; write 1 or 0"):
        knobs.DEBUG.flag()


def test_choice(monkeypatch):
    monkeypatch.delenv(knobs.ASSEMBLER.name, raising=False)
    assert knobs.ASSEMBLER.choice("auto", "ptxas") == "auto"
    monkeypatch.setenv(knobs.ASSEMBLER.name, "as")
    with pytest.raises(ValueError, match="TILEWRIGHT_ASSEMBLER is 'as'; write one of auto, ptxas"):
        knobs.ASSEMBLER.choice("auto", "ptxas")


ROOT = pathlib.Path(__file__).parents[3]


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="not a source tree")
def test_every_variable_is_documented():
    sources = (
        path for folder in ("lib", "runtime", "compiler", "python") for path in (ROOT / folder).rglob("*")
    )
    read = {
        name
        for path in sources
        if path.suffix in (".cpp", ".py")
        for name in re.findall(r'"(TILEWRIGHT_[A-Z_]+)"', path.read_text())
    }
    known = {knob.name for knob in knobs.ALL}
    assert read <= known
    page = (ROOT / "docs" / "launching.md").read_text()
    assert known == set(re.findall(r"`((?:TILEWRIGHT|TRITON)_[A-Z0-9_]+)`", page))
