"""Wrong arguments of ops are shown at the user's line (marked `# !` below), with the expected and actual values."""

import math

import numpy as np
import pytest
import tilewright.language as tl
from mistakes import Mistakes, check_mistake
from tilewright.frontend import KernelFunction

MISTAKES = Mistakes()
mistake = MISTAKES.add


@KernelFunction
def bad_sum(a, b):
    return (a + b).to(tl.float64)


@KernelFunction
def filled(COUNT: tl.constexpr):
    return tl.full((COUNT,), 1.0, tl.float32)  # !


@mistake("*fp32 i32", r"the shape of tl\.full is made of compile-time integers, got int32")
def runtime_value_for_constexpr(x, n):
    tl.store(x, filled(n))


@mistake(
    "*fp32 fp32", r"tl\.load needs a pointer or a block of pointers, got fp32", "add the offsets to a pointer"
)
def load_of_a_number(x, y):
    tl.load(y)  # !


@mistake("*fp32", r"`other` of tl\.load needs a `mask`")
def other_without_mask(x):
    tl.load(x, other=0.0)  # !


@mistake("*fp32", r"the mask of tl\.load is a block of shape \[8\] but the pointer is a scalar")
def block_mask_for_scalar(x):
    tl.load(x, mask=tl.arange(0, 8) < 3)  # !


@mistake("*fp32", r"the mask of tl\.load is a block of bools, got fp32")
def float_mask(x):
    tl.load(x, mask=1.0)  # !


@mistake(
    "*fp32",
    r"shapes \[8\] of the pointers and \[16\] of the mask do not broadcast: dimension 0 is 8 in one and 16",
)
def mask_of_another_shape(x):
    tl.load(x + tl.arange(0, 8), mask=tl.arange(0, 16) < 3)  # !


@mistake("*fp32", r"shapes \[8\] of the pointers and \[16\] of the stored value do not broadcast")
def value_of_another_shape(x):
    tl.store(x + tl.arange(0, 8), tl.arange(0, 16))  # !


@mistake("*fp32", r"shapes \[8\] of the pointers and \[16\] of the value do not broadcast")
def added_value_of_another_shape(x):
    tl.atomic_add(x + tl.arange(0, 8), tl.arange(0, 16))  # !


@mistake("*fp32", r"sqrt\(\) is evaluated while compiling", r"tl\.sqrt is for values of the kernel")
def function_of_constants(x):
    tl.store(x, math.sqrt(tl.load(x)))  # !


@mistake("*fp32", r"'arange' cannot be called in a kernel", r"tl\.arange is for values of the kernel")
def function_of_numpy(x):
    tl.store(x, np.arange(8))  # !


@mistake("*fp32", r"missing a required argument: 'a'", r"it is called as <lambda>\(a, b=2\)")
def default_of_a_lambda(x):
    add = lambda a, b=2: a + b  # noqa: E731
    tl.store(x, add())  # !


@mistake("*fp32", r"tl\.store of a block of shape \[4, 8\] through pointers of shape \[8\]")
def store_too_wide(x):
    tl.store(x + tl.arange(0, 8), tl.zeros((4, 8), tl.float32))  # !


@mistake("*fp32", r"shapes \[8\] and \[6\] do not broadcast", caret="tl.arange(0, 8) + tl.arange(0, 6)")
def shapes_do_not_match(x):
    y = tl.arange(0, 8) + tl.arange(0, 6)  # !


@mistake("*kfp32", r"Cannot store to a constant pointer: pointer<const fp32>")
def store_to_const(x):
    tl.store(x, 1.0)  # !


@mistake("*fp32", r"cache_modifier is one of '', '\.ca', '\.cg', '\.cs', '\.cv', got '\.xx'")
def unknown_cache_modifier(x):
    tl.load(x, cache_modifier=".xx")  # !


@mistake("*fp32", r"eviction_policy is one of .*, got 'first'")
def unknown_eviction_policy(x):
    tl.load(x, eviction_policy="first")  # !


@mistake("*fp32", r"\+ does not take pointer<fp32> and fp32", "integer number of elements", "x + 1.0")
def pointer_plus_float(x):
    tl.load(x + 1.0)  # !


@mistake("*fp32 *fp32", r"cannot add two pointers", "integer offset")
def two_pointers(x, y):
    tl.load(x + y)  # !


