"""Checks, prints and hints."""

from .builtin import builtin
from .dtypes import float32
from .errors import LanguageError, LanguageTypeError, LanguageValueError
from .ir import builder, emit_effect
from .semantic import arithmetic, convert
from .tensor import known_value, tensor


class StaticAssertionError(LanguageError):
    """A `tl.static_assert` that did not hold."""


@builtin
def static_assert(cond, msg=""):
    """Stop the compilation with `msg` unless the compile-time value `cond` is true.

    Example:

        >>> x = tl.arange(0, 8)
        >>> tl.static_assert(x.shape[0] == 8, "eight elements")
    """
    cond = known_value(cond)
    if isinstance(cond, tensor):
        raise LanguageTypeError(
            "the condition of static_assert is known only when the kernel runs", hint="use tl.device_assert"
        )
    if not cond:
        raise StaticAssertionError(f"static assertion failed{': ' if msg else ''}{msg}")


@builtin
def static_print(*values, sep=" ", end="\n", file=None, flush=False):
    """Print while the kernel is compiled: constants as they are, blocks and scalars by their type.

    Example:

        >>> tl.static_print("offsets are", tl.arange(0, 8))
    """
    if builder().is_draft:
        return
    print(
        *[str(v.type) if isinstance(v, tensor) else v for v in values],
        sep=sep,
        end=end,
        file=file,
        flush=flush,
    )


@builtin
def device_print(prefix, *args, hex=False):
    """Print `prefix` and the elements of `args` when the kernel runs, one line an element.

    `prefix` is a compile-time string, which gets a colon unless it ends with a space; `args` are blocks, scalars or
    numbers, whose lines are numbered as operands where there is more than one; `hex` prints integers in base 16, with
    all digits of their type. A line is `pid (0, 0, 0) idx (3) pid: 1`: the program, the index of the element, the
    prefix, the element; without `args` the program and the prefix. Bools are 0 and 1, floats have six digits after
    the point.

    Example:

        >>> tl.device_print("pid", tl.program_id(0))
    """
    if not isinstance(prefix, str):
        raise LanguageTypeError(f"the prefix of device_print is a string, got {convert.describe(prefix)}")
    values = [convert.to_tensor(arg) for arg in args]
    values = [convert.cast(v, float32) if v.dtype.is_stored_float() else v for v in values]
    if not values:
        return emit_effect("tile.print", [], prefix=prefix, hex=False, isSigned=[])
    prefix += "" if not prefix or prefix[-1] == " " else " " if prefix[-1] == ":" else ": "
    for position, value in enumerate(values):
        operand = f"(operand {position}) " if len(values) > 1 else ""
        is_signed = value.dtype.is_int_signed()
        emit_effect("tile.print", [value], prefix=prefix + operand, hex=bool(hex), isSigned=[is_signed])
    return None


@builtin
def device_assert(cond, msg="", mask=None):
    """Stop the launch with `msg` where `cond` is false (and `mask`, if given, true) when the kernel runs.

    Only compiled in with the option `debug`.

    Example:

        >>> x = tl.load(ints + tl.arange(0, 4))
        >>> tl.device_assert(x >= 0, "sizes are positive")
    """
    if not isinstance(msg, str):
        raise LanguageTypeError(f"the message of device_assert is a string, got {convert.describe(msg)}")
    if not builder().debug:
        return
    condition = convert.to_bool(convert.to_tensor(cond))
    if mask is not None:
        condition = arithmetic.logical(condition, arithmetic.logical_not(mask), "arith.ori")
    emit_effect("tile.assert", [condition], message=msg)


@builtin
def debug_barrier():
    """Does nothing. The compiler inserts the barriers that a program needs to read its own writes. Exists for kernels
    that call it.

    Example:

        >>> tl.debug_barrier()
    """


@builtin
def assume(cond):
    """Tell the compiler that `cond` always holds.

    1. `n % 16 == 0` says that `n` is a multiple of 16, as `tl.multiple_of` does.
    2. `n > 0`, `n >= 0` and comparisons with other constants say that the number or block `n` is not negative. Then
       `n // 8` and loops by `n` take fewer instructions, and accesses are wider.
    3. Conditions joined by `&` all count. Other conditions have no effect.

    The promise applies to values computed in the same body of a branch or loop, and to arguments in the kernel's own
    body. With the option `debug`, and in the interpreter, a false condition stops the launch instead.

    Example:

        >>> n = tl.load(ints + 3)
        >>> tl.assume(n > 0)
        >>> tl.arange(0, 4) // n
        int32 [0, 0, 0, 1]
    """
    if not isinstance(cond, (bool, int, tensor)):
        raise LanguageTypeError(f"tl.assume takes a condition, got {convert.describe(cond)}")
    if builder().debug:
        condition = convert.to_bool(convert.to_tensor(cond))
        emit_effect("tile.assert", [condition], message="an assumption does not hold")
    elif isinstance(cond, tensor):
        builder().assume(cond.handle)


@builtin
def expect_zero(x, mask):
    """`x`, which is expected to be zero wherever `mask` holds.

    With the option `debug`, and in the interpreter, another element stops the launch. Otherwise nothing is
    checked.

    Example:

        >>> i = tl.arange(0, 4)
        >>> tl.expect_zero(i - 2, i == 2)
        int32 [-2, -1, 0, 1]
    """
    x = convert.to_tensor(x)
    device_assert(x == 0, "a value expected to be zero is not", mask)
    return x


def _hint(name, fact, text, example, result):
    def function(input, values):
        value = convert.to_tensor(input)
        counts = list(values) if isinstance(values, (tuple, list)) else [values]
        if any(isinstance(count, bool) or not isinstance(count, int) or count < 1 for count in counts):
            raise LanguageTypeError(f"tl.{name} takes positive compile-time integers, got {counts}")
        if len(counts) != max(1, len(value.shape)):
            raise LanguageValueError(
                f"tl.{name} takes one value for each dimension: {value.type} with {counts}"
            )
        if value.dtype.is_floating():
            raise LanguageTypeError(f"tl.{name} takes integers and pointers, got {value.type}")
        # The analysis works with powers of two.
        builder().promise(value.handle, fact, [min(count & -count, 2**30) for count in counts])
        return value

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Promise the compiler that {text}.

    `values` has one positive compile-time integer for each dimension of `input`, a block or scalar of integers or
    pointers, which is returned. Raises `LanguageValueError` for another number of values. A promise that
    does not hold leads to wrong results.

    Example:

        >>> tl.{name}({example})
        int32 {result}
    """
    return builtin(function)


multiple_of = _hint(
    "multiple_of",
    "divisibility",
    "the elements of `input` (with `max_contiguous`: the first of each run) are multiples of `values`",
    "tl.program_id(0) * 8, 8",
    0,
)
max_contiguous = _hint(
    "max_contiguous",
    "contiguity",
    "aligned runs of `values` elements of `input` count up by one",
    "tl.program_id(0) * 4 + tl.arange(0, 4), [4]",
    [0, 1, 2, 3],
)
max_constancy = _hint(
    "max_constancy",
    "constancy",
    "aligned runs of `values` elements of `input` are equal",
    "tl.arange(0, 4) // 2, [2]",
    [0, 0, 1, 1],
)
