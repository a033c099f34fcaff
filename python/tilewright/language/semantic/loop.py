"""Bounds of loops."""

from ..constexpr import constexpr, unwrap
from ..dtypes import int32
from ..errors import LanguageTypeError, LanguageValueError
from ..ir import builder, concrete_value, emit_effect
from ..tensor import known_value
from . import arithmetic
from .compare import compare
from .convert import cast, constant, describe, to_tensor
from .promote import computation_type

_ZERO_STEP = "the step of a loop is not 0"


def bounds(loop):
    """Start, end and step of a `tl.range` as scalars of one integer type (int32 at least)."""
    values = []
    for name in ("start", "end", "step"):
        value = to_tensor(unwrap(getattr(loop, name)))
        if value.type.is_block() or not value.dtype.is_int():
            raise LanguageTypeError(f"the {name} of a loop is an integer scalar, got {describe(value)}")
        values.append(value)
    ty = int32
    for value in values:
        ty = computation_type(value.dtype, ty)
    return [cast(value, ty) for value in values]


def static_step(loop):
    """The step as a Python int, or None where only the kernel knows it. Raises `LanguageValueError` for 0."""
    step = known_value(unwrap(loop.step))
    if not isinstance(step, int):
        return None
    if step == 0:
        raise LanguageValueError(_ZERO_STEP)
    return step


class _Known:
    """The direction of a loop that is known while compiling, and the size of its steps."""

    def __init__(self, down, size):
        self.down, self.size = down, size

    def pick(self, down, up):
        return down() if self.down else up()

    def is_inside(self, index, end):
        return compare("gt" if self.down else "lt", index, end)


class _Computed:
    """The direction of a loop whose step only the kernel knows, and the size of its steps."""

    def __init__(self, step):
        zero = constant(0, step.type)
        self.down = compare("lt", step, zero)
        self.size = self.pick(lambda: arithmetic.sub(zero, step, check=False), lambda: step)
        if builder().debug:
            emit_effect("tile.assert", [compare("ne", step, zero)], message=_ZERO_STEP)

    def pick(self, down, up):
        return arithmetic.where(self.down, down(), up())

    def is_inside(self, index, end):
        return self.pick(lambda: compare("gt", index, end), lambda: compare("lt", index, end))


def direction(loop, step):
    """The way in which a loop of `step`, a scalar, counts."""
    known = static_step(loop)
    if known is not None:
        return _Known(known < 0, constant(abs(known), step.type))
    return _Computed(step) if step.dtype.is_int_signed() else _Known(False, step)


def may_leave_type(loop, ty):
    """Whether the step after the last index may wrap around in the type of the index."""
    step, end = static_step(loop), known_value(unwrap(loop.end))
    if step is None or not isinstance(end, int):
        return step not in (1, -1)
    after = end + step + (-1 if step > 0 else 1)
    return not ty.get_int_min_value() <= after <= ty.get_int_max_value()


def counted_upwards(loop):
    """The loop as one that counts up: start, end and step, and a function that gives its index for the count.

    A loop that goes down from `start` has the index `start + end - count`, its counts go from `end` to `start`.
    """
    start, end, step = bounds(loop)
    way = direction(loop, step)
    low, high = way.pick(lambda: end, lambda: start), way.pick(lambda: start, lambda: end)

    def index(count):
        mirrored = arithmetic.add(low, high, check=False)
        return way.pick(lambda: arithmetic.sub(mirrored, count, check=False), lambda: count)

    return low, high, way.size, index


#: How often the loops and comprehensions of a kernel are unrolled at most, all together.
MAX_UNROLLED = 1 << 16


def check_unrolled(count):
    """Raise `LanguageValueError` if `count` unrolled iterations are too many to compile in reasonable time."""
    if count > MAX_UNROLLED:
        raise LanguageValueError(
            f"unrolling makes {count} iterations, more than the {MAX_UNROLLED} that a kernel may have",
            hint="use tl.range, whose loops are not unrolled",
        )


#: How many operations a kernel has at most; more of them for its checks.
MAX_OPERATIONS = 1 << 16


def most_operations(has_checks):
    """How many operations a kernel may have, to be compiled in reasonable time."""
    return MAX_OPERATIONS * (4 if has_checks else 1)


def too_many_operations(limit):
    """The error of a kernel with more operations than `limit`."""
    return LanguageValueError(
        f"the kernel has more than {limit} operations, which take minutes to compile",
        hint="use tl.range, whose loops are not unrolled, or fewer iterations of unrolled loops",
    )


def unrolled(over):
    """The items that a comprehension runs over. Those of a range are constants.

    Raises `LanguageTypeError` unless their number is known at compile time.
    """
    over = unwrap(over) if isinstance(over, constexpr) else over
    if isinstance(over, (tuple, list)):
        return list(over)
    if hasattr(over, "values") and hasattr(over, "start"):  # a static_range
        return _constants(over.values())
    limits = [known_value(unwrap(getattr(over, name, None))) for name in ("start", "end", "step")]
    if all(isinstance(limit, int) for limit in limits):
        static_step(over)
        return _constants(range(*limits))
    raise LanguageTypeError(
        "a comprehension runs over a tuple, or a range whose bounds are known while compiling, "
        f"got {describe(over)}",
        hint="give the bounds as constants: a literal, len(...) or a tl.constexpr",
    )


def _constants(values):
    check_unrolled(max(0, (values.stop - values.start) // values.step))
    return list(map(constexpr, values))


def iterate(loop):
    """The scalars of the loop, for executors that know the numbers."""
    static_step(loop)
    start, end, step = bounds(loop)
    limits = [int(concrete_value(value, "a loop bound")) for value in (start, end, step)]
    if limits[2] == 0:
        raise LanguageValueError(_ZERO_STEP)
    for i in range(*limits):
        yield constant(i, start.type)
