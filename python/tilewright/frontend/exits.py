"""Ways out of loops: what a loop's body contains, and the hidden variables that remember a path.

`continue` needs none: the statements after the `if` that holds it go into the other branch. `break` clears the
variable `%go` of its loop, `return` also sets `%returned` and leaves its value in `%value`; all three are carried
and merged like the kernel's own variables. Their names cannot be written in Python.
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
    """Whether a `return` stands in the statement, at any depth."""
    return ast.Return in _ways_out(node)


def breaks(loop):
    """Whether the loop has a `break` of its own."""
    return any(ast.Break in _ways_out(statement) for statement in loop.body)


def leaves_body(node):
    """Whether the statement may end the innermost loop's iteration early, or the function."""
    return bool(_ways_out(node))
