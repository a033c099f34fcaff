"""Functions of elements that are called on whole blocks."""

import ast

from .closures import Closure
from .resolving import resolve
from .source import source_of

_BRANCHES = (ast.If, ast.IfExp, ast.While, ast.For)


def has_branches(function, seen=()):
    """Whether a function in the language, or one that it calls by name, may branch for each element."""
    if function in seen:
        return False
    is_closure = isinstance(function, Closure)
    tree = function.node if is_closure else source_of(function.fn).tree
    nodes = list(ast.walk(tree))
    if any(isinstance(node, _BRANCHES) for node in nodes):
        return True
    called = [
        node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    values = [_meaning(function, name) for name in called]
    return any(
        has_branches(value, (*seen, function))
        for value in values
        if getattr(type(value), "is_kernel_function", False)
    )


def _meaning(function, name):
    if not isinstance(function, Closure):
        return resolve(function.fn, name)[1]
    outer = function.outer
    return outer.scope[name] if name in outer.scope else resolve(outer.fn, name)[1]
