"""The stages of a compiled kernel."""

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime import compiler
from tilewright.runtime.compiler import compile_kernel

pytestmark = pytest.mark.compiled


@tw.jit
def double(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, 2 * tl.load(x + at))


FACTOR = tl.constexpr(3)


@tw.jit
def scale(x):
    tl.store(x, FACTOR * tl.load(x))


def compiled(target="sm_90a", last="ptx", kernel=double, report=False):
    constants = {"BLOCK": 64} if kernel is double else {}
    return compile_kernel(kernel.fn, {"x": "*fp32"}, constants, {"x": 16}, target, Options(), last, report)


def test_texts_are_made_when_they_are_looked_at(monkeypatch, tmp_path):
    # Another cache may hold the kernel with all stages, for example after a dump.
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    kernel = compiled()
    assert list(kernel.asm) == ["tile", "warp", "llvm", "ptx"] and len(kernel.asm) == 4
    assert "llvm" in kernel.asm and list(kernel.asm.made) == ["ptx"]
    asked = []
    make = compiler._stage_of
    monkeypatch.setattr(compiler, "_stage_of", lambda *which: asked.append(which[-1]) or make(*which))
    kernel = compiled()
    assert kernel.from_cache and kernel.asm["ptx"] and not asked
    assert "define ptx_kernel void @double" in kernel.asm["llvm"]
    assert kernel.asm["llir"] is kernel.asm["llvm"]
    assert kernel.asm.get("llvm") is dict(kernel.asm)["llvm"]
    assert asked == ["llvm", "tile", "warp"]


@pytest.mark.parametrize("target", ["sm_90a", "cpu"])
def test_texts_are_those_of_the_way_to_later_stages(monkeypatch, tmp_path, target):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    last = "ptx" if target == "sm_90a" else ""
    later, kept = compiled(target, last), compiled(target, last, report=True)
    assert set(later.asm.made) < set(kept.asm.made) == set(kept.asm)
    assert dict(later.asm) == dict(kept.asm)


def test_texts_are_those_of_the_compiled_kernel(monkeypatch):
    """Later changes of globals have no effect."""
    kernel = compiled(kernel=scale)
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(5))
    assert "3.000000e+00" in kernel.asm["tile"]
    assert "5.000000e+00" in compiled(kernel=scale).asm["tile"]


def test_llvm_of_the_cpu():
    assert "define void @double" in compiled("cpu", "").asm["llvm"]
    assert list(compiled("cpu", "llvm").asm) == ["tile", "llvm"]


def test_stages_before_llvm_have_none():
    kernel = compiled(last="warp")
    assert list(kernel.asm) == ["tile", "warp"]
    with pytest.raises(KeyError, match="there is no stage 'llvm', there is tile, warp"):
        kernel.asm["llvm"]
    assert kernel.asm.get("llvm") is None


def test_dump_has_llvm(monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_DUMP_DIR", str(tmp_path))
    compiled()
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".llvm", ".ptx", ".tile", ".warp"]


@pytest.mark.parametrize("directory", ["/proc/nowhere", __file__])
def test_dump_that_cannot_be_written(monkeypatch, directory):
    """The kernel is compiled all the same."""
    monkeypatch.setenv("TILEWRIGHT_DUMP_DIR", directory)
    with pytest.warns(UserWarning, match="stages are not written where TILEWRIGHT_DUMP_DIR wants them: "):
        assert "ptx" in compiled().asm
