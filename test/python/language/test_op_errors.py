"""Mistakes in calls of single functions of the language are reported at the user's line (marked `# !`)."""

import re

import pytest
import tilewright.language as tl
from tilewright.frontend import CompilationError, KernelFunction

MISTAKES = []


@KernelFunction
def identity(x):
    return x


@KernelFunction
def three_of_two(x, y):
    return x, y, x


@KernelFunction
def nothing(x):
    tl.static_assert(True)


@KernelFunction
def spread(x):
    return x + tl.arange(0, 4)


@KernelFunction
def two_types(x, y):
    return x, x.to(tl.float32)


@KernelFunction
def counted(x, p):
    return tl.atomic_add(p, 1) + x


def mistake(signature, message, hint=None, **constants):
    """A kernel that must fail with a message (and a hint) that match."""

    def register(fn):
        MISTAKES.append(pytest.param(fn, signature.split(), constants, message, hint, id=fn.__name__))
        return fn

    return register


@mistake("*fp32", r"\+ does not take a block_pointer<<\[4\], fp32>> and the constant 8", r"use tl\.advance")
def numbers_added_to_block_pointers(x):
    p = tl.make_block_ptr(x, (64,), (1,), (0,), (4,), (0,))
    tl.store(p + 8, 0.0)  # !


@mistake("*fp32", r"\* does not take the constant 2 and a block_pointer<<\[4\], fp32>>")
def numbers_times_block_pointers(x):
    p = tl.make_block_ptr(x, (64,), (1,), (0,), (4,), (0,))
    tl.store(2 * p, 0.0)  # !


@mistake("*fp32", r"got a block_pointer<<\[4\], fp32>>")
def block_pointers_added_to_blocks(x):
    p = tl.make_block_ptr(x, (64,), (1,), (0,), (4,), (0,))
    tl.store(tl.arange(0, 4) + p, 0.0)  # !


@mistake("*fp32", r"tl\.load needs a pointer or a block of pointers, got None", r"is not None", p=None)
def nothing_loaded(x, p: tl.constexpr):
    tl.store(x, tl.load(p))  # !


@mistake("*fp32", r"tl\.store needs a pointer or a block of pointers, got None", r"is not None", p=None)
def nothing_stored_to(x, p: tl.constexpr):
    tl.store(p, tl.load(x))  # !


@mistake("*fp32", r"tl\.atomic_add needs a pointer or a block of pointers, got None", r"is not None", p=None)
def nothing_added_to(x, p: tl.constexpr):
    tl.atomic_add(p, tl.load(x))  # !


@mistake("*fp32", r"tl\.load needs a pointer .* got a tensor descriptor", r"use the descriptor's own load")
def descriptors_loaded(x):
    d = tl.make_tensor_descriptor(x, [64], [1], [4])
    tl.store(x, tl.sum(tl.load(d)))  # !


@mistake("*fp32", r"tl\.store needs a pointer .* got a tensor descriptor", r"use the descriptor's own store")
def descriptors_stored(x):
    d = tl.make_tensor_descriptor(x, [64], [1], [4])
    tl.store(d, 0.0)  # !


@mistake("*fp32", r"the source of tl\.gather is a block, got fp32")
def gather_from_a_scalar(x):
    tl.gather(tl.load(x), tl.arange(0, 4), 0)  # !


@mistake("*fp32", r"the index of tl\.gather is a block, got 3 of type int")
def gather_by_a_number(x):
    tl.gather(tl.arange(0, 4), 3, 0)  # !


@mistake("*fp32", r"the index of tl\.gather is made of integers, got <\[4\], fp32>")
def gather_by_floats(x):
    tl.gather(tl.arange(0, 8), tl.zeros((4,), tl.float32), 0)  # !


@mistake("*fp32", r"the index of tl\.gather is made of integers, got <\[4\], int1>")
def gather_by_conditions(x):
    tl.gather(tl.arange(0, 8), tl.arange(0, 4) > 1, 0)  # !


@mistake("*fp32", r"the source and the index of tl\.gather have the same rank, got \[8\] and \[1, 4\]")
def gather_of_another_rank(x):
    tl.gather(tl.arange(0, 8), tl.arange(0, 4)[None, :], 0)  # !


@mistake("*fp32", r"invalid axis 1 of tl\.gather, whose rank is 1")
def gather_along_no_axis(x):
    tl.gather(tl.arange(0, 8), tl.arange(0, 4), 1)  # !


