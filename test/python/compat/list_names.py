"""Writes the public names of releases of Triton to `triton_names.json`.

    pip download --no-deps triton==3.6.0 && pip download --no-deps triton==3.9.0 && python list_names.py triton-*.whl

The result is the union over the releases. The wheels are only read, as text. A module's public names are its `__all__`,
else its top-level definitions that do not start with an underscore. `METHODS` are the functions that are also methods
of blocks.
"""

import ast
import json
import sys
import zipfile
from pathlib import Path

#: Modules that users import, except the internals of single back ends.
MODULES = (
    "triton",
    "triton.compiler.errors",
    "triton.errors",
    "triton.language",
    "triton.language.core",
    "triton.language.extra.cuda",
    "triton.language.extra.libdevice",
    "triton.language.math",
    "triton.language.random",
    "triton.language.standard",
    "triton.language.target_info",
    "triton.runtime",
    "triton.runtime.errors",
    "triton.testing",
    "triton.tools.ragged_tma",
    "triton.tools.tensor_descriptor",
)

#: The key of method names; the functions with this decorator in any module of the language.
METHODS, _DECORATOR = "methods", "_tensor_member_fn"


def _targets(statement):
    """The names that a statement at the top level of a module defines."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return [statement.target.id]
    return []


def public_names(text):
    """The public names of a module with this source."""
    tree = ast.parse(text)
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and _targets(statement) == ["__all__"]:
            return sorted(ast.literal_eval(statement.value))
    defined = [name for statement in tree.body for name in _targets(statement)]
    return sorted({name for name in defined if not name.startswith("_")})


def methods(text):
    """The functions of a module with this source that are methods of blocks, too."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {f.name for f in functions if any(_DECORATOR in ast.unparse(d) for d in f.decorator_list)}


def _source(wheel, module):
    path = module.replace(".", "/")
    names = wheel.namelist()
    return wheel.read(path + ".py" if path + ".py" in names else path + "/__init__.py").decode()


def names_of(path):
    """The public names in one wheel, by module, and those of methods."""
    with zipfile.ZipFile(path) as wheel:
        sources = {module: _source(wheel, module) for module in MODULES}
    found = {module: public_names(text) for module, text in sources.items()}
    return found | {METHODS: set().union(*map(methods, sources.values()))}


def main(paths):
    """Writes the file next to this script."""
    releases = list(map(names_of, paths))
    found = {key: sorted(set().union(*(release[key] for release in releases))) for key in releases[0]}
    out = Path(__file__).with_name("triton_names.json")
    out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
