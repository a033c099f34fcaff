"""How a kernel reassembles arguments that are several values, from their parts.

A launch passes the parts, the *leaves*, as separate arguments. A *tree* describes one argument: the name of a leaf, or a
`Group`. Trees are hashable, and each tree has its own compilation.
"""

from typing import Any, NamedTuple

from .structure import with_items
from .tiles import make_tensor_descriptor


class Group(NamedTuple):
    """A tuple, of the class `named` where that is given, an aggregate of that class, or with `block_shape` a
    tensor descriptor."""

    members: tuple
    named: Any = None
    block_shape: tuple | None = None
    padding: str = "zero"


def leaf_names(tree):
    """The names of the leaves of a tree, in order."""
    if isinstance(tree, str):
        return [tree]
    return [name for member in tree.members for name in leaf_names(member)]


def spelled(tree, types):
    """The type of an argument as text, or as a tuple of those of its parts; `types` has those of leaves by name, and a
    leaf that is not there is a constant."""
    if isinstance(tree, str):
        return types.get(tree, "constexpr")
    if tree.block_shape is not None:
        element = types[tree.members[0]].removeprefix("*")
        return f"tensordesc<{element}[{', '.join(map(str, tree.block_shape))}]>"
    return tuple(spelled(member, types) for member in tree.members)


def assemble(tree, values):
    """The language value of a tree, from the `values` of its leaves by name."""
    if isinstance(tree, str):
        return values[tree]
    members = [assemble(member, values) for member in tree.members]
    if tree.block_shape is not None:
        rank = len(tree.block_shape)
        base, shape, strides = members[0], members[1 : 1 + rank], members[1 + rank :]
        return make_tensor_descriptor(base, shape, [*strides, 1], tree.block_shape, tree.padding)
    return with_items(tree.named, members) if tree.named else tuple(members)