@mistake(
    "*fp32",
    r"dimension 1 of tl\.gather along axis 0 is 16 in the source and 1 in the index",
    r"tl\.broadcast_to",
)
def gather_of_another_size(x):
    tl.gather(tl.zeros((8, 16), tl.int32), tl.arange(0, 4)[:, None], 0)  # !


@mistake("*fp32", r"the input of tl\.histogram is a block, got fp32")
def histogram_of_a_scalar(x):
    tl.histogram(tl.load(x), 4)  # !


@mistake("*fp32", r"tl\.histogram counts integers, got <\[8\], fp32>", r"\.to\(tl\.int32\)")
def histogram_of_floats(x):
    tl.histogram(tl.load(x + tl.arange(0, 8)), 4)  # !


@mistake("i32", r"num_bins of tl\.histogram is a positive compile-time integer, got int32")
def histogram_of_runtime_size(n):
    tl.histogram(tl.arange(0, 8), n)  # !


@mistake("i32", r"num_bins of tl\.histogram is a positive compile-time integer, got 0 of type int")
def histogram_of_nothing(n):
    tl.histogram(tl.arange(0, 8), 0)  # !


@mistake("i32", r"the mask of tl\.histogram is a block of bools, got fp32")
def histogram_with_float_mask(n):
    tl.histogram(tl.arange(0, 8), 4, mask=1.0)  # !


@mistake("i32", r"a block of shape \[4\] does not broadcast to \[8\]|shapes \[4\] and \[8\] do not broadcast")
def histogram_with_mask_of_another_shape(n):
    tl.histogram(tl.arange(0, 8), 4, mask=tl.arange(0, 4) < n)  # !


@mistake("i32", r"tl\.dot takes two blocks of rank 2, or two of rank 3, got <\[16\], fp32> and")
def dot_of_vectors(n):
    tl.dot(tl.zeros((16,), tl.float32), tl.zeros((16, 16), tl.float32))  # !


@mistake("i32", r"tl\.dot of \[2, 16, 16\] and \[16, 16\]: the ranks differ", r"tl\.broadcast_to")
def dot_of_two_ranks(n):
    tl.dot(tl.zeros((2, 16, 16), tl.float32), tl.zeros((16, 16), tl.float32))  # !


@mistake("i32", r"tl\.dot of \[2, 16, 16\] and \[4, 16, 16\]: the batch sizes differ")
def dot_of_two_batches(n):
    tl.dot(tl.zeros((2, 16, 16), tl.float32), tl.zeros((4, 16, 16), tl.float32))  # !


@mistake("i32", r"the last dimension of the first block and the second to last of the second differ")
def batched_dot_of_other_sizes(n):
    tl.dot(tl.zeros((2, 16, 8), tl.float32), tl.zeros((2, 16, 8), tl.float32))  # !


@mistake("i32", r"the accumulator of tl\.dot is <\[16, 16\], fp32>, expected <\[2, 16, 16\], fp32>")
def batched_dot_with_flat_accumulator(n):
    x = tl.zeros((2, 16, 16), tl.float32)
    tl.dot(x, x, tl.zeros((16, 16), tl.float32))  # !


@mistake("i32", r"max_num_imprecise_acc \(64\) must be <= K \(32\)")
def sum_of_more_than_there_are(n):
    x = tl.zeros((32, 32), tl.float8e5)
    tl.dot(x, x, max_num_imprecise_acc=64)  # !


@mistake("i32", r"asm of tl\.inline_asm_elementwise is a string, got 3 of type int")
def assembly_that_is_no_text(n):
    tl.inline_asm_elementwise(3, "=r", [n], tl.int32, True, 1)  # !


@mistake("i32", r"pack of tl\.inline_asm_elementwise is a power of two from 1 to 32, .* got 3 of type int")
def assembly_of_three(n):
    tl.inline_asm_elementwise("", "=r,r", [n], tl.int32, True, 3)  # !


@mistake("i32", r"args of tl\.inline_asm_elementwise is a list, got int32", r"write \[x\]")
def assembly_of_no_list(n):
    tl.inline_asm_elementwise("", "=r,r", n, tl.int32, True, 1)  # !


@mistake("i32", r"dtype of tl\.inline_asm_elementwise is a type of numbers .* got tl.int1")
def assembly_of_conditions(n):
    tl.inline_asm_elementwise("", "=r,r", [n], tl.int1, True, 1)  # !


