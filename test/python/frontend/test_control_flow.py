"""Branches and loops become `scf` ops that carry the kernel's variables."""

import re

import pytest
import tilewright.language as tl
from tilewright.frontend import CompilationError


def count(text, op):
    return len(re.findall(re.escape(op) + r"\b", text))


def test_constant_condition_drops_the_other_branch(tile):
    def kernel(out, FLAG: tl.constexpr):
        if FLAG:
            tl.store(out, 1)
        else:
            tl.undefined_function(out)

    text = tile(kernel, "*i32", FLAG=True)
    assert count(text, "tile.store") == 1 and "scf.if" not in text


def test_branches_merge_variables(tile):
    def kernel(out, n):
        x = 1.0
        y = 2.0
        if n > 3:
            x = 3.0
        else:
            x = y
        tl.store(out, x + y)

    text = tile(kernel, "*fp32", "i32")
    assert re.search(r"scf\.if %\w+ -> \(f32\)", text)


def test_branch_without_assignments_has_no_results(tile):
    def kernel(out, n):
        if n > 3:
            tl.store(out, n)

    assert re.search(r"scf\.if %\w+ \{", tile(kernel, "*i32", "i32"))


def test_elif_nests(tile):
    def kernel(out, n):
        if n > 3:
            x = 1
        elif n > 2:
            x = 2
        else:
            x = 3
        tl.store(out, x)

    assert count(tile(kernel, "*i32", "i32"), "scf.if") == 2


def test_merged_constant_becomes_a_value(tile):
    def kernel(out, n, k):
        if n > 3:
            k = 5
        tl.store(out, k)

    assert re.search(r"scf\.if %\w+ -> \(i32\)", tile(kernel, "*i32", "i32", k=7))


def test_conditional_expression(tile):
    def kernel(out, n):
        tl.store(out, 1.5 if n > 0 else 2.5)

    assert re.search(r"scf\.if %\w+ -> \(f32\)", tile(kernel, "*fp32", "i32"))


def test_early_return_puts_the_rest_into_the_other_branch(tile):
    def kernel(out, n):
        if n > 3:
            return
        tl.store(out, n)

    text = tile(kernel, "*i32", "i32")
    assert re.search(r"scf\.if %\w+ \{\s*\} else \{[^}]*tile\.store[^}]*\}\s*tile\.return", text)


def test_early_return_in_nested_branches(tile):
    def kernel(out, n, FLAG: tl.constexpr):
        if FLAG:
            if n > 3:
                if n > 5:
                    return
                tl.store(out, 1)
        tl.store(out, n)

    text = tile(kernel, "*i32", "i32", FLAG=True)
    # n > 5: nothing; 3 < n <= 5: both; else: the last one
    assert count(text, "tile.store") == 3 and count(text, "scf.if") == 2


def test_function_returning_in_branches(tile, jit):
    @jit
    def pick(n):
        if n > 3:
            return 1.0, n
        return 2.0, n + 1

    def kernel(out, n):
        x, y = pick(n)
        tl.store(out, x + y)

    assert re.search(r"%\w+:2 = scf\.if %\w+ -> \(f32, i32\)", tile(kernel, "*fp32", "i32"))


def test_for_carries_assigned_variables(tile):
    def kernel(out, n):
        acc = tl.zeros((16,), tl.float32)
        other = 1.0
        for i in range(n):
            acc += i
            fresh = acc * other
            acc = fresh
        tl.store(out + tl.arange(0, 16), acc)

    text = tile(kernel, "*fp32", "i32")
    assert re.search(r"scf\.for .* iter_args\(%\w+ = %\w+\) -> \(tensor<16xf32>\)\s+: i32", text)


def test_loop_over_int64(tile):
    def kernel(out, n):
        for i in range(n):
            tl.store(out, i)

    assert re.search(r"scf\.for .*  : i64", tile(kernel, "*i64", "i64"))


def test_downward_loop_counts_up_inside(tile):
    def kernel(out, n):
        for i in range(n, 0, -2):
            tl.store(out + i, i)

    text = tile(kernel, "*i32", "i32")
    assert (
        re.search(r"scf\.for %\w+ = %c0_i32 to %arg1 step %c2_i32", text) and count(text, "arith.subi") == 1
    )


def test_unsigned_loop_compares_unsigned(tile):
    def kernel(out, n):
        for i in range(n):
            tl.store(out, i)

    assert "scf.for unsigned" in tile(kernel, "*u32", "u32")


