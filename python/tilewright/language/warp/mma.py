"""Asynchronous MMAs of warpgroups."""

from ..builtin import builtin
from ..dtypes import block_type
from ..errors import LanguageTypeError, LanguageValueError
from ..semantic.convert import describe
from ..tensor import tensor
from .shared import as_shared, shared_tile
from .types import check_target, create, create_one

_FLOATS = ("fp32", "fp16")
#: The accumulator types of each operand type.
_ACC_TYPES = {
    "fp16": _FLOATS,
    "bf16": ("fp32",),
    "fp32": ("fp32",),
    "fp8e4nv": _FLOATS,
    "fp8e5": _FLOATS,
    "int8": ("int32",),
}
_ROWS, _COLUMNS, _DEPTH_BITS = 64, 8, 256


def _check_types(a, b, acc):
    for name, operand in (("a", a), ("b", b)):
        if operand.dtype.name not in _ACC_TYPES:
            raise LanguageTypeError(
                f"warp.wgmma multiplies {', '.join(_ACC_TYPES)}, got {operand.dtype} for {name}"
            )
    if a.dtype != b.dtype and not (a.dtype.is_fp8() and b.dtype.is_fp8()):
        raise LanguageTypeError(f"warp.wgmma of {a.dtype} and {b.dtype}: both blocks have one type")
    if acc.dtype.name not in _ACC_TYPES[a.dtype.name]:
        raise LanguageTypeError(
            f"the accumulator of {a.dtype} operands is {' or '.join(_ACC_TYPES[a.dtype.name])}, got {acc.dtype}",
            hint="start with tl.zeros of that type",
        )


def _check_shapes(a, b, acc):
    shapes = f"warp.wgmma of {list(a.shape)} and {list(b.shape)} onto {list(acc.shape)}"
    if not len(a.shape) == len(b.shape) == len(acc.shape) == 2:
        raise LanguageValueError(f"{shapes}: all are blocks of rank 2")
    if a.shape[1] != b.shape[0]:
        raise LanguageValueError(
            f"{shapes}: the last dimension of a and the first of b differ",
            hint="transpose an operand with .T" if a.shape[1] in b.shape else None,
        )
    if acc.shape != (a.shape[0], b.shape[1]):
        raise LanguageValueError(f"{shapes}: the accumulator has the shape {[a.shape[0], b.shape[1]]}")
    depth = _DEPTH_BITS // a.dtype.primitive_bitwidth
    if a.shape[0] % _ROWS or b.shape[1] % _COLUMNS or a.shape[1] % depth:
        raise LanguageValueError(
            f"{shapes}: warpgroups take multiples of {_ROWS} rows, {_COLUMNS} columns and, of {a.dtype}, "
            f"{depth} along the contracted dimension"
        )


def _check_majors(a, b):
    """Raises unless operands in shared memory are contiguous along the contracted dimension, or have 16 bits."""
    for name, operand, contracted in (("a", a, 1), ("b", b, 0)):
        if not isinstance(operand, shared_tile) or operand.contiguous == contracted:
            continue
        if operand.dtype.primitive_bitwidth != 16:
            raise LanguageValueError(
                f"operand {name} of {operand.dtype} is not contiguous along the contracted dimension; only 16-bit "
                "operands may lie across it",
                hint="load it with that dimension last, and pass it transposed with .T where needed",
            )


