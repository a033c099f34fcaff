"""Waiting for writes of other programs."""

from . import extra
from .builtin import builtin
from .dtypes import int32
from .elementwise import to
from .errors import LanguageTypeError, LanguageValueError
from .function import KernelFunction
from .ir import builder
from .memory import atomic_load
from .reductions import min as _min
from .semantic import convert, promote
from .target_info import current_target


@builtin
def atomic_poll(pointer, expected_value, sem=None, scope=None, timeout_ns=None):
    """Wait until memory at `pointer`, a pointer or a block of pointers to integers, holds `expected_value`.

    `expected_value` broadcasts to the shape of `pointer`, and all elements are waited for. Gives bools of that shape:
    whether the value was seen. They are true unless `timeout_ns` is given: then the wait ends after that time, and each
    element has been read at least once. Only 0 is possible on the CPU and in the interpreter, which have no clock.
    `sem` and `scope` as for `atomic_load`. Raises `LanguageTypeError` for other elements.

    Example:

        >>> tl.atomic_store(counts, 6)
        >>> tl.atomic_poll(counts, 6)
        int1 True
        >>> tl.atomic_poll(counts + tl.arange(0, 4), 0, timeout_ns=0)
        int1 [False, True, True, True]
    """
    first = atomic_load(pointer, None, sem, scope)
    if not first.dtype.is_int():
        raise LanguageTypeError(f"tl.atomic_poll waits for integers, got {first.dtype}")
    convert.check_fits(expected_value, first.dtype, "the expected value")
    expected = convert.cast(convert.to_tensor(expected_value), first.dtype)
    expected = promote.broadcast_to_shape(expected, first.shape)
    seen = first == expected
    if timeout_ns is None:
        return builder().call(_wait, [seen, pointer, expected, sem, scope])
    if isinstance(timeout_ns, int) and timeout_ns <= 0:
        if timeout_ns < 0:
            raise LanguageValueError(f"timeout_ns of tl.atomic_poll is 0 or more, got {timeout_ns}")
        return seen
    if current_target().backend == "cpu":
        raise LanguageValueError(
            "timeout_ns of tl.atomic_poll needs the clock of a GPU",
            hint="timeout_ns=0 looks once, a loop around it counts",
        )
    return builder().call(_wait_no_longer_than, [seen, pointer, expected, sem, scope, timeout_ns])


@builtin
def _is_complete(seen):
    """Whether all elements are true, as a scalar."""
    return _min(to(seen, int32)) != 0 if seen.type.is_block() else seen


@KernelFunction
def _wait(seen, pointer, expected, sem, scope):
    while not _is_complete(seen):
        seen |= atomic_load(pointer, None, sem, scope) == expected
    return seen


@KernelFunction
def _wait_no_longer_than(seen, pointer, expected, sem, scope, nanoseconds):
    start = extra.cuda.globaltimer()
    while not _is_complete(seen) and extra.cuda.globaltimer() - start < nanoseconds:
        seen |= atomic_load(pointer, None, sem, scope) == expected
    return seen
