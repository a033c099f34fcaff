"""How long the parts of a compilation took."""

import time

import pytest
import tilewright.language as tl
from tilewright.explain import by_stage, format_times
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel

ENTRIES = (
    {"stage": "tile", "name": "canonicalize", "milliseconds": 1.0},
    {"stage": "tile", "name": "cse", "milliseconds": 2.0},
    {"stage": "tile", "name": "canonicalize", "milliseconds": 3.5},
    {"stage": "ptx", "name": "generate PTX", "milliseconds": 4.0},
)


def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) * 2, i < n)


def compile_double(target, **options):
    return compile_kernel(double, {"x": "*fp32", "n": "i32"}, {"BLOCK": 64}, {}, target, Options(), **options)


def test_sums_by_stage():
    assert by_stage(ENTRIES) == {
        "tile": {"canonicalize (2 times)": 4.5, "cse": 2.0},
        "ptx": {"generate PTX": 4.0},
    }


def test_table():
    assert format_times(ENTRIES).splitlines() == [
        "stage                            ms",
        "tile                          6.500",
        "  canonicalize (2 times)      4.500",
        "  cse                         2.000",
        "ptx                           4.000",
        "  generate PTX                4.000",
        "total                        10.500",
    ]


@pytest.mark.compiled
@pytest.mark.parametrize(
    "target, expected",
    [
        (
            "cpu",
            [
                "front end",
                "tile-combine",
                "convert-tile-to-vector",
                "translate to LLVM IR",
                "generate machine code",
            ],
        ),
        (
            "sm_90a",
            [
                "front end",
                "tile-combine",
                "convert-tile-to-warp",
                "convert-warp-to-llvm",
                "optimise LLVM IR",
                "generate PTX",
            ],
        ),
    ],
)
def test_every_part_is_timed_once_and_in_order(target, expected):
    start = time.perf_counter()
    kernel = compile_double(target, stop_after="" if target == "cpu" else "ptx", report=True)
    wall = 1e3 * (time.perf_counter() - start)
    names = [entry["name"] for entry in kernel.report["times"]]
    assert [name for name in names if name in expected] == expected
    # Nested passes count as part of the outer pass, not twice.
    assert 0 < sum(entry["milliseconds"] for entry in kernel.report["times"]) <= wall
    assert all(entry["milliseconds"] >= 0 for entry in kernel.report["times"])


@pytest.mark.compiled
def test_a_kernel_from_the_cache_took_none():
    compile_double("cpu")
    kernel = compile_double("cpu")
    assert kernel.from_cache
    assert kernel.report == {}
    assert not compile_double("cpu", report=True).from_cache


@pytest.mark.compiled
@pytest.mark.parametrize("wanted", ["0", "1"])
def test_checks_of_the_compiler(wanted, monkeypatch):
    """TILEWRIGHT_CHECK runs the passes that verify the other passes."""
    monkeypatch.setenv("TILEWRIGHT_CHECK", wanted)
    kernel = compile_double("sm_80", stop_after="warp", report=True)
    names = {entry["name"] for entry in kernel.report["times"]}
    assert {"warp-check-barriers", "warp-check-rings"} & names == (
        {"warp-check-barriers", "warp-check-rings"} if wanted == "1" else set()
    )
