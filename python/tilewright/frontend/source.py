"""The source of a kernel: its text, its syntax tree and positions in it."""

import ast
import copy
import functools
import hashlib
import inspect
import linecache
import textwrap
import types
import weakref

from ..locks import Lock
from .errors import CompilationError, Frame
from .texts import definition, definition_before_change, file_now, has_changed, kept_definition

_cache = weakref.WeakKeyDictionary()
#: Parsers of Python 3.11 in two threads count their depth together, and raise `SystemError`.
_reading = Lock()

#: By file, its digest and the source of that: the lines of `linecache`, or the state of the file.
_digests = {}


def text_digest(file):
    """A digest of all the text of a file, or of a cell of a notebook, as it is now; None where there is none."""
    if file not in linecache.cache and (digest := _digest_of_file(file)):
        return digest
    linecache.checkcache(file)
    lines = linecache.getlines(file)
    if not lines:
        return None
    known = _digests.get(file)
    if known is None or known[0] is not lines:
        digest = hashlib.sha256("".join(lines).encode(errors="surrogatepass")).hexdigest()
        known = _digests[file] = (lines, digest)
    return known[1]


def digest_around(fn):
    """The `text_digest` of the file that a function comes from, None where that has changed since."""
    return None if has_changed(fn) else text_digest(fn.__code__.co_filename)


def _digest_of_file(file):
    """The same, without making lines of the text; None where its bytes may not be those of the lines."""
    now = file_now(file)
    if now is None:
        return None
    state, text = now
    known = _digests.get(file)
    if known is not None and known[0] == state:
        return known[1]
    if not text.isascii() or b"\r" in text or not text.endswith(b"\n"):
        return None
    digest = hashlib.sha256(text).hexdigest()
    _digests[file] = (state, digest)
    return digest


