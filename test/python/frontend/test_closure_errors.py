"""Mistakes with nested functions and comprehensions, at the user's line."""
# ruff: noqa: E731, F823

import pytest
import tilewright.language as tl


def unknown_decorator(n):
    @tl.constexpr_function  # !
    def inner():
        pass


def variable_parameters(n):
    inner = lambda *args: args  # !


def wrong_call(n):
    def inner(a, b):
        return a + b

    inner(n)  # !


def assigned_later(n):
    value = n

    def inner():
        doubled = value * 2  # !
        value = doubled
        return doubled

    inner()


def endless(n):
    def inner(v):
        return inner(v)  # !

    inner(n)


def variable_of_the_function(n):
    def inner():
        hidden = 3
        return hidden

    inner()
    n + hidden  # !


def unknown_length(n):
    x = [i for i in range(n)]  # !


def comprehension_over_a_block(n):
    x = [i for i in tl.arange(0, 4)]  # !


def unknown_condition(n):
    x = [i for i in range(4) if i < n]  # !


def variable_of_a_comprehension(n):
    x = [i * 2 for i in range(4)]
    n + i  # !


def function_of_one_branch(n):
    if n > 3:

        def inner():
            return 1

    n + inner()  # !


def two_functions(n):
    inner = lambda: 1
    if n > 3:  # !
        inner = lambda: 2
    n + inner()


def set_comprehension(n):
    x = {i for i in range(4)}  # !


def endless_comprehension(n):
    x = [i for i in range(2**70)]  # !


def endless_unrolling(n):
    for i in tl.static_range(2**40):  # !
        n += i


def nested_unrolling(n):
    for i in tl.static_range(2**9):
        for j in tl.static_range(2**9):  # !
            pass


@pytest.mark.parametrize(
    "fn, message",
    [
        (unknown_decorator, "a nested function has no decorator but @tw.jit"),
        (variable_parameters, "a nested function has a fixed number of parameters, without '*args'"),
        (wrong_call, "inner(): missing a required argument: 'b'"),
        (assigned_later, "'value' may have no value here: it is a variable of inner, which assigns it later"),
        (endless, "calls are nested more than 64 deep: does inner() call itself?"),
        (variable_of_the_function, "'hidden' is not defined"),
        (unknown_length, "a comprehension runs over a tuple, or a range whose bounds are known"),
        (comprehension_over_a_block, "known while compiling, got <[4], int32>"),
        (unknown_condition, "the condition of a comprehension must be known while compiling"),
        (variable_of_a_comprehension, "'i' is not defined"),
        (function_of_one_branch, "'inner' may have no value here: only one branch"),
        (two_functions, "Mismatched type for inner: it is constant function <lambda> after one branch"),
        (endless_comprehension, "unrolling makes 1180591620717411303424 iterations, more than the 65536"),
        (endless_unrolling, "unrolling makes 1099511627776 iterations"),
        (nested_unrolling, "iterations, more than the 65536 that a kernel may have"),
        (set_comprehension, "set comprehensions are not supported in a kernel"),
    ],
    ids=lambda entry: getattr(entry, "__name__", ""),
)
def test_mistakes(fn, message, rejects):
    rejects(fn, message, n="i32")
