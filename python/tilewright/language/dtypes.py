"""Types of the language: element types, pointers and blocks.

A *scalar* has an element type or a pointer type; a *block* has a `block_type`, that is a shape and one of
those. Integers carry a sign only here: the IR is signless, and the operations choose the op by the sign.
"""

import re
from functools import cached_property

from .constexpr import constexpr, unwrap
from .errors import LanguageTypeError, LanguageValueError

# name -> (IR spelling, width in bits, bits of the mantissa for floats)
_FLOATS = {
    "fp8e4nv": ("f8E4M3FN", 8, 3),
    "fp8e5": ("f8E5M2", 8, 2),
    "fp16": ("f16", 16, 10),
    "bf16": ("bf16", 16, 7),
    "fp32": ("f32", 32, 23),
    "fp64": ("f64", 64, 52),
}
# Floats that memory holds and the IR has as i8: name -> bits of the mantissa.
_STORED_FLOATS = {"fp8e4b15": 3, "fp8e4b8": 3, "fp8e5b16": 2}
#: The exponent bias of each float.
_BIASES = {
    "fp8e4nv": 7,
    "fp8e5": 15,
    "fp8e4b15": 15,
    "fp8e4b8": 8,
    "fp8e5b16": 16,
    "fp16": 15,
    "bf16": 127,
    "fp32": 127,
    "fp64": 1023,
}
_SIGNED = {"int1": 1, "int8": 8, "int16": 16, "int32": 32, "int64": 64}
_UNSIGNED = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}

# The order of kinds in type promotion: the higher one wins.
BOOLEAN, INTEGRAL, FLOATING = 0, 1, 2


class dtype:
    """An element type, such as `tl.float32`.

    Attributes: `name` ("fp32", "int64", "uint8", ...), `primitive_bitwidth`, `itemsize` (bytes in memory), for
    integers `int_bitwidth`, for floats `fp_mantissa_width` and `exponent_bias`. Equality is by name. Raises
    `LanguageTypeError` for a name that is not a type.

    Example:

        >>> import tilewright.language as tl
        >>> tl.float32.primitive_bitwidth
        32
        >>> tl.dtype("fp32") == tl.float32
        True
        >>> tl.int8.get_int_min_value()
        -128
    """

    #: The names of types by kind.
    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64"]
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    def __init__(self, name):
        name = unwrap(name)  # kernels make types of f-strings, too
        if name in _FLOATS:
            self._ir, self.primitive_bitwidth, self.fp_mantissa_width = _FLOATS[name]
        elif name in _STORED_FLOATS:
            self._ir, self.primitive_bitwidth, self.fp_mantissa_width = "i8", 8, _STORED_FLOATS[name]
        elif name in _SIGNED or name in _UNSIGNED:
            self.int_bitwidth = self.primitive_bitwidth = (_SIGNED | _UNSIGNED)[name]
            self._ir = f"i{self.int_bitwidth}"
        elif name == "void":
            self._ir, self.primitive_bitwidth = "none", 0
        else:
            raise LanguageTypeError(f"unknown type {name!r}")
        if name in _BIASES:
            self.exponent_bias = _BIASES[name]
        self.name = name

    @property
    def ir(self):
        """The spelling of this type in the IR."""
        return self._ir

    @property
    def itemsize(self):
        """Bytes of an element in memory."""
        return (self.primitive_bitwidth + 7) // 8

    @property
    def value(self):
        """Itself: a type is a constant with or without a `constexpr` around it."""
        return self

    @property
    def scalar(self):
        """The element type (of a scalar: itself)."""
        return self

    @property
    def shape(self):
        """The dimensions; () for a scalar."""
        return ()

    def is_block(self):
        """Whether it is a block."""
        return False

    def is_ptr(self):
        """Whether it is a pointer."""
        return False

    def is_floating(self):
        """Whether it is a float."""
        return self.name in _FLOATS or self.is_stored_float()

    def is_stored_float(self):
        """Whether it is a float that is only loaded, stored, moved and cast."""
        return self.name in _STORED_FLOATS

    def is_void(self):
        """Whether it is the type of nothing."""
        return self.name == "void"

    def is_const(self):
        """Whether it is a pointer through which nothing is stored."""
        return False

    def is_standard_floating(self):
        """Whether it is a float of 16 bits or more."""
        return self.name in self.STANDARD_FP_TYPES

    def is_fp8(self):
        """Whether it is a float of 8 bits."""
        return self.name in ("fp8e4nv", "fp8e5")

    def is_int(self):
        """Whether it is an integer, int1 included."""
        return self.name in _SIGNED or self.name in _UNSIGNED

    def is_int_signed(self):
        """Whether it is a signed integer; int1 is none."""
        return self.name in self.SINT_TYPES

    def is_int_unsigned(self):
        """Whether it is an unsigned integer, int1 included."""
        return self.name in self.UINT_TYPES

    def is_bool(self):
        """Whether it is int1."""
        return self.name == "int1"

    def kind(self):
        """BOOLEAN, INTEGRAL or FLOATING: the rank of this type in promotion."""
        return BOOLEAN if self.is_bool() else INTEGRAL if self.is_int() else FLOATING

    def get_int_max_value(self):
        """The largest value of this integer type."""
        return 2 ** (self.int_bitwidth - self.is_int_signed()) - 1

    def get_int_min_value(self):
        """The smallest value of this integer type."""
        return -(2 ** (self.int_bitwidth - 1)) if self.is_int_signed() else 0

    def __eq__(self, other):
        return self.name == other.name if isinstance(other, dtype) else NotImplemented

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"tl.{_PUBLIC_NAMES.get(self.name, self.name)}"