class Source:
    """The source of one Python function.

    It is that of the file, or `text` where that is given.

    Attributes: `fn`, `file`, `lines` (as in the file), `text` (the same without the indentation), `first_line`, `tree`
    (its `ast.FunctionDef`) and `name`. `indent` is the indentation of the text in the file. `digest` is that of all the
    text of the file, None if it is not known.
    """

    def __init__(self, fn, text=None):
        self.fn, self.name = fn, fn.__name__
        self.file = inspect.getsourcefile(fn) or fn.__code__.co_filename
        if text is None:
            self._read()
        else:
            self.lines, self.first_line = text.splitlines(keepends=True), fn.__code__.co_firstlineno
            self.tree = self.digest = None
        if fn.__name__ == "<lambda>":
            raise self._unavailable("a kernel cannot be a lambda")
        self.text = textwrap.dedent("".join(self.lines))
        self.indent = len(self.lines[0]) - len(self.text.splitlines(keepends=True)[0])
        if self.tree is None:
            self._parse()

    def _parse(self):
        try:
            (self.tree,) = ast.parse(self.text).body
        except (SyntaxError, ValueError):
            raise self._unavailable("its source cannot be read on its own") from None
        if isinstance(self.tree, ast.AsyncFunctionDef):
            raise self._unavailable("a kernel cannot be an async function")
        if not isinstance(self.tree, ast.FunctionDef):
            raise self._unavailable("its source is not a function definition")

    def _read(self):
        if has_changed(self.fn):
            (self.lines, self.first_line, self.tree), self.digest = definition_before_change(self.fn), None
            return
        try:
            self.lines, self.first_line, self.tree = definition(self.fn)
        except (OSError, TypeError):
            self._read_kept()
        self.digest = self._digest()

    def _read_kept(self):
        try:
            self.lines, self.first_line, self.tree = kept_definition(self.fn)
        except OSError:
            if self.file.startswith("<"):
                hint = (
                    f"Python keeps no text of {self.file}: define the kernel in a file or a notebook cell, or put the "
                    "lines of the text in `linecache.cache` under the name that it is compiled with"
                )
            else:
                hint = f"{self.file} is read when the kernel is compiled: put it where it was"
            raise self._unavailable("its source is not available", hint) from None

    def _digest(self):
        digest = text_digest(self.file)
        start = self.first_line - 1
        is_same = linecache.getlines(self.file)[start : start + len(self.lines)] == self.lines
        return digest if is_same and self.file == self.fn.__code__.co_filename else None

    def _unavailable(self, why, hint="define the kernel with def, in a file or a notebook cell"):
        line = self.fn.__code__.co_firstlineno
        return CompilationError(
            f"cannot compile {self.fn.__name__}(): {why}",
            [Frame(self.file, line, 1, 1, self.fn.__name__, "")],
            hint=hint,
        )

    def parsed(self):
        """A second syntax tree, with lines as in the file, for callers that change it. Parsing is far cheaper than a
        deep copy, and parsing with leading empty lines than shifting the line of each node."""
        with _reading:
            (tree,) = ast.parse("\n" * (self.first_line - 1) + self.text).body
        return tree

    def nested(self, tree, name):
        """The source of a function defined inside this one."""
        found = copy.copy(self)
        found.tree, found.name = tree, name
        return found

    def position(self, node):
        """Line and column of `node` in the file, both from 1."""
        return node.lineno + self.first_line - 1, node.col_offset + self.indent + 1

    @property
    def extent(self):
        """The first and the last line of the function in the file."""
        return self.tree.lineno + self.first_line - 1, self.tree.end_lineno + self.first_line - 1

    def range(self, node):
        """Line, column, end line and end column of `node` in the file, all from 1; of a branch or loop those of its
        condition. The tree counts bytes, columns count characters. The end column is exclusive."""
        if isinstance(node, (ast.If, ast.While)):
            node = node.test
        elif isinstance(node, ast.For):
            node = node.iter
        first, last = node.lineno, node.end_lineno
        column, end = self._column(first, node.col_offset), self._column(last, node.end_col_offset)
        return first + self.first_line - 1, column, last + self.first_line - 1, end

    def _column(self, lineno, offset):
        """The column of a byte of a line of the tree."""
        text = self._line(lineno)
        if not text.isascii():
            return len(text.encode()[: offset + self.indent].decode(errors="ignore")) + 1
        return offset + self.indent + 1

    def _line(self, lineno):
        """The text of a line of the tree, as in the file."""
        return self.lines[lineno - 1] if lineno <= len(self.lines) else ""

    @property
    def definition_position(self):
        """Line and column of `def` in the file, both from 1."""
        return self.position(self.tree)

    def move(self, *, file=None, line=None):
        """Set the location of a generated text: `file`, with its `def` at `line`."""
        if file is not None:
            self.file = file
        if line is not None:
            self.first_line = line - self.tree.lineno + 1
        self.digest = None  # the compiled text is not that of the file

    def frame(self, node):
        """The frame of `node`; for a branch or loop, that of its condition."""
        return self.frame_at(self.range(node))

    def frame_at(self, range):
        """The frame of a `range`. An expression that goes on is underlined to the end of its first line."""
        line, column, end_line, end_column = range
        text = self._line(line - self.first_line + 1)
        end = end_column if end_line == line else len(text.rstrip()) + 1
        within = f"{line - self.extent[0] + 1}:{column - self.indent - 1}"
        return Frame(self.file, line, column, end - column, self.name, text, within)


def source_of(fn):
    """The `Source` of a function, read once. Raises `CompilationError` if there is none."""
    found = _cache.get(fn)
    if found is None:
        with _reading:
            found = _cache.get(fn)
            if found is None:
                found = _cache[fn] = Source(fn)
    return found


def replaced(fn, text):
    """A function as `fn`, with its signature and the names that it sees, that is compiled from `text`. Raises
    `CompilationError` if that is not the definition of a function."""
    made = types.FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    made.__kwdefaults__ = fn.__kwdefaults__
    functools.update_wrapper(made, fn)
    del made.__wrapped__  # which `inspect` would look at
    with _reading:
        _cache[made] = Source(made, text)
    return made
