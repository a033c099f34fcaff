"""Threads that are still at work when the process ends."""

import pytest

pytestmark = pytest.mark.compiled

KERNEL = """
    import threading, time
    import numpy as np
    import tilewright as tw
    import tilewright.language as tl

    @tw.jit
    def add(x, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, i < n) + 1, i < n)

    def work():  # so that threads switch in Python code that the launch runs
        return sum(1 for _ in range(2000))

    x, out = np.zeros(1 << 16, np.float32), np.zeros(1 << 16, np.float32)

    class Exported:
        def __dlpack_device__(self):
            return 1, 0 * work()
        def __dlpack__(self, **_):
            return x.__dlpack__()

    class Described:
        @property
        def __array_interface__(self):
            work()
            return x.__array_interface__

    class Constant:
        def __hash__(self):
            return 0 * work()
        def __eq__(self, other):
            return isinstance(other, Constant)

    add[64](x, out, x.size, BLOCK=1024)
"""

ENDING = """
    started = threading.Barrier(4)

    def forever():
        step()
        started.wait()
        while True:
            step()

    for _ in range(3):
        threading.Thread(target=forever, daemon=True).start()
    started.wait()
    time.sleep(0.05)
"""


@pytest.mark.parametrize(
    "step",
    [
        pytest.param("add[64](x, out, x.size, BLOCK=1024)", id="launch"),
        pytest.param("add[lambda meta: (64 + 0 * work(),)](x, out, x.size, BLOCK=1024)", id="grid"),
        pytest.param("add[64](Exported(), out, x.size, BLOCK=1024)", id="dlpack"),
        pytest.param("add[64](Described(), out, x.size, BLOCK=1024)", id="array interface"),
        pytest.param("hooked()", id="hook"),
        pytest.param("add.warmup(x, out, x.size, BLOCK=next(blocks))", id="compile"),
        pytest.param("bound()", id="bound"),
    ],
)
def test_daemon_threads_end_with_the_process(program, step):
    done = program(
        KERNEL,
        """
            import itertools
            blocks = itertools.count(1025)
            bound = add.bind(64, x, out, x.size, BLOCK=1024)

            def hooked():
                with tw.launch_hook(lambda launch: work()):
                    add[64](x, out, x.size, BLOCK=1024)
        """,
        f"    step = lambda: {step}",
        ENDING,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_compilations_in_the_background_end_first(program):
    done = program(
        KERNEL,
        """
            import concurrent.futures
            futures = [add.compile_async(x, out, x.size, BLOCK=1025 + i) for i in range(8)]
            import atexit
            atexit.register(lambda: print(sum(future.result().name == "add" for future in futures)))
        """,
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "8\n")


def test_daemon_threads_that_use_a_gpu(run, double):
    """The process ends without an error: `run` checks its status."""
    lines = run(
        """
        import threading, time
        started = threading.Barrier(4)

        def forever():
            x = tw.empty(1000, device=0)
            bound = kernel.bind(1, x, None, 3)
            started.wait()
            while True:
                kernel[1](x, None, 3)
                bound()
                tw.from_numpy(np.zeros(1000), device=0).numpy()

        for _ in range(3):
            threading.Thread(target=forever, daemon=True).start()
        started.wait()
        time.sleep(0.05)
        print("done")
        """,
        double("FakeCuda"),
    )
    assert lines == ["done"]