class pointer_type(dtype):
    """A pointer to elements of type `element_ty`; `const` forbids stores through it.

    Example:

        >>> p = ints.to(tl.pointer_type(tl.int64))
        >>> tl.load(p)
        int64 4294967296
    """

    def __init__(self, element_ty, address_space=1, const=False):
        element_ty, const = unwrap(element_ty), unwrap(const)  # the interpreter calls it from kernels
        if not isinstance(element_ty, dtype) or element_ty.is_block():
            raise LanguageTypeError(f"a pointer needs an element type, got {element_ty!r}")
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.primitive_bitwidth = 64
        self.name = f"pointer<{'const ' if const else ''}{element_ty}>"

    @property
    def ir(self):
        """The spelling of this type in the IR."""
        # Memory holds bools as bytes.
        pointee = "i8" if self.element_ty.is_bool() else self.element_ty.ir
        return f"!tile.ptr<{pointee}>"

    def is_ptr(self):
        """True."""
        return True

    def is_const(self):
        """Whether stores through it are forbidden."""
        return self.const

    def __repr__(self):
        return f"tl.pointer_type({self.element_ty!r})"


class block_type(dtype):
    """A block: elements of one type (or pointers) in a shape known at compile time.

    Example:

        >>> tl.arange(0, 8).reshape(2, 4).type == tl.block_type(tl.int32, [2, 4])
        True
    """

    def __init__(self, element_ty, shape):
        self.element_ty = element_ty
        self._shape = tuple(map(int, shape))
        if not self._shape:
            raise LanguageTypeError("a block has at least one dimension")
        if min(self._shape) <= 0:
            raise LanguageValueError(f"the dimensions of a block are positive, got {list(self._shape)}")
        dims = [str(dim) for dim in self._shape]
        self.name = f"<[{', '.join(dims)}], {element_ty}>"
        self._ir = f"tensor<{'x'.join(dims)}x{element_ty.ir}>"

    @property
    def shape(self):
        """The dimensions."""
        return self._shape

    @property
    def scalar(self):
        """The element type."""
        return self.element_ty

    @cached_property
    def numel(self):
        """How many elements it has."""
        count = 1
        for dim in self._shape:
            count *= dim
        return count

    @property
    def primitive_bitwidth(self):
        """The width of an element."""
        return self.element_ty.primitive_bitwidth

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self.numel * self.itemsize

    def get_block_shapes(self):
        """The dimensions."""
        return self._shape

    def is_block(self):
        """True."""
        return True

    def with_element_ty(self, element_ty):
        """The same shape of another element type."""
        return block_type(element_ty, self._shape)

    def __repr__(self):
        return f"tl.block_type({self.element_ty!r}, {list(self._shape)})"


