"""Which variables statements assign."""

import ast


def assigned_names(nodes):
    """The names that the syntax trees assign, in order, constants declared as such left out."""
    stored, constants = {}, set()
    for node in nodes:
        names, declared = _assignments(node)
        stored.update(names)
        constants |= declared
    return [name for name in stored if name not in constants]


def _assignments(node):
    """The names that a node stores to, and those of them that are constants; remembered in the node."""
    found = getattr(node, "_assignments", None)
    if found is None:
        found = {}, set()
        _collect(node, *found)
        node._assignments = found  # set once complete: other threads may compile the same tree
    return found


def _collect(node, stored, constants):
    """Nested functions and comprehensions have variables of their own."""
    if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.GeneratorExp)):
        if isinstance(node, ast.FunctionDef):
            stored[node.name] = None
        return
    if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
        owner = node.value
        while isinstance(owner, ast.Attribute):
            owner = owner.value
        if isinstance(owner, ast.Name):  # it gets a new value
            stored[owner.id] = None
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        stored[node.id] = None
    elif isinstance(node, ast.AnnAssign) and node.value is None:
        return
    elif isinstance(node, ast.AnnAssign) and "constexpr" in ast.unparse(node.annotation):
        constants.add(getattr(node.target, "id", None))
    for child in ast.iter_child_nodes(node):
        _collect(child, stored, constants)
