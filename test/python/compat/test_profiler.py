"""`triton.profiler` under the compat module."""

import json
import threading
import types

import numpy as np
import pytest
import tilewright as tw
import tilewright.compat

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
import triton.profiler as proton  # noqa: E402
import triton.profiler.viewer as viewer  # noqa: E402

pytestmark = pytest.mark.compiled


def describe(grid, metadata, args):
    return {"name": f"add [n={args['n']}]", "flops32": args["n"], "bytes": 8 * args["n"]}


@triton.jit(launch_metadata=describe)
def add_one(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@pytest.fixture
def arrays(backend, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield backend.array(np.ones(100, np.float32)), backend.array(np.zeros(100, np.float32))
    proton.finalize()  # left open by a failed test


def names(node):
    """The names of a tree: {name: those below}."""
    return {child["frame"]["name"]: names(child) for child in node["children"]}


def root_of(path):
    return json.loads(path.read_text())[0]


def test_scopes(arrays, tmp_path):
    session = proton.start("run", hook="triton")
    copy[1,](*arrays, 100, BLOCK=128)
    with proton.scope("outer", {"layers": 2}):
        add_one[1,](*arrays, 100, BLOCK=128)
        with proton.scope("inner"):
            for _ in range(3):
                add_one[1,](*arrays, 50, BLOCK=128)
    proton.finalize(session)
    root = root_of(tmp_path / "run.hatchet")
    assert names(root) == {"copy": {}, "outer": {"add [n=100]": {}, "inner": {"add [n=50]": {}}}}
    outer = root["children"][1]
    assert outer["metrics"]["layers"] == 2
    inner = outer["children"][1]["children"][0]["metrics"]
    assert (inner["count"], inner["flops32"], inner["bytes"]) == (3, 150, 1200)
    assert inner["time (ns)"] > 0


def test_metrics_of_scopes(arrays, tmp_path):
    """Each time that a scope is entered counts, with and without launches, in every thread."""
    session = proton.start("run")

    def step():
        with proton.scope("step", {"flops": 10, "mode (pty)": "fast", "own (exc)": 1}):
            copy[1,](*arrays, 100, BLOCK=128)

    threads = [threading.Thread(target=step) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(2):
        proton.enter_scope("empty", metrics={"rows": 2.0})
        proton.exit_scope(metrics={"rows": 1.0})
    proton.deactivate(session)
    with proton.scope("empty", {"rows": 100.0}):
        pass
    proton.finalize()
    root = root_of(tmp_path / "run.hatchet")
    assert names(root) == {"step": {"copy": {}}, "empty": {}}
    step, empty = root["children"]
    assert step["metrics"] == {"flops": 30, "mode": "fast", "own": 1}
    assert step["children"][0]["metrics"]["count"] == 3
    assert empty["metrics"] == {"rows": 6.0}


def test_launches_of_threads_stay_in_their_scopes(arrays, tmp_path):
    proton.start("run")

    def work(number):
        with proton.scope(f"thread {number}"):
            for _ in range(50):
                copy[1,](*arrays, number + 1, BLOCK=128)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    proton.finalize()
    root = root_of(tmp_path / "run.hatchet")
    counts = {child["frame"]["name"]: child["children"][0]["metrics"]["count"] for child in root["children"]}
    assert counts == {f"thread {number}": 50 for number in range(4)}


def test_without_the_hook_kernels_have_their_names(arrays, tmp_path):
    proton.start("plain")
    add_one[1,](*arrays, 100, BLOCK=128)
    proton.finalize()
    assert names(root_of(tmp_path / "plain.hatchet")) == {"add_one": {}}


def test_stretches_that_are_not_active(arrays, tmp_path):
    session = proton.start("run")
    proton.deactivate(session)
    copy[1,](*arrays, 100, BLOCK=128)
    proton.activate(session)
    copy[1,](*arrays, 100, BLOCK=128)
    proton.deactivate(0)
    proton.activate()
    copy[1,](*arrays, 100, BLOCK=128)
    proton.finalize()
    assert root_of(tmp_path / "run.hatchet")["children"][0]["metrics"]["count"] == 2


def test_functions(arrays, tmp_path):
    @proton.scope("decorated")
    def run():
        copy[1,](*arrays, 100, BLOCK=128)
        return 7

    assert proton.profile(run, name="call")() == 7
    assert names(root_of(tmp_path / "call.hatchet")) == {"decorated": {"copy": {}}}
    proton.start()
    proton.enter_scope("by hand")
    copy[1,](*arrays, 100, BLOCK=128)
    proton.exit_scope(metrics={"rows": 3})
    proton.finalize()
    assert names(root_of(tmp_path / "proton.hatchet")) == {"by hand": {"copy": {}}}


def test_devices(arrays, tmp_path, monkeypatch):
    monkeypatch.setattr(tw.cuda, "is_available", lambda: True)
    monkeypatch.setattr(tw.cuda, "device_count", lambda: 2)
    info = types.SimpleNamespace(name="a GPU", architecture="sm_90")
    monkeypatch.setattr(tw, "device_info", lambda i: info)
    proton.start("run")
    proton.finalize()
    fact = {"name": "a GPU", "arch": "sm_90"}
    assert json.loads((tmp_path / "run.hatchet").read_text())[1] == {"CUDA": {"0": fact, "1": fact}}


def test_viewer(arrays, tmp_path, capsys):
    proton.start("run", hook="triton")
    with proton.scope("mine"):
        add_one[1,](*arrays, 100, BLOCK=128)
    copy[1,](*arrays, 100, BLOCK=128)
    proton.finalize()
    tree, metrics = viewer.parse(["time/ms", "count", "gbyte/s"], "run.hatchet")
    assert tree["metrics"]["count"] == 2
    viewer.print_tree(tree, metrics)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines] == ["gbyte/s", "ROOT", "mine", "[n=100]", "copy"]
    tree, _ = viewer.parse("count", "run.hatchet", include="copy")
    assert names(tree) == {"copy": {}}
    tree, _ = viewer.parse("count", "run.hatchet", exclude="add")
    assert names(tree) == {"copy": {}}


def test_mistakes(arrays, tmp_path):
    with pytest.raises(ValueError, match="trees of scopes"):
        proton.start("run", context="python")
    with pytest.raises(ValueError, match="there is no profiling session 5"):
        proton.activate(5)
    with pytest.raises(ValueError, match="the innermost scope is None"):
        proton.exit_scope()
    proton.start("run")
    with pytest.raises(ValueError, match="written as 'hatchet'"):
        proton.finalize(output_format="svg")
    proton.finalize()
    with pytest.raises(ValueError, match="no metric 'speed'"):
        viewer.parse("speed", "run.hatchet")
