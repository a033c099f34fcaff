"""Tuples, named tuples, functions and aggregates as arguments and as values of kernels."""

from typing import NamedTuple

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


class Matrix(NamedTuple):
    ptr: object
    shape: tuple
    stride: tuple


class Operation(NamedTuple):
    function: tl.constexpr
    captured: tuple


@tl.aggregate
class Span:
    start: tl.tensor
    stop: tl.tensor
    STEP: tl.constexpr

    @tw.jit
    def size(self):
        return (self.stop - self.start) // self.STEP

    @tw.jit
    def __add__(self, distance):
        return Span(self.start + distance, self.stop + distance, self.STEP)


@tl.aggregate
class Window:
    """Has its own constructor and contains another aggregate."""

    span: Span
    factors: tuple

    def __init__(self, start, size, factors):
        self.span = Span(start, start + size, 1)
        self.factors = factors


@tl.aggregate
class Colored(Span):
    """Derived from another aggregate, with one more field and compile-time methods."""

    COLOR: tl.constexpr

    @staticmethod
    def mixed(first, second):
        return first + second

    @classmethod
    def short(cls, start):
        return cls(start, start + 1, 1, cls.mixed(2, 3))

    @property
    def shade(self):
        return self.COLOR * self.STEP


@tl.aggregate
class Framed(Span):
    """Derived, with a constructor that calls the base's."""

    frame: tl.tensor

    def __init__(self, start, stop):
        Span.__init__(self, start, stop, 2)
        self.frame = start


@tw.jit
def multiply(x, y):
    return x * y


@tw.jit
def subtract(x, y):
    return x - y


