"""The stages that a compiled kernel shows."""

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.runtime import compiler
from tilewright.runtime.compiler import compile_kernel
from tilewright.runtime.options import Options

pytestmark = pytest.mark.compiled


@tw.jit
def double(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, 2 * tl.load(x + at))


def compiled(target="sm_90a", last="ptx"):
    return compile_kernel(double.fn, {"x": "*fp32"}, {"BLOCK": 64}, {"x": 16}, target, Options(), last)


def test_llvm_is_made_when_it_is_looked_at(monkeypatch, tmp_path):
    # Elsewhere the kernel may lie with all stages, as one that was dumped does.
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    kernel = compiled()
    assert list(kernel.asm) == ["tile", "warp", "llvm", "ptx"] and len(kernel.asm) == 4
    assert "llvm" in kernel.asm and "llvm" not in kernel.asm.made
    asked = []
    compile = compiler._llvm_of
    monkeypatch.setattr(compiler, "_llvm_of", lambda request: asked.append(1) or compile(request))
    kernel = compiled()
    assert kernel.asm["ptx"] and not asked
    assert "define ptx_kernel void @double" in kernel.asm["llvm"]
    assert kernel.asm["llir"] is kernel.asm["llvm"]
    assert kernel.asm.get("llvm") is dict(kernel.asm)["llvm"]
    assert asked == [1]


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


@pytest.mark.parametrize("place", ["/proc/nowhere", __file__])
def test_dump_that_cannot_be_written(monkeypatch, place):
    """The kernel is compiled all the same."""
    monkeypatch.setenv("TILEWRIGHT_DUMP_DIR", place)
    with pytest.warns(UserWarning, match="stages are not written where TILEWRIGHT_DUMP_DIR wants them: "):
        assert "ptx" in compiled().asm
