"""The data of an explanation, and its text."""

import inspect
import json

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from explained import explain_matmul, matmul
from tilewright.explain import NoCall, explain, format_text, record_call
from tilewright.options import Options

pytestmark = pytest.mark.compiled


@tw.jit
def half(x):
    return x * 0.5


@tw.jit
def mean(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(x + i, i < n) + tl.load(y + i, i < n)
    tl.store(out + i, half(total), i < n)


TYPES = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}


def explain_mean(target="sm_90a", divisors=None):
    return explain(mean, TYPES, {"BLOCK": 256}, divisors or {}, target, Options(num_warps=2))


def test_sources_are_the_kernel_and_its_callees():
    sources = explain_mean().sources
    assert [source.name for source in sources] == ["mean", "half"]
    for source, kernel in zip(sources, (mean, half), strict=True):
        lines, first = inspect.getsourcelines(kernel.fn)
        assert source.file == __file__
        assert source.first == first
        assert list(source.lines) == [line.rstrip("\n") for line in lines]


def test_widths_of_access():
    # Equal remarks about two loads of one line appear once.
    loads, stores = (remark["message"] for remark in explain_mean().remarks)
    assert loads.startswith("loads 4 bytes at a time, not 16:")
    assert stores.startswith("stores 4 bytes at a time, not 16:")
    aligned = explain_mean(divisors=dict.fromkeys(TYPES, 16))
    assert aligned.arguments["x"] == "*fp32:16"
    assert [remark["message"] for remark in aligned.remarks] == [
        "loads 16 bytes at a time",
        "stores 16 bytes at a time",
    ]


def test_resources():
    resources = explain_mean().resources
    assert resources["threads"] == 64
    assert resources["shared"] == 0
    assert resources["ptx_bytes"] > 1000


def test_roles_and_rings_on_hopper():
    explanation = explain_matmul("sm_90a")
    assert [(role["name"], role["warps"]) for role in explanation.roles] == [("consumer", 4), ("producer", 1)]
    (ring,) = [piece for piece in explanation.shared_memory if piece["slots"]]
    assert (ring["slots"], ring["slot_bytes"]) == (2, 2 * 64 * 64 * 2)
    assert ring["first"] < ring["last"]
    assert ring["size"] >= ring["slots"] * ring["slot_bytes"]


def test_no_roles_on_older_gpus():
    explanation = explain_matmul("sm_80")
    assert explanation.roles == [{"name": "all", "warps": 4, "registers": None}]
    assert [piece["slots"] for piece in explanation.shared_memory if piece["slots"]] == [2]


def test_data_for_json():
    data = json.loads(json.dumps(explain_matmul("sm_90a").to_dict()))
    assert data["name"] == "matmul"
    assert data["constants"] == {"BLOCK": 64}
    assert data["options"]["num_stages"] == 2
    assert data["roles"][1]["name"] == "producer"
    assert data["times"]["tile"]["front end"] > 0
    assert {"kind", "pass", "message", "line", "file"} <= data["remarks"][0].keys()


def test_text():
    text = format_text(explain_matmul("sm_90a"))
    lines = text.splitlines()
    assert lines[0] == "matmul for sm_90a, 4 warps, 2 stages"
    assert "arguments  a *fp16:16, b *fp16:16, c *fp32:16, K i32:16" in lines[1]
    assert "  threads        160 a block" in lines
    assert "  producer       1 warps" in lines
    dot = next(index for index, line in enumerate(lines) if "tl.dot" in line)
    assert lines[dot + 1] == "       + convert-tile-to-warp: computed by wgmma, a from shared memory"
    assert any(line.startswith("total ") for line in lines)


def test_text_for_the_cpu():
    text = format_text(explain_mean("cpu"))
    assert text.startswith("mean for cpu\n")
    assert "resources\n  none of a GPU" in text
    assert "generate machine code" in text


def test_recording_a_call():
    def call():
        x = np.ones(100, np.float32)
        mean[(1,)](x, x, np.empty_like(x), 100, BLOCK=128, num_warps=8)

    found = record_call(mean, call)
    assert found.types == {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}
    assert found.constants == {"BLOCK": 128}
    assert found.target == "cpu"
    assert found.options.num_warps == 8
    explanation = explain(mean, found.types, found.constants, found.divisors, "sm_80", found.options)
    assert explanation.resources["threads"] == 256


def test_a_function_that_does_not_call_the_kernel():
    def idle():
        pass

    with pytest.raises(NoCall, match=r"idle\(\) does not call matmul\(\)"):
        record_call(matmul, idle)


@tw.jit
def swap(pair, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x, y = tl.load(pair[0] + i, i < n), tl.load(pair[1] + i, i < n)
    tl.store(pair[0] + i, y, i < n)
    tl.store(pair[1] + i, x, i < n)


def test_recording_a_call_with_a_tuple():
    x = np.ones(100, np.float32)
    found = record_call(swap, lambda: swap[(1,)]((x, x.copy()), 100, BLOCK=128))
    explanation = explain(
        swap, found.types, found.constants, found.divisors, "sm_90a", found.options, found.trees
    )
    assert len(explanation.arguments) == 3
    assert explanation.resources["threads"] == 128
