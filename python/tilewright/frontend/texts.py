"""Texts that Python forgets: those of `exec`, of `python -c` and of consoles.

`inspect` finds functions in files, in what importers give, and in `linecache`, where notebooks and doctest put their
text. Of other code the text still stands, while it runs, in the function that runs it or on Python's command line.
Whether a text is the right one is not guessed: compiling it gives the very code that runs.
"""

import __future__

import inspect
import linecache
import os
import sys
import weakref

_texts = weakref.WeakKeyDictionary()
_FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
#: How far above the code that runs the text stands; a console compiles it in one function and runs it in another.
_CALLERS = 3


def keep_text(fn):
    """Keep the text that `fn`, which is being defined, comes from where Python will not find it again."""
    file = fn.__code__.co_filename
    if os.path.exists(file) or linecache.getlines(file, fn.__globals__):
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


def kept_lines(fn):
    """The lines of the function's definition and the number of the first. Raises `OSError` where none are kept."""
    if fn not in _texts:
        raise OSError("no text is kept")
    first = fn.__code__.co_firstlineno
    return inspect.getblock(_texts[fn][first - 1 :]), first


def _texts_around(frame):
    """All that the code of a module, which runs in `frame`, may come from."""
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
