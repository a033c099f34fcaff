"""The lines of a function's definition are those that Python's own tokenizer finds."""

import ast
import inspect
import io
import pathlib
import textwrap

import pytest
import tilewright
from tilewright.frontend.texts import block

pytestmark = pytest.mark.once
TEXTS = {
    "lines in brackets": "@jit\n@other(\n1\n)\ndef f(\n    a,\n    b,\n):\n    return [\n1,\n\n# here\n2]\nx = 1\n",
    "lines in a string": 'def f():\n    return """\ndef g():\n# here\n"""\n# there\nx = 1\n',
    "a line that goes on": "def f(a):\n    return a + \\\n1\n\n\nx = 1\n",
    "comments of its own": "def f(a):\n    return a\n    # last\n\n        # deeper\n  # not\n# nor this\nx = 1\n",
    "the end of the text": "def f(a):\n    if a:\n        pass\n    # last\n\n\n",
    "no new line at the end": "def f(a):\n    return a",
    "one line": "def f(a): return a\n    # not\ng = 2\n",
    "a method": "    @jit\n    def f(a):\n# comment\n        return a\n\n    def g(a):\n        return 1\n",
    "a comment after a method": "    def f(a):\n        return a\n# comment\n    g = 1\n",
    "the last of a block": "        def f(a):\n            return a\n    return f\n",
    "a string at the margin": "    def f(a):\n        b = '''\ntext\n'''\n        return b\n    return f\n",
    "tabs": "\tdef f(a):\n\t\treturn a\n\t\t# last\n\treturn f\n",
    "form feeds": "def f(a):\n\n\f\n    return a\n\f\ndef g(a):\n    pass\n",
    "a lambda": "f = lambda a: (a,\n1)\ng = 1\n",
    "a function that waits": "async def f(a):\n    return a\nx = 1\n",
    "many lines at the margin": "def f():\n    return (\n" + "1,\n" * 100 + ")\nx = 1\n",
    "what does not parse": "def f(a):\n    return a b\nx = 1\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts(text):
    lines = io.StringIO(text).readlines()
    found, tree = block(lines)
    assert found == inspect.getblock(lines)
    assert tree is None or ast.dump(tree) == ast.dump(*ast.parse(textwrap.dedent("".join(found))).body)


def test_the_package():
    for path in pathlib.Path(tilewright.__path__[0]).glob("l*/*.py"):
        lines = path.read_text().splitlines(keepends=True)
        functions = [
            node for node in ast.walk(ast.parse("".join(lines))) if isinstance(node, ast.FunctionDef)
        ]
        for node in functions:
            first = min(part.lineno for part in [node, *node.decorator_list])
            found, tree = block(lines[first - 1 :])
            assert found == inspect.getblock(lines[first - 1 :])
            assert tree.name == node.name, found
