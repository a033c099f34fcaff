"""Stages as lines with source locations."""

import os
import stat

import pytest
from tilewright.explain.layouts import layouts_of
from tilewright.explain.stages import ptx_stage, sass_stage

PTX = """.version 8.0
.entry kernel()
{
	.loc	1 10 0
	.loc	1 12 5
	ld.global.b32 	%r1, [%rd1];
	// begin inline asm
	{
	wgmma;
	}
	// end inline asm
	.loc	2 3 1, function_name $L__info_string0, inlined_at 1 14 9
	add.s32 	%r2, %r1, 1;
}
	.file	1 "/home/me" "kernel.py"
	.file	2 "/lib/helper.py"
"""


def test_ptx_lines_follow_loc_directives():
    stage = ptx_stage(PTX)
    where = {text.strip(): locations for text, locations in zip(stage.lines, stage.locations, strict=True)}
    assert where[".entry kernel()"] == []
    assert where["ld.global.b32 	%r1, [%rd1];"] == [("/home/me/kernel.py", 12)]
    # The brace within inline assembly does not end the function.
    assert where["// end inline asm"] == [("/home/me/kernel.py", 12)]
    assert where["add.s32 	%r2, %r1, 1;"] == [("/lib/helper.py", 3), ("/home/me/kernel.py", 14)]
    assert where['.file	2 "/lib/helper.py"'] == []


@pytest.fixture
def disassembler(tmp_path, monkeypatch):
    """`disassembler(text, status)`: a test double of nvdisasm that prints `text`."""

    def install(text, status=0):
        (tmp_path / "sass.txt").write_text(text)
        program = tmp_path / "nvdisasm"
        program.write_text(f"#!/bin/sh\ncat {tmp_path}/sass.txt\necho it broke >&2\nexit {status}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("TILEWRIGHT_NVDISASM", str(program))

    return install


def test_sass_lines_follow_the_disassembler(disassembler):
    disassembler(
        ".text.kernel:\n"
        '\t//## File "/home/me/kernel.py", line 12\n'
        "        /*0000*/                   LDG.E R2, desc[UR4][R2.64] ;\n"
        '\t//## File "/lib/helper.py", line 3 inlined at "/home/me/kernel.py", line 14\n'
        '\t//## File "/home/me/kernel.py", line 14\n'
        "        /*0010*/                   IADD3 R2, R2, 0x1, RZ ;\n"
        "        /*0020*/                   EXIT ;\n"
    )
    stage = sass_stage(b"cubin")
    assert stage.lines[0] == ".text.kernel:"
    assert len(stage.lines) == 4
    assert stage.locations[0] == []
    assert stage.locations[1] == [("/home/me/kernel.py", 12)]
    assert stage.locations[2] == [("/lib/helper.py", 3), ("/home/me/kernel.py", 14)]
    assert stage.locations[3] == stage.locations[2]
    assert stage.note == ""


def test_a_disassembler_that_fails(disassembler):
    disassembler("", status=1)
    stage = sass_stage(b"cubin")
    assert stage.lines == []
    assert "it broke" in stage.note


def test_without_disassembler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.delenv("TILEWRIGHT_NVDISASM", raising=False)
    assert "No disassembler found: nvdisasm" in sass_stage(b"cubin").note


def test_without_machine_code():
    assert "nothing here assembles PTX" in sass_stage(None).note


def test_a_disassembler_that_is_not_there(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_NVDISASM", os.devnull + "/none")
    assert "failed" in sass_stage(b"cubin").note


def test_layouts_of_a_module():
    layouts = layouts_of(
        "#layout = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[1, 0]], warp = [], block = []}>\n"
        "#shared = #warp.linear<{offset = [[1], [2]]}>\n"
        "module {\n  %0 = warp.alloc : !warp.shared<4xbf16, #shared>\n}\n"
    )
    assert layouts == [
        {
            "name": "#layout",
            "rank": 2,
            "axes": {"register": [[0, 1], [8, 0]], "lane": [[1, 0]], "warp": [], "block": []},
            "bytes": None,
        },
        {"name": "#shared", "rank": 1, "axes": {"offset": [[1], [2]]}, "bytes": 2},
    ]
