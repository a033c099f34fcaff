"""From the compiler's diagnostics to `CompilationError`."""

import re

from .errors import CompilationError

#: Files whose names are not valid Unicode, by the name that the compiler uses.
_files = {}

#: The prefix of MLIR's op errors. Users get the location instead.
_OP = re.compile(r"^'[a-z_]\w*(\.\w+)+' op ")


def name_of_file(file):
    """The name by which the compiler knows a file: its own, with bytes that are no UTF-8 as escapes."""
    if file.isascii():
        return file
    name = file.encode(errors="backslashreplace").decode()
    if name != file:
        _files[name] = file
    return name


class Sources:
    """The sources of the functions that a kernel consists of, the kernel's own first."""

    def __init__(self):
        # A dict, since a closure defined in a loop has a `Source` in each iteration.
        self._sources = {}

    def add(self, source):
        """Add the `Source` of the kernel or of a function that it calls."""
        self._sources.setdefault(source.tree, source)

    def kernel_frame(self):
        """The frame of the kernel's definition."""
        kernel = next(iter(self._sources.values()))
        return kernel.frame(kernel.tree)

    def frame(self, found):
        """The `Frame` of a frame of the compiler; None if it is not in one of the functions."""
        file, start = _files.get(found["file"], found["file"]), found["line"]
        for source in self._sources.values():
            first, last = source.extent
            if (source.file, source.name) == (file, found["function"]) and first <= start <= last:
                return source.frame_at((start, found["column"], found["end_line"], found["end_column"]))
        return None

    def frames(self, diagnostic):
        """The frames of a diagnostic that are in the functions, the innermost call first."""
        return [frame for found in diagnostic["frames"] if (frame := self.frame(found))]


def _message_of(diagnostic):
    return _OP.sub("", diagnostic["message"])


def _note_of(diagnostic, sources, frames):
    """The message of a further diagnostic, with its location unless that is the error's own."""
    message, found = _message_of(diagnostic), sources.frames(diagnostic)
    if not found or (found[0].file, found[0].line) == (frames[0].file, frames[0].line):
        return message
    where = f"line {found[0].line}" if found[0].file == frames[0].file else f"{found[0].file}:{found[0].line}"
    source = found[0].text.strip()
    return f"{message} ({where}{': ' + source if source else ''})"


def from_diagnostics(error, sources, frames=None):
    """The `CompilationError` for the binding's `DiagnosticError`. The first error gives message and location.

    `sources` are the `Sources` of the kernel. `frames` locate an error that the compiler does not locate; the default
    is the definition of the kernel.
    """
    diagnostics = list(error.args[0]) if error.args else []
    errors = [entry for entry in diagnostics if entry["severity"] == "error"] or diagnostics
    frames = frames or [sources.kernel_frame()]
    if not errors:
        return CompilationError("the compiler failed without saying why", frames)
    first, *others = errors
    frames = sources.frames(first) or frames
    notes = [_note_of(entry, sources, frames) for entry in [*first["notes"], *others]]
    return CompilationError(_message_of(first), frames, notes=notes)
