"""Names that functions read from their surroundings."""

import builtins


def resolve(fn, name):
    """Resolves a name that is no local of the function `fn`. Returns its scope ("closure", "module", "builtins", or
    None), its value, and whether it is annotated as a constant."""
    if name in fn.__code__.co_freevars:
        try:
            return "closure", fn.__closure__[fn.__code__.co_freevars.index(name)].cell_contents, False
        except ValueError:  # not assigned yet
            pass
    module = fn.__globals__
    if name in module:
        return "module", module[name], is_annotated(module.get("__annotations__"), name)
    if hasattr(builtins, name):
        return "builtins", getattr(builtins, name), False
    return None, None, False


def is_annotated(annotations, name):
    """Whether the annotations of a module say that `name` is a constant."""
    return "constexpr" in str((annotations or {}).get(name, ""))
