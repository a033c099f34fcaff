"""Source texts that Python does not keep: of `exec`, of `python -c` and of consoles, and of files that change.

`inspect` finds functions in files, through importers, and in `linecache`, where notebooks and doctest put their
text. The text of other code is still available while it runs, in the function that runs it or on Python's command
line. A text is accepted only if compiling it gives the code that runs.

A file is read when a function in it is defined, since it may change before the function is compiled.
"""

import __future__

import ast
import inspect
import io
import itertools
import linecache
import os
import sys
import textwrap
import tokenize
import weakref

_texts = weakref.WeakKeyDictionary()
#: By file, its last state and bytes; by function, those of its file when it was defined.
_files = {}
_definitions = weakref.WeakKeyDictionary()
_FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
#: Number of callers to search for the text: a console compiles it in one function and runs it in another.
_CALLERS = 3
#: Number of candidate ends of a function to try before Python's own slow search.
_CANDIDATES = 8


def definition(fn):
    """The lines of the function's definition, as `inspect.getsourcelines` gives them, the number of the first, and
    the syntax tree as of `block`. Raises `OSError` where the text is not found."""
    lines, before = inspect.findsource(inspect.unwrap(fn))
    return _numbered(lines, before + 1)


def _numbered(lines, first):
    found, tree = block(lines[first - 1 :])
    return found, first, tree


def block(lines):
    """The lines of the function's definition that `lines` begin with, as `inspect.getblock` gives them, and their
    syntax tree, without the indentation; None where that is not known.

    `inspect` tokenizes in Python, which takes longer than all other steps. Here each line that is indented no deeper than
    the first is a candidate end. The parser decides whether the lines before it are a function. Such lines may
    also continue brackets and strings.
    """
    for stop, end in itertools.islice(_possible_ends(lines), _CANDIDATES):
        try:
            (tree,) = ast.parse(textwrap.dedent("".join(lines[:stop]))).body
        except (SyntaxError, ValueError):
            continue
        if isinstance(tree, ast.FunctionDef):
            return lines[: _last_line(lines[:end], tree)], tree
        break
    return inspect.getblock(lines), None


def _possible_ends(lines):
    """Yields the candidate ends of the function: each line indented no deeper than the first, and the end of the text.

    Each is a pair: the number of the last line that is no comment, and the number of lines before the end."""
    depth = _depth(lines[0]) if lines else 0
    last = 0
    for number, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if number and _depth(line) <= depth:
            yield last, number
        last = number + 1
    yield last, len(lines)


def _last_line(lines, tree):
    """The number of the last line of a function: comments indented as its statements are part of it."""
    last = tree.end_lineno
    if tree.body[0].lineno > tree.lineno:
        depth = _depth(lines[tree.body[0].lineno - 1])
        for number, line in enumerate(lines[last:], last + 1):
            if line.lstrip().startswith("#") and _depth(line) >= depth:
                last = number
    return last


def _depth(line):
    line = line.expandtabs()
    return len(line) - len(line.lstrip())


def keep_text(fn):
    """Keep the text that `fn`, which is being defined, comes from where Python may not find it again."""
    if fn in _definitions:
        return
    file = fn.__code__.co_filename
    if _keep_file(fn, file) or linecache.getlines(file, fn.__globals__):
        return
    frame = sys._getframe(1)
    while frame and (frame.f_code.co_filename, frame.f_code.co_name) != (file, "<module>"):
        frame = frame.f_back
    if frame is None:
        return
    for text in _texts_around(frame):
        if fn.__name__ in text and _gives(text, frame.f_code):
            _texts[fn] = text.splitlines(keepends=True)
            return


def has_changed(fn):
    """Whether the file of the function has changed since it was defined."""
    kept = _definitions.get(fn)
    return kept is not None and _state_of(fn.__code__.co_filename) != kept[0]


def definition_before_change(fn):
    """The same as `kept_definition`, of a function whose file `has_changed`."""
    stream = io.BytesIO(_definitions[fn][1])
    encoding, _ = tokenize.detect_encoding(stream.readline)
    stream.seek(0)
    first = fn.__code__.co_firstlineno
    return _numbered(io.TextIOWrapper(stream, encoding).readlines(), first)


def file_now(file):
    """The state of a file and its bytes, which are read once for each state; None where it cannot be read."""
    state = _state_of(file)
    if state is None:
        return None
    kept = _files.get(file)
    if kept is None or kept[0] != state:
        try:
            with open(file, "rb") as stream:
                kept = _files[file] = state, stream.read()
        except OSError:
            return None
    return kept


def _state_of(file):
    try:
        info = os.stat(file)
    except (OSError, ValueError):  # no file, or no name of one
        return None
    return info.st_size, info.st_mtime_ns, info.st_ino, info.st_dev


def _keep_file(fn, file):
    """Whether there is such a file, which is then kept."""
    now = file_now(file)
    if now is None:
        return os.path.exists(file)
    _definitions[fn] = now
    return True


def kept_definition(fn):
    """The same as `definition`, of the text that is kept. Raises `OSError` where there is none."""
    if fn not in _texts:
        raise OSError("no text is kept")
    first = fn.__code__.co_firstlineno
    return _numbered(_texts[fn], first)


def _texts_around(frame):
    """The candidate texts of the code of a module that runs in `frame`."""
    yield from sys.orig_argv
    for _ in range(_CALLERS):
        frame = frame.f_back
        if frame is None:
            return
        code = frame.f_code
        named = [frame.f_globals.get(name) for name in code.co_names]
        yield from (
            text for text in [*frame.f_locals.values(), *named, *code.co_consts] if isinstance(text, str)
        )


def _gives(text, code):
    for mode in ("exec", "single"):
        try:
            made = compile(text, code.co_filename, mode, code.co_flags & _FUTURES, dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        if made == code:
            return True
    return False