@builtin
def wgmma(a, b, acc):
    """Start `acc + a @ b` on the tensor cores of the role's warpgroups. Returns the accumulator without waiting.

    `a` [M, K] is a block in shared memory or in registers, `b` [K, N] is in shared memory, and `acc` [M, N] is a block.
    float16, float8e4nv and float8e5 are accumulated in float32 or float16, bfloat16 in float32, int8 in int32. float32
    operands are read as tf32, without the low 13 bits of their mantissa.

    Until `warp.wgmma_wait` returns the accumulator, it may only be passed to another `wgmma` or carried by a loop. The
    memory of `a` and `b` must not change before that.

    Raises `LanguageTypeError` and `LanguageValueError` for types and shapes without such an instruction.

    Example:

        >>> rows = tl.make_tensor_descriptor(floats, [8, 8], [8, 1], [8, 8])
        >>> ring = warp.ring(1, rows)
        >>> def fill():
        ...     slot = ring.acquire()
        ...     slot.load(0, rows, [0, 0])
        ...     ring.commit(slot)
        ...
        >>> def multiply():
        ...     slot = ring.wait()
        ...     ones = tl.full((64, 8), 1, tl.float32)
        ...     acc = warp.wgmma(ones, slot[0].T, tl.zeros((64, 8), tl.float32))
        ...     acc = warp.wgmma_wait(acc)
        ...     ring.release(slot)
        ...     tl.store(out + tl.arange(0, 8), tl.max(acc, 0))
        ...
        >>> warp.specialize(warp.role(multiply, warps=4), warp.role(fill, warps=1))
        >>> out
        float32 [28.0, 92.0, 156.0, 220.0, 284.0, 348.0, 412.0, 476.0]
    """
    check_target("warp.wgmma")
    if not isinstance(a, tensor):
        as_shared(a, "operand a of warp.wgmma")
    as_shared(b, "operand b of warp.wgmma")
    if not isinstance(acc, tensor) or not isinstance(acc.type, block_type):
        raise LanguageTypeError(
            f"the accumulator of warp.wgmma is a block, got {describe(acc)}", hint="use tl.zeros"
        )
    _check_types(a, b, acc)
    _check_shapes(a, b, acc)
    _check_majors(a, b)
    operands = [operand.memory() if isinstance(operand, shared_tile) else operand for operand in (a, b)]
    return create_one("warp.wgmma", [*operands, acc], acc.type)


@builtin
def wgmma_wait(*accs, pendings=0):
    """Wait until at most the last `pendings` wgmmas of the role are in flight.

    Returns the accumulators `accs` (one, or a tuple of several). Those whose wgmmas are complete hold their values from
    here on. The compiler may defer a wait with `pendings=0` if that changes no result, for example past the start of the
    next iteration's wgmmas. A wait with other `pendings` is not moved.

    Raises `LanguageTypeError` and `LanguageValueError` for invalid accumulators or `pendings`.

    Example:

        >>> rows = tl.make_tensor_descriptor(floats, [8, 8], [8, 1], [8, 8])
        >>> ring = warp.ring(1, rows)
        >>> def fill():
        ...     slot = ring.acquire()
        ...     slot.load(0, rows, [0, 0])
        ...     ring.commit(slot)
        ...
        >>> def multiply():
        ...     slot = ring.wait()
        ...     ones = tl.full((64, 8), 1, tl.float32)
        ...     once = warp.wgmma(ones, slot[0].T, tl.zeros((64, 8), tl.float32))
        ...     twice = warp.wgmma(ones, slot[0].T, tl.zeros((64, 8), tl.float32))
        ...     once, twice = warp.wgmma_wait(once, twice)
        ...     acc = once + twice
        ...     ring.release(slot)
        ...     tl.store(out + tl.arange(0, 8), tl.max(acc, 0))
        ...
        >>> warp.specialize(warp.role(multiply, warps=4), warp.role(fill, warps=1))
        >>> out
        float32 [56.0, 184.0, 312.0, 440.0, 568.0, 696.0, 824.0, 952.0]
    """
    check_target("warp.wgmma_wait")
    if not accs or not all(isinstance(value, tensor) and value.shape for value in accs):
        raise LanguageTypeError("warp.wgmma_wait takes the accumulators to wait for, which are blocks")
    if isinstance(pendings, bool) or not isinstance(pendings, int) or pendings < 0:
        raise LanguageValueError(
            f"pendings of warp.wgmma_wait is a constant, 0 or more, got {describe(pendings)}"
        )
    types = [value.type for value in accs]
    handles = create("warp.wgmma_wait", accs, types, pendings=pendings)
    results = tuple(tensor(handle, ty) for handle, ty in zip(handles, types, strict=True))
    return results if len(results) > 1 else results[0]
