"""Access to global memory."""

from .builtin import builtin
from .errors import LanguageTypeError
from .semantic import memory as _memory
from .tiles import block_pointer, tensor_descriptor


def _no_block_pointer(boundary_check, padding_option):
    if boundary_check or padding_option:
        raise LanguageTypeError("boundary_check and padding_option are for block pointers", hint="use a mask")


def _no_descriptor(pointer, method):
    if isinstance(pointer, tensor_descriptor):
        raise LanguageTypeError(
            f"tl.{method} needs a pointer or a block of pointers, got a tensor descriptor",
            hint=f"use the descriptor's own {method}",
        )


def _only_boundaries(**given):
    for name, value in given.items():
        if value is not None:
            raise LanguageTypeError(f"`{name}` is not for block pointers", hint="use boundary_check")


@builtin
def load(
    pointer,
    mask=None,
    other=None,
    boundary_check=(),
    padding_option="",
    cache_modifier="",
    eviction_policy="",
    volatile=False,
):
    """Read the memory that `pointer`, a pointer or a block of pointers, points to.

    `mask` (bools) and `other` broadcast to the shape of `pointer`. Nothing is read where the mask is false;
    there the result is `other`, converted to the element type, or undefined without it. `cache_modifier`:
    "", ".ca", ".cg", ".cs" or ".cv"; `eviction_policy`: "", "evict_first" or "evict_last"; None is "" in both.
    `volatile` loads are never merged or removed.

    Raises `LanguageTypeError` if `pointer` holds no pointers, `LanguageValueError` for `other` without
    `mask`.

    Example:

        >>> i = tl.arange(0, 4)
        >>> tl.load(floats + i)
        float32 [0.0, 1.0, 2.0, 3.0]
        >>> tl.load(floats + 8 + i, mask=i < 2, other=-1.0)
        float32 [8.0, 9.0, -1.0, -1.0]
        >>> tl.load(ints + 5)
        int32 5
    """
    if isinstance(pointer, block_pointer):
        _only_boundaries(mask=mask, other=other)
        return pointer.load_block(boundary_check, padding_option, cache_modifier, eviction_policy)
    _no_descriptor(pointer, "load")
    _no_block_pointer(boundary_check, padding_option)
    return _memory.load(pointer, mask, other, cache_modifier, eviction_policy, volatile)


@builtin
def store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy=""):
    """Write `value` where `pointer`, a pointer or a block of pointers, points.

    `value` and `mask` broadcast to the shape of `pointer`; `value` is converted to the element type.
    Nothing is written where the mask is false. `cache_modifier`: "", ".wb", ".cg", ".cs" or ".wt";
    `eviction_policy` as for `load`. Raises `LanguageTypeError` if `pointer` holds no pointers or points to
    const.

    Example:

        >>> i = tl.arange(0, 4)
        >>> tl.store(out + i, i * 0.5, mask=i > 0)
        >>> tl.store(counts, 7)
        >>> out
        float32 [0.0, 0.5, 1.0, 1.5]
        >>> counts
        int32 [7, 0, 0, 0]
    """
    if isinstance(pointer, block_pointer):
        _only_boundaries(mask=mask)
        pointer.store_block(value, boundary_check, cache_modifier, eviction_policy)
        return
    _no_descriptor(pointer, "store")
    _no_block_pointer(boundary_check, "")
    _memory.store(pointer, value, mask, cache_modifier, eviction_policy)


def _rmw(op, text, example, result):
    def function(pointer, val, mask=None, sem=None, scope=None):
        return _memory.atomic_rmw(op, pointer, val, mask, sem, scope)

    function.__name__ = function.__qualname__ = f"atomic_{op}"
    function.__doc__ = f"""{text} at `pointer` atomically. Returns the old element.

    `pointer`: a pointer or a block of pointers; `val` and `mask` broadcast to its shape, `val` is converted
    to the element type. `sem`: "relaxed", "acquire", "release" or "acq_rel" (default); `scope`: "cta", "gpu"
    (default) or "sys". Elements have 32 or 64 bits, for `atomic_add`, `atomic_max` and `atomic_min` also
    float16 and bfloat16; raises `LanguageTypeError` otherwise.

    Example:

        >>> tl.store(counts, 6)
        >>> tl.atomic_{op}(counts, {example})
        int32 6
        >>> counts
        int32 [{result}, 0, 0, 0]
    """
    return builtin(function)


atomic_add = _rmw("add", "Add `val` to the element", 3, 9)
atomic_max = _rmw("max", "Leave the larger of the element and `val`", 9, 9)
atomic_min = _rmw("min", "Leave the smaller of the element and `val`", 3, 3)
atomic_and = _rmw("and", "Combine the integer and `val` by bitwise and", 3, 2)
atomic_or = _rmw("or", "Combine the integer and `val` by bitwise or", 3, 7)
atomic_xor = _rmw("xor", "Combine the integer and `val` by bitwise exclusive or", 3, 5)
atomic_xchg = _rmw("xchg", "Replace the element by `val`", 3, 3)


@builtin
def atomic_cas(pointer, cmp, val, sem=None, scope=None):
    """Write `val` at `pointer` if the element there equals `cmp`, atomically. Returns the old element.

    Elements have 16, 32 or 64 bits and are compared bit by bit. `sem` and `scope` as for `atomic_add`.

    Example:

        >>> tl.atomic_cas(counts, 0, 7)
        int32 0
        >>> counts
        int32 [7, 0, 0, 0]
    """
    return _memory.atomic_cas(pointer, cmp, val, sem, scope)


@builtin
def atomic_load(pointer, mask=None, sem=None, scope=None):
    """Read the memory that `pointer`, a pointer or a block of pointers, points to, each element atomically.

    `mask` broadcasts to the shape of `pointer`; where it is false the result is undefined. `sem`: "acquire" (default)
    or "relaxed"; `scope` as for `atomic_add`. Elements have 16, 32 or 64 bits, in memory that may be written. Raises
    `LanguageTypeError` for others.

    Example:

        >>> tl.store(counts, 6)
        >>> tl.atomic_load(counts)
        int32 6
    """
    return _memory.atomic_load(pointer, mask, sem, scope)


@builtin
def atomic_store(pointer, val, mask=None, sem=None, scope=None):
    """Write `val` where `pointer`, a pointer or a block of pointers, points, each element atomically.

    `val` and `mask` broadcast to the shape of `pointer`; `val` is converted to the element type. `sem`: "release"
    (default) or "relaxed"; `scope` as for `atomic_add`. Elements have 32 or 64 bits. Raises `LanguageTypeError` for
    others.

    Example:

        >>> tl.atomic_store(counts + tl.arange(0, 4), 7, mask=tl.arange(0, 4) > 1)
        >>> counts
        int32 [0, 0, 7, 7]
    """
    _memory.atomic_store(pointer, val, mask, sem, scope)
