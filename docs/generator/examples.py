"""The examples in docstrings.

An example is written like a session of Python. One that starts with `import` is that: a program. All others are the
body of a kernel that one program runs. What an expression gives stands below it: its type and its elements, a line for
each of several results; of a constant the value alone; of `out` and `counts` what memory holds when the kernel is done.
"""

import ast
import doctest
import inspect
import re
from dataclasses import dataclass

#: What the pointers of an example point to, by name: how many elements of which type, and whether they count up
#: from zero.
MEMORY = {
    "floats": ("float32", 64, True),
    "ints": ("int32", 64, True),
    "out": ("float32", 64, False),
    "counts": ("int32", 64, False),
}
_RESULT = re.compile(r"^(u?int\d+|float\d+(?:e\w+)?|bfloat16) (?=[-\[\w])", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    """What an expression gives: values nested in lists, and the name of a dtype, None for a constant."""

    dtype: str
    values: object


def split(docstring):
    """The text of a docstring without its example, and the steps of the example (see `doctest.Example`)."""
    parts = doctest.DocTestParser().parse(inspect.cleandoc(docstring))
    steps = [part for part in parts if isinstance(part, doctest.Example)]
    if not steps:
        return inspect.cleandoc(docstring), []
    return re.sub(r"\n*Example:\s*$", "", parts[0].rstrip()), steps


def is_program(steps):
    """Whether an example is a program, and no body of a kernel."""
    return steps[0].source.startswith(("import ", "from "))


def results(want):
    """The results that the text below an expression tells of."""
    pieces = _RESULT.split(want)
    if len(pieces) == 1:
        return [Result(None, ast.literal_eval(want.strip()))]
    return [Result(dtype, _values(text)) for dtype, text in zip(pieces[1::2], pieces[2::2])]


def _values(text):
    """Numbers nested in lists; `inf` and `nan` are numbers."""
    return ast.literal_eval(re.sub(r"\bnan\b", "'nan'", re.sub(r"\binf\b", "1e999", text.strip())))
