"""Sorting by Batcher's bitonic network.

Floats are compared as integers of the same order. This is a total order: every back end gives the same bits, and NaNs
come last.

The network has log2(n)^2 / 2 steps. For large blocks only the steps between close elements are unrolled. Two loops run
the other steps, where each element selects its partner by index.
"""

import math

from .builtin import builtin
from .dtypes import int32, uint32
from .errors import LanguageValueError
from .ir import builder, is_for_gpu
from .reductions import widen
from .semantic import arithmetic, compare, convert, pairs, promote
from .semantic import reduce as _reduce
from .semantic import shape as _shape


def _order_of_floats(bits):
    """Signed integers ordered as the floats with these `bits` are; its own inverse."""
    width = bits.dtype.int_bitwidth
    negative = compare.compare("lt", bits, 0)
    return arithmetic.where(
        negative, arithmetic.bitwise(bits, (1 << (width - 1)) - 1, "arith.xori", "^"), bits
    )


def _to_keys(x):
    """Integers of 32 bits or more in the order of the elements of `x`."""
    ty = x.dtype
    if ty.is_floating():
        bits = pairs.to_bits(x)
        last = (1 << (bits.dtype.int_bitwidth - 1)) - 1
        keys = arithmetic.where(compare.compare("ne", x, x), last, _order_of_floats(bits))
    else:
        pairs.to_bits(x)  # pointers are refused
        keys = x
    if keys.dtype.int_bitwidth < 32:
        keys = convert.cast(keys, uint32 if keys.dtype.is_int_unsigned() else int32)
    return keys


def _from_keys(keys, ty):
    if not ty.is_floating():
        return convert.cast(keys, ty)
    bits = _order_of_floats(convert.cast(keys, pairs.signed_type(ty)))
    return pairs.from_bits(bits, ty)


#: Blocks of more elements are sorted in loops, on a GPU and on a CPU. Unrolled steps run faster, but take longer to
#: assemble, see benchmarks/notes/assembler-time.md.
_MOST_UNROLLED, _MOST_UNROLLED_ON_CPU = 2048, 256
#: On a GPU `topk` sorts the whole block if folding takes more steps than this, over all registers of a thread.
_MOST_FOLDING_STEPS = 6000
#: Above this number of registers per thread, `topk` folds one half after the other. Folded together they would spill, and
#: assemblers take minutes for code with thousands of spills.
_MOST_FOLDING_REGISTERS = 64
#: Steps over this many low bits of the index are unrolled even in large blocks. A step is code for each register on a
#: GPU, but one loop over vectors on a CPU, which affords more unrolled steps.
_UNROLLED_BITS, _UNROLLED_BITS_ON_CPU = 2, 5


def _unrolled_bits():
    return _UNROLLED_BITS if is_for_gpu() else _UNROLLED_BITS_ON_CPU


def _step(keys, other, bit, direction, descending):
    """The lesser or the greater of the elements of `keys` and their partners `other`, whose index differs in `bit`.

    The order decides which one. It is reversed where the bit `direction` of the index is set.
    """
    index = pairs.index_along(len(keys.shape) - 1, keys.shape)
    lower, run = (arithmetic.shift(index, number, ">>") for number in (bit, direction))
    odd = arithmetic.bitwise(arithmetic.bitwise(lower, run, "arith.xori", "^"), 1, "arith.andi", "&")
    takes_least = compare.compare("eq", odd, int(descending))
    if keys.dtype.int_bitwidth == 64:  # a 64-bit comparison takes several instructions
        precedes = compare.compare("lt", keys, other)
        return arithmetic.where(compare.compare("eq", precedes, takes_least), keys, other)
    return arithmetic.where(takes_least, arithmetic.minimum(keys, other), arithmetic.maximum(keys, other))


def _merge(keys, phase, descending, bits=None, direction=None):
    """Sort bitonic runs of 2**phase along the last axis, alternately up and down.

    A run goes down where bit `direction` of the index (by default `phase`) is set; `descending` reverses all runs. With
    `bits` only the last steps, over that many bits, are done.
    """
    for bit in reversed(range(phase if bits is None else bits)):
        other = pairs.exchange(keys, len(keys.shape) - 1, 1 << bit)
        keys = _step(keys, other, bit, phase if direction is None else direction, descending)
    return keys


