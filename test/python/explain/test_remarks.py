"""Remarks of passes at the user's lines."""

import inspect

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel

pytestmark = pytest.mark.compiled


@tw.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SUM_UP: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + i[:, None] * K + k + start, (i < M)[:, None] & (k + start < K))
        y = tl.load(b + (k + start)[:, None] * N + j, (k + start < K)[:, None] & (j < N))
        acc = tl.dot(x, y, acc)
    out = c + i[:, None] * N + j
    if SUM_UP:
        tl.atomic_add(out, acc, (i < M)[:, None] & (j < N))
    else:
        tl.store(out, acc.to(c.dtype.element_ty), (i < M)[:, None] & (j < N))


def remarks_of(
    target="sm_90a", type="fp16", out="fp16", divisor=16, sum_up=False, blocks=(128, 128, 64), **options
):
    """Pairs of a line's text and its remark, by kind of remark."""
    types = {"a": f"*{type}", "b": f"*{type}", "c": f"*{out}", "M": "i32", "N": "i32", "K": "i32"}
    constants = dict(zip(("BM", "BN", "BK", "SUM_UP"), (*blocks, sum_up), strict=True))
    divisors = (
        {name: 16 if type.startswith("*") else divisor for name, type in types.items()} if divisor else {}
    )
    kernel = compile_kernel(
        matmul.fn, types, constants, divisors, target, Options(**options), stop_after="warp", report=True
    )
    source, first = inspect.getsourcelines(matmul.fn)
    said = {"passed": [], "missed": [], "analysis": []}
    for remark in kernel.report["remarks"]:
        file, line, _ = remark["frames"][0]
        assert file == __file__
        said[remark["kind"]].append((source[line - first].strip().split(" = ")[0], remark["message"]))
    return said


@pytest.mark.parametrize("divisor", [8, 16])
def test_a_matmul_on_hopper(divisor):
    said = remarks_of(divisor=divisor, num_warps=8, num_stages=3)
    assert said["missed"] == []
    expected = [
        ("x", "pointers and mask address a block of an array: !tile.desc<128x64xf16>"),
        ("y", "loaded by the tensor memory accelerator"),
        ("acc", "computed by wgmma, a from shared memory"),
        ("x", "loaded by a producer warp, into ring 0 of at least 3 slots of 32768 bytes"),
        ("acc", "waited for while the next iteration's dot runs"),
    ]
    for remark in expected:
        assert remark in said["passed"]
    assert any("persistent: as many CTAs as fit" in message for _, message in said["passed"])
    assert any("stored by the tensor memory" in message for _, message in said["passed"])


def test_fewer_slots_than_stages():
    said = remarks_of(blocks=(128, 256, 64), num_warps=8, num_stages=8)
    (remark,) = [message for _, message in said["missed"]]
    assert remark == "a ring of 4 slots instead of 8: no more fit into shared memory"


def test_sums_are_added_by_copies():
    """No old value is used, so no program waits for another."""
    said = remarks_of(out="fp32", sum_up=True, num_warps=8)
    assert said["missed"] == []
    assert any("persistent: as many CTAs as fit" in message for _, message in said["passed"])
    assert any("stored by the tensor memory" in message for _, message in said["passed"])


def test_atomics_of_threads_keep_a_program_a_block():
    """Threads add float64 by atomics; copies cannot reduce it."""
    said = remarks_of(out="fp64", sum_up=True, num_warps=8)
    reasons = [message for _, message in said["missed"]]
    assert (
        "not copied by the tensor memory accelerator: it does not support this reduction of these elements"
        in reasons
    )
    assert "one program per CTA: its programs may wait for each other through atomic operations" in reasons


def test_arrays_of_unknown_alignment():
    said = remarks_of(divisor=None)
    reason = "not copied by the tensor memory accelerator: the array is not known to start at a multiple of 16 bytes"
    assert ("x", reason) in said["missed"]
    assert ("y", reason) in said["missed"]
    assert not [message for _, message in said["passed"] if "accelerator" in message]