class block_pointer_type(dtype):
    """A pointer to a block of an array: its `element_ty` is a `block_type`."""

    def __init__(self, element_ty):
        self.element_ty = element_ty
        self.name = f"block_pointer<{element_ty}>"

    def is_ptr(self):
        """True."""
        return True


class descriptor_type(dtype):
    """An array in memory that is accessed by blocks of one shape."""

    def __init__(self, element_ty, shape):
        self.element_ty, self._shape = element_ty, tuple(shape)
        self.name = f"desc<{list(self._shape)}, {element_ty}>"

    @property
    def ir(self):
        """The spelling of this type in the IR."""
        return f"!tile.desc<{'x'.join(map(str, self._shape))}x{self.element_ty.ir}>"

    def __repr__(self):
        return f"tl.descriptor_type({self.element_ty!r}, {list(self._shape)})"


def _define_predicates():
    """`is_fp16()`, `is_int1()`, `is_uint64()` and so on: whether a type is the one of that name."""
    for name in (*_FLOATS, *_STORED_FLOATS, *_SIGNED, *_UNSIGNED):
        setattr(dtype, f"is_{name}", lambda self, name=name: self.name == name)


_define_predicates()


def with_scalar(ty, scalar):
    """`ty` with its element type replaced by `scalar`; its shape stays."""
    return block_type(scalar, ty.shape) if ty.is_block() else scalar


void = dtype("void")
int1, int8, int16, int32, int64 = (dtype(name) for name in _SIGNED)
uint8, uint16, uint32, uint64 = (dtype(name) for name in _UNSIGNED)
float8e4nv, float8e5 = dtype("fp8e4nv"), dtype("fp8e5")
float8e4b15, float8e4b8, float8e5b16 = (dtype(name) for name in _STORED_FLOATS)
float16, bfloat16, float32, float64 = dtype("fp16"), dtype("bf16"), dtype("fp32"), dtype("fp64")
pi32_t = pointer_type(int32)

_PUBLIC_NAMES = {
    "fp8e4nv": "float8e4nv",
    "fp8e5": "float8e5",
    **{name: name.replace("fp", "float") for name in _STORED_FLOATS},
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
}

_SIGNATURE_NAMES = {
    **{name: name for name in (*_FLOATS, *_STORED_FLOATS)},
    **{f"i{width}": name for name, width in _SIGNED.items()},
    **{f"u{width}": name for name, width in _UNSIGNED.items()},
    "u1": "int1",
    "B": "int1",
}


def type_from_signature(text):
    """The type that a signature string names: "*fp32", "i32", "*ki8" (pointer to const), "u64", ...

    Raises `LanguageTypeError` if the string names none.
    """
    match = re.fullmatch(r"(\*k?)?(\w+)", text.strip())
    name = _SIGNATURE_NAMES.get(match.group(2)) if match else None
    if name is None:
        known = ", ".join(key for key, value in _SIGNATURE_NAMES.items() if value and key not in ("u1", "B"))
        raise LanguageTypeError(
            f"unknown type {text!r} in a signature", hint=f"write one of {known}, or '*' and one of them"
        )
    element = dtype(name)
    return pointer_type(element, const=match.group(1) == "*k") if match.group(1) else element


def str_to_ty(name, constants=None):
    """The type that a signature names: "*fp32", "i32", "*ki8" (pointer to const), "u64"; "constexpr" gives
    `constexpr`. `constants` means nothing here. Raises `LanguageTypeError` if it names none.

    Example:

        >>> import tilewright.language as tl
        >>> tl.str_to_ty("*fp32")
        tl.pointer_type(tl.float32)
    """
    return constexpr if name == "constexpr" else type_from_signature(name)


class const:
    """Annotates a pointer to memory that does not change while the kernel runs: `def kernel(x: tl.const, ...)`.

    A store through it is an error. Other programs and kernels do not write there either, so its loads need not wait
    for earlier atomic operations.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> import tilewright.language as tl
        >>> @tw.jit
        ... def total(x_ptr: tl.const, out_ptr, N: tl.constexpr):
        ...     tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N))))
        ...
        >>> out = np.zeros(1, np.float32)
        >>> _ = total[1,](np.ones(8, np.float32), out, 8)
        >>> out
        array([8.], dtype=float32)
    """


#: The most elements of a block in Triton, which is no bound here.
TRITON_MAX_TENSOR_NUMEL = 1 << 20
