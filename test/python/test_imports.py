"""The packages of Tilewright import downwards only, and modules import each other without cycles."""

import ast
import graphlib
from pathlib import Path

import pytest
import tilewright

ROOT = Path(tilewright.__file__).parent

#: The parts of the package, lowest first. A part imports parts of its own row and of rows above it in this list.
LAYERS = (
    ("errors", "knobs", "locks", "options", "user_location", "array_types", "tensors", "devices", "streams"),
    ("arrays", "cuda"),
    ("language",),
    ("frontend",),
    ("runtime",),
    ("hooks", "interpreter", "explain", "profiling", "testing"),
    ("tuning",),
    ("aot",),
    ("cli",),
    ("__init__", "__main__", "compat"),
)
LAYER_OF = {part: layer for layer, parts in enumerate(LAYERS) for part in parts}

pytestmark = pytest.mark.once


def imports_of(text, package, at_import_time=False):
    """The modules and names that a source imports, with dots, as pairs with the line. `package` has the parts of the
    package of the source. With `at_import_time`, without imports in functions."""
    pending = [ast.parse(text)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *([node.module] if node.module else [])]
            yield from ((".".join([*base, alias.name]), node.lineno) for alias in node.names)
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        if not (at_import_time and is_function):
            pending.extend(ast.iter_child_nodes(node))


def sources(root):
    """The path of each source by the name of its module. The folder of kernels is a link, which is not followed."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        if parts[1] != "kernels":
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def module_of(name, modules):
    """The module among `modules` that the import of `name` reads, or None for others, such as the extension module."""
    if name.startswith("tilewright._tilewright"):
        return None
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def edges(modules, at_import_time=False):
    """All imports among the modules: importer, imported module, and line."""
    for name, path in modules.items():
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        for imported, line in imports_of(path.read_text(), package, at_import_time):
            target = module_of(imported, modules)
            if target not in (None, name):
                yield name, target, line


def part_of(module):
    """The part of the package that a module belongs to."""
    return [*module.split("."), "__init__"][1]


def upward(modules):
    """The imports from a lower layer to a higher one, as text."""
    return [
        f"{modules[importer].relative_to(ROOT.parent)}:{line} imports {target}"
        for importer, target, line in edges(modules)
        if LAYER_OF[part_of(importer)] < LAYER_OF[part_of(target)]
    ]


def cycle(pairs):
    """A cycle among pairs of importer and imported, or None."""
    graph = {}
    for importer, target in pairs:
        graph.setdefault(importer, set()).add(target)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return None


def test_every_part_has_a_layer():
    assert {part_of(module) for module in sources(ROOT)} == set(LAYER_OF)


def test_no_import_goes_upwards():
    assert upward(sources(ROOT)) == []


def test_parts_import_each_other_without_cycles():
    parts = ((part_of(importer), part_of(target)) for importer, target, _ in edges(sources(ROOT)))
    assert cycle(pair for pair in parts if pair[0] != pair[1]) is None


def test_modules_import_each_other_without_cycles():
    pairs = ((importer, target) for importer, target, _ in edges(sources(ROOT), at_import_time=True))
    assert cycle(pairs) is None


def test_imports_in_functions_are_found():
    text = "import os\ndef f():\n    from ..runtime import jit\n    from . import ir\n    import tilewright as tw\n"
    found = sorted(imports_of(text, ["tilewright", "language"]))
    assert found == [
        ("os", 1),
        ("tilewright", 5),
        ("tilewright.language.ir", 4),
        ("tilewright.runtime.jit", 3),
    ]
    assert list(imports_of(text, ["tilewright", "language"], at_import_time=True)) == [("os", 1)]


def test_cycles_are_found():
    assert set(cycle([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])) == {"a", "b", "c"}
    assert cycle([("a", "b"), ("b", "c"), ("a", "c")]) is None
