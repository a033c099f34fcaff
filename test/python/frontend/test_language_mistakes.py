"""Wrong names, calls and control flow, and unsupported syntax, are shown at the user's line (marked `# !`)."""

import pytest
import tilewright.language as tl
from mistakes import Mistakes, check_mistake
from tilewright.frontend import KernelFunction

MISTAKES = Mistakes()
mistake = MISTAKES.add


def plain_function(x):
    return x


@KernelFunction
def scaled(x, FACTOR: tl.constexpr = 2):
    return x * FACTOR


@KernelFunction
def endless(x):
    return endless(x)


limit = 128


@mistake("*fp32", r"'tl\.laod'|has no attribute 'laod'", r"did you mean 'load'", "tl.laod")
def misspelt_function(x):
    tl.laod(x)  # !


@mistake("*fp32", r"'y' is not defined", caret="y")
def undefined_name(x):
    tl.store(x, y)  # !


@mistake("*fp32 i32", r"'lenght' is not defined", "did you mean 'length'")
def misspelt_name(x, length):
    tl.store(x, lenght)  # !


@mistake(
    "*fp32",
    r"the global variable 'limit' is not a compile-time constant: it is of type int",
    r"limit: tl\.constexpr",
    "limit",
)
def plain_global(x):
    tl.store(x + limit, 0)  # !


@mistake("*fp32", r"plain_function\(\) is a plain Python function", r"@tw\.jit")
def plain_call(x):
    tl.store(x, plain_function(1))  # !


@mistake("*fp32", r"load\(\): got an unexpected keyword argument 'masks'", r"load\(pointer, mask=None")
def wrong_keyword(x):
    tl.load(x, masks=True)  # !


@mistake("*fp32", r"store\(\): missing a required argument: 'value'")
def missing_argument(x):
    tl.store(x)  # !


@mistake("*fp32", r"scaled\(\): too many positional arguments", r"scaled\(x, FACTOR: ")
def too_many_arguments(x):
    tl.store(x, scaled(1.0, 2, 3))  # !


@mistake(
    "*fp32", r"a condition is a scalar, got a block of type <\[8\], int1>", "tl.where", "tl.arange(0, 8) < 3"
)
def block_as_condition(x):
    if tl.arange(0, 8) < 3:  # !
        pass


@mistake(
    "*fp32 i32", r"Mismatched type for y: it is fp32 after one branch and int32 after", "same type", "n > 3"
)
def branches_of_two_types(x, n):
    y = 1
    if n > 3:  # !
        y = 2.0
    tl.store(x, y)


@mistake("*fp32 i32", r"only a block with one element has an item\(\), got <\[8\], int32>", "reduce")
def item_of_several(x, n):
    tl.store(x, tl.arange(0, 8).item())  # !


@mistake(
    "*fp32 i32",
    r"Ternary expression with dynamic condition has inconsistent types: it is <\[8\], fp32> after",
    "same",
)
def conditional_of_two_types(x, n):
    tl.store(x, tl.full((8,), 1.0, tl.float32) if n > 3 else n)  # !


@mistake(
    "*fp32 i32", r"'y' may have no value here: only one branch of the 'if' in line \d+ assigns it", caret="y"
)
def defined_in_one_branch(x, n):
    if n > 3:
        y = 1
    tl.store(x, y)  # !


@mistake(
    "*fp32 i32",
    r"'i' may have no value here: the loop in line \d+ counts with it; assign it to another name",
    caret="i",
)
def loop_variable_after_the_loop(x, n):
    i = 0
    for i in range(n):
        pass
    tl.store(x, i)  # !


@mistake(
    "*i32",
    r"'v' may have no value here: the condition of the loop in line \d+ assigns it; give it a value",
    caret="v",
)
def assigned_in_a_condition(x):
    s = 0
    while (v := tl.load(x + s)) > 0:
        s += v  # !
    tl.store(x, s)


@mistake(
    "*fp32 i32", r"'acc' is int32 before the loop and fp32 after its body", "start with the last type", "acc"
)
def loop_changes_type(x, n):
    acc = 0
    for i in range(n):
        acc += i * 0.5  # !
    tl.store(x, acc)


@mistake("*fp32 i32", r"'acc' is constant None before the loop")
def loop_changes_none(x, n):
    acc = None
    for i in range(n):
        acc = i  # !
    tl.store(x, acc)


@mistake("fp32", r"the end of a loop is an integer scalar, got fp32")
def loop_over_float(n):
    for i in range(n):  # !
        pass