@mistake("i32", r"needs input registers for 1 x 'i32', the constraints '=r,d' have none that fit")
def assembly_with_wrong_register(n):
    tl.inline_asm_elementwise("", "=r,d", [n], tl.int32, True, 1)  # !


@mistake("i32", r"the constraint 'n' is for an integer known at compile time, got int32")
def assembly_with_variable_immediate(n):
    tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,n", [n], tl.int32, True, 1)  # !


@mistake("i32", r"has a '\$' in its text that is not followed by a register number below 2")
def assembly_with_wrong_number(n):
    tl.inline_asm_elementwise("mov.b32 $0, $7;", "=r,r", [n], tl.int32, True, 1)  # !


@mistake("i32", r"the format of lhs of tl\.dot_scaled is one of 'e2m1', .* got 'e3m2'")
def scaled_dot_of_unknown_format(n):
    x = tl.zeros((32, 32), tl.uint8)
    tl.dot_scaled(x, None, "e3m2", x, None, "e4m3")  # !


@mistake("i32", r"rhs of tl\.dot_scaled in e4m3 is made of fp8e4nv or uint8, got <\[32, 32\], fp32>")
def scaled_dot_of_other_type(n):
    x, y = tl.zeros((32, 32), tl.uint8), tl.zeros((32, 32), tl.float32)
    tl.dot_scaled(x, None, "e4m3", y, None, "e4m3")  # !


@mistake("i32", r"lhs of tl\.dot_scaled in e2m1 is made of uint8, got <\[32, 32\], bf16>")
def scaled_dot_of_unpacked_e2m1(n):
    x = tl.zeros((32, 32), tl.bfloat16)
    tl.dot_scaled(x, None, "e2m1", x, None, "bf16")  # !


@mistake("i32", r"lhs of tl\.dot_scaled is a block of rank 2 or 3, got <\[32\], uint8>")
def scaled_dot_of_vectors(n):
    x = tl.zeros((32,), tl.uint8)
    tl.dot_scaled(x, None, "e4m3", x, None, "e4m3")  # !


@mistake(
    "i32",
    r"rhs_scale of tl\.dot_scaled has a scale for each 32 or 16 .*, \[16, 2\] or \[16, 4\], got \[2, 16\]",
)
def scaled_dot_with_transposed_scales(n):
    x, y = tl.zeros((32, 64), tl.float8e5), tl.zeros((64, 16), tl.float8e5)
    tl.dot_scaled(x, None, "e5m2", y, tl.zeros((2, 16), tl.uint8), "e5m2")  # !


@mistake(
    "i32", r"lhs_scale of tl\.dot_scaled has a scale .* contracted dimension, which has 8, got \[32, 1\]"
)
def scaled_dot_of_few_elements(n):
    x, y = tl.zeros((32, 8), tl.float8e5), tl.zeros((8, 16), tl.float8e5)
    tl.dot_scaled(x, tl.zeros((32, 1), tl.uint8), "e5m2", y, None, "e5m2")  # !


@mistake(
    "i32", r"lhs_scale of tl\.dot_scaled is made of uint8 \(e8m0\) or fp8e4nv \(e4m3\), got <\[32, 2\], fp32>"
)
def scaled_dot_with_float_scales(n):
    x, y = tl.zeros((32, 64), tl.float8e5), tl.zeros((64, 16), tl.float8e5)
    tl.dot_scaled(x, tl.zeros((32, 2), tl.float32), "e5m2", y, None, "e5m2")  # !


@mistake("i32", r"tl\.dot of \[32, 64\] and \[32, 16\]: the last dimension")
def scaled_dot_of_other_sizes(n):
    x, y = tl.zeros((32, 64), tl.float8e5), tl.zeros((32, 16), tl.float8e5)
    tl.dot_scaled(x, None, "e5m2", y, None, "e5m2")  # !


@mistake("i32", r"the function of tl\.map_elementwise is a @tw\.jit function, got 3 of type int")
def map_of_no_function(n):
    tl.map_elementwise(3, n)  # !


@mistake("i32", r"tl\.map_elementwise takes at least one block")
def map_of_nothing(n):
    tl.map_elementwise(identity)  # !


@mistake("i32", r"pack of tl\.map_elementwise is a power of two from 1 to 32, .* got 5 of type int")
def map_of_five(n):
    tl.map_elementwise(identity, n, pack=5)  # !


