"""The common type and shape of two operands.

Two tensors: the higher kind wins (bool < integer < float), then the wider, then float16 over bfloat16, then
unsigned over signed. A literal combined with a tensor takes part only if its kind is higher than the tensor's.
Then it has the first type of int32, uint32, int64, uint64 (float32, float64) that holds it.

Under Triton's numerics, bfloat16 with any type other than bfloat16 and float16 is computed in float32.
"""

from ..dtypes import bfloat16, block_type, float16, float32, float64, int32, uint32
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import builder, emit
from ..tensor import tensor
from .convert import cast, constant, describe, is_literal, literal_type, operand_hint, to_tensor


def follows_triton():
    """Whether the kernel asks for the numerics of Triton."""
    return builder().options.numerics == "triton"


def computation_type(left, right, division=False):
    """The element type for two tensors with element types `left` and `right`.

    `division` (also modulo) computes narrow floats in float32 and refuses integers of different sign.
    """
    if left is right and not division:  # the common case
        return left
    for wide in (float64, float32):
        if wide in (left, right):
            return wide
    if left.is_floating() or right.is_floating():
        return _narrow_float(left, right, division)
    if left.is_bool() or right.is_bool() or left.is_int_signed() == right.is_int_signed():
        return left if left.int_bitwidth > right.int_bitwidth else right
    if division:
        raise LanguageTypeError(
            f"Cannot use / or % with {left} and {right} because they have different signedness",
            hint="cast one of them with .to() so that both have the same sign",
        )
    unsigned, signed = (left, right) if left.is_int_unsigned() else (right, left)
    return unsigned if unsigned.int_bitwidth >= signed.int_bitwidth else signed


def sum_type(ty):
    """The type in which `tl.sum` adds elements of type `ty`. Triton counts bools as unsigned."""
    if not ty.is_int() or ty.int_bitwidth >= 32:
        return ty
    return uint32 if ty.is_int_unsigned() and (not ty.is_bool() or follows_triton()) else int32


def _narrow_float(left, right, division):
    floats = [ty for ty in (left, right) if ty.is_floating()]
    if division:
        return float32
    if len(floats) == 2 and all(ty.is_fp8() for ty in floats):
        return left if left == right else float16
    if bfloat16 in floats and float16 not in floats and left != right and follows_triton():
        return float32
    return max(floats, key=lambda ty: (ty.primitive_bitwidth, ty == float16))


def _literal_computation_type(ty, value, division):
    literal = literal_type(value)
    if literal.kind() <= ty.kind():
        return float32 if division and ty.is_floating() and ty.primitive_bitwidth < 32 else ty
    return computation_type(ty, literal, division)


def _convert_literal(value, ty, other):
    """The literal `value` as a scalar of type `ty`. `other` is the other operand, a tensor."""
    if other.dtype.is_int_unsigned() and not other.dtype.is_bool() and isinstance(value, int) and value < 0:
        raise LanguageValueError(
            f"the negative number {value} with an operand of type {other.dtype}",
            hint="cast the operand to a signed type with .to()",
        )
    if ty.is_int() and not ty.is_bool() and not ty.get_int_min_value() <= value <= ty.get_int_max_value():
        raise LanguageValueError(
            f"the number {value} is out of range for {ty}", hint="cast the operand to a wider type with .to()"
        )
    return constant(value, ty)


def check_operand(value, what):
    """Raise unless `value` is a tensor or a number."""
    if not isinstance(value, tensor) and not is_literal(value):
        raise LanguageTypeError(
            f"{what} takes blocks, scalars and numbers, got {describe(value)}", hint=operand_hint(value)
        )


def check_computes(value, what):
    """Raises if the elements of the tensor `value` have a storage-only type."""
    if value.dtype.is_stored_float():
        raise LanguageTypeError(
            f"{what} does not take {value.type}, which is only loaded, stored and cast",
            hint="cast it first with .to(tl.float32)",
        )


def operands(left, right, what, division=False, pointers=False):
    """`left` and `right` in one type and shape. `what` names the operation in errors.

    `pointers` lets two pointers, or two of another type, of the same type through unchanged.
    """
    check_operand(left, what)
    check_operand(right, what)
    left_literal, right_literal = not isinstance(left, tensor), not isinstance(right, tensor)
    if left_literal and right_literal:
        left, right = to_tensor(left), to_tensor(right)
        left_literal = right_literal = False
    if pointers and not (left_literal or right_literal) and left.dtype == right.dtype:
        return broadcast_pair(left, right)
    tensors = [right] if left_literal else [left] if right_literal else [left, right]
    if any(value.dtype.is_ptr() for value in tensors):
        raise LanguageTypeError(f"{what} does not take {describe(left)} and {describe(right)}")
    for value in tensors:
        check_computes(value, what)
    if left_literal:
        ty = _literal_computation_type(right.dtype, left, division)
        left, right = _convert_literal(left, ty, right), cast(right, ty)
    elif right_literal:
        ty = _literal_computation_type(left.dtype, right, division)
        left, right = cast(left, ty), _convert_literal(right, ty, left)
    else:
        ty = computation_type(left.dtype, right.dtype, division)
        left, right = cast(left, ty), cast(right, ty)
    return broadcast_pair(left, right)


def splat(value, shape):
    """A scalar repeated to a block of `shape`."""
    return emit("tile.splat", [value], block_type(value.dtype, shape))


def broadcast_shapes(left, right, of=("", "")):
    """The common shape of two shapes by NumPy's rule: missing leading dimensions and dimensions of size 1 stretch.

    `of` names the owners of the shapes in errors."""
    if not left or not right:
        return tuple(left or right)
    rank = max(len(left), len(right))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in (left, right)]
    shape = []
    for axis, (a, b) in enumerate(zip(*padded, strict=True)):
        if a != b and 1 not in (a, b):
            raise LanguageValueError(
                f"shapes {list(left)}{of[0]} and {list(right)}{of[1]} do not broadcast: "
                f"dimension {axis} is {a} in one and {b} in the other"
            )
        shape.append(max(a, b))
    return tuple(shape)


def broadcast_to_shape(value, shape):
    """`value` stretched to `shape`."""
    shape = tuple(shape)
    if value.shape == shape:
        return value
    if not value.type.is_block():
        return splat(value, shape)
    if broadcast_shapes(value.shape, shape) != shape:
        raise LanguageValueError(f"a block of shape {list(value.shape)} does not broadcast to {list(shape)}")
    for _ in range(len(shape) - len(value.shape)):
        value = expand_dims(value, 0)
    return value if value.shape == shape else emit("tile.broadcast", [value], block_type(value.dtype, shape))


def expand_dims(value, axis):
    """Inserts a dimension of size 1 at `axis` (0 to rank)."""
    shape = list(value.shape)
    shape.insert(axis, 1)
    if not value.type.is_block():
        return splat(value, shape)
    return emit("tile.expand_dims", [value], block_type(value.dtype, shape), axis=axis)


def broadcast_pair(left, right):
    """Both values stretched to their common shape (two scalars stay scalars)."""
    if left.shape == right.shape:
        return left, right
    shape = broadcast_shapes(left.shape, right.shape)
    return broadcast_to_shape(left, shape), broadcast_to_shape(right, shape)