def test_loop_hints(tile):
    def kernel(out, n):
        for i in tl.range(0, n, num_stages=3, loop_unroll_factor=2, flatten=True):
            tl.store(out, i)

    text = tile(kernel, "*i32", "i32")
    assert "tile.num_stages = 3 : i32" in text and "tile.loop_unroll_factor = 2 : i32" in text
    assert "tile.flatten" in text and "tile.warp_specialize" not in text


def test_static_range_unrolls(tile):
    def kernel(out):
        for i in tl.static_range(0, 6, 2):
            x: tl.constexpr = i * 10
            tl.store(out + i, x)

    text = tile(kernel, "*i32")
    assert count(text, "tile.store") == 3 and "scf.for" not in text
    assert "20 : i32" in text and "40 : i32" in text


@pytest.mark.parametrize("flag", [False, True])
def test_conditions_count_as_bounds(tile, flag):
    def kernel(out, FLAG: tl.constexpr):
        for i in tl.static_range(FLAG):
            tl.store(out + i, i)
        tl.store(out + tl.arange(FLAG, 2), FLAG)

    text = tile(kernel, "*i32", FLAG=flag)
    assert count(text, "tile.store") == 1 + flag
    assert f"tensor<{2 - flag}xi32>" in text


def test_loop_over_tuple_unrolls(tile):
    def kernel(out, N: tl.constexpr):
        for i in (1, 2, N):
            tl.store(out + i, i)

    assert count(tile(kernel, "*i32", N=9), "tile.store") == 3


def test_while_evaluates_its_condition_in_the_first_region(tile):
    def kernel(out, n):
        i = 0
        x = 1.0
        while (i < n) and (x < 100.0):
            x *= 2
            i += 1
        tl.store(out, x)

    text = tile(kernel, "*fp32", "i32")
    assert re.search(r"scf\.while \(%\w+ = %\w+, %\w+ = %\w+\) : \((f32, i32|i32, f32)\)", text)
    assert "scf.condition" in text and count(text, "arith.andi") == 1


def test_spin_lock(tile):
    def kernel(lock):
        while tl.atomic_cas(lock, 0, 1) == 1:
            pass
        tl.atomic_xchg(lock, 0)

    text = tile(kernel, "*i32")
    assert count(text, "tile.atomic_cas") == 1 and count(text, "scf.while") == 1


def test_loop_carries_tuples(tile):
    def kernel(out, n):
        pair = (1, 2.0)
        for i in range(n):
            pair = (pair[0] + i, pair[1] * 2)
        tl.store(out, pair[1])

    assert re.search(r"iter_args\(.*\) -> \(i32, f32\)", tile(kernel, "*fp32", "i32"))


def test_boolean_operators_short_circuit_on_constants(tile):
    def kernel(out, n, NONE: tl.constexpr):
        if NONE is not None and NONE.value > 3:
            tl.store(out, 1)
        if NONE is None or n > 3:
            tl.store(out, 2)

    text = tile(kernel, "*i32", "i32", NONE=None)
    assert count(text, "tile.store") == 1 and "scf.if" not in text


@pytest.mark.parametrize("test", ["n > 3 and FLAG", "n > 3 and n < 9 and FLAG", "not (n > 3 or not FLAG)"])
def test_a_constant_after_values_decides_too(tile, tmp_path, test):
    path = tmp_path / "kernels.py"
    path.write_text(
        "import tilewright.language as tl\n\n"
        "def kernel(out, n, FLAG: tl.constexpr):\n"
        f"    if {test}:\n"
        "        tl.undefined_function(out)\n"
        "    tl.store(out, n)\n"
    )
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    text = tile(scope["kernel"], "*i32", "i32", FLAG=False)
    assert count(text, "tile.store") == 1 and "scf.if" not in text


def test_a_constant_after_blocks_keeps_their_shape(tile):
    def kernel(out, FLAG: tl.constexpr):
        i = tl.arange(0, 8)
        tl.store(out + i[:, None], 1, mask=((i < 4) and FLAG)[:, None])

    assert "tile.store" in tile(kernel, "*i32", FLAG=False)


def test_chained_comparison(tile):
    def kernel(out, n):
        tl.store(out, 0 < n <= 5)

    assert count(tile(kernel, "*i1", "i32"), "arith.cmpi") == 2


@pytest.mark.parametrize("name", ["inner", "i"])
def test_variables_of_a_loop_are_gone_after_it(tile, name):
    source = {}

    def uses_inner(out, n):
        for i in range(n):
            inner = i
        tl.store(out, inner)

    def uses_i(out, n):
        for i in range(n):
            pass
        tl.store(out, i)

    source["inner"], source["i"] = uses_inner, uses_i
    with pytest.raises(CompilationError, match=f"'{name}' may have no value here: the loop in line"):
        tile(source[name], "*i32", "i32")
