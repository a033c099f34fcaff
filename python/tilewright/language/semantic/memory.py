"""Loads, stores and atomics."""

from ..dtypes import int64, uint64, with_scalar
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import UNIT, emit, emit_effect
from .bounds import checked_mask
from .convert import cast, check_fits, describe, is_literal, memory_type, to_bool, to_tensor
from .nan_traces import check_written
from .promote import broadcast_shapes, broadcast_to_shape

LOAD_CACHE = {"": 0, None: 0, ".ca": 1, ".cg": 2, ".cs": 3, ".cv": 4}
STORE_CACHE = {"": 0, None: 0, ".wb": 5, ".cg": 2, ".cs": 3, ".wt": 6}
EVICTION = {"": 0, None: 0, "evict_first": 1, "evict_last": 2}
SEMANTICS = {None: 3, "relaxed": 0, "acquire": 1, "release": 2, "acq_rel": 3}
_OF_POINTERS = " of the pointers"
#: Memory orders of atomics that only read, and of those that only write.
READ_SEMANTICS = {None: 1, "relaxed": 0, "acquire": 1}
WRITE_SEMANTICS = {None: 2, "relaxed": 0, "release": 2}
SCOPES = {None: 1, "cta": 0, "gpu": 1, "sys": 2}


def option(table, value, what):
    """The code of the option `value`; None, False and 0 mean no option, as in Triton. Raises `LanguageValueError` that
    lists the options."""
    value = value or None
    if value not in table:
        known = ", ".join(repr(name) for name in table if name is not None)
        raise LanguageValueError(f"{what} is one of {known}, got {value!r}")
    return table[value]


def check_pointer(value, what):
    """`value` as a tensor. Raises `LanguageTypeError` unless it holds pointers."""
    if value is None:
        raise LanguageTypeError(
            f"{what} needs a pointer or a block of pointers, got None",
            hint="the argument was given as None: leave this out under `if ... is not None`",
        )
    value = to_tensor(value)
    if not value.dtype.is_ptr():
        raise LanguageTypeError(
            f"{what} needs a pointer or a block of pointers, got {value.type}",
            hint="add the offsets to a pointer argument: ptr + offsets",
        )
    return value


def _mask_for(pointer, mask, what):
    """`pointer` and `mask` in one shape, the mask as int1."""
    is_number = is_literal(mask)
    mask = to_tensor(mask)
    if not mask.dtype.is_bool() and not (is_number and mask.dtype.is_int()):
        raise LanguageTypeError(
            f"the mask of {what} is a block of bools, got {mask.type}",
            hint="compare: mask=i < n, or mask=flags != 0",
        )
    if mask.type.is_block() and not pointer.type.is_block():
        raise LanguageTypeError(
            f"the mask of {what} is a block of shape {list(mask.shape)} but the pointer is a scalar"
        )
    shape = broadcast_shapes(pointer.shape, mask.shape, (_OF_POINTERS, " of the mask"))
    return broadcast_to_shape(pointer, shape), broadcast_to_shape(to_bool(mask), shape)


def _fit(value, pointer, element, what):
    """`value` in the pointers' shape and element type."""
    check_fits(value, element, what)
    value = to_tensor(value)
    if value.type.is_block() and not pointer.type.is_block():
        raise LanguageTypeError(f"{what} is a block of shape {list(value.shape)} but the pointer is a scalar")
    addresses = [ty for ty in (value.dtype, element) if not ty.is_ptr()]
    if len(addresses) == 1 and addresses[0] not in (int64, uint64):
        raise LanguageTypeError(f"{what} is {describe(value)} but the pointer points to {element}")
    return broadcast_to_shape(cast(value, element), pointer.shape)


def load(pointer, mask, other, cache, eviction, volatile):
    """See `tl.load`."""
    pointer = check_pointer(pointer, "tl.load")
    element = pointer.dtype.element_ty
    if other is not None and mask is None:
        raise LanguageValueError("`other` of tl.load needs a `mask`")
    if mask is not None:
        pointer, mask = _mask_for(pointer, mask, "tl.load")
    mask = checked_mask(pointer, mask, "tl.load")
    operands = [pointer] if mask is None else [pointer, mask]
    if other is not None:
        operands.append(cast(_fit(other, pointer, element, "`other`"), memory_type(element)))
    loaded = emit(
        "tile.load",
        operands,
        with_scalar(pointer.type, memory_type(element)),
        operandSegmentSizes=[1, int(mask is not None), int(other is not None)],
        cache=option(LOAD_CACHE, cache, "cache_modifier"),
        eviction=option(EVICTION, eviction, "eviction_policy"),
        **({"isVolatile": UNIT} if volatile else {}),
    )
    return to_bool(loaded) if element.is_bool() else loaded


