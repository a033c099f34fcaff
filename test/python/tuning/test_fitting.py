"""Configurations that cannot fit are detected before assembly."""

import logging
import sys

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime import background
from tilewright.runtime.compiler import compile_kernel
from tilewright.tuning.measuring import compile_all

pytestmark = pytest.mark.compiled

# A fake assembler that counts its runs.
ASSEMBLER = """#!{python}
import pathlib, sys
if "--version" in sys.argv:
    print("ptxas: NVIDIA (R) Ptx optimizing assembler\\nCuda compilation tools, release 13.0, V13.0.1")
    sys.exit()
with open(pathlib.Path(__file__).parent / "runs", "a") as runs:
    runs.write("run\\n")
pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_bytes(b"cubin")
"""


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """How often the assembler has run."""
    assembler = tmp_path / "ptxas"
    assembler.write_text(ASSEMBLER.format(python=sys.executable))
    assembler.chmod(0o755)
    monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", "ptxas")
    monkeypatch.setenv("TILEWRIGHT_PTXAS", str(assembler))
    monkeypatch.setenv("TILEWRIGHT_ALWAYS_COMPILE", "1")
    path = tmp_path / "runs"
    return lambda: len(path.read_text().splitlines()) if path.exists() else 0


def matmul(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr):
    rows, columns, inner = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, 64)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, n, 64):
        left = tl.load(a + rows[:, None] * n + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * BN + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * BN + columns[None, :], total)


class Kernel:
    """A kernel compiled for a GPU that need not be present."""

    __name__ = "matmul"

    def __init__(self, target):
        self.target = target

    def compile_async(self, **given):
        constants = {name: given.pop(name) for name in ("BM", "BN")}
        return background.submit(self.compile, constants, given)

    def compile(self, constants, options):
        types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "n": "i32"}
        divisors = dict.fromkeys(types, 16)
        return compile_kernel(matmul, types, constants, divisors, self.target, Options(**options))


def config(m, n, **options):
    return tw.Config({"BM": m, "BN": n}, **options)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_configurations_that_cannot_fit_are_not_assembled(runs, caplog, target):
    misfits = {
        config(256, 256): "the tiles that this loop carries take 512 registers per thread, which has 255",
        config(128, 128, maxnreg=64): "take 128 registers per thread, which has 64",
        config(64, 64, num_warps=64): "num_warps must be a power of 2 up to 32, got 64",
        config(64, 64, num_ctas=32): "num_ctas is 1, 2, 4, 8 or 16, got 32",
        config(4096, 4096): "elements",
    }
    fitting = config(64, 64)
    with caplog.at_level(logging.INFO, "tilewright.tuning"):
        errors = compile_all(Kernel(target), [*misfits, fitting], (), {})
    assert runs() == 1
    assert list(errors) == list(misfits)
    for misfit, message in misfits.items():
        assert message in str(errors[misfit])
        assert f"{misfit} is left out" in caplog.text


def backwards(x, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.arange(0, BM * BN)
    tl.store(x + i, tl.gather(tl.load(x + i), BM * BN - 1 - i, 0))


def test_too_much_shared_memory(runs):
    """Shared memory is laid out before PTX is written."""

    class Backwards(Kernel):
        def compile(self, constants, options):
            return compile_kernel(
                backwards, {"x": "*fp32"}, constants, {"x": 16}, self.target, Options(**options)
            )

    large = config(256, 256)
    errors = compile_all(Backwards("sm_80"), [large, config(64, 64)], (), {})
    assert runs() == 1
    assert list(errors) == [large]
    assert "needs 262144 bytes of shared memory, but a CTA of sm_80 has at most" in str(errors[large])


def test_where_nothing_fits_something_spills(runs):
    configs = [config(256, 256), config(256, 256, num_stages=2)]
    assert compile_all(Kernel("sm_80"), configs, (), {}) == {}
    assert runs() == 2


def test_a_launch_may_spill(runs):
    Kernel("sm_80").compile({"BM": 256, "BN": 256}, {})
    assert runs() == 1


def test_no_log_without_a_listener(runs, capfd):
    compile_all(Kernel("sm_80"), [config(256, 256), config(64, 64)], (), {})
    assert capfd.readouterr() == ("", "")
