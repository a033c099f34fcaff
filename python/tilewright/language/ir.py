"""The interface between the language and the builders that execute or record its operations.

The language calls a *builder*; two exist. The front end's records `tile`, `arith` and `math` ops; the
interpreter's evaluates the same ops at once on NumPy arrays. Types and promotion rules are shared.
"""

import contextlib
import contextvars
import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .dtypes import dtype
from .errors import LanguageError

_current = contextvars.ContextVar("tilewright_builder", default=None)


class Builder(Protocol):
    """The interface of the language to its executor. A handle is opaque to the language."""

    #: Whether `device_assert` is compiled in.
    debug: bool
    #: The `Options` and the target of the compilation: "cpu", "sm_90a".
    options: Any
    target: str
    #: Executes rings, roles and wgmma: "interpreter", or the target.
    warp_target: str
    #: How many barriers between roles the kernel has made so far.
    named_barriers: int
    #: The first and the last address of arrays, as tensors, by argument; empty unless accesses are checked.
    extents: dict
    #: Whether `+`, `-` and `*` of signed integers are asserted not to overflow.
    checks_overflow: bool
    #: Whether NaNs are followed to memory.
    traces_nans: bool
    #: Whether the kernel will be compiled a second time.
    is_draft: bool

    def create(self, op: str, operands: Sequence[Any], types: Sequence[dtype], attrs: dict) -> list:
        """Create one op without regions; give the handles of its results, one for each of `types`.

        Attribute values are ints (i32, or `I64`), bools, `UNIT`, `Spelled` text, strings, and lists of ints
        (i32 arrays) or of bools. Where `types` is None the op knows the types of its results.
        """

    def constant(self, value: Any, type: dtype) -> Any:
        """Give the handle of a constant; for a block every element is `value`."""

    def reduce(self, operands, operand_types, result_types, axis: int, combine: Callable) -> list:
        """Reduce blocks along `axis`; `combine(lefts, rights)` maps two lists of tensors to one."""

    def scan(self, operands, operand_types, axis: int, reverse: bool, combine: Callable) -> list:
        """Combine, as `reduce` does, each element of blocks with all before it along `axis`, or all after it if
        `reverse`. Only for builders that are `is_for_gpu`.
        """

    def map(self, operands, operand_types, pack: int, function: Callable) -> list:
        """Apply `function`, which maps a list of scalars to one, to elements of blocks of one shape (or to
        scalars), `pack` of each at once; give the results as tensors.
        """

    def repeat(self, start, end, values: Sequence, body: Callable) -> list:
        """Call `body(index, values)`, which gives new values of the same types, for each index from `start` up to
        `end`, int32 scalars; give the last values. All are tensors. One copy of the body is recorded.
        """

    def specialize(self, roles: Sequence) -> None:
        """Run `roles`, of `language.warp.roles`, concurrently."""

    def promise(self, handle: Any, name: str, values: Sequence[int]) -> None:
        """Note a lower bound of the `divisibility`, `contiguity` or `constancy` of a value, one number per dimension."""

    def assume(self, handle: Any) -> None:
        """Note the facts that a true condition implies. Not called with `debug`, which checks the condition."""

    def call(self, function, args: Sequence, kwargs: dict | None = None) -> Any:
        """Call a `@tw.jit` function on tensors."""

    def call_on_elements(self, function, args: Sequence) -> Any:
        """Call a `@tw.jit` function of elements on tensors of one shape. It may branch for each element."""

    def user_location(self) -> tuple:
        """Return the file and the line of the op, in the kernel or in a function that it calls."""

    def nan_site(self, name: str) -> int:
        """Give the number, 1 or more, of the operation that is being made and that messages call `name`."""

    def report_nan(self, worst, what: str) -> None:
        """Stop the kernel if the int32 scalar `worst` is not 0. It is the number of an operation whose NaN `what` is
        about to write.
        """

    def concrete(self, handle: Any, type: dtype):
        """The number that a scalar's handle holds, or None while it is only recorded."""

    def describe(self, handle: Any, type: dtype) -> str:
        """How `repr` shows a tensor."""


#: A unit attribute.
UNIT = object()


class Spelled(str):
    """An attribute as IR spells it."""


class I64(int):
    """An attribute of type i64."""


@contextlib.contextmanager
def using(builder):
    """Make `builder` the current one inside a `with`."""
    token = _current.set(builder)
    try:
        yield builder
    finally:
        _current.reset(token)


def is_active():
    """Whether the code runs inside a kernel, which is being compiled or interpreted."""
    return _current.get() is not None


def builder():
    """The current builder. Raises `LanguageError` outside of a kernel."""
    current = _current.get()
    if current is None:
        raise LanguageError("this function works on blocks and can only be called inside a kernel")
    return current


@functools.cache
def _makers():
    """The functions that `emit` takes from modules that import this one."""
    from .semantic.bounds import follow_pointer
    from .semantic.fold import fold
    from .semantic.nan_traces import trace_result
    from .tensor import tensor

    return tensor, fold, follow_pointer, trace_result


@contextlib.contextmanager
def without_checks():
    """Disables asserts inside a `with`: for unused results, and for arithmetic that wraps around on purpose."""
    current = builder()
    before = current.debug, current.checks_overflow
    current.debug = current.checks_overflow = False
    try:
        yield
    finally:
        current.debug, current.checks_overflow = before


def is_for_gpu():
    """Whether the builder records code for a GPU, which holds blocks in registers and takes an instruction for each."""
    return builder().target.startswith("sm_")


def emit(op, operands, type, **attrs):
    """Create `op` on the tensors `operands` and wrap its one result, of type `type`, as a tensor. Where all operands
    are known while compiling, so is the result."""
    tensor, fold, follow_pointer, trace_result = _makers()
    if operands and operands[0].known is not None and (folded := fold(op, operands, type, attrs)) is not None:
        return folded
    (handle,) = builder().create(op, [operand.handle for operand in operands], [type], attrs)
    made = tensor(handle, type)
    follow_pointer(made, operands, op, attrs)
    trace_result(made, operands, op, attrs)
    return made


def emit_effect(op, operands, **attrs):
    """Create `op`, which has no result."""
    builder().create(op, [operand.handle for operand in operands], [], attrs)


def concrete_value(scalar, what):
    """The number that a scalar is. Raises `LanguageError` where it is known only when the kernel runs."""
    if scalar.known is not None:
        return scalar.known
    value = builder().concrete(scalar.handle, scalar.type)
    if value is None:
        raise LanguageError(
            f"{what} must be known while compiling, but this value is known only when the kernel runs"
        )
    return value


def describe_handle(handle, type):
    """How a tensor is shown."""
    current = _current.get()
    return current.describe(handle, type) if current else f"tensor of type {type}"
