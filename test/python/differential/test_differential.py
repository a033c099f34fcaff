"""The interpreter and the back end under test agree on random kernels."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import checking
import numpy as np
import pytest
import tilewright.language as tl
from checking import Device, Mismatch
from searching import Search
from tilewright.interpreter import builder

from kernels import Kernels

pytestmark = pytest.mark.compiled
EACH = 50

#: Required coverage of generated kernels: functions of `tl`, and other fragments of the text.
COVERED = """
program_id num_programs arange full zeros load store where maximum minimum clamp abs floor ceil sqrt fma div_rn cdiv
umulhi sum max min argmax argmin xor_sum reduce_or reduce cumsum cumprod associative_scan sort topk histogram gather
reshape view ravel trans permute expand_dims unsqueeze squeeze broadcast_to flip join split interleave cat
map_elementwise dot randint rand randn make_block_ptr advance make_tensor_descriptor range static_range condition
atomic_add atomic_max atomic_xor atomic_xchg atomic_cas scatter
exp exp2 log log2 sin cos tanh erf sigmoid softmax rsqrt fdiv
float8e5 float8e4nv float8e4b15 float8e4b8 float8e5b16 float16 bfloat16 float32 float64
int8 int16 int32 int64 uint8 uint16 uint32 uint64 int1
"""
SYNTAX = ["break", "continue", "return", "while ", "elif ", "lambda", "::2", "bitcast=True", "reverse=True",
          "descending=True", "return_indices=True", "boundary_check", "mask=", " and ", " or ", "not (", ".gather(",
          ".scatter(", ".store(", "pick_larger)",
          "Pair(", ".turned()", "search(", "] = ", "] ^ ", "(tl.permute("]  # fmt: skip


def pytest_generate_tests(metafunc):
    if "number" in metafunc.fixturenames:
        metafunc.parametrize("number", range(-(-metafunc.config.getoption("--kernels") // EACH)))


@pytest.fixture(scope="module")
def device(backend):
    return Device(backend.name)


def test_agree(device, tmp_path, number):
    failed = Search(device, tmp_path).run(number, EACH)
    assert failed is None, f"{failed[0]}\n{failed[1]}"


def test_kernels_cover_the_language():
    rng = np.random.default_rng(0)
    draw = lambda low, high: int(rng.integers(low, high, endpoint=True))  # noqa: E731
    text = "".join(Kernels(draw).source() for _ in range(2000))
    functions = set(re.findall(r"tl\.(\w+)", text))
    assert set(COVERED.split()) - functions == set()
    assert all(hasattr(tl, name) for name in COVERED.split())
    assert [part for part in SYNTAX if part not in text] == []


def test_a_wrong_operation_is_found_and_its_kernel_made_small(device, tmp_path, monkeypatch):
    def wrong(operands, types, attrs):
        return [np.bitwise_xor(*operands) ^ (operands[0].size > 1)]

    monkeypatch.setitem(builder._PURE, "arith.xori", wrong)
    failed = next(filter(None, (Search(device, tmp_path).run(number, EACH) for number in range(20))))
    body = failed[0][failed[0].index("def kernel") :]
    assert "differ" in str(failed[1])
    assert len(body.splitlines()) <= 16, body


def test_search_in_processes(backend, tmp_path):
    command = [sys.executable, Path(__file__).parent, "--backend", backend.name]
    search = [*command, "--count", "50", "--workers", "2", "--first", "77", "--out", tmp_path]
    done = subprocess.run(search, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"50 kernels on {backend.name}") and "0 failed" in done.stdout
    assert not list(tmp_path.iterdir())
    rng = np.random.default_rng(0)
    kernel = tmp_path / "kernel.py"
    kernel.write_text(Kernels(lambda low, high: int(rng.integers(low, high, endpoint=True))).source())
    done = subprocess.run([*command, "--replay", kernel], capture_output=True, text=True)
    assert done.stdout == "both agree\n", done.stderr


@pytest.mark.parametrize("sent", [signal.SIGTERM, None])
def test_an_ended_search_prints_its_summary(backend, tmp_path, sent):
    command = [sys.executable, Path(__file__).parent, "--backend", backend.name, "--count", "100000"]
    command += ["--workers", "1", "--every", "0.2", "--out", tmp_path, "--seconds", "600" if sent else "5"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = next(line for line in process.stderr if not line.startswith("0 "))
    if sent:
        process.send_signal(sent)
    said, _ = process.communicate()
    assert process.returncode == (128 + sent if sent else 0)
    assert int(said.split()[0]) >= int(line.split()[0]) > 0
    assert f" kernels on {backend.name} in " in said and said.endswith("s: 0 failed\n")


def test_kernels_that_fail_are_written_at_once(device, tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "compare", lambda found, expected: (_ for _ in ()).throw(Mismatch("no")))
    events = []
    search = Search(
        device, tmp_path, lambda: events.append("checked"), lambda *failed: events.append(failed[0])
    )
    text, error = search.run(0, EACH)
    assert events[0] != "checked" and events[1] == "checked"
    assert str(error) == "no" and text == events[-2] and len(text) <= len(events[0])
    assert search.count == events.count("checked")


def test_kernels_of_a_search_differ(tmp_path, monkeypatch):
    texts = []
    search = Search(None, tmp_path)
    monkeypatch.setattr(search, "_compare", texts.append)
    assert search.run(0, EACH) is None
    assert len(texts) == len({*texts}) == search.count == EACH
