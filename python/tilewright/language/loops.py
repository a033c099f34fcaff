"""Loops of kernels."""

from .constexpr import constexpr, unwrap
from .errors import LanguageTypeError, LanguageValueError
from .tensor import known_value


class range:
    """`for i in tl.range(start, end, step)`: like Python's `range`, with hints to the compiler.

    None of the hints changes a result.

    1. `num_stages`: number of iterations whose loads are in flight. Loops without `tl.dot` prefetch no load unless they
       set it.
    2. `loop_unroll_factor`: number of iterations to merge into one, in loops whose step is a compile-time integer. Loops
       with `tl.dot` are not unrolled: their iterations overlap anyway.
    3. `disable_licm`: loop-invariant values are not hoisted, which saves registers.
    4. `flatten` and `warp_specialize`: ignored, the compiler does both where it is faster.
    5. `disallow_acc_multi_buffer`: ignored, it is about accumulators in tensor memory, which Hopper does not have.

    Example:

        >>> total = 0
        >>> for k in tl.range(0, 10, 3, num_stages=2):
        ...     total += k
        >>> total
        int32 18
    """

    is_loop = True

    def __init__(
        self,
        arg1,
        arg2=None,
        step=None,
        num_stages=None,
        loop_unroll_factor=None,
        disallow_acc_multi_buffer=False,
        flatten=False,
        warp_specialize=False,
        disable_licm=False,
    ):
        self.start, self.end = (0, arg1) if arg2 is None else (arg1, arg2)
        self.step = 1 if step is None else step
        self.num_stages, self.loop_unroll_factor = (
            known_value(unwrap(hint)) for hint in (num_stages, loop_unroll_factor)
        )
        self.disallow_acc_multi_buffer = bool(unwrap(disallow_acc_multi_buffer))
        self.flatten, self.warp_specialize = bool(unwrap(flatten)), bool(unwrap(warp_specialize))
        self.disable_licm = bool(unwrap(disable_licm))
        for name in ("num_stages", "loop_unroll_factor"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 0):
                raise LanguageValueError(
                    f"{name} of tl.range is a compile-time integer, 0 or more, got {value!r}"
                )

    def __repr__(self):
        return f"tl.range({self.start}, {self.end}, {self.step})"

    def __iter__(self):
        """In the interpreter: int32 scalars (int64 where a bound is)."""
        from .semantic.loop import iterate

        return iterate(self)


class static_range:
    """`for i in tl.static_range(start, end, step)`: a loop unrolled while compiling; `i` is a
    `tl.constexpr`.

    Raises `LanguageTypeError` unless the bounds are compile-time integers.

    Example:

        >>> total = tl.zeros((4,), tl.int32)
        >>> for k in tl.static_range(3):
        ...     total += tl.full((4,), k, tl.int32)
        >>> total
        int32 [3, 3, 3, 3]
    """

    def __init__(self, arg1, arg2=None, step=None):
        start, end = (0, arg1) if arg2 is None else (arg1, arg2)
        bounds = [known_value(unwrap(bound)) for bound in (start, end, 1 if step is None else step)]
        for bound in bounds:
            if not isinstance(bound, int):
                raise LanguageTypeError(
                    f"the bounds of tl.static_range are compile-time integers, got {bound!r}",
                    hint="use tl.range for bounds known only when the kernel runs",
                )
        self.start, self.end, self.step = map(int, bounds)  # a condition counts as 0 or 1
        if self.step == 0:
            raise LanguageValueError("the step of tl.static_range is not 0")

    def __repr__(self):
        return f"tl.static_range({self.start}, {self.end}, {self.step})"

    def values(self):
        """The values of the loop variable, as Python ints."""
        import builtins

        return builtins.range(self.start, self.end, self.step)

    def __iter__(self):
        return map(constexpr, self.values())


class condition:
    """`arg1`, the condition of a `while`, with a hint to the compiler that changes no result. With `disable_licm`
    loop-invariant values are not hoisted, which saves registers.

    Example:

        >>> i = 1
        >>> while tl.condition(i < 100, disable_licm=True):
        ...     i *= 2
        >>> i
        int32 128
    """

    def __init__(self, arg1, disable_licm=False):
        self.value, self.disable_licm = arg1, bool(unwrap(disable_licm))

    def __repr__(self):
        return f"tl.condition({self.value})"

    def __bool__(self):
        """In the interpreter."""
        return bool(self.value)