def test_older_gpu():
    said = remarks_of("sm_80", num_stages=3)
    assert ("acc", "computed by mma.sync") in said["passed"]
    (loop,) = [message for _, message in said["passed"] if message.startswith("pipelined")]
    assert loop == "pipelined: its loads run 2 iterations ahead, into a ring of 3 slots of 32768 bytes"


def test_too_little_shared_memory_for_all_stages():
    said = remarks_of("sm_80", num_stages=8)
    (remark,) = [message for _, message in said["missed"] if "ring" in message]
    assert remark == "a ring of 5 slots instead of 8: no more fit into shared memory"


@tw.jit
def softmax(out, x, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    n = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row * columns + n, mask=n < columns, other=-float("inf"))
        e = tl.exp(values - tl.max(values, 0))
        tl.store(out + row * columns + n, e / tl.sum(e, 0), mask=n < columns)


def remarks_of_softmax(stages, divisor):
    types = {"out": "*fp32", "x": "*fp32", "rows": "i32", "columns": "i32"}
    divisors = dict.fromkeys(types, divisor) if divisor else {}
    constants = {"BLOCK": 1024, "STAGES": stages}
    kernel = compile_kernel(
        softmax.fn, types, constants, divisors, "sm_90a", Options(), stop_after="warp", report=True
    )
    return [remark["message"] for remark in kernel.report["remarks"] if remark["kind"] != "analysis"]


@pytest.mark.parametrize("stages, slots", [(1, 0), (2, 2), (3, 3), (8, 6)])
def test_loops_that_ask(stages, slots):
    """Six slots of 4 KiB fit eight CTAs of four warps on a multiprocessor."""
    said = remarks_of_softmax(stages, divisor=16)
    ahead = (
        f"pipelined: its loads run {slots - 1} iterations ahead, into a ring of {slots} slots of 4096 bytes"
    )
    less = f"a ring of {slots} slots instead of {stages}: more would leave too little shared memory for other programs"
    assert (ahead in said, less in said) == (slots > 0, stages > slots > 0)


def test_loops_that_ask_for_copies_of_one():
    said = remarks_of_softmax(stages=2, divisor=None)
    assert "not prefetched: no two of its elements are known to be neighbours in memory" in said
    assert not any("pipelined" in message for message in said)


def test_precise_floats():
    said = remarks_of(type="fp32", out="fp32", blocks=(32, 32, 32))
    (reason,) = [message for text, message in said["missed"] if text == "acc"]
    assert reason.startswith(
        "computed by threads, not by tensor cores: they would round its float32 operands"
    )


def test_none_unless_asked_for():
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32", "K": "i32"}
    constants = {"BM": 32, "BN": 32, "BK": 32, "SUM_UP": False}
    kernel = compile_kernel(
        matmul.fn, types, constants, {}, "sm_80", Options(num_stages=7), stop_after="warp"
    )
    assert kernel.report["remarks"] == []
    assert kernel.report["lines"] == {}


def test_lines_of_the_stages():
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32", "K": "i32"}
    constants = {"BM": 64, "BN": 64, "BK": 32, "SUM_UP": False}
    kernel = compile_kernel(
        matmul.fn, types, constants, {}, "sm_90a", Options(), stop_after="warp", report=True
    )
    source, first = inspect.getsourcelines(matmul.fn)
    for stage, op in (("tile", "tile.dot"), ("warp", "warp.wgmma ")):
        text = kernel.asm[stage].splitlines()
        lines = {line for line, frames in kernel.report["lines"][stage] if op in text[line - 1]}
        assert lines
        frames = [frames[0] for line, frames in kernel.report["lines"][stage] if line in lines]
        assert all("tl.dot" in source[line - first] for _, line, _ in frames)


@tw.jit
def squares(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(out + i, value * value)


def test_padded_dimensions():
    types = {"x": "*fp32", "out": "*fp32"}
    for size, found in ((100, ["a dimension of 100 takes the registers of 128"]), (96, []), (128, [])):
        compiled = compile_kernel(squares.fn, types, {"N": size}, {}, "sm_90a", Options(), report=True)
        assert [
            r["message"] for r in compiled.report["remarks"] if r["pass"] == "tile-gpu-split-blocks"
        ] == found
