"""Kernels in the interpreter: grids, memory, atomics, control flow, debugging."""

import inspect
import traceback

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs
from tilewright.frontend import CompilationError
from tilewright.interpreter import OutOfBounds, interpret
from tilewright.language.errors import LanguageValueError
from tilewright.language.function import KernelFunction as jit


@jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=0.0)
    y = tl.load(y_ptr + i, mask=mask)
    tl.store(out_ptr + i, x + y, mask=mask)


@pytest.mark.parametrize("n", [1, 31, 32, 100])
def test_masked_blocks_cover_any_length(n):
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n)).astype(np.float32)
    out = np.zeros_like(x)
    interpret(add)[lambda meta: (-(-n // meta["BLOCK"]),)](x, y, out, n, BLOCK=32, num_warps=4)
    np.testing.assert_array_equal(out, x + y)


def test_grid_of_three_axes():
    def kernel(out):
        x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
        linear = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
        tl.store(out + linear, 100 * x + 10 * y + z)

    out = np.zeros((2, 3, 4), np.int32)
    interpret(kernel)[4, 3, 2](out)
    z, y, x = np.indices((2, 3, 4))
    np.testing.assert_array_equal(out, 100 * x + 10 * y + z)


def test_swizzle2d_goes_through_groups_of_rows_column_by_column():
    def kernel(out, ROWS: tl.constexpr, COLUMNS: tl.constexpr, GROUP: tl.constexpr):
        i, j = tl.program_id(0), tl.program_id(1)
        row, column = tl.swizzle2d(i, j, ROWS, COLUMNS, GROUP)
        tl.store(out + row * COLUMNS + column, i * COLUMNS + j)

    out = np.zeros((3, 4), np.int32)
    interpret(kernel)[3, 4](out, ROWS=3, COLUMNS=4, GROUP=2)
    assert out.tolist() == [[0, 2, 4, 6], [1, 3, 5, 7], [8, 9, 10, 11]]


def test_load_and_store_out_of_bounds_name_the_array():
    def reads(x, out):
        tl.store(out, tl.load(x + 5))

    def writes(x, out):
        tl.store(out - 1, 1.0)

    x, out = np.zeros(4, np.float32), np.zeros(1, np.float32)
    with pytest.raises(OutOfBounds, match="load 4 bytes past the end of 'x'"):
        interpret(reads)[1,](x, out)
    with pytest.raises(OutOfBounds, match="store 4 bytes before the start of 'out'"):
        interpret(writes)[1,](x, out)


def test_store_to_read_only_array():
    def kernel(x):
        tl.store(x, 1.0)

    x = np.zeros(4, np.float32)
    x.flags.writeable = False
    with pytest.raises(Exception, match="store to 'x', which is read-only"):
        interpret(kernel)[1,](x)


def test_pointers_of_two_arrays_in_one_block():
    def kernel(a, b, out):
        i = tl.arange(0, 8)
        tl.store(out + i, tl.load(tl.where(i % 2 == 0, a + i, b + i)))

    a, b, out = np.arange(8, dtype=np.int32), -np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    interpret(kernel)[1,](a, b, out)
    np.testing.assert_array_equal(out, [0, -1, 2, -3, 4, -5, 6, -7])


def test_strided_views():
    def kernel(x, stride, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.load(x + i * stride))

    x = np.arange(32, dtype=np.int64)[::-4]
    out = np.zeros(8, np.int64)
    interpret(kernel)[1,](x, -4, out, N=8)
    np.testing.assert_array_equal(out, x)


ATOMICS = {
    "atomic_add": (np.int32, lambda old, new: old + new),
    "atomic_max": (np.uint32, np.maximum),
    "atomic_min": (np.int64, np.minimum),
    "atomic_and": (np.int32, np.bitwise_and),
    "atomic_or": (np.int32, np.bitwise_or),
    "atomic_xor": (np.int32, np.bitwise_xor),
    "atomic_xchg": (np.float32, lambda old, new: new),
}


@pytest.mark.parametrize("name", ATOMICS)
def test_atomics(name):
    dtype, combine = ATOMICS[name]
    function = getattr(tl, name)

    def kernel(x, old, N: tl.constexpr):
        i = tl.arange(0, N)
        values = (i * 3 + 1).to(x.dtype.element_ty)
        tl.store(old + i, function(x + i, values, mask=i < 6))

    x = np.arange(20, 28).astype(dtype)
    before, old = x.copy(), np.full(8, 77, dtype)
    interpret(kernel)[1,](x, old, N=8)
    new = (np.arange(8) * 3 + 1).astype(dtype)
    np.testing.assert_array_equal(x, np.where(np.arange(8) < 6, combine(before, new), before))
    np.testing.assert_array_equal(old, np.where(np.arange(8) < 6, before, 0))


def test_atomic_add_to_one_address_counts_every_lane():
    def kernel(x):
        tl.atomic_add(x + tl.zeros((16,), tl.int32), 1.0)

    x = np.zeros(1, np.float32)
    interpret(kernel)[3,](x)
    assert x[0] == 48


def test_compare_and_swap():
    def kernel(x, old):
        i = tl.arange(0, 4)
        tl.store(old + i, tl.atomic_cas(x + i, 2, 9))

    x, old = np.array([1, 2, 3, 2], np.int32), np.zeros(4, np.int32)
    interpret(kernel)[1,](x, old)
    assert x.tolist() == [1, 9, 3, 9] and old.tolist() == [1, 2, 3, 2]


@jit
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def test_control_flow_and_calls():
    def kernel(out, n, LIMIT: tl.constexpr = 3):
        total = 0
        for i in range(n, 0, -1):
            total += i
        for i in tl.static_range(LIMIT):
            total += i
        tl.store(out, total + collatz(6))
        tl.store(out + 1, min(total, 4) + max(1, 2) + abs(-total))
        if n > 100:
            return
        tl.store(out + 2, 1 if (n > 2 and not n == 5) or LIMIT == 4 else 2)

    out = np.zeros(3, np.int32)
    interpret(kernel)[1,](out, 4)
    assert out.tolist() == [13 + 8, 4 + 2 + 13, 1]


def test_assigned_numbers_have_the_types_of_the_language():
    seen = []

    def kernel(out, flag):
        x = 3
        y = 0.5
        z = 2**40
        K: tl.constexpr = 8
        for i in range(K):
            pass
        seen.extend([x.dtype, y.dtype, z.dtype, i.dtype, flag.dtype, tl.arange(0, K).shape])
        tl.store(out, x.to(tl.float32) + y)

    out = np.zeros(1, np.float32)
    interpret(kernel)[1,](out, True)
    assert seen == [tl.int32, tl.float32, tl.int64, tl.int32, tl.int1, (8,)] and out[0] == 3.5


def test_print_shows_values(capsys):
    def kernel(n):
        print("n is", n)
        tl.device_print("x = ", tl.arange(2, 4))

    interpret(kernel)[1,](7)
    shown = capsys.readouterr().out
    assert "n is 7 of type int32" in shown and "pid (0, 0, 0) idx (1) x = 3" in shown


def test_print_shows_unsigned_numbers(capsys):
    def kernel(n):
        print("n is", n.to(tl.uint32), tl.full((2,), 250, tl.uint8))

    interpret(kernel)[1,](-1)
    shown = capsys.readouterr().out
    assert "4294967295 of type uint32" in shown and "[250 250]" in shown


def test_assertions_stop_with_the_program():
    def kernel(n):
        tl.device_assert(tl.arange(0, 4) < n - tl.program_id(0), "too far")

    with pytest.raises(AssertionError, match=r"too far \(program \(1, 0, 0\) at \[3\]\)"):
        interpret(kernel)[2,](4)


def failing(x):
    i = tl.arange(0, 4)

    tl.load(x + i, other=1.0)


def test_errors_name_the_line_of_the_kernel():
    with pytest.raises(CompilationError) as caught:
        interpret(failing)[1,](np.zeros(4, np.float32))
    assert caught.value.frames[0].text.strip() == "tl.load(x + i, other=1.0)"
    assert isinstance(caught.value.origin, LanguageValueError)
    frames = traceback.extract_tb(caught.value.__traceback__)
    (frame,) = [frame for frame in frames if frame.name == "failing"]
    assert frame.filename == __file__ and frame.line == "tl.load(x + i, other=1.0)"


def test_a_block_is_no_condition():
    def kernel(n):
        if tl.arange(0, 4) < n:
            pass

    with pytest.raises(CompilationError, match="a condition is a scalar, got a block"):
        interpret(kernel)[1,](4)


def test_kernel_outside_of_a_kernel():
    with pytest.raises(Exception, match="can only be called inside a kernel"):
        collatz(6)


@pytest.mark.parametrize(
    "grid, error, message",
    [
        ((), ValueError, " has 0 dimensions, not one to three"),
        ((1, 2, 3, 4), ValueError, " has 4 dimensions, not one to three"),
        (("a",), TypeError, " along x is 'a', not an int"),
        ((1, 2.0), TypeError, " along y is 2.0, not an int; tilewright.cdiv divides and rounds up"),
        (True, TypeError, " along x is True, not an int"),
        (-1, ValueError, " along x is -1, a negative number"),
        ((1, 65536), ValueError, " along y is 65536, but at most 65535 programs are allowed there"),
        (
            None,
            TypeError,
            " is None; it is an int, one to three ints, or a function of the arguments that returns them",
        ),
    ],
)
def test_bad_grids(grid, error, message):
    for kernel in (interpret(collatz), tw.jit(collatz.fn)):
        with pytest.raises(error) as caught:
            kernel[grid](1)
        assert str(caught.value) == "grid of kernel collatz()" + message


def test_arguments_that_are_not_taken():
    for value in (
        {},
        "text",
        b"",
        tl.float32,
        1j,
        np.zeros(1, np.complex64),
        np.zeros(1, object),
        (1, [2]),
        2**64,
        failing,
    ):
        messages = []
        for kernel in (interpret(collatz), tw.jit(collatz.fn)):
            with pytest.raises((TypeError, OverflowError)) as caught:
                kernel[1,](value)
            messages.append((caught.type, str(caught.value)))
        assert messages[0] == messages[1]


def test_calls_without_effect_are_refused():
    def generator(out):
        yield tl.load(out)

    def counter(out):
        global add
        add = tl.load(out)

    def result(out):
        return tl.load(out)

    for fn, message in (
        (generator, "'yield' is not supported in a kernel"),
        (counter, "'global' is not supported in a kernel"),
        (result, "a kernel returns nothing"),
    ):
        with pytest.raises(CompilationError, match=message) as caught:
            interpret(fn)[1,](np.zeros(1, np.float32))
        assert caught.value.frames[0].text in inspect.getsource(fn)


def test_overflow_is_found_in_debug_mode(monkeypatch):
    def kernel(n):
        tl.mul(n, 2, sanitize_overflow=False)
        tl.arange(0, 4) + n

    interpret(kernel)[1,](2**31 - 2)
    monkeypatch.setenv("TILEWRIGHT_DEBUG", "1")
    with pytest.raises(AssertionError, match=r"int32 overflow in \+ \(program \(0, 0, 0\) at \[2\]\)"):
        interpret(kernel)[1,](2**31 - 2)


@pytest.mark.parametrize(
    "value, ty", [(3, "int32"), (2**31, "int64"), (2**63, "uint64"), (True, "int1"), (1e300, "fp32")]
)
def test_numbers_have_the_types_of_a_launch(value, ty):
    seen = []

    def kernel(x):
        seen.append(str(x.dtype))

    interpret(kernel)[1,](value)
    interpret(kernel)[1,](np.asarray(value)[()])
    assert seen == [ty, ty]


def test_errors_are_those_of_the_compiler():
    @jit
    def helper(x):
        return np.exp(x)

    def calls(x, pair):
        tl.store(x, helper(tl.load(pair[0])))

    x = np.zeros(4, np.float32)
    texts = []
    for launch in (interpret(calls), tw.jit(calls)):
        with pytest.raises(CompilationError) as caught:
            launch[1,](x, (x, 3))
        texts.append(str(caught.value))
    assert texts[0] == texts[1] and "called from" in texts[0] and "hint: tl.exp is for" in texts[0]


def test_runtime_errors_stay_as_they_are():
    def outside(x):
        tl.store(x + 4, 1.0)

    def asserts(x):
        tl.device_assert(tl.load(x) > 0, "positive")

    with pytest.raises(OutOfBounds):
        interpret(outside)[1,](np.zeros(4, np.float32))
    with pytest.raises(AssertionError, match="positive"):
        interpret(asserts)[1,](np.zeros(4, np.float32), debug=True)


def test_chained_assignment_to_elements():
    def kernel(out):
        x = tl.zeros((4,), tl.float32)
        x[0] = last = x[2] = 3.0
        tl.store(out + tl.arange(0, 4), x + last)

    out = np.zeros(4, np.float32)
    interpret(kernel)[1,](out)
    assert out.tolist() == [6, 3, 6, 3]


def test_pointers_move_back_by_unsigned_offsets():
    def kernel(x, n):
        tl.store(x + 3 - n.to(tl.uint8), 1)

    x = np.zeros(4, np.int32)
    interpret(kernel)[1,](x, 2)
    assert x.tolist() == [0, 1, 0, 0]


def test_torch_tensors():
    torch = needs("torch")
    x = torch.arange(8, dtype=torch.bfloat16)
    out = torch.zeros(8, dtype=torch.float32)
    interpret(add)[1,](x, x, out, 8, BLOCK=8)
    assert torch.equal(out, 2 * x.float())


def test_is_none_of_a_constant():
    def kernel(out, FUNCTION: tl.constexpr):
        tl.store(out, 1 if FUNCTION is None else FUNCTION(2))
        if FUNCTION is not None:
            tl.store(out + 1, 3)

    out = np.zeros(2, np.int32)
    interpret(kernel)[1,](out, None)
    np.testing.assert_array_equal(out, [1, 0])
    interpret(kernel)[1,](out, jit(doubled))
    np.testing.assert_array_equal(out, [4, 3])


def doubled(x):
    return x + x


def test_f_strings_show_constants_by_value(capsys):
    def kernel(n, N: tl.constexpr):
        tl.static_print(f"{N!r} {N + 1=} {N:>3} {n}")

    interpret(kernel)[1,](3, N=8)
    assert capsys.readouterr().out == "8 N + 1=9   8 3 of type int32\n"
