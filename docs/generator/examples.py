"""The examples in docstrings.

An example is written like a Python session. One that starts with `import` is a program. All others are the body of a
kernel that one program runs. The result of an expression is below it: its type and its elements, a line for each of
several results, or only the value of a constant. For `out` and `counts` it is the memory after the kernel.
"""

import ast
import doctest
import inspect
import re
from dataclasses import dataclass

#: The memory of an example's pointers by name: element type, number of elements, and whether they count up from zero.
MEMORY = {
    "floats": ("float32", 64, True),
    "ints": ("int32", 64, True),
    "out": ("float32", 64, False),
    "counts": ("int32", 64, False),
}
_RESULT = re.compile(r"^(u?int\d+|float\d+(?:e\w+)?|bfloat16) (?=[-\[\w])", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    """The result of an expression: values nested in lists, and the name of a dtype, None for a constant."""

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
    """Whether an example is a program rather than a kernel body."""
    return steps[0].source.startswith(("import ", "from "))


def results(want):
    """The results in the text below an expression."""
    pieces = _RESULT.split(want)
    if len(pieces) == 1:
        return [Result(None, ast.literal_eval(want.strip()))]
    return [Result(dtype, _values(text)) for dtype, text in zip(pieces[1::2], pieces[2::2])]


def _values(text):
    """Numbers nested in lists; `inf` and `nan` are numbers."""
    return ast.literal_eval(re.sub(r"\bnan\b", "'nan'", re.sub(r"\binf\b", "1e999", text.strip())))