def store(pointer, value, mask, cache, eviction):
    """See `tl.store`."""
    pointer = check_pointer(pointer, "tl.store")
    if pointer.dtype.const:
        raise LanguageTypeError(f"Cannot store to a constant pointer: {pointer.type}")
    element = pointer.dtype.element_ty
    check_fits(value, element, "the stored value")
    value = to_tensor(value)
    both = (_OF_POINTERS, " of the stored value")
    shape = broadcast_shapes(pointer.shape, value.shape, both) if pointer.type.is_block() else ()
    # A value of lower rank than the pointers mostly means wrong pointers, which would write elsewhere.
    if shape != pointer.shape or len(value.shape) not in (0, len(pointer.shape)):
        shapes = f"{list(value.shape)} through pointers of shape {list(pointer.shape)}"
        raise LanguageValueError(f"tl.store of a block of shape {shapes}")
    if mask is not None:
        wide, mask = _mask_for(pointer, mask, "tl.store")
        if wide.shape != pointer.shape:
            raise LanguageValueError(
                f"the mask of tl.store has shape {list(mask.shape)}, the pointers {list(pointer.shape)}"
            )
    operands = [pointer, cast(_fit(value, pointer, element, "the stored value"), memory_type(element))]
    mask = checked_mask(pointer, mask, "tl.store")
    check_written(operands[1], mask, "tl.store")
    emit_effect(
        "tile.store",
        operands + ([mask] if mask is not None else []),
        cache=option(STORE_CACHE, cache, "cache_modifier"),
        eviction=option(EVICTION, eviction, "eviction_policy"),
    )


def _atomic_pointer(pointer, what):
    pointer = check_pointer(pointer, what)
    if pointer.dtype.const:
        raise LanguageTypeError(f"{what} through a pointer to const")
    return pointer


def atomic_kind(op, element, what):
    """The kind of `tile.atomic_rmw` for `op` on `element`."""
    floating, unsigned = element.is_floating(), element.is_int_unsigned()
    if op == "xchg":
        code = 11
    elif op == "add":
        code = 1 if floating else 0
    elif op in ("max", "min"):
        first = 9 if floating else 7 if unsigned else 5
        code = first + (op == "min")
    elif floating:
        raise LanguageTypeError(f"{what} takes integers, got {element}")
    else:
        code = {"and": 2, "or": 3, "xor": 4}[op]
    is_half = op in ("add", "max", "min") and element.name in ("fp16", "bf16")
    if element.is_ptr() or (element.primitive_bitwidth < 32 and not is_half):
        raise LanguageTypeError(
            f"{what} does not take {element}",
            hint="atomics work on elements of 32 or 64 bits; additions, maxima and minima on float16 and bfloat16, too",
        )
    return code


def atomic_rmw(op, pointer, value, mask, sem, scope):
    """`op` is add, max, min, and, or, xor or xchg. Returns the old elements."""
    return _atomic_rmw(op, f"tl.atomic_{op}", pointer, value, mask, option(SEMANTICS, sem, "sem"), scope)


def atomic_store(pointer, value, mask, sem, scope):
    """See `tl.atomic_store`: an exchange with an unused result."""
    _atomic_rmw("xchg", "tl.atomic_store", pointer, value, mask, option(WRITE_SEMANTICS, sem, "sem"), scope)


def _atomic_rmw(op, what, pointer, value, mask, sem, scope):
    pointer = _atomic_pointer(pointer, what)
    value = to_tensor(value)
    if pointer.type.is_block():
        shape = broadcast_shapes(pointer.shape, value.shape, (_OF_POINTERS, " of the value"))
        pointer = broadcast_to_shape(pointer, shape)
    element = pointer.dtype.element_ty
    kind = atomic_kind(op, element, what)
    if mask is not None:
        pointer, mask = _mask_for(pointer, mask, what)
    operands = [pointer, _fit(value, pointer, element, "the value")]
    mask = checked_mask(pointer, mask, what)
    check_written(operands[1], mask, what)
    return emit(
        "tile.atomic_rmw",
        operands + ([mask] if mask is not None else []),
        with_scalar(pointer.type, element),
        kind=kind,
        sem=sem,
        scope=option(SCOPES, scope, "scope"),
    )


def _comparable_pointer(pointer, what):
    pointer = _atomic_pointer(pointer, what)
    element = pointer.dtype.element_ty
    if element.is_ptr() or element.primitive_bitwidth not in (16, 32, 64):
        raise LanguageTypeError(f"{what} takes elements of 16, 32 or 64 bits, got {element}")
    return pointer


def atomic_load(pointer, mask, sem, scope):
    """See `tl.atomic_load`: an exchange of zero for zero, which leaves everything as it is."""
    pointer = _comparable_pointer(pointer, "tl.atomic_load")
    if mask is not None:
        pointer, mask = _mask_for(pointer, mask, "tl.atomic_load")
    mask = checked_mask(pointer, mask, "tl.atomic_load")
    element = pointer.dtype.element_ty
    zero = _fit(0, pointer, element, "zero")
    return emit(
        "tile.atomic_cas",
        [pointer, zero, zero] + ([mask] if mask is not None else []),
        with_scalar(pointer.type, element),
        sem=option(READ_SEMANTICS, sem, "sem"),
        scope=option(SCOPES, scope, "scope"),
    )


def atomic_cas(pointer, expected, value, sem, scope):
    """See `tl.atomic_cas`."""
    pointer = _comparable_pointer(pointer, "tl.atomic_cas")
    element = pointer.dtype.element_ty
    checked_mask(pointer, None, "tl.atomic_cas")
    operands = [pointer, _fit(expected, pointer, element, "`cmp`"), _fit(value, pointer, element, "`val`")]
    check_written(operands[2], None, "tl.atomic_cas")
    return emit(
        "tile.atomic_cas",
        operands,
        with_scalar(pointer.type, element),
        sem=option(SEMANTICS, sem, "sem"),
        scope=option(SCOPES, scope, "scope"),
    )
