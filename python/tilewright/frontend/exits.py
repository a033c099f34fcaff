"""Exits of loops: the exits of a loop's body, and the hidden variables that record the path.

1. `continue` needs no variable: the statements after its `if` go into the other branch.
2. `break` clears the variable `%go` of its loop.
3. `return` also sets `%returned` and stores its value in `%value`.

The variables are carried and merged like the kernel's own. Their names are invalid in Python.
"""

import ast

RETURNED, VALUE = "%returned", "%value"


def go_name(depth):
    """The variable that says whether the loop at nesting `depth` goes on."""
    return f"%go{depth}"


def is_hidden(name):
    """Whether a variable is one of those here, not the kernel's."""
    return name.startswith("%")


def _ways_out(node):
    """Which of `return`, `break` and `continue` may leave the statement; remembered in the node."""
    found = getattr(node, "_ways_out", None)
    if found is None:
        found = node._ways_out = frozenset(_find_ways_out(node))
    return found


def _find_ways_out(node):
    if isinstance(node, (ast.Return, ast.Break, ast.Continue)):
        return {type(node)}
    if isinstance(node, ast.FunctionDef):
        return set()
    inner = [*getattr(node, "body", ()), *getattr(node, "orelse", ())]
    found = set().union(*map(_ways_out, inner))
    return found - {ast.Break, ast.Continue} if isinstance(node, (ast.For, ast.While)) else found


def returns(node):
    """Whether the statement contains a `return`, at any depth."""
    return ast.Return in _ways_out(node)


def breaks(loop):
    """Whether the loop has a `break` of its own."""
    return any(ast.Break in _ways_out(statement) for statement in loop.body)


def leaves_body(node):
    """Whether the statement may end the innermost loop's iteration early, or the function."""
    return bool(_ways_out(node))
