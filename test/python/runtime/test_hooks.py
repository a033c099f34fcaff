"""Hooks around launches, and the profile built on them."""

import json

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

pytestmark = pytest.mark.compiled


@tw.jit
def fill(out, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 1.0, i < n)


@pytest.fixture
def out(backend):
    return backend.array(np.zeros(100, np.float32))


def test_hooks_see_each_launch(backend, out):
    seen = []
    compiled = fill.warmup(out, 100)
    with tw.launch_hook(
        lambda launch: seen.append(("before", launch)), lambda launch: seen.append(("after", launch))
    ):
        fill[2, 3](out, 100)
        fill.bind(4, out, 100)()
    fill[1](out, 100)
    assert [(when, launch.kernel, launch.grid) for when, launch in seen] == [
        ("before", "fill", (2, 3, 1)),
        ("after", "fill", (2, 3, 1)),
        ("before", "fill", (4, 1, 1)),
        ("after", "fill", (4, 1, 1)),
    ]
    launch = seen[0][1]
    assert launch.device == ("cuda:0" if backend.name == "cuda" else "cpu")
    assert launch.compiled.arg_types == compiled.arg_types


def test_hooks_nest_and_end(out):
    seen = []
    outer = tw.launch_hook(lambda _: seen.append("outer"), lambda _: seen.append("outer done"))
    inner = tw.launch_hook(lambda _: seen.append("inner"), lambda _: seen.append("inner done"))
    try:
        fill[1](out, 100)
        assert seen == ["outer", "inner", "inner done", "outer done"]
    finally:
        outer.remove()
        inner.remove()
    outer.remove()
    fill[1](out, 100)
    assert len(seen) == 4
    with pytest.raises(TypeError, match="a launch hook is a function of a Launch, got 3"):
        tw.launch_hook(3)


def test_exception_prevents_the_launch(backend, out):
    def refuse(launch):
        raise PermissionError(launch.kernel)

    with tw.launch_hook(refuse), pytest.raises(PermissionError, match="fill"):
        fill[2](out, 100)
    with tw.launch_hook(refuse), pytest.raises(PermissionError, match="fill"):
        fill.bind(2, out, 100)()
    assert (backend.numpy(out) == 0).all()


def test_profile(backend, out, tmp_path):
    fill[2](out, 100)
    with tw.profile(tmp_path / "trace.json") as profile:
        fill[2](out, 100)
        fill[1](out, 100)
    assert [launch["grid"] for launch in profile.launches] == [[2, 1, 1], [1, 1, 1]]
    for launch in profile.launches:
        assert launch["kernel"] == "fill" and launch["host"] > 0 and launch["device_time"] > 0
    starts = [launch["device_start"] for launch in profile.launches]
    assert 0 < starts[0] < starts[1]
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    kinds = [event["cat"] for event in events]
    assert kinds == (["launch", "kernel"] * 2 if backend.name == "cuda" else ["launch"] * 2)
    assert all(event["ph"] == "X" and event["name"] == "fill" and event["dur"] > 0 for event in events)


def facts(grid, metadata, arguments):
    return {"flops": np.int64(7), "kind": {1, 2}.__class__, "name": "ü"}


@tw.jit(launch_metadata=facts)
def described(out, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 1.0, i < n)


def test_profile_of_facts_of_any_type(backend, out, tmp_path):
    path = tmp_path / "spür.json"
    with tw.profile(path):
        described[2](out, 100)
    (event,) = [event for event in json.loads(path.read_text())["traceEvents"] if event["cat"] == "launch"]
    assert event["args"] == {"grid": [2, 1, 1], "flops": 7, "kind": "<class 'set'>", "name": "ü"}


def test_profile_that_begins_within_a_launch(backend, out):
    profile = tw.profile()

    def begin(launch):
        if launch.kernel == "fill" and not started:
            started.append(profile.__enter__())

    started = []
    with tw.launch_hook(begin, lambda launch: None):
        fill[2](out, 100)
        fill[1](out, 100)
    profile.__exit__(None, None, None)
    assert [launch["grid"] for launch in profile.launches] == [[1, 1, 1]]


def test_profile_that_cannot_be_written(backend, out, tmp_path):
    with pytest.raises(OSError, match="Is a directory"), tw.profile(tmp_path) as profile:
        fill[2](out, 100)
    assert len(profile.launches) == 1