@mistake("i32", r"the step of a loop is not 0")
def loop_without_step(n):
    for i in range(0, n, 0):  # !
        pass


@mistake("i32", r"the bounds of tl\.static_range are compile-time integers", "tl.range")
def static_range_of_runtime_value(n):
    for i in tl.static_range(n):  # !
        pass


@mistake("i32", r"a loop runs over range, tl\.range, tl\.static_range or a tuple, got a scalar of type int32")
def loop_over_scalar(n):
    for i in n:  # !
        pass


@mistake(
    "i32", r"Inconsistent return types: the result of the function is fp32 after one branch and constant None"
)
def returns_from_loop_only(n):
    loops_forever(n)


@KernelFunction
def loops_forever(n):
    for i in range(n):  # !
        if i > 3:
            return 1.0


@mistake("i32", r"this loop never ends: its condition is always true", caret="True")
def endless_loop(n):
    while True:  # !
        n += 1


@mistake(
    "i32", r"Inconsistent return types: the result of the function is fp32 after one branch and constant None"
)
def returns_sometimes(n):
    sometimes(n)


@KernelFunction
def sometimes(n):
    if n > 3:  # !
        return 1.0


@mistake("i32", r"the combine function of tl\.reduce is a @tw\.jit function")
def combine_is_plain(n):
    tl.reduce(tl.zeros((8,), tl.float32), 0, plain_function)  # !


@mistake("i32", r"calls are nested more than 64 deep: does endless\(\) call itself\?")
def recursion(n):
    endless(n)


@mistake("i32", r"2 indices for a block of rank 1")
def too_many_indices(n):
    tl.arange(0, 8)[:, :]  # !


@mistake("i32", r"not enough values to unpack \(expected 3, got 2\)")
def unpacking(n):
    a, b, c = n, n  # !


@mistake("i32", r"cannot unpack a scalar of type int32")
def unpacking_a_scalar(n):
    a, b = n  # !


@mistake("i32", r"index 2 is out of range for 2 elements")
def tuple_index(n):
    pair = (n, n)
    pair[2]  # !


@mistake("i32", r"a value of type int32 has no attribute 'sun'", "did you mean 'sum'")
def misspelt_method(n):
    n.sun()  # !


@mistake(
    "i32",
    r"the value of a tl\.constexpr must be known while compiling, got a scalar of type int32",
    caret="n + 1",
)
def constexpr_of_runtime_value(n):
    k: tl.constexpr = n + 1  # !


@mistake("i32", r"static assertion failed: 3 is not 4")
def failing_static_assert(n):
    tl.static_assert(3 == 4, "3 is not 4")  # !


@mistake("i32", r"static assertion failed: no")
def failing_assert(n):
    assert 3 == 4, "no"  # !


@mistake("i32", r"the condition of static_assert is known only when the kernel runs", "tl.device_assert")
def static_assert_of_runtime_value(n):
    tl.static_assert(n > 3)  # !


@mistake("i32", r"'try' is not supported in a kernel")
def uses_try(n):
    try:  # !
        n += 1
    finally:
        pass


@mistake("i32", r"'with' is not supported in a kernel")
def uses_with(n):
    with n:  # !
        pass


@mistake("i32", r"'raise' is not supported in a kernel", "tl.device_assert")
def uses_raise(n):
    raise ValueError  # !


@mistake("i32", r"'import' is not supported in a kernel", "top of the file")
def uses_import(n):
    import math  # !


@mistake("i32", r"dicts are not supported in a kernel")
def uses_dict(n):
    x = {}  # !


@mistake("i32", r"'global' is not supported in a kernel")
def uses_global(n):
    global limit  # !


@mistake("i32", r"a complex literal is not supported")
def uses_complex(n):
    n + 3j  # !


@mistake("i32", r"'\*\*' is not supported in a kernel")
def uses_keyword_unpacking(n):
    tl.zeros(**n)  # !


@mistake("i32", r"== does not take a scalar of type int32 and the constant None", "compare with None by 'is'")
def compares_with_none(n):
    n == None  # noqa: E711 # !


@mistake("i32", r"\+ does not take 'a' and 3")
def adds_text_and_number(n):
    tl.static_print("a" + 3)  # !


@mistake("i32", r"a kernel returns nothing", "store the result")
def returns_a_value(n):
    return n  # !


@pytest.mark.parametrize(Mistakes.names, MISTAKES)
def test_mistake(tile, fn, signature, constants, message, hint, caret):
    check_mistake(tile, fn, signature, constants, message, hint, caret, is_marked=fn is not recursion)
