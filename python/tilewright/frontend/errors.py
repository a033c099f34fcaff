"""`CompilationError`, the error of a kernel that cannot be compiled."""

import itertools
import linecache
import re
from dataclasses import dataclass, replace

from ..runtime.errors import TilewrightError


@dataclass(frozen=True)
class Frame:
    """A location in the user's source: one function of the chain of calls that led to an error.

    `line` and `column` count from 1; `width` is the number of carets; `text` is the source line; `within` is the
    position in the text of the function as Triton writes it: the line from its `def` on, and the column from 0 on.
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
        location = f"{self.file}:{self.line}"
        lines = [f"{location}, in {self.function}" if self.function else location]
        if stripped:
            width = max(1, min(self.width, len(source) - self.column + 1))
            lines += ["    " + stripped, "    " + " " * max(0, self.column - 1 - shift) + "^" * width]
        return "\n".join(lines)


#: Addresses of objects and files of modules in Python's default `repr`.
_ADDRESSES = re.compile(r" at 0x[0-9a-f]+(?=>)|(?<=<module ')([\w.]+)' from '[^']*'(?=>)")


def _without_addresses(message):
    """`message` without addresses, which mean nothing to the user."""
    return _ADDRESSES.sub(lambda found: f"{found[1]}'" if found[1] else "", message)


class CompilationError(TilewrightError):
    """A kernel that cannot be compiled, with the location in its source.

    Attributes: `message`; `hint`, a fix, or None; `frames`, the location of the error and then the calls
    that led to it, innermost first; `file` and `line` of the first frame; `notes`, further lines; `origin`, the
    exception that it replaces, or None.
    """

    origin = None

    def __init__(self, message, frames=(), hint=None, notes=()):
        self.message, self.hint = _without_addresses(message), hint
        self.frames, self.notes = tuple(frames), tuple(notes)
        self.file, self.line = (self.frames[0].file, self.frames[0].line) if self.frames else (None, None)
        super().__init__(self._render())

    def add_function_positions(self):
        """Add the positions within functions to the text, as code for Triton expects it. Returns itself."""
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


#: Files whose names are not valid Unicode, by the name that the compiler uses.
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
    """The frame of a location of the compiler. The source line is looked up in the file."""
    file = _files.get(file, file)
    return Frame(file, line, column, 1, "", linecache.getline(file, line))


#: The prefix of MLIR's op errors. Users get the location instead.
_OP = re.compile(r"^'tile\.\w+' op ")


def _note_of(entry, frames):
    """The message of a further diagnostic, with its location unless that is the error's own."""
    location = entry["frames"][0] if entry["frames"] else None
    if location is None or (frames and tuple(location[:2]) == tuple(frames[0][:2])):
        return entry["message"]
    file, line = _files.get(location[0], location[0]), location[1]
    source = linecache.getline(file, line).strip()
    where = f"line {line}" if frames and file == frames[0][0] else f"{file}:{line}"
    return f"{entry['message']} ({where}{': ' + source if source else ''})"


def from_diagnostics(diagnostics):
    """The `CompilationError` for diagnostics of the compiler. The first error gives message and location.

    Each diagnostic is a dict of `severity`, `message`, `frames` (file, line and column, innermost first)
    and `notes`, which are such dicts, too. The binding's `DiagnosticError` holds them.
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