@mistake("*fp32", r"\* does not take pointer<fp32> and 2")
def pointer_times_number(x):
    tl.load(x * 2)  # !


@mistake("*fp32 i32", r"the bounds of tl\.arange are compile-time integers, got int32", "tl.constexpr")
def arange_of_runtime_value(x, n):
    tl.load(x + tl.arange(0, n))  # !


@mistake("*fp32", r"tl\.arange\(8, 8\) is empty")
def empty_arange(x):
    tl.load(x + tl.arange(8, 8))  # !


@mistake("i32", r"tl\.multiple_of takes positive compile-time integers, got \[0\]")
def multiple_of_zero(n):
    tl.multiple_of(n, 0)  # !


@mistake("i32", r"tl\.max_contiguous takes one value for each dimension: <\[4\], int32> with \[4, 4\]")
def hint_for_other_rank(n):
    tl.max_contiguous(tl.arange(0, 4), (4, 4))  # !


@mistake("*fp32", r"program_id axis must be 0, 1, or 2 but got 3")
def grid_axis(x):
    tl.store(x, tl.program_id(3))  # !


@mistake("*fp32", r"the shape of tl\.full is made of compile-time integers, got int32")
def shape_of_runtime_values(x):
    tl.zeros((tl.program_id(0),), tl.float32)  # !


@mistake("*fp32", r"tl\.full needs a type such as tl\.float32, got 'float'")
def dtype_that_is_none(x):
    tl.zeros((4,), "float")  # !


@mistake("*fp32", r"cannot reshape \[8\] to \[3, 3\]: 8 elements in one and 9 in the other")
def reshape_to_other_count(x):
    tl.reshape(tl.arange(0, 8), (3, 3))  # !


@mistake("*fp32", r"invalid axis 2 of a reduction, whose rank is 1")
def reduce_axis(x):
    tl.store(x, tl.sum(tl.arange(0, 8), axis=2))  # !


@mistake("*fp32", r"a reduction takes blocks, got int32")
def reduce_of_scalar(x):
    tl.store(x, tl.sum(tl.program_id(0), axis=0))  # !


@mistake("*fp32", r"permute needs each of the 2 axes once, got \[0, 0\]")
def permute_twice(x):
    tl.permute(tl.zeros((4, 8), tl.int32), (0, 0))  # !


@mistake("*fp32", r"tl\.dot of \[16, 16\] and \[8, 16\]")
def dot_of_wrong_shapes(x):
    tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((8, 16), tl.float16))  # !


@mistake("*fp32", r"tl\.dot of fp16 and fp32: both blocks have one type", r"\.to\(\)")
def dot_of_two_types(x):
    tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))  # !


@mistake("*fp32", r"tl\.dot takes two blocks of rank 2")
def dot_of_vectors(x):
    tl.dot(tl.arange(0, 16), tl.arange(0, 16))  # !


@mistake("*fp32", r"the accumulator of tl\.dot is <\[16, 8\], fp32>, expected <\[16, 16\], fp32>")
def dot_into_other_shape(x):
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, tl.zeros((16, 8), tl.float32))  # !


@mistake("*fp32", r"input_precision is one of 'ieee', 'tf32', 'tf32x3', 'bf16x3', 'bf16x6', got 'fast'")
def dot_precision(x):
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="fast")  # !


@mistake("*fp32", r"exp takes floats, got int32", r"\.to\(tl\.float32\)", "tl.exp(tl.program_id(0))")
def exp_of_integer(x):
    tl.store(x, tl.exp(tl.program_id(0)))  # !


@mistake(
    "i32 u32", r"Cannot use / or % with int32 and uint32 because they have different signedness", "same sign"
)
def division_of_mixed_signs(a, b):
    a // b  # !


@mistake("u32", r"the negative number -1 with an operand of type uint32", "signed type")
def unsigned_and_negative(a):
    a + -1  # !


@mistake("i8", r"the number 300 is out of range for int8", "wider type")
def literal_too_large(a):
    a + 300  # !


@mistake("fp32", r"// takes integers, got fp32", "tl.floor")
def floor_division_of_floats(a):
    a // 2  # !


@mistake("fp32", r"invalid operands of type fp32 and 1 of type int: & takes integers")
def bitwise_of_floats(a):
    a & 1  # !


