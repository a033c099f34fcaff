"""Arguments that are several values, such as tuples, aggregates and tensor descriptors, or functions.

A launch passes their parts, the *leaves*, as separate arguments. A *tree* describes how the kernel reassembles them: the
name of a leaf, or a `Group`. Trees are hashable, and each tree has its own compilation.
"""

from typing import Any, NamedTuple

from ..language.dtypes import dtype
from ..language.structure import has_fields, items_of, structure, with_items
from ..language.tiles import make_tensor_descriptor
from .descriptor import TensorDescriptor
from .parameters import Parameter


class Group(NamedTuple):
    """A tuple, of the class `named` where that is given, an aggregate of that class, or with `block_shape` a
    tensor descriptor."""

    members: tuple
    named: Any = None
    block_shape: tuple | None = None
    padding: str = "zero"


def is_structured(value):
    """Whether an argument is several values, or a function."""
    return isinstance(value, (tuple, TensorDescriptor, structure)) or _is_function(value)


def _is_function(value):
    return getattr(type(value), "is_kernel_function", False)


def _is_constant(value):
    """Whether a part of a tuple is a constant to the kernel."""
    return (
        value is None
        or isinstance(value, (str, bytes, dtype))
        or (callable(value) and not hasattr(value, "dtype"))
    )


def _flatten(name, value, param, leaves):
    if isinstance(value, TensorDescriptor):
        if is_structured(value.base):
            raise TypeError("the base of a tensor descriptor is an array")
        base = f"{name}.base"
        leaves[base] = Parameter(base, specialize=param.specialize, align=param.align), value.base
        entries = {f"shape{i}": int(size) for i, size in enumerate(value.shape)}
        # The last stride is known to be 1.
        entries |= {f"stride{i}": int(stride) for i, stride in enumerate(value.strides[:-1])}
        members = [_flatten(f"{name}.{part}", entry, param, leaves) for part, entry in entries.items()]
        return Group((base, *members), None, tuple(map(int, value.block_shape)), value.padding)
    items = items_of(value)
    if items is not None:
        members = tuple(_flatten(f"{name}.{part}", item, param, leaves) for part, item in items)
        return Group(members, None if type(value) is tuple or not has_fields(value) else type(value))
    constant = param.is_constexpr or _is_constant(value)
    leaves[name] = (
        Parameter(name, is_constexpr=constant, specialize=param.specialize, align=param.align),
        value,
    )
    return name


def flatten(params, bound):
    """The leaves of the arguments `bound`, by name in order, as pairs of `Parameter` and value; and the trees
    of the structured arguments, by name. Raises `TypeError` for invalid parts."""
    leaves, trees = {}, {}
    for param in params:
        value = bound[param.name]
        if is_structured(value) and not param.is_constexpr:
            trees[param.name] = _flatten(param.name, value, param, leaves)
        else:
            leaves[param.name] = (param, value)
    return leaves, trees


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