def _merge_in_loop(keys, phase, descending):
    """`_merge`, of a phase that may be a tensor."""
    axis = len(keys.shape) - 1
    index = pairs.index_along(axis, keys.shape)

    def step(number, carried):
        bit = arithmetic.sub(arithmetic.sub(phase, 1, False), number, False)
        distance = arithmetic.shift(convert.to_tensor(1), bit, "<<")
        other = pairs.pick(carried[0], arithmetic.bitwise(index, distance, "arith.xori", "^"), axis)
        return [_step(carried[0], other, bit, phase, descending)]

    unrolled = _unrolled_bits()
    steps = arithmetic.sub(convert.to_tensor(phase), unrolled, False)
    keys = builder().repeat(convert.to_tensor(0), steps, [keys], step)[0]
    return _merge(keys, phase, descending, unrolled)


def _is_large(keys):
    most = _MOST_UNROLLED if is_for_gpu() else _MOST_UNROLLED_ON_CPU
    return math.prod(keys.shape) > most and keys.shape[-1] > 2 << _unrolled_bits()


def _sort_runs(keys, phases, descending, in_loops):
    """Sort runs of 2**phases along the last axis, alternately up and down."""
    unrolled = min(phases, _unrolled_bits()) if in_loops else phases
    for phase in range(1, unrolled + 1):
        keys = _merge(keys, phase, descending)
    if unrolled == phases:
        return keys

    def merge(phase, carried):
        return [_merge_in_loop(carried[0], phase, descending)]

    first, end = convert.to_tensor(unrolled + 1), convert.to_tensor(phases + 1)
    return builder().repeat(first, end, [keys], merge)[0]


def _filled(keys, with_greatest):
    """`keys` with the last dimension padded to a power of two by keys that sort first or last."""
    axis, size = len(keys.shape) - 1, keys.shape[-1]
    whole = pairs.whole_dim(size)
    if whole == size:
        return keys
    ty = keys.dtype
    bits = ty.int_bitwidth - (0 if ty.is_int_unsigned() else 1)
    least = 0 if ty.is_int_unsigned() else -(1 << bits)
    is_element = compare.compare("lt", pairs.index_along(axis, (*keys.shape[:-1], whole)), size)
    fill = (1 << bits) - 1 if with_greatest else least
    return arithmetic.where(is_element, pairs.resize(keys, axis, whole), fill)


def sort_keys(keys, descending):
    """`keys` in order along the last axis."""
    size = keys.shape[-1]
    keys = _filled(keys, with_greatest=not descending)
    keys = _sort_runs(keys, keys.shape[-1].bit_length() - 1, descending, _is_large(keys))
    return pairs.resize(keys, len(keys.shape) - 1, size)


def _last_axis(x, dim, what):
    axis = _shape.as_axis(-1 if dim is None else dim, len(x.shape), what)
    if axis != len(x.shape) - 1:
        raise LanguageValueError(f"{what} works along the last axis, got {dim}", hint="use tl.trans before")
    return axis


@builtin
def sort(x, dim=None, descending=False):
    """The elements of `x` in ascending (or `descending`) order along the last axis.

    NaNs count as greater than all, and -0.0 as less than 0.0. Raises `LanguageValueError` for another `dim`.

    Example:

        >>> x = tl.arange(0, 8) * 3 % 8
        >>> tl.sort(x)
        int32 [0, 1, 2, 3, 4, 5, 6, 7]
        >>> tl.sort(tl.reshape(x, (2, 4)), descending=True)
        int32 [[6, 3, 1, 0], [7, 5, 4, 2]]
    """
    x = convert.to_tensor(x)
    _last_axis(x, dim, "tl.sort")
    return _from_keys(sort_keys(_to_keys(x), descending), x.dtype)


