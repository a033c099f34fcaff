"""Values of a kernel while it is compiled: constants, tensors and tuples of them."""

import builtins

from ..language.aggregate import aggregate
from ..language.constexpr import constexpr, is_numpy_scalar, unwrap
from ..language.dtypes import int64, with_scalar
from ..language.semantic.bounds import ANY, with_extent
from ..language.semantic.convert import cast, constant, is_literal, spelled, to_tensor
from ..language.semantic.nan_traces import with_trace
from ..language.structure import constant_fields, items_of, with_items
from ..language.tensor import tensor


def is_constant(value):
    """Whether `value` is known while compiling, with all that it holds."""
    if isinstance(value, (tuple, list)):
        return all(map(is_constant, value))
    return not isinstance(value, (tensor, aggregate))


def static(value):
    """`value`, as a constant where it is a scalar of the kernel that is known while compiling; in tuples, too."""
    if isinstance(value, tensor):
        return value if value.known is None else constexpr(value.known)
    return tuple(map(static, value)) if type(value) is tuple else value


def wrap(value):
    """Plain numbers, strings and None as `constexpr`; all else as it is."""
    if value is None or isinstance(value, (bool, int, float, str)) or is_numpy_scalar(value):
        return constexpr(value)
    if isinstance(value, list):
        value = tuple(value)
    if type(value) is tuple:
        return tuple(map(wrap, value))
    return value


def materialize(value):
    """`value` after a plain assignment: numbers become scalars of the kernel. These may change later, so they are not
    known at compile time."""
    if isinstance(value, tuple):
        constant = constant_fields(value)
        items = [item if name in constant else materialize(item) for name, item in items_of(value)]
        return with_items(type(value), items)
    plain = unwrap(value)
    value = to_tensor(plain) if is_literal(plain) else value
    return tensor(value.handle, value.type) if getattr(value, "known", None) is not None else value


def carried(value):
    """`materialize`, for a value that a loop carries or a branch merges: the same tensors on all paths."""
    return _traced(materialize(value))


def _traced(value):
    if isinstance(value, tensor):
        return with_extent(with_trace(value))
    if isinstance(value, tuple):
        return with_items(type(value), [_traced(item) for _, item in items_of(value)])
    if isinstance(value, aggregate):
        return value.with_parts(map(_traced, value.parts))
    return value


def describe(value):
    """How an error names a value."""
    if isinstance(value, tensor):
        return f"a {'block' if value.shape else 'scalar'} of type {value.type}"
    if isinstance(value, aggregate):
        return f"a {value.type}"
    if isinstance(value, (tuple, list)):
        return f"a tuple of {len(value)}"
    return f"the constant {spelled(unwrap(value))}"


def type_name(value):
    """The type of a value in an error about two that must agree."""
    if isinstance(value, (tensor, aggregate)):
        return str(value.type)
    if isinstance(value, tuple):
        return f"({', '.join(map(type_name, value))})"
    return f"constant {spelled(unwrap(value))}"


def flatten(value):
    """The tensors in `value`, in order, each followed by its extent or trace, if any."""
    if isinstance(value, tensor):
        return [value, *(value.extent or ()), *([] if value.trace is None else [value.trace])]
    if isinstance(value, tuple):
        return [leaf for item in value for leaf in flatten(item)]
    if isinstance(value, aggregate):
        return flatten(value.parts)
    return []


def rebuild(value, handles):
    """`value` with each tensor's handle replaced by the next of the iterator `handles`."""
    if isinstance(value, tensor):
        other = tensor(next(handles), value.type)
        other.origin = value.extent and ANY  # it may have changed
        other.extent = value.extent and rebuild(value.extent, handles)
        other.trace = None if value.trace is None else rebuild(value.trace, handles)
        return other
    if isinstance(value, tuple):
        items = [rebuild(item, handles) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, aggregate):
        return value.with_parts([rebuild(part, handles) for part in value.parts])
    return value


def same_kind(left, right):
    """Whether two values have the same type, constants being equal to themselves only."""
    if isinstance(left, tensor) or isinstance(right, tensor):
        return isinstance(left, tensor) and isinstance(right, tensor) and left.type == right.type
    if isinstance(left, aggregate) or isinstance(right, aggregate):
        return isinstance(left, aggregate) and left.same_type(right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(builtins.map(same_kind, left, right))
    return left is right or unwrap(left) == unwrap(right)


def unchanged(left, right):
    """Whether a variable was left alone, so that nothing has to be merged."""
    if left is right:
        return True
    if is_constant(left) and is_constant(right):
        return same_kind(left, right)
    return False


def is_spent(value):
    """Whether `value` was used up: the slot of a ring that has been given back, say."""
    return getattr(value, "is_spent", False) is True


class Undefined:
    """A variable that only some paths define. `why` is the reason for errors."""

    def __init__(self, why):
        self.why = why


#: The value of a hidden variable of the front end that a path does not set.
MISSING = constexpr("missing")


def placeholder(value):
    """Zeros of the types of `value`, for a path that does not use them."""
    if isinstance(value, tensor):
        if value.dtype.is_ptr():
            return cast(constant(0, with_scalar(value.type, int64)), value.dtype)
        return constant(0, value.type)
    if isinstance(value, tuple):
        return tuple(map(placeholder, value))
    if isinstance(value, aggregate):
        return value.with_parts(map(placeholder, value.parts))
    return materialize(value)
