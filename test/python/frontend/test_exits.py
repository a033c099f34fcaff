"""`break`, `continue` and `return` in loops: the ways out become values that the loops carry."""

import re

import tilewright.language as tl


def count(text, op):
    return len(re.findall(re.escape(op) + r"\b", text))


def test_continue_keeps_a_counted_loop(tile):
    def kernel(out, n):
        acc = 0
        for i in range(n):
            if i % 2 == 0:
                continue
            if i % 3 == 0:
                acc += 1
                continue
            acc += i
        tl.store(out, acc)

    text = tile(kernel, "*i32", "i32")
    assert count(text, "scf.for") == 1 and "scf.while" not in text
    assert count(text, "scf.if") == 2 and re.search(r"scf\.if %\w+ -> \(i32\)", text)


def test_break_carries_a_flag(tile):
    def kernel(out, n):
        acc = 0
        for i in range(n):
            if acc > 100:
                break
            acc += i
        tl.store(out, acc)

    text = tile(kernel, "*i32", "i32")
    assert "scf.for" not in text
    assert re.search(r"scf\.while \(.*\) : \(i32, i1, i32\) -> \(i32, i1, i32\)", text)


def test_break_of_a_while_loop_guards_its_condition(tile):
    def kernel(lock, n):
        while tl.atomic_cas(lock, 0, 1) == 1:
            if n > 3:
                break
            n += 1

    text = tile(kernel, "*i32", "i32")
    head = text[text.index("scf.while") : text.index("} do {")]
    assert re.search(
        r"scf\.if %\w+ -> \(i1\) \{\s*%\w+ = arith.constant 0 .*\s+.*\s+.*tile\.atomic_cas", head
    )


def test_endless_loop_with_a_way_out(tile):
    def kernel(out, n):
        while True:
            n -= 1
            if n < 0:
                break
        tl.store(out, n)

    assert count(tile(kernel, "*i32", "i32"), "scf.while") == 1


def test_break_belongs_to_the_innermost_loop(tile):
    def kernel(out, n):
        for i in range(n):
            for j in range(n):
                if j > i:
                    break
                tl.store(out + j, i)

    text = tile(kernel, "*i32", "i32")
    assert count(text, "scf.for") == 1 and count(text, "scf.while") == 1


def test_return_in_a_loop_leaves_the_kernel(tile):
    def kernel(out, n):
        for i in range(n):
            if i > 5:
                return
            tl.store(out + i, i)
        tl.store(out, n)

    text = tile(kernel, "*i32", "i32")
    assert re.search(r"scf\.while \(.*\) : \(i32, i1, i1\)", text)
    tail = text[text.rindex("scf.if") :]
    assert re.match(r"scf\.if %[\w#]+ \{\s*\} else \{\s*tile\.store", tail)


def test_return_of_a_value_from_nested_loops(tile, jit):
    @jit
    def find(p, n):
        for i in range(n):
            for j in range(i):
                x = tl.load(p + i * n + j)
                if x > 0.5:
                    return x, i
        return -1.0, n

    def kernel(out, p, n):
        x, i = find(p, n)
        tl.store(out, x + i)

    text = tile(kernel, "*fp32", "*fp32", "i32")
    assert count(text, "scf.while") == 2
    assert re.search(r"%\w+:5 = scf\.while .* : \(i32, i1, i1, f32, i32\)", text)
    assert re.search(r"%\w+:2 = scf\.if %\w+#2 -> \(f32, i32\)", text)


def test_constant_ways_out_of_unrolled_loops(tile):
    def kernel(out, N: tl.constexpr):
        for i in tl.static_range(8):
            if i == 1:
                continue
            if i == N:
                break
            tl.store(out + i, i)

    text = tile(kernel, "*i32", N=4)
    assert count(text, "tile.store") == 3 and "scf" not in text


def test_break_of_an_unrolled_loop(tile):
    def kernel(out, n):
        for i in tl.static_range(3):
            if n == i:
                break
            tl.store(out + i, i)

    text = tile(kernel, "*i32", "i32")
    # The first iteration runs always, each further one while no break was met.
    assert count(text, "tile.store") == 3 and count(text, "scf.if") == 5


def test_return_from_an_unrolled_loop(tile, jit):
    @jit
    def first_above(a, b, c, limit):
        for x in (a, b, c):
            if x > limit:
                return x
        return limit

    def kernel(out, n):
        tl.store(out, first_above(n, n + 1, n * 2, 7))

    assert "scf.if" in tile(kernel, "*i32", "i32")


def test_loops_after_one_that_returned(tile, jit):
    @jit
    def search(n):
        for i in range(n):
            if i * i > n:
                return i
        while n > 3:
            n -= 1
        for i in range(n):
            if i > 5:
                break
        return n

    def kernel(out, n):
        tl.store(out, search(n))

    assert count(tile(kernel, "*i32", "i32"), "scf.while") == 3


def test_loop_with_break_counts_down(tile):
    def kernel(out, n):
        for i in range(n, 0, -1):
            if i < 3:
                break
            tl.store(out + i, i)

    text = tile(kernel, "*i32", "i32")
    assert "arith.cmpi sgt" in text and "scf.while" in text
