"""Arguments that are several values, such as tuples, aggregates and tensor descriptors, or functions.

A launch passes their parts as separate arguments, and the kernel reassembles them: see `language.trees`.
"""

from ..language.dtypes import dtype
from ..language.structure import has_fields, items_of, structure
from ..language.trees import Group
from .descriptor import TensorDescriptor
from .parameters import Parameter


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