@mistake("i32", r"<< by 40 is out of range for int32")
def shift_too_far(a):
    a << 40  # !


@mistake("fp32", r"\*\* is not defined for values of the kernel", "tl.exp2")
def power(a):
    a**2  # !


@mistake("fp32", r"cannot bitcast fp32 \(32 bits\) to fp16 \(16 bits\)", "leave out bitcast=True")
def bitcast_to_other_width(a):
    a.to(tl.float16, bitcast=True)  # !


@mistake("fp32", r"a cast needs a type such as tl\.float32, got 'fp16'")
def cast_to_a_name(a):
    a.to("fp16")  # !


@mistake("*fp32", r"tl\.atomic_and takes integers, got fp32")
def atomic_and_of_floats(x):
    tl.atomic_and(x, 1)  # !


@mistake("*i16", r"tl\.atomic_add does not take int16", "32 or 64 bits")
def atomic_of_narrow_elements(x):
    tl.atomic_add(x, 1)  # !


@mistake("*i16", r"desc\.atomic_max does not take int16", "32 or 64 bits; .* on float16 and bfloat16, too")
def descriptor_atomic_of_narrow_elements(x):
    tl.make_tensor_descriptor(x, [64], [1], [16]).atomic_max([0], tl.zeros((16,), tl.int16))  # !


@mistake("*fp32", r"desc\.atomic_or takes integers, got fp32")
def descriptor_atomic_or_of_floats(x):
    tl.make_tensor_descriptor(x, [64], [1], [16]).atomic_or([0], tl.zeros((16,), tl.float32))  # !


@mistake("*fp32", r"a block of shape \[16\] is stored, got \[8\]")
def descriptor_atomic_of_another_shape(x):
    tl.make_tensor_descriptor(x, [64], [1], [16]).atomic_add([0], tl.zeros((8,), tl.float32))  # !


@mistake("*fp32", r"sem is one of 'relaxed', 'acquire', 'release', 'acq_rel', got 'strong'")
def atomic_semantics(x):
    tl.atomic_add(x, 1.0, sem="strong")  # !


@mistake("i32", r"the combine function gives \(fp64\), expected \(fp32\)", r"\.to\(\)")
def combine_changes_type(n):
    tl.reduce(tl.zeros((8,), tl.float32), 0, bad_sum)  # !


@mistake("i32", r"float\(\) is evaluated while compiling, but an argument is not known then", r"\.to\(\)")
def float_of_runtime_value(n):
    float(n)  # !


@mistake("i32", r"the Python builtin 'open' cannot be used in a kernel")
def python_builtin(n):
    open("x")  # !


@mistake("*fp32 i32", r"order names each of the 2 axes once, got \[0, 0\]")
def order_of_block_pointer(x, n):
    tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (8, 8), (0, 0))  # !


@mistake("*fp32 i32", r"strides has 1 entries for a block of rank 2")
def strides_of_block_pointer(x, n):
    tl.make_block_ptr(x, (n, n), (1,), (0, 0), (8, 8), (1, 0))  # !


@mistake("*fp32 i32", r"`mask` is not for block pointers", "boundary_check")
def mask_of_block_pointer(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, mask=n > 3)  # !


@mistake("*fp32", r"boundary_check and padding_option are for block pointers", "use a mask")
def boundary_of_pointer(x):
    tl.load(x, boundary_check=(0,))  # !


@mistake("*i32 i32", r"padding_option is '', 'zero' or, for floats, 'nan', got 'nan' for int32")
def padding_of_integers(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [8], padding_option="nan")  # !


@mistake("*fp32 i32", r"the last stride of a tensor descriptor is 1, got 2")
def stride_of_descriptor(x, n):
    tl.make_tensor_descriptor(x, [n], [2], [8])  # !


@mistake("*fp32 i32", r"the base of tl\.make_tensor_descriptor is a pointer, got int32")
def base_of_descriptor(x, n):
    tl.make_tensor_descriptor(n, [n], [1], [8])  # !


@mistake("*fp32 i32", r"tl\.advance takes a block pointer")
def advance_of_pointer(x, n):
    p = tl.advance(x, (n,))  # !


@pytest.mark.parametrize(Mistakes.names, MISTAKES)
def test_mistake(tile, fn, signature, constants, message, hint, caret):
    check_mistake(tile, fn, signature, constants, message, hint, caret)
