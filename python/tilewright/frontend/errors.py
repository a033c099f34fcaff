"""`CompilationError`, the error of a kernel that cannot be compiled."""

import itertools
import os
import re
from dataclasses import dataclass, replace

from ..errors import TilewrightError


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


#: The directory of the language, whose own functions are not the user's.
_LANGUAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "language", "")


def _of_user(frames):
    """`frames` without those in functions of the language, unless there are no others."""
    return tuple(frame for frame in frames if not frame.file.startswith(_LANGUAGE)) or tuple(frames)


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
        self.frames, self.notes = _of_user(frames), tuple(notes)
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
