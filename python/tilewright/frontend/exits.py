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


def _inside(node, kinds, enter_loops):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, kinds):
            return True
        if isinstance(child, (ast.FunctionDef, ast.Lambda)):
            continue
        if isinstance(child, (ast.For, ast.While)) and not enter_loops:
            continue
        if _inside(child, kinds, enter_loops):
            return True
    return False


def returns(node):
    """Whether a `return` stands in the statement, at any depth."""
    return isinstance(node, ast.Return) or _inside(node, ast.Return, True)


def breaks(loop):
    """Whether the loop has a `break` of its own."""
    return any(isinstance(s, ast.Break) or _leaves(s, ast.Break) for s in loop.body)


def leaves_body(node):
    """Whether the statement may end the innermost loop's iteration early, or the function."""
    return returns(node) or _leaves(node, (ast.Break, ast.Continue))


def _leaves(node, kinds):
    return not isinstance(node, (ast.For, ast.While)) and _inside(node, kinds, False)
