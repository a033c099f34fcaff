"""The functions that a kernel is made of, as text."""

import ast
import linecache
import os
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Source:
    """A function: `lines` of `file` from `first` on."""

    file: str
    name: str
    first: int
    lines: tuple

    def __contains__(self, location):
        file, line = location
        return file == self.file and self.first <= line < self.first + len(self.lines)


def shown_path(file):
    """The path of a file as shown to a reader: from here, if it lies below."""
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative


@lru_cache(maxsize=64)
def _functions(file):
    """First line, last line and name of each function of a file, the outer ones first."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.append((first, node.end_lineno, node.name))
    return tuple(found)


def source_around(file, line):
    """The `Source` of the innermost function around a line; of the line alone where there is none."""
    around = [entry for entry in _functions(file) if entry[0] <= line <= entry[1]]
    first, last, name = max(around, default=(line, line, ""))
    lines = linecache.getlines(file)[first - 1 : last]
    return Source(file, name, first, tuple(text.rstrip("\n") for text in lines))


def sources_of(locations):
    """The `Source`s around (file, line) pairs, each once, in the order in which they come first."""
    sources = []
    for file, line in locations:
        if not any((file, line) in source for source in sources):
            sources.append(source_around(file, line))
    return sources
