"""Forked children of a process that launches and compiles meanwhile."""

import pytest

pytestmark = pytest.mark.compiled

KERNEL = """
    import itertools, multiprocessing, os, threading
    import numpy as np
    import tilewright as tw
    import tilewright.language as tl

    @tw.jit
    def add(x, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, i < n) + 1, i < n)

    x, out = np.zeros(1 << 16, np.float32), np.zeros(1 << 16, np.float32)
    blocks = itertools.count(1025)

    def child(number):
        own, result = np.full(1000, number, np.float32), np.zeros(1000, np.float32)
        add[2](own, result, 1000, BLOCK=600 + number)
        assert (result == number + 1).all()
        add[64](x, out, x.size, BLOCK=1024)
        assert add.compile_async(own, result, 1000, BLOCK=500).result().name == "add"

    def in_child(function, *args):
        process = multiprocessing.get_context("fork").Process(target=function, args=args)
        process.start()
        process.join(30)
        process.kill()
        return process.exitcode
"""


@pytest.mark.parametrize(
    "step",
    [
        "add[64](x, out, x.size, BLOCK=1024)",
        "add.warmup(x, out, x.size, BLOCK=next(blocks))",
        "add.compile_async(x, out, x.size, BLOCK=next(blocks)).result()",
    ],
    ids=["launch", "compile", "compile_async"],
)
def test_children_launch_and_compile(program, step):
    done = program(
        KERNEL,
        f"""
    add[64](x, out, x.size, BLOCK=1024)
    running = True

    def work():
        while running:
            {step}

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    print({{in_child(child, number) for number in range(6)}})
    running = False
    """,
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "{0}\n")


def test_child_of_a_process_that_tunes(program):
    """The measuring thread holds the tuner's lock, and does not exist in the child."""
    done = program(
        KERNEL,
        """
            parent, measuring, go_on = os.getpid(), threading.Event(), threading.Event()

            def time(function, **_):
                function()
                if os.getpid() == parent:
                    measuring.set()
                    go_on.wait()
                return 1.0

            configs = [tw.Config({"BLOCK": block}) for block in (512, 1024)]
            tuned = tw.autotune(configs, key=["n"], do_bench=time, cache_results=False)(add)
            launch = lambda: tuned[64](x, out, x.size)
            thread = threading.Thread(target=launch)
            thread.start()
            measuring.wait()
            print(in_child(launch))
            go_on.set()
        """,
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "0\n")


FORKED = (
    "DriverError: this process was forked from one that had used CUDA, and so cannot use it; "
    "start such processes with the method 'spawn' or 'forkserver' of multiprocessing"
)

CHILD = """
    import os, sys

    def in_child(function):
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                function()
                sys.stdout.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
"""


def test_cuda_that_the_parent_has_used(run, double):
    lines = run(
        CHILD
        + """
    x = tw.empty(4, device=0)
    kernel[1](x, None, 3)
    bound = kernel.bind(1, x, None, 3)

    def child():
        global x, bound
        show(lambda: kernel[1](x, None, 3))
        show(bound)
        show(lambda: tw.empty(4, device=0))
        show(lambda: kernel[1](x, None, 3.0))
        del x, bound  # which frees nothing

    in_child(child)
    print(kernel[1](x, None, 3).name)
    """,
        double("FakeCuda"),
    )
    assert lines == [FORKED] * 4 + ["kernel"]


def test_compiling_where_the_parent_has_used_cuda(run, double):
    """Workers that only compile query the device, and need no context."""
    lines = run(
        CHILD
        + """
    x = tw.empty(4, device=0)
    kernel[1](x, None, 3)

    def child():
        print(tw.cuda.device_count(), tw.device_info(0).architecture)
        show(lambda: kernel.warmup(x, None, 3.0).name)

    in_child(child)
    """,
        double("FakeCuda"),
    )
    assert lines == ["2 sm_90", "kernel"]


def test_cuda_that_the_parent_has_not_used(run, double):
    lines = run(
        CHILD
        + """
    in_child(lambda: print(kernel[1](tw.empty(4, device=0), None, 3).name))
    """,
        double("FakeCuda"),
    )
    assert lines == ["kernel"]
