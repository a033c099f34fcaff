"""Values known while a kernel is compiled."""

import functools
import inspect
import re
import textwrap
import types


def unwrap(value):
    """`value` with every `constexpr` in it, also inside tuples and lists, replaced by its value."""
    if not isinstance(value, _HOLDERS):  # the common case
        return value
    if isinstance(value, constexpr):
        return value.value
    if isinstance(value, (tuple, list)):
        items = (unwrap(item) for item in value)
        if hasattr(value, "_fields"):  # a named tuple
            return type(value)(*items)
        return list(items) if isinstance(value, list) else tuple(items)  # of a shape of torch, too
    return slice(unwrap(value.start), unwrap(value.stop), unwrap(value.step))


def is_numpy_scalar(value):
    """Whether it is one of NumPy's numbers, which mean the Python number that they hold."""
    return type(value).__module__ == "numpy" and hasattr(value, "item")


class constexpr:
    """A compile-time value, as an annotation (`BLOCK: tl.constexpr`) or as a wrapper (`tl.constexpr(4)`).

    Operators on two of them, or on one and a plain number, string or dtype, are evaluated while compiling
    and give another `constexpr`. Together with a block or a scalar of the kernel they act as a literal.

    Example:

        >>> SIZE: tl.constexpr = 2
        >>> tl.zeros((SIZE, 2 * SIZE), tl.int32)
        int32 [[0, 0, 0, 0], [0, 0, 0, 0]]
        >>> SIZE + 1
        3
    """

    __slots__ = ("value",)

    def __init__(self, value):
        value = unwrap(value)
        self.value = value.item() if is_numpy_scalar(value) else value

    def __repr__(self):
        return f"constexpr[{self.value!r}]"

    def __str__(self):
        return str(self.value)

    def __format__(self, spec):
        return format(self.value, spec)

    def __hash__(self):
        return hash(self.value)

    def __index__(self):
        return self.value.__index__()

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __bool__(self):
        return bool(self.value)

    def __len__(self):
        return len(self.value)

    def __iter__(self):
        return iter(self.value)

    def __getitem__(self, index):
        return constexpr(self.value[unwrap(index)])

    def __contains__(self, item):
        return unwrap(item) in self.value

    def __getattr__(self, name):
        """A field or a method of the value. Methods take constants as their values."""
        if name.startswith("_") or name == "value":
            raise AttributeError(name)
        found = getattr(self.value, name)
        if not isinstance(found, (types.MethodType, types.BuiltinMethodType)):
            return found
        return lambda *args, **kwargs: found(
            *unwrap(args), **{key: unwrap(arg) for key, arg in kwargs.items()}
        )

    @property
    def type(self):
        """Its `constexpr_type`."""
        return constexpr_type(self)

    def __call__(self, *args, **kwargs):
        """Call a plain function that was passed as a constant, or decorated with `@tl.constexpr`, with the values of the
        arguments."""
        if isinstance(self.value, types.FunctionType):
            args, kwargs = map(unwrap, args), {name: unwrap(value) for name, value in kwargs.items()}
        return self.value(*args, **kwargs)

    def logical_and(self, other):
        """`self and other` as a bool."""
        return constexpr(bool(self.value) and bool(unwrap(other)))

    def logical_or(self, other):
        """`self or other` as a bool."""
        return constexpr(bool(self.value) or bool(unwrap(other)))


#: Types that `unwrap` replaces or recurses into.
_HOLDERS = (constexpr, tuple, list, slice)


def _is_constant(value):
    return not getattr(type(value), "is_runtime_value", False)


def _binary(name, reverse=None):
    import operator

    function = getattr(operator, name)

    def forward(self, other):
        if not _is_constant(other):
            return NotImplemented
        return constexpr(function(self.value, unwrap(other)))

    def backward(self, other):
        if not _is_constant(other):
            return NotImplemented
        return constexpr(function(unwrap(other), self.value))

    setattr(constexpr, f"__{name.strip('_')}__", forward)
    if reverse:
        setattr(constexpr, f"__{reverse}__", backward)


for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
):
    _binary(_name, "r" + _name.strip("_"))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _binary(_name)
for _name in ("neg", "pos", "invert"):

    def _unary(self, _name=_name):
        return constexpr(getattr(self.value, f"__{_name}__")())

    setattr(constexpr, f"__{_name}__", _unary)


class constexpr_type:
    """The type of a `constexpr`, as `tl.constexpr_type(3)`: equal for equal values.

    Example:

        >>> import tilewright.language as tl
        >>> tl.constexpr_type(3) == tl.constexpr_type(3)
        True
    """

    def __init__(self, value):
        self.value = unwrap(value)

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value!r}]"


def constexpr_function(fn):
    """Decorate a plain Python function so that kernels may call it while they are compiled.

    It sees the values inside the `constexpr` arguments and its result becomes a `constexpr`. It must not
    depend on anything but its arguments.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> import tilewright.language as tl
        >>> @tl.constexpr_function
        ... def tile_bytes(rows, columns, bits):
        ...     return rows * columns * bits // 8
        ...
        >>> @tw.jit
        ... def kernel(out_ptr):
        ...     tl.store(out_ptr, tile_bytes(16, 32, 4))
        ...
        >>> out = np.zeros(1, np.int32)
        >>> _ = kernel[1,](out)
        >>> out
        array([256], dtype=int32)
    """

    return ConstexprFunction(fn)


class ConstexprFunction:
    """The result of `constexpr_function` for the Python function `fn`."""

    is_constexpr_function = True

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn

    @property
    def src(self):
        """The text from `def` on."""
        text = textwrap.dedent(inspect.getsource(self.fn))
        return text[re.search(r"^def\s", text, re.MULTILINE).start() :]

    def __call__(self, *args, **kwargs):
        result = self.fn(*map(unwrap, args), **{name: unwrap(value) for name, value in kwargs.items()})
        return result if isinstance(result, constexpr) else constexpr(result)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self):
        """Pickled, and copied, by name, as functions are."""
        return self.__qualname__
