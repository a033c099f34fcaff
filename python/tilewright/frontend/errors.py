"""What a user sees when a kernel cannot be compiled."""

import itertools
import linecache
import re
from dataclasses import dataclass, replace

from ..runtime.errors import TilewrightError


@dataclass(frozen=True)
class Frame:
    """A place in the user's source: one function of the chain of calls that led to an error.

    `line` and `column` count from 1; `width` is the number of carets; `text` is the source line; `within` is the place
    in the text of the function as Triton writes it: the line from its `def` on, and the column from 0 on.
    """

    file: str
    line: int
    column: int
    width: int
    function: str
    text: str
    within: str = ""

    def __str__(self):
        source = self.text.rstrip()
        stripped = source.lstrip()
        shift = len(source) - len(stripped)
        place = f"{self.file}:{self.line}"
        lines = [f"{place}, in {self.function}" if self.function else place]
        if stripped:
            width = max(1, min(self.width, len(source) - self.column + 1))
            lines += ["    " + stripped, "    " + " " * max(0, self.column - 1 - shift) + "^" * width]
        return "\n".join(lines)


#: What Python says of an object without a text of its own: where it lies in memory, and a module's file.
_PLACES = re.compile(r" at 0x[0-9a-f]+(?=>)|(?<=<module ')([\w.]+)' from '[^']*'(?=>)")


def _without_places(message):
    """`message` without what says nothing to who wrote the kernel."""
    return _PLACES.sub(lambda found: f"{found[1]}'" if found[1] else "", message)


class CompilationError(TilewrightError):
    """A kernel that cannot be compiled, with the place in its source.

    Attributes: `message`; `hint`, how to mend it, or None; `frames`, the place of the error first, then the
    calls that led to it, innermost first; `file` and `line` of the first frame; `notes`, further lines; `origin`, the
    exception that it stands for, or None.
    """

    origin = None

    def __init__(self, message, frames=(), hint=None, notes=()):
        self.message, self.hint = _without_places(message), hint
        self.frames, self.notes = tuple(frames), tuple(notes)
        self.file, self.line = (self.frames[0].file, self.frames[0].line) if self.frames else (None, None)
        super().__init__(self._render())

    def name_places(self):
        """Say where in the functions the places are, as code for Triton expects it; gives itself."""
        named = [
            replace(frame, function=f"{frame.function} (at {frame.within}:)") if frame.within else frame
            for frame in self.frames
        ]
        self.args = (self._render(named),)
        return self

    @property
    def error_message(self):
        """`message`, by the name that code for Triton uses."""
        return self.message

    def _render(self, frames=None):
        parts, frames = [self.message], self.frames if frames is None else frames
        leads = ["at ", *["called from "] * len(frames)]
        for (frame, same), lead in zip(itertools.groupby(frames), leads, strict=False):
            parts.append("\n".join("  " + line for line in (lead + str(frame)).splitlines()))
            more = len(list(same)) - 1
            parts += [f"  called from there {more} more times"] if more else []
        parts += [f"  note: {note}" for note in self.notes]
        if self.hint:
            parts.append(f"  hint: {self.hint}")
        return "\n".join(parts)


#: By the name that the compiler has of them, files whose names are no Unicode.
_files = {}


def name_of_file(file):
    """The name by which the compiler knows a file: its own, with bytes that are no UTF-8 as escapes."""
    if file.isascii():
        return file
    name = file.encode(errors="backslashreplace").decode()
    if name != file:
        _files[name] = file
    return name


def frame_of_location(file, line, column):
    """The frame of a place that the compiler names: its source line is looked up in the file."""
    file = _files.get(file, file)
    return Frame(file, line, column, 1, "", linecache.getline(file, line))


#: How MLIR begins what an operation says of itself. Who wrote the kernel has the place instead.
_OP = re.compile(r"^'tile\.\w+' op ")


def _note_of(entry, frames):
    """What a further diagnostic says, and where, unless that is known already."""
    place = entry["frames"][0] if entry["frames"] else None
    if place is None or (frames and tuple(place[:2]) == tuple(frames[0][:2])):
        return entry["message"]
    file, line = _files.get(place[0], place[0]), place[1]
    source = linecache.getline(file, line).strip()
    where = f"line {line}" if frames and file == frames[0][0] else f"{file}:{line}"
    return f"{entry['message']} ({where}{': ' + source if source else ''})"


def from_diagnostics(diagnostics):
    """The `CompilationError` for diagnostics of the compiler, the first error of which gives message and
    place.

    Each diagnostic is a dict of `severity`, `message`, `frames` (file, line and column, innermost first)
    and `notes`, which are such dicts, too; it is what the binding's `DiagnosticError` holds.
    """
    diagnostics = list(diagnostics)
    errors = [entry for entry in diagnostics if entry["severity"] == "error"] or diagnostics
    if not errors:
        return CompilationError("the compiler failed without saying why")
    first, *others = errors
    notes = [_note_of(entry, first["frames"]) for entry in [*first["notes"], *others]]
    return CompilationError(
        _OP.sub("", first["message"]), [frame_of_location(*frame) for frame in first["frames"]], notes=notes
    )
