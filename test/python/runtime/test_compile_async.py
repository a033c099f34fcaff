"""Compiling in other threads."""

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
import tilewright
import tilewright as tw
import tilewright.language as tl
from tilewright.runtime import background, specializer

pytestmark = pytest.mark.compiled


@tw.jit
def fill(out, value, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), tl.full([BLOCK], value, tl.float32))


@tw.jit
def wrong(out):
    tl.store(out, nowhere)  # noqa: F821


@pytest.fixture
def counted(monkeypatch):
    """How many kernels were compiled or looked for on disk."""
    compile, calls = specializer.compile_kernel, []

    def count(*args, **kwargs):
        calls.append(args[0].__name__)
        return compile(*args, **kwargs)

    monkeypatch.setattr(specializer, "compile_kernel", count)
    return calls


def test_launch_uses_the_compiled_kernel(backend, counted):
    out = backend.array(np.zeros(16), "float32")
    future = fill.compile_async(out, 2.5, BLOCK=16)
    assert isinstance(future, Future)
    compiled = future.result()
    assert compiled.name == "fill" and compiled.constexprs["BLOCK"].value == 16
    launched = fill[1](out, 2.5, BLOCK=16)
    assert launched.asm is compiled.asm and counted == ["fill"]
    np.testing.assert_array_equal(backend.numpy(out), np.full(16, 2.5, np.float32))


def test_errors_come_with_the_result():
    x = np.zeros(1, np.float32)
    with pytest.raises(tw.CompilationError, match="'nowhere' is not defined") as caught:
        wrong.compile_async(x).result()
    assert caught.value.file == __file__
    with pytest.raises(TypeError, match=r"kernel fill\(\) is missing argument 'BLOCK'"):
        fill.compile_async(x, 1.0).result()


def test_tuned_and_computed_kernels(backend):
    configs = [tw.Config({"BLOCK": block}) for block in (16, 32)]
    tuned = tw.autotune(configs, key=[])(fill)
    out = backend.array(np.zeros(32), "float32")
    kernels = tuned.compile_async(out, 1.0).result()
    assert [kernel.constexprs["BLOCK"].value for kernel in kernels] == [16, 32]
    computed = tw.heuristics({"BLOCK": lambda args: len(args["out"])})(fill)
    assert computed.compile_async(out, 1.0).result().constexprs["BLOCK"].value == 32
    broken = tw.autotune([tw.Config({"num_warps": 4}), tw.Config({}, num_warps=8)], key=[])(wrong)
    with pytest.raises(tw.CompilationError, match="'nowhere' is not defined"):
        broken.compile_async(out).result()


# Two assemblers that each wait for the other to be started, so that both compilations are past the front end at
# once: if one held the interpreter's lock, the other would never get there.
ASSEMBLER = """#!{python}
import os, pathlib, sys, time
if "--version" in sys.argv:
    print("ptxas: NVIDIA (R) Ptx optimizing assembler\\nCuda compilation tools, release 13.0, V13.0.1")
    sys.exit()
here = pathlib.Path(__file__).parent
(here / f"started-{{os.getpid()}}").touch()
deadline = time.monotonic() + 60
while len(list(here.glob("started-*"))) < 2:
    if time.monotonic() > deadline:
        sys.exit("waited in vain for another one")
    time.sleep(0.01)
pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_bytes(b"both")
"""

TWO = """
import tilewright as tw
import tilewright.language as tl

@tw.jit
def kernel(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)

x = tw.empty(4096, device=0)
futures = [kernel.compile_async(x, BLOCK=block) for block in (128, 256)]
print([future.result().asm["cubin"] for future in futures])
"""


# As many compile at once as there are CPUs.
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU")
def test_two_compile_at_once(double, tmp_path):
    assembler = tmp_path / "ptxas"
    assembler.write_text(ASSEMBLER.format(python=sys.executable))
    assembler.chmod(0o755)
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(tilewright.__file__).parents[1]),
        "TILEWRIGHT_LIBCUDA": str(double("FakeCuda")),
        "TILEWRIGHT_ASSEMBLER": "ptxas",
        "TILEWRIGHT_PTXAS": str(assembler),
        "TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache"),
    }
    script = tmp_path / "two.py"
    script.write_text(textwrap.dedent(TWO))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[b'both', b'both']"


@pytest.fixture
def waiting(monkeypatch):
    """An event: a thread waits for the result of another one."""
    event = threading.Event()

    class Noted(Future):
        def result(self, timeout=None):
            event.set()
            return super().result(timeout)

    monkeypatch.setattr(background, "Future", Noted)
    return event


def test_the_same_is_computed_once(waiting):
    go, calls = threading.Event(), []

    def slow():
        calls.append(1)
        assert go.wait(60)
        return object()

    futures = [background.submit(background.once, "key", slow) for _ in range(2)]
    assert waiting.wait(60)
    go.set()
    assert futures[0].result() is futures[1].result() and len(calls) == 1
    # A later call computes it again.
    assert background.once("key", lambda: 3) == 3


def test_a_thread_that_waits_for_a_failure_tries_again(waiting):
    entered, go = threading.Event(), threading.Event()

    def fail():
        entered.set()
        assert go.wait(60)
        raise ValueError("first")

    first = background.submit(background.once, "key", fail)
    assert entered.wait(60)
    second = background.submit(background.once, "key", lambda: 7)
    assert waiting.wait(60)
    go.set()
    assert second.result() == 7
    with pytest.raises(ValueError, match="first"):
        first.result()


def test_after_a_fork():
    background.submit(int).result()
    pid = os.fork()
    if not pid:
        os._exit(background.submit(lambda: 42).result(60))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 42
