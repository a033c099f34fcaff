"""Mistakes with indices and slices of blocks, at the user's line."""

import pytest
import tilewright.language as tl


def unknown_bound(x, n):
    tl.arange(0, 8)[0:n]  # !


def zero_step(x, n):
    tl.arange(0, 8)[::0]  # !


def empty_slice(x, n):
    tl.arange(0, 8)[4:2]  # !


def index_out_of_range(x, n):
    tl.arange(0, 8)[8]  # !


def too_many_indices(x, n):
    tl.arange(0, 8)[0, n]  # !


def two_ellipses(x, n):
    tl.arange(0, 8)[..., ...]  # !


def block_index(x, n):
    tl.arange(0, 8)[tl.arange(0, 4)]  # !


def mask_index(x, n):
    tl.arange(0, 8)[tl.arange(0, 8) < n]  # !


def float_index(x, n):
    tl.arange(0, 8)[1.5]  # !


def float_index_of_the_kernel(x, n):
    tl.arange(0, 8)[tl.load(x)]  # !


def text_index(x, n):
    tl.arange(0, 8)["a"]  # !


def index_of_a_pointer(x, n):
    tl.store(x, x[n])  # !


def assigned_element_of_a_pointer(x, n):
    x[n] = 1.0  # !


def wrong_shape(x, n):
    t = tl.zeros((4, 8), tl.float32)
    t[0:2, :] = tl.zeros((2, 4), tl.float32)  # !


def block_for_an_element(x, n):
    t = tl.zeros((8,), tl.float32)
    t[n] = tl.zeros((2,), tl.float32)  # !


def pointer_for_a_number(x, n):
    t = tl.zeros((8,), tl.float32)
    t[n] = x  # !


def assigned_tuple(x, n):
    t = (1, 2)
    t[0] = n  # !


def assigned_expression(x, n):
    tl.zeros((8,), tl.float32)[0] = 1  # !


def assigned_together(x, n):
    t = tl.zeros((8,), tl.float32)
    t[0], t[1] = 1, 2  # !


@pytest.mark.parametrize(
    "fn, message",
    [
        (unknown_bound, "the bounds of a slice are compile-time integers, got int32"),
        (zero_step, "the step of a slice is not 0"),
        (empty_slice, "the slice 4:2 of a dimension of size 8 is empty"),
        (index_out_of_range, "index 8 is out of range for a dimension of size 8"),
        (too_many_indices, "2 indices for a block of rank 1"),
        (two_ellipses, "an index has one '...' at most"),
        (block_index, "cannot index a block with a block of type <[4], int32>"),
        (mask_index, "cannot index a block with a block of type <[8], int1>"),
        (float_index, "cannot index a block with 1.5 of type float"),
        (float_index_of_the_kernel, "an index is an integer, got fp32"),
        (text_index, "cannot index a block with 'a' of type str"),
        (index_of_a_pointer, "1 index for a scalar"),
        (assigned_element_of_a_pointer, "1 index for a scalar"),
        (wrong_shape, "cannot assign a block of shape [2, 4] to a slice of shape [2, 8]"),
        (block_for_an_element, "cannot assign a block of shape [2] to one element"),
        (pointer_for_a_number, "cannot assign pointer<fp32> to elements of a block of fp32"),
        (assigned_tuple, "a tuple of 2 has no elements that can be assigned"),
        (assigned_expression, "only elements of a variable are assigned"),
        (assigned_together, "elements of a block are assigned one by one"),
    ],
    ids=lambda entry: getattr(entry, "__name__", ""),
)
def test_mistakes(fn, message, rejects):
    rejects(fn, message, x="*fp32", n="i32")
