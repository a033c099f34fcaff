"""The stages of a compilation as lines, each with its source locations."""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .. import knobs


@dataclass
class Stage:
    """A stage: its name, its `lines`, the `locations` of each line as (file, line) pairs, and a `note` on missing
    parts."""

    name: str
    lines: list
    locations: list = field(default_factory=list)
    note: str = ""


def stages_of(compiled):
    """The `Stage`s of a `CompiledKernel` that was compiled for a report, in order."""
    stages = []
    for name in ("tile", "warp"):
        if name in compiled.asm:
            stages.append(_ir_stage(name, compiled))
    if "ptx" not in compiled.asm:
        return stages
    return [*stages, ptx_stage(compiled.asm["ptx"]), sass_stage(compiled.asm.get("cubin"))]


def _ir_stage(name, compiled):
    lines = compiled.asm[name].splitlines()
    locations = [[] for _ in lines]
    for number, frames in compiled.report["lines"].get(name, ()):
        if number <= len(lines):
            locations[number - 1] = [(file, line) for file, line, _ in frames]
    return Stage(name, lines, locations)


_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(.*)")
_INLINED = re.compile(r"inlined_at\s+(\d+)\s+(\d+)")


def ptx_stage(ptx):
    """PTX, with locations from its `.loc` directives. One applies up to the next one or the end of the function."""
    files = {}
    lines = ptx.splitlines()
    for match in filter(None, map(_FILE.match, lines)):
        number, first, second = match.groups()
        files[number] = os.path.join(first, second) if second else first
    locations, current, inline = [], [], False
    for text in lines:
        if text.strip() in ("// begin inline asm", "// end inline asm"):
            inline = text.strip() == "// begin inline asm"
        elif match := _LOC.match(text):
            number, line, rest = match.groups()
            found = [(number, line), *_INLINED.findall(rest)]
            current = [(files[file], int(at)) for file, at in found if file in files and int(at)]
        elif text.startswith("}") and not inline:
            current = []
        locations.append(current)
    return Stage("ptx", lines, locations)


_SASS = re.compile(r'\s*//## File "([^"]*)", line (\d+)(?: inlined at "([^"]*)", line (\d+))?')


def find_disassembler():
    """The path of nvdisasm: the one that TILEWRIGHT_NVDISASM names, in PATH, or in a CUDA toolkit; or None."""
    if named := knobs.NVDISASM.text():
        return named
    toolkit = Path(os.environ.get("CUDA_HOME") or "/usr/local/cuda") / "bin"
    return shutil.which("nvdisasm") or shutil.which("nvdisasm", path=str(toolkit))


def sass_stage(cubin):
    """The machine code of a GPU, disassembled; a stage without lines whose note says why there is none."""
    if cubin is None:
        return Stage("sass", [], note="No machine code: nothing here assembles PTX; the driver will.")
    program = find_disassembler()
    if program is None:
        return Stage(
            "sass",
            [],
            note="No disassembler found: nvdisasm is part of the CUDA toolkit; put it in PATH or name it in "
            f"{knobs.NVDISASM.name}.",
        )
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "kernel.cubin")
        path.write_bytes(cubin)
        try:
            done = subprocess.run(
                [program, "-c", "-gi", str(path)], capture_output=True, text=True, timeout=60, check=True
            )
        except (OSError, subprocess.SubprocessError) as error:
            detail = getattr(error, "stderr", "") or error
            return Stage("sass", [], note=f"{program} failed: {detail}")
    return _read_sass(done.stdout)


def _read_sass(text):
    lines, locations, current, inside = [], [], [], False
    for line in text.splitlines():
        if match := _SASS.match(line):
            file, at, outer, outer_at = match.groups()
            # Consecutive ones are the chain of calls of one location.
            current = current if inside else []
            current = [*current, (file, int(at))]
            if outer:
                current.append((outer, int(outer_at)))
            inside = True
            continue
        inside = False
        # The disassembler pads its columns by more than a pane is wide.
        lines.append(re.sub(" {3,}", "  ", line))
        locations.append(list(dict.fromkeys(current)))
    return Stage("sass", lines, locations)
