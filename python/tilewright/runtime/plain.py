"""Requests for kernels as plain data: numbers, strings and lists, which can be written down and read again."""

from ..language.constexpr import unwrap
from ..language.dtypes import dtype
from ..language.known import KnownInt
from ..language.trees import Group

#: The types of integers that are compiled in.
_INTEGERS = ("i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


def plain(value):
    """A constant as data. Raises `TypeError` for anything but numbers, strings, types and tuples of them."""
    value = unwrap(value)
    if type(value) is KnownInt:
        return [value.type, int(value)]
    if value is None or type(value) in (bool, int, str):
        return [type(value).__name__, value]
    if type(value) is float:
        return ["float", value.hex()]
    if type(value) is dtype:
        return ["dtype", value.name]
    if type(value) is tuple:
        return ["tuple", [plain(item) for item in value]]
    raise TypeError


def from_plain(data):
    """The constant that `plain` has made `data` of. Raises `ValueError` and `TypeError` for anything else."""
    kind, value = data
    if kind == "float":
        return float.fromhex(value)
    if kind == "dtype":
        return dtype(value)
    if kind == "tuple":
        return tuple(from_plain(item) for item in value)
    if kind in _INTEGERS and type(value) is int:
        return KnownInt(value, kind)
    if kind != type(value).__name__ or kind not in ("NoneType", "bool", "int", "str"):
        raise ValueError(f"no constant: {data!r}")
    return value


def plain_tree(tree):
    """The tree of a structured argument as data. Raises `TypeError` where it holds a class."""
    if isinstance(tree, str):
        return tree
    if tree.named is not None:
        raise TypeError
    return [[plain_tree(member) for member in tree.members], tree.block_shape, tree.padding]


def tree_from_plain(data):
    """The tree that `plain_tree` has made `data` of. Raises `ValueError` and `TypeError` for anything else."""
    if isinstance(data, str):
        return data
    members, block_shape, padding = data
    block_shape = None if block_shape is None else tuple(block_shape)
    return Group(tuple(tree_from_plain(member) for member in members), None, block_shape, padding)