@builtin
def topk(x, k, dim=None, descending=True):
    """The `k` greatest elements along the last axis, in descending order. With `descending=False` the `k` least ones, in
    ascending order.

    `k` is at most the size of the axis. NaNs count as greater than all numbers. Under Triton's type rules, the result has
    the type of `max` if `k` is less than the size rounded up to a power of two.

    Example:

        >>> tl.topk(tl.arange(0, 8) * 3 % 8, 2)
        int32 [7, 6]
        >>> tl.topk(tl.arange(0, 8) * 3 % 8, 2, descending=False)
        int32 [0, 1]
    """
    x = convert.to_tensor(x)
    axis = _last_axis(x, dim, "tl.topk")
    size = x.shape[axis]
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= size:
        raise LanguageValueError(
            f"k of tl.topk is a number from 1 to {size}, known at compile time, got "
            f"{k if isinstance(k, int) else convert.describe(k)}"
        )
    keys = _to_keys(x)
    if descending:
        found = _greatest_keys(keys, k)
    else:
        # The least keys are those whose inverted bits are the greatest.
        found = arithmetic.invert(_greatest_keys(arithmetic.invert(keys), k))
    values = _from_keys(found, x.dtype)
    return widen(values) if promote.follows_triton() and k < pairs.whole_dim(size) else values


def _greatest_keys(keys, k):
    """The `k` greatest of the last axis, in descending order."""
    axis, phases = len(keys.shape) - 1, pairs.whole_dim(k).bit_length() - 1
    keys = _filled(keys, with_greatest=False)
    if is_for_gpu() and not _folds(keys, phases):
        return pairs.resize(sort_keys(keys, True), axis, k)
    return pairs.resize(_greatest(keys, phases), axis, k)


def _folds(keys, phases):
    """Whether `topk` on a GPU folds sorted runs, which is code for each register, instead of sorting all."""
    if not _is_large(keys):
        return True
    registers = math.prod(keys.shape) // (32 * builder().options.num_warps)
    return registers * phases * (phases + 1) // 2 <= _MOST_FOLDING_STEPS


def _registers(keys):
    """Registers per thread of a GPU that hold the keys; 0 on other targets."""
    if not is_for_gpu():
        return 0
    return math.prod(keys.shape) * keys.dtype.int_bitwidth // (32 * 32 * builder().options.num_warps)


def _greatest(keys, phases):
    """The 2**phases greatest of the last axis, in descending order."""
    return _merge(_greatest_bitonic(keys, phases), phases, True)


def _greatest_bitonic(keys, phases):
    """The 2**phases greatest of the last axis, as a bitonic sequence.

    Sorted runs of one half go down and those of the other half up: the elementwise maximum has the greatest of both. The
    halves are split at the highest bit of the index, so that a thread of a GPU often holds both. If the registers of a
    thread do not hold all elements, one half is finished before the other begins.
    """
    axis, in_loops = len(keys.shape) - 1, _is_large(keys) and not is_for_gpu()
    half = keys.shape[-1] // 2
    if half > 1 << phases and _registers(keys) > _MOST_FOLDING_REGISTERS:
        halves = _shape.reshape(keys, (*keys.shape[:-1], 2, half))
        first, second = (_greatest_bitonic(part, phases) for part in pairs.split(halves, axis))
        return arithmetic.maximum(_merge(first, phases, True), _merge(second, phases, False))
    keys = _sort_runs(keys, max(phases - 1, 0), True, in_loops)
    while keys.shape[-1] > 1 << phases:
        half = keys.shape[-1] // 2
        keys = _merge(keys, phases, True, direction=half.bit_length() - 1)
        halves = _shape.reshape(keys, (*keys.shape[:-1], 2, half))
        keys = _reduce.reduce([halves], axis, lambda a, b: [arithmetic.maximum(a[0], b[0])], False)[0]
    return keys


@builtin
def bitonic_merge(x, dim=None, descending=False):
    """The elements of `x` in ascending (or `descending`) order. Along the last axis `x` first rises and then falls, or
    the other way round. This is the last step of `tl.sort`.

    Example:

        >>> x = tl.arange(0, 8)
        >>> tl.bitonic_merge(tl.where(x < 4, x, 11 - x))
        int32 [0, 1, 2, 3, 4, 5, 6, 7]
    """
    x = convert.to_tensor(x)
    size = x.shape[_last_axis(x, dim, "tl.bitonic_merge")]
    keys = _to_keys(x)
    if pairs.whole_dim(size) != size:  # padding would make it fall and rise once more
        return _from_keys(sort_keys(keys, descending), x.dtype)
    merge = _merge_in_loop if _is_large(keys) else _merge
    return _from_keys(merge(keys, size.bit_length() - 1, descending), x.dtype)
