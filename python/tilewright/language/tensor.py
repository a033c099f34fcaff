"""The values that a kernel computes with."""

from .errors import BlockAsScalarError, LanguageError, LanguageTypeError


class tensor:
    """A block of elements, or a scalar, that exists when the kernel runs.

    Attributes: `type` (an element type, pointer type or `block_type`), `dtype` (the element type) and
    `shape` (ints known while compiling; `()` for a scalar). Operators promote and broadcast as the language
    reference says; most functions of `tl` are methods too: `x.to(tl.float16)`, `x.sum(axis=0)`.

    Example:

        >>> x = tl.arange(0, 8).reshape(2, 4)
        >>> x.shape
        (2, 4)
        >>> x.dtype == tl.int32
        True
        >>> x.T.shape
        (4, 2)
        >>> (x * 2).sum(axis=1)
        int32 [12, 44]
    """

    is_runtime_value = True
    #: Functions of NumPy do not take it.
    __array_ufunc__ = None
    #: Of a pointer: the argument that it points into, see `semantic.bounds`.
    origin = None
    #: Of a pointer: the begin and the end of its array, see there, too.
    extent = None
    #: Of floats: where their NaNs were made, see `semantic.nan_traces`.
    trace = None
    #: Of an integer scalar: its value where that is known while compiling, see `semantic.fold`.
    known = None

    def __init__(self, handle, type):
        self.handle = handle
        self.type = type
        self.dtype = type.scalar
        self.shape = type.shape

    def __repr__(self):
        from .ir import describe_handle

        return describe_handle(self.handle, self.type)

    def __format__(self, spec):
        return repr(self)  # `spec` is ignored: in a compiled kernel the text is a type

    @property
    def numel(self):
        """How many elements it has."""
        return self.type.numel if self.type.is_block() else 1

    @property
    def T(self):
        """The transpose of a block of rank 2."""
        if len(self.shape) != 2:
            raise LanguageTypeError(f".T needs a block of rank 2, got {self.type}", hint="use tl.permute")
        return _semantic("shape").permute(self, (1, 0))

    def __getitem__(self, index):
        return _semantic("index").getitem(self, index)

    def __setitem__(self, index, value):
        raise LanguageError(
            "elements of a block are assigned in kernels only, where x[0:16] = y binds x to another block"
        )

    # Conversions to Python numbers work in the interpreter, where values exist.

    def __bool__(self):
        return bool(_concrete(self.item() if self.numel == 1 else self, "a condition"))

    def __index__(self):
        if not self.dtype.is_int():
            raise TypeError(f"{self.type} is not an integer")
        return int(_concrete(self, "an index"))

    __int__ = __index__

    def __float__(self):
        return float(_concrete(self, "a Python float"))

    __hash__ = object.__hash__


def known_value(value):
    """The number of a scalar that is known while compiling; any other value as it is."""
    return value if getattr(value, "known", None) is None else value.known


def _semantic(module):
    import importlib

    return importlib.import_module(f".semantic.{module}", __package__)


def _concrete(value, what):
    """The number that a scalar holds, where the builder knows it."""
    from .ir import concrete_value

    if value.type.is_block():
        raise BlockAsScalarError(
            f"a block of shape {list(value.shape)} cannot be {what}", hint="reduce it to a scalar first"
        )
    return concrete_value(value, what)


#: The names of the methods that are operators: kernels may call them, too, as `x.__lshift__(4)`.
OPERATORS = set()


def _define_operators():
    from .constexpr import is_numpy_scalar, unwrap
    from .semantic import arithmetic, compare

    def operand(other):
        other = unwrap(other)
        return other.item() if is_numpy_scalar(other) and not other.shape else other

    def define(name, function):
        function.__name__ = f"__{name}__"
        function.is_builtin = True
        setattr(tensor, function.__name__, function)
        OPERATORS.add(function.__name__)

    def binary(name, function):
        define(name, lambda self, other: function(self, operand(other)))
        define(f"r{name}", lambda self, other: function(operand(other), self))

    def comparison(name):
        define(name, lambda self, other: compare.compare(name, self, operand(other)))

    def unary(name, function):
        define(name, lambda self: getattr(arithmetic, function)(self))

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
        binary(name, lambda a, b, name=name: getattr(arithmetic, name)(a, b))
    for name, op, symbol in (
        ("and", "arith.andi", "&"),
        ("or", "arith.ori", "|"),
        ("xor", "arith.xori", "^"),
    ):
        binary(name, lambda a, b, op=op, symbol=symbol: arithmetic.bitwise(a, b, op, symbol))
    for name, symbol in (("lshift", "<<"), ("rshift", ">>")):
        binary(name, lambda a, b, symbol=symbol: arithmetic.shift(a, b, symbol))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        comparison(name)
    for name, function in (("neg", "negate"), ("pos", "plus"), ("invert", "invert")):
        unary(name, function)
