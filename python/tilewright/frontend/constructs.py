"""Unsupported Python constructs and their replacements."""

import ast

_REFUSED = {
    ast.SetComp: ("set comprehensions", "use a list comprehension, which gives a tuple"),
    ast.DictComp: ("dict comprehensions", None),
    ast.Dict: ("dicts", "pass the values as separate tl.constexpr arguments"),
    ast.Set: ("sets", "use a tuple"),
    ast.AsyncFunctionDef: ("async functions", None),
    ast.ClassDef: ("classes", None),
    ast.With: ("'with'", None),
    ast.AsyncWith: ("'async with'", None),
    ast.AsyncFor: ("'async for'", None),
    ast.Try: ("'try'", "a kernel raises no exceptions"),
    ast.Raise: ("'raise'", "use tl.static_assert or tl.device_assert"),
    ast.Import: ("'import'", "import at the top of the file"),
    ast.ImportFrom: ("'import'", "import at the top of the file"),
    ast.Global: ("'global'", "pass the value as an argument and return the new one"),
    ast.Nonlocal: ("'nonlocal'", "pass the value as an argument and return the new one"),
    ast.Delete: ("'del'", None),
    ast.Yield: ("'yield'", "return a tuple"),
    ast.YieldFrom: ("'yield from'", "return a tuple"),
    ast.Await: ("'await'", None),
    ast.Starred: ("'*' here", "name the elements one by one"),
}
for _name, _spelling in (("Match", "'match'"), ("TryStar", "'try'"), ("TypeAlias", "'type'")):
    if hasattr(ast, _name):
        _REFUSED[getattr(ast, _name)] = (_spelling, "use 'if'" if _name == "Match" else None)


def refuse(visitor, node):
    """Raise the error for a construct outside the language."""
    what, hint = _REFUSED.get(type(node), (f"the Python construct {type(node).__name__}", None))
    verb = "is" if what.startswith(("'", "the ")) else "are"
    raise visitor.error(f"{what} {verb} not supported in a kernel", node, hint)
