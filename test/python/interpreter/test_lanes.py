"""Functions of scalars are interpreted for many elements at once, with the same results as one by one."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.interpreter.builder import EagerBuilder

pytestmark = pytest.mark.once
N = 64


@tw.jit
def steps(n):
    count = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        count += 1
    return count


@tw.jit
def triangle(n):
    total = n * 0
    for i in range(n):
        total += i
    return total


@tw.jit
def sign_and_half(x, y):
    if x < 0:
        return -1, y
    elif x == 0:
        return 0, y * 0.5
    return 1, y + x


@tw.jit
def larger(a, b):
    if a > b:
        return a
    return b


@tw.jit
def sum_of_block(x):
    return tl.sum(tl.full((4,), 1, tl.int32) * x)


@tw.jit
def twice_mapped(x):
    return tl.map_elementwise(larger, x, 3)


@tw.jit
def of_pairs(a, b):
    if a > b:
        return b, a
    return a, b


@tw.jit
def odd_is_wrong(x):
    tl.device_assert(x % 2 == 0, "odd")
    return x


def run(function, *inputs, results=1, pack=1):
    """The results of `function` for each element of the inputs."""

    @tw.jit
    def kernel(
        out, x, y, function: tl.constexpr, BOTH: tl.constexpr, RESULTS: tl.constexpr, PACK: tl.constexpr
    ):
        offsets = tl.arange(0, 64)
        a = tl.load(x + offsets)
        if BOTH:
            given = tl.map_elementwise(function, a, tl.load(y + offsets), pack=PACK)
        else:
            given = tl.map_elementwise(function, a, pack=PACK)
        if RESULTS == 1:
            tl.store(out + offsets, given)
        else:
            for i in tl.static_range(RESULTS):
                tl.store(out + i * 64 + offsets, given[i])

    out = np.zeros((results, N))
    tw.interpret(kernel)[1,](out, inputs[0], inputs[-1], function, len(inputs) > 1, results, pack)
    return out


@pytest.fixture
def only_lanes(monkeypatch):
    def each(*_):
        raise AssertionError("elements one by one")

    monkeypatch.setattr(EagerBuilder, "_map_each", each)


NUMBERS = np.arange(N, dtype=np.int32) * 37 % 41 - 3


def test_lanes_part_where_a_function_branches(only_lanes):
    assert run(steps, np.abs(NUMBERS)).tolist() == [[_steps(abs(n)) for n in NUMBERS.tolist()]]
    assert run(triangle, NUMBERS).tolist() == [[n * (n - 1) // 2 if n > 0 else 0 for n in NUMBERS.tolist()]]
    fractions = np.linspace(-1, 1, N).astype(np.float32)
    signs, mixed = run(sign_and_half, NUMBERS, fractions, results=2)
    assert (signs == np.sign(NUMBERS)).all()
    assert (
        mixed
        == np.where(
            NUMBERS < 0,
            fractions,
            np.where(NUMBERS == 0, fractions * 0.5, NUMBERS.astype(np.float32) + fractions),
        )
    ).all()


def _steps(n):
    count = 0
    while n > 1:
        n, count = (3 * n + 1 if n % 2 else n // 2), count + 1
    return count


def test_nan_takes_its_own_branch(only_lanes):
    values = np.where(NUMBERS % 3 == 0, np.nan, NUMBERS).astype(np.float32)
    expected = [b if not a > b else a for a, b in zip(values.tolist(), values[::-1].tolist(), strict=True)]
    np.testing.assert_array_equal(run(larger, values, values[::-1].copy())[0], expected)


def test_scans_and_reductions_branch_in_lanes(only_lanes):
    @tw.jit
    def kernel(out, x):
        a = tl.load(x + tl.arange(0, 64))
        tl.store(out + tl.arange(0, 64), tl.associative_scan(a, 0, larger))
        tl.store(out + 64 + tl.arange(0, 8), tl.reduce(tl.reshape(a, (8, 8)), 1, larger))

    out = np.zeros(72, np.int32)
    tw.interpret(kernel)[1,](out, NUMBERS)
    assert (out[:64] == np.maximum.accumulate(NUMBERS)).all()
    assert (out[64:] == NUMBERS.reshape(8, 8).max(1)).all()


def test_several_elements_of_each_argument(only_lanes):
    # Both arguments are the same element, so neither is larger.
    assert (run(of_pairs, NUMBERS, pack=2)[0] == NUMBERS).all()


def test_functions_of_blocks_run_for_each_element():
    assert (run(sum_of_block, NUMBERS)[0] == 4 * NUMBERS).all()
    assert (run(twice_mapped, NUMBERS)[0] == np.maximum(NUMBERS, 3)).all()


def test_errors_name_the_first_failing_element():
    with pytest.raises(AssertionError, match=r"odd \(program \(0, 0, 0\)\)"):
        run(odd_is_wrong, NUMBERS)
    assert (run(odd_is_wrong, NUMBERS * 2)[0] == NUMBERS * 2).all()
