"""Mistakes with tuples, functions and aggregates, at the user's line."""

import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.frontend import CompilationError, KernelFunction, compile_to_tile


@tl.aggregate
class Pair:
    first: tl.tensor
    SECOND: tl.constexpr

    def plain(self):
        return self.first


@tl.aggregate
class Forgetful:
    first: tl.tensor

    def __init__(self, value):
        pass


def constant_from_the_kernel(x, pair):
    Pair(pair[0], tl.load(x))  # !


def missing_field(x, pair):
    Pair(pair[0])  # !


def field_not_assigned(x, pair):
    Forgetful(pair[0])  # !


def assigned_field(x, pair):
    made = Pair(pair[0], 1)
    made.third = 3  # !


def field_of_a_tuple(x, pair):
    pair.first = 3  # !


def constant_field_from_the_kernel(x, pair):
    made = Pair(pair[0], 1)
    made.SECOND = pair[0]  # !


def unknown_field(x, pair):
    tl.store(x, Pair(pair[0], 1).third)  # !


def plain_method(x, pair):
    tl.store(x, Pair(pair[0], 1).plain())  # !


def constants_that_differ(x, pair):
    made = Pair(pair[0], 1)
    if pair[0] > 3:  # !
        made = Pair(pair[0], 2)
    tl.store(x, made.first)


def index_out_of_range(x, pair):
    tl.store(x, pair[2])  # !


def index_of_the_kernel(x, pair):
    for i in range(2):
        tl.store(x, pair[i])  # !


def assigned_element(x, pair):
    pair[0] = 1  # !


def store_to_const(x: tl.const, pair):
    tl.store(x, pair[0])  # !


def wrong_unpacking(x, pair):
    a, b, c = pair  # !


@pytest.mark.parametrize(
    "fn, message",
    [
        (constant_from_the_kernel, "Pair.SECOND is a tl.constexpr, got int32"),
        (missing_field, "Pair(): missing a required argument: 'SECOND'"),
        (field_not_assigned, "Forgetful.__init__ does not assign 'first'"),
        (assigned_field, "Pair declares no field 'third'"),
        (field_of_a_tuple, "a tuple of 2 has no fields that can be assigned"),
        (constant_field_from_the_kernel, "Pair.SECOND is a tl.constexpr, got int32"),
        (unknown_field, "a Pair(first: int32, SECOND: 1) has no attribute 'third'"),
        (plain_method, "plain() is a plain Python function and cannot be called in a kernel"),
        (constants_that_differ, "Mismatched type for made: it is Pair(first: int32, SECOND: 2) after one"),
        (index_out_of_range, "index 2 is out of range for 2 elements"),
        (index_of_the_kernel, "the index into a tuple must be known while compiling"),
        (assigned_element, "a tuple of 2 has no elements that can be assigned"),
        (store_to_const, "Cannot store to a constant pointer"),
        (wrong_unpacking, "not enough values to unpack (expected 3, got 2)"),
    ],
    ids=lambda entry: getattr(entry, "__name__", ""),
)
def test_mistakes(fn, message, rejects):
    rejects(fn, message, x="*i32", pair=("i32", "fp32"))


@pytest.mark.compiled
@pytest.mark.parametrize("entry, message", [([3], "'pair.1'"), (object(), "'pair.1'")])
def test_parts_that_kernels_do_not_take(entry, message):
    with pytest.raises(TypeError, match=rf"argument {message} of kernel wrong_unpacking\(\): cannot pass"):
        tw.jit(wrong_unpacking)[1,](np.zeros(1), (5, entry))


@pytest.mark.compiled
def test_constants_in_tuples_are_hashable():
    with pytest.raises(TypeError, match=r"argument 'pair\.1' .* has to be hashable"):
        tw.jit(wrong_unpacking)[1,](np.zeros(1), (5, tl.constexpr([3])))


def test_declarations_that_are_no_aggregates():
    with pytest.raises(TypeError, match="decorates a class whose annotations are its fields"):
        tl.aggregate(type("Empty", (), {}))
    with pytest.raises(TypeError, match=r"Bad\.parts has a name that every aggregate uses"):
        tl.aggregate(type("Bad", (), {"__annotations__": {"parts": tl.tensor}}))
    with pytest.raises(TypeError, match="__init__ is a plain function"):
        init = KernelFunction(lambda self: None)
        tl.aggregate(type("Bad", (), {"__annotations__": {"x": tl.tensor}, "__init__": init}))