@tw.jit
def blocks_of(matrix, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    mask = (rows < matrix.shape[0]) & (columns < matrix.shape[1])
    return matrix.ptr + rows * matrix.stride[0] + columns * matrix.stride[1], mask


@tw.jit
def apply_kernel(operation, x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    again = Matrix(ptr=x.ptr, shape=x.shape, stride=x.stride)
    pointers, mask = blocks_of(again, ROWS, COLUMNS)
    result = operation.function(tl.load(pointers, mask, other=0.0), *operation.captured)
    pointers, mask = blocks_of(out, ROWS, COLUMNS)
    tl.store(pointers, result, mask)


@pytest.mark.parametrize("function, captured, expected", [(multiply, 10, 10), (subtract, 0.5, None)])
def test_named_tuples_of_pointers_numbers_and_functions(backend, function, captured, expected):
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    x, out = backend.array(values), backend.poisoned((3, 4), "float32")
    described = [Matrix(array, (3, 4), (4, 1)) for array in (x, out)]
    apply_kernel[1,](Operation(function, (captured,)), *described, 4, 4)
    np.testing.assert_array_equal(backend.numpy(out), values * 10 if expected else values - 0.5)


@tw.jit
def select_kernel(out, values, N: tl.constexpr):
    pointers, scale = values
    total = tl.zeros((N,), tl.float32)
    for pointer in pointers:
        total += tl.load(pointer + tl.arange(0, N)).to(tl.float32) * scale[0]
    if scale[1] is None:
        total += 1
    tl.static_assert(len(pointers) == 2)
    tl.store(out + tl.arange(0, N), total)


def test_tuples_of_arrays_of_several_types(backend):
    first, second = np.arange(8, dtype=np.float32), np.arange(8, dtype=np.int32)
    out = backend.poisoned(8, "float32")
    arrays = (backend.array(first), backend.array(second))
    for scale, offset in ((2.0, None), (2.0, 5), (3, None)):
        select_kernel[1,](out, (arrays, (scale, offset)), N=8)
        np.testing.assert_array_equal(backend.numpy(out), (first + second) * scale + (offset is None))


@tw.jit
def constant_kernel(out, extents):
    i = tl.arange(0, extents[0])
    tl.store(out + i, i * extents[1])


def test_constants_in_tuples_are_constants(backend):
    out = backend.poisoned(16, "int32")
    for size, factor in ((16, 3), (8, 1), (8, 5)):
        constant_kernel[1,](out, (tl.constexpr(size), factor))
        np.testing.assert_array_equal(backend.numpy(out)[:size], np.arange(size) * factor)


@tw.jit
def pick_kernel(function, x, out):
    tl.store(out, function(tl.load(x), tl.load(x + 1)))


def test_functions_are_arguments(backend):
    x, out = backend.array(np.array([7, 5], np.int32)), backend.poisoned(1, "int32")
    for function, expected in ((multiply, 35), (subtract, 2)):
        pick_kernel[1,](function, x, out)
        assert backend.numpy(out).tolist() == [expected]


@tw.jit
def span_kernel(out, given, n):
    moving = Span(1, n, 2)
    for i in range(3):
        moving = moving + i
    if n > 5:
        moving = moving + 100
    window = Window(n, 10, (given, 3))
    tl.store(out, moving.start)
    tl.store(out + 1, moving.stop)
    tl.store(out + 2, moving.size())
    tl.store(out + 3, given.size() * given.STEP)
    tl.store(out + 4, window.span.stop + window.factors[0].start + window.factors[1])


@pytest.mark.parametrize("n, expected", [(5, [4, 8, 2, 6, 21]), (7, [104, 110, 3, 6, 23])])
def test_aggregates_are_carried_merged_and_passed(backend, n, expected):
    out = backend.poisoned(5, "int32")
    span_kernel[1,](out, Span(3, 9, 2), n)
    assert backend.numpy(out).tolist() == expected


@tw.jit
def replaced_kernel(out, given, n):
    shifted = tl.aggregate_replace(given, start=n, STEP=4)
    tl.store(out, shifted.size())
    tl.store(out + 1, given.size())


def test_fields_are_replaced_in_a_copy(backend):
    out = backend.poisoned(2, "int32")
    replaced_kernel[1,](out, Span(3, 9, 2), 1)
    assert backend.numpy(out).tolist() == [2, 3]
    assert tl.aggregate_replace(Span(3, 9, 2), STEP=3).STEP == 3
    with pytest.raises(TypeError, match="Span has no field 'width'"):
        tl.aggregate_replace(Span(3, 9, 2), width=1)
    with pytest.raises(TypeError, match="expects an aggregate instance"):
        tl.aggregate_replace(3, start=1)
    with pytest.raises(AttributeError, match="cannot assign to field 'start' on immutable aggregate Span"):
        Span(3, 9, 2).start = 1


@tw.jit
def swap_kernel(out, n):
    pair = (1, 2.5)
    state = Matrix(0, (n, n + 1), (1, 1))
    for i in range(n):
        pair = (pair[0] + i, pair[1] * 2)
        state = Matrix(state.ptr + 1, (state.shape[1], state.shape[0]), state.stride)
    tl.store(out, pair[0] + pair[1])
    tl.store(out + 1, state.ptr * 100 + state.shape[0] * 10 + state.shape[1])


def test_loops_carry_tuples(backend):
    out = backend.poisoned(2, "float32")
    swap_kernel[1,](out, 3)
    assert backend.numpy(out).tolist() == [24.0, 343.0]


@tw.jit
def read_kernel(x: tl.const, pair, out):
    tl.static_assert(x.dtype.is_const())
    tl.store(out, tl.load(x) + tl.load(pair[0]))


def test_pointers_to_const(backend):
    x, out = backend.array(np.array([7], np.int32)), backend.poisoned(1, "int32")
    read_kernel[1,](x, (x,), out)
    assert backend.numpy(out).tolist() == [14]


@pytest.mark.compiled
def test_a_structure_is_compiled_once():
    out = np.zeros(16, np.int32)
    first = constant_kernel.warmup(out, (tl.constexpr(16), 3))
    assert constant_kernel.warmup(out, (tl.constexpr(16), 5)) == first
    assert constant_kernel.warmup(out, (tl.constexpr(8), 3)) != first
    assert first.arg_types == {"out": "*i32", "extents.1": "i32"}


@pytest.mark.compiled
def test_grids_see_structured_arguments():
    out, seen = np.zeros(16, np.int32), []

    def grid(meta):
        seen.append((meta["extents"], meta["num_warps"]))
        return (1,)

    constant_kernel[grid](out, (tl.constexpr(16), 3), num_warps=2)
    assert seen[0][0][1] == 3 and seen[0][1] == 2


@tw.jit
def typed_kernel(out, n: tl.int64, small: "i16", scale: tl.float64, x: "tl.float32"):  # noqa: F821
    tl.static_assert(n.dtype == tl.int64 and small.dtype == tl.int16)
    tl.static_assert(scale.dtype == tl.float64 and x.dtype == tl.float32)
    tl.store(out, n * n)
    tl.store(out + 1, small)
    tl.store(out + 2, (scale * 1e15).to(tl.int64))
    tl.store(out + 3, x * 10)


@pytest.mark.parametrize("n, small", [(2**31 - 1, -5), (1, 70000), (2**40, 1)])
def test_annotations_give_arguments_a_type(backend, n, small):
    out = backend.poisoned(4, "int64")
    typed_kernel[1,](out, n, small, 0.1, 3)
    square = (n * n + 2**63) % 2**64 - 2**63
    assert backend.numpy(out).tolist() == [square, (small + 2**15) % 2**16 - 2**15, 10**14, 30]


def test_arguments_that_do_not_fit_their_annotation(backend):
    out = backend.poisoned(4, "int64")
    for wrong in ({"n": 0.5}, {"n": None}, {"n": out}):
        with pytest.raises((tw.CompilationError, tl.LanguageError), match="'n' is annotated as int64, got"):
            typed_kernel[1,](out, **{"n": 1, "small": 1, "scale": 1.0, "x": 1.0, **wrong})


@tl.aggregate
class Counter:
    count: tl.tensor
    STEP: tl.constexpr = 2

    @tw.jit
    def advanced(self, times):
        self.count += times * self.STEP
        return self


@tl.aggregate
class Holder:
    counter: Counter
    rest: tl.tensor


@tw.jit
def advance(counter):
    counter.count = 1000


@tw.jit
def changing_fields(out, n):
    counter = Counter(10, 3)
    before = counter
    for i in range(n):
        counter.count += i
        if i == 2:
            counter.count = counter.count * 2
    advance(counter)
    holder = Holder(counter, 1)
    holder.counter.count, holder.rest = holder.rest, holder.counter.count
    tl.store(out, before.count)
    tl.store(out + 1, counter.count)
    tl.store(out + 2, holder.counter.count)
    tl.store(out + 3, holder.rest)
    tl.store(out + 4, counter.advanced(n).count)
    tl.store(out + 5, Counter(n).advanced(1).count)


def test_fields_are_assigned(backend):
    """An assignment gives the variable a new aggregate; callers and other variables keep theirs."""
    out = backend.array(np.zeros(6, np.int32))
    changing_fields[1,](out, 5)
    total = ((10 + 0 + 1 + 2) * 2) + 3 + 4
    np.testing.assert_array_equal(backend.numpy(out), [10, total, 1, total, total + 15, 7])


def test_aggregates_derived_from_others(backend):
    @tw.jit(numerics="triton")  # which calls plain functions on constants
    def kernel(out_ptr, n):
        span = Colored(n, n + 6, 2, 7)
        short = Colored.short(n)
        for i in range(n):
            short = Colored(short.start + i, short.stop, short.STEP, short.COLOR)
        framed = Framed(n, n + 8)
        tl.store(out_ptr, span.size() + span.shade * 100)
        tl.store(out_ptr + 1, short.start * 10 + short.COLOR)
        tl.store(out_ptr + 2, framed.size() + framed.frame * 10 + Colored.mixed(300, 400))

    out = backend.array(np.zeros(3), "int32")
    kernel[1,](out, 3)
    assert backend.numpy(out).tolist() == [3 + 1400, 60 + 5, 4 + 30 + 700]


class Extents(NamedTuple):
    rows: int
    columns: int


@tw.jit
def attributes_of_constants(
    out, D: tl.constexpr, NAME: tl.constexpr, START: tl.constexpr, EXTENTS: tl.constexpr
):
    tl.store(out, D.primitive_bitwidth)
    tl.store(out + 1, NAME.startswith(START))
    tl.store(out + 2, EXTENTS.columns)
    if D.is_floating():
        tl.store(out + 3, NAME.upper() == "ROWS")


def test_attributes_of_constants(backend):
    out = backend.poisoned(4, "int32")
    attributes_of_constants[1,](out, tl.float16, "rows", "ro", Extents(3, 7))
    np.testing.assert_array_equal(backend.numpy(out), [16, 1, 7, 1])


@tl.aggregate
class Rounding:
    @tw.jit
    def up(value, to):
        return (value + to - 1) // to * to


@tw.jit
def gathered_kernel(out_ptr, n):
    tl.store(out_ptr, Rounding.up(n, 16))


def test_aggregates_gather_functions(backend):
    out = backend.array([0], "int32")
    gathered_kernel[1,](out, 33)
    assert backend.numpy(out)[0] == 48