@mistake("i32", r"the function of tl\.map_elementwise gives 2 elements for each result, got 3 in all")
def map_that_gives_three(n):
    tl.map_elementwise(three_of_two, n, pack=2)  # !


@mistake("i32", r"the function of tl\.map_elementwise gives nothing, expected a scalar")
def map_that_gives_nothing(n):
    tl.map_elementwise(nothing, n)  # !


@mistake("i32", r"the function of tl\.map_elementwise gives scalars, got <\[4\], int32>")
def map_that_gives_blocks(n):
    tl.map_elementwise(spread, n)  # !


@mistake("i32", r"the elements of one result of tl\.map_elementwise have one type, got int32 and fp32")
def map_that_gives_two_types(n):
    tl.map_elementwise(two_types, n, pack=2)  # !


@mistake("i32", r"shapes \[4\] and \[8\] do not broadcast")
def map_of_two_shapes(n):
    tl.map_elementwise(two_types, tl.arange(0, 4), tl.arange(0, 8))  # !


@mistake("*i32", r"has a region with side effects")
def map_with_effects(p):
    tl.map_elementwise(counted, tl.arange(0, 4), p)  # !


@mistake(
    "i32", r"the function of tl\.map_elementwise is called with 1 argument, but two_types\(x, y\) takes 2"
)
def map_of_too_few(n):
    tl.map_elementwise(two_types, n)  # !


@mistake(
    "i32",
    r"the combine function of tl\.reduce is called with 2 arguments, but identity\(x\) takes 1",
    r"the element on the left and the one on the right",
)
def reduction_by_a_function_of_one(n):
    tl.reduce(tl.arange(0, 8), 0, identity)  # !


@mistake(
    "i32",
    r"the combine function of tl\.associative_scan is called with 4 arguments, but three_of_two\(x, y\) takes 2",
    r"the 2 elements on the left, then the 2 on the right",
)
def scan_of_two_by_a_function_of_two(n):
    tl.associative_scan((tl.arange(0, 8), tl.arange(0, 8)), 0, three_of_two)  # !


@mistake(
    "i32", r"the combine function of tl\.reduce is a @tw\.jit function", r"lambda a, b: tl\.maximum\(a, b\)"
)
def reduction_by_a_function_of_the_language(n):
    tl.reduce(tl.arange(0, 8), 0, tl.maximum)  # !


@mistake("i32", r"the value of tl\.full is 300, which does not fit in int8")
def fill_with_a_large_number(n):
    tl.full((4,), 300, tl.int8)  # !


@mistake("*i32", r"the stored value is 1099511627776, which does not fit in int32")
def store_of_a_large_number(x):
    tl.store(x, 2**40)  # !


@mistake("*i8", r"`other` is -129, which does not fit in int8")
def load_else_a_large_number(x):
    tl.load(x, mask=tl.program_id(0) > 0, other=-129)  # !


@mistake("*fp32", r"a gather is for descriptors of blocks of one row, \[1, N\], got \[8, 16\]")
def descriptor_gather_of_blocks(x):
    desc = tl.make_tensor_descriptor(x, [64, 64], [64, 1], [8, 16])
    desc.gather(tl.arange(0, 8), 0)  # !


@mistake("*fp32", r"the rows of a scatter are a block of integers of rank 1, got int32")
def descriptor_scatter_of_a_scalar(x):
    desc = tl.make_tensor_descriptor(x, [64, 64], [64, 1], [1, 16])
    row = tl.program_id(0)
    desc.scatter(tl.zeros((1, 16), tl.float32), row, 0)  # !


@mistake("i32", r"input_precision is one of 'ieee', 'tf32', 'tf32x3', 'bf16x3', 'bf16x6', got 'bf16x9'")
def dot_in_unknown_precision(n):
    x = tl.zeros((16, 16), tl.float32)
    tl.dot(x, x, input_precision="bf16x9")  # !


@pytest.mark.parametrize("fn, signature, constants, message, hint", MISTAKES)
def test_mistake(tile, fn, signature, constants, message, hint):
    with pytest.raises(CompilationError) as caught:
        tile(fn, *signature, **constants)
    error = caught.value
    assert re.search(message, error.message), error
    assert error.frames[0].file == __file__ and "# !" in error.frames[0].text, error
    if hint:
        assert error.hint and re.search(hint, error.hint), error
