"""Globals, helpers, closure variables and attributes that change between launches: a launch uses the present ones."""

import types

import pytest
import tilewright as tw
import tilewright.language as tl

SCALE: tl.constexpr = 2
OFFSET = tl.constexpr(10)
PAIR: tl.constexpr = (1, 2)
NESTED: tl.constexpr = (1, tl.constexpr(2))
KIND = tl.int32
NAME: tl.constexpr = "one"
LIST: tl.constexpr = [1, 2]
BASE = 3
settings = types.ModuleType("settings")
settings.__annotations__ = {"SIZE": "tl.constexpr"}
settings.SIZE = 4


class Limits:
    low = tl.constexpr(5)


class Options:
    def __init__(self, size):
        self.size = size


OPTIONS: tl.constexpr = Options(1)


@tw.jit
def helper(x):
    return x + OFFSET


@tw.jit
def times_ten(x):
    return 10 * x


@tw.jit
def through_helper(x):
    return helper(x)


@tl.constexpr_function
def computed(n):
    return n + BASE + settings.SIZE + plain()


def plain():
    return SCALE


@tw.jit
def read_scale(out):
    tl.store(out, SCALE)


@tw.jit
def read_offset(out):
    tl.store(out, OFFSET)


@tw.jit
def read_pair(out):
    tl.store(out, PAIR[0] + PAIR[1])


@tw.jit
def read_nested(out):
    tl.store(out, NESTED[1])


@tw.jit
def read_kind(out):
    kind: tl.constexpr = KIND
    tl.store(out, 10 if kind == tl.int32 else 20)


@tw.jit
def read_name(out):
    tl.store(out, 1 if NAME == "one" else 2)


@tw.jit
def read_list(out):
    tl.store(out, LIST[0] + LIST[1])


@tw.jit
def read_module(out):
    tl.store(out, settings.SIZE)


@tw.jit
def read_class(out):
    tl.store(out, Limits.low)


@tw.jit
def read_object(out):
    tl.store(out, OPTIONS.size)


@tw.jit
def call_helper(out):
    tl.store(out, through_helper(1))


@tw.jit
def call_computed(out):
    tl.store(out, computed(1))


def compilations(kernel):
    """Counts the compiled variants of a kernel."""
    return len(kernel._dispatcher)


@pytest.mark.parametrize(
    "kernel, name, value, before, after",
    [
        (read_scale, "SCALE", 7, 2, 7),
        (read_scale, "SCALE", True, 2, 1),
        (read_offset, "OFFSET", tl.constexpr(11), 10, 11),
        (read_pair, "PAIR", (1, 5), 3, 6),
        (read_nested, "NESTED", (1, tl.constexpr(3)), 2, 3),
        (read_kind, "KIND", tl.int64, 10, 20),
        (read_name, "NAME", "two", 1, 2),
        (read_list, "LIST", [4, 5], 3, 9),
        (read_class, "Limits", type("Limits", (), {"low": tl.constexpr(6)}), 5, 6),
        (read_object, "OPTIONS", Options(2), 1, 2),
        (call_helper, "OFFSET", tl.constexpr(20), 11, 21),
        (call_helper, "helper", times_ten, 11, 10),
        (call_helper, "through_helper", times_ten, 11, 10),
        (call_computed, "BASE", 4, 10, 11),
        (call_computed, "SCALE", 5, 10, 13),
        (call_computed, "plain", lambda: 0, 10, 8),
    ],
)
def test_a_changed_global_is_used_and_a_former_one_again(kernel, name, value, before, after, result, change):
    kernel, former = tw.jit(kernel.fn), globals()[name]
    for _ in range(2):
        assert result(kernel) == before
        change(name, value)
        assert result(kernel) == after and result(kernel) == after
        change(name, former)
    assert kernel.is_interpreted or compilations(kernel) == 2


def test_closure_variables(result):
    factor = tl.constexpr(2)
    inner = times_ten

    @tw.jit
    def kernel(out):
        tl.store(out, inner(factor))

    assert result(kernel) == 20
    factor = tl.constexpr(3)
    assert result(kernel) == 30
    inner = helper
    assert result(kernel) == 13


def test_module_and_class_attributes(result, monkeypatch):
    module, of_class, function = (tw.jit(kernel.fn) for kernel in (read_module, read_class, call_computed))
    assert [*map(result, (module, of_class, function))] == [4, 5, 10]
    monkeypatch.setattr(settings, "SIZE", 8)
    monkeypatch.setattr(Limits, "low", tl.constexpr(6))
    assert [*map(result, (module, of_class, function))] == [8, 6, 14]


@tl.aggregate
class Twice:
    x: tl.tensor

    @tw.jit
    def value(self):
        return 2 * self.x


def test_methods_of_aggregates(result, monkeypatch):
    @tw.jit
    def kernel(out):
        tl.store(out, Twice(tl.to_tensor(4)).value())

    @tw.jit
    def value(self):
        return 3 * self.x

    assert result(kernel) == 8
    monkeypatch.setattr(Twice, "value", value)
    assert result(kernel) == 12


def test_attributes_that_a_module_computes_or_lacks(result, change, monkeypatch):
    module = types.ModuleType("computing")
    module.__annotations__ = {"SIZE": "tl.constexpr", "OTHER": "tl.constexpr"}
    size = 1000
    module.__getattr__ = lambda name: size + 1 if name == "SIZE" else getattr(None, name)
    change("computing", module)

    @tw.jit
    def kernel(out):
        tl.store(out, computing.SIZE + getattr(computing, "OTHER", 0))  # noqa: F821

    assert result(kernel) == 1001 and result(kernel) == 1001
    size = 2000
    assert result(kernel) == 2001
    monkeypatch.setattr(module, "OTHER", 5, raising=False)
    assert result(kernel) == 2006


def test_values_that_change_in_place(result, monkeypatch):
    constant, items, nested, fields = (
        tw.jit(kernel.fn) for kernel in (read_offset, read_list, read_nested, read_object)
    )
    assert [*map(result, (constant, items, nested, fields))] == [10, 3, 2, 1]
    monkeypatch.setattr(OFFSET, "value", 12)
    monkeypatch.setattr(OPTIONS, "size", 4)
    monkeypatch.setattr(NESTED[1], "value", 9)
    LIST.append(LIST.pop(0) + 6)
    try:
        assert [*map(result, (constant, items, nested, fields))] == [12, 9, 9, 4]
    finally:
        LIST[:] = [1, 2]


def test_arguments_that_change_in_place(result):
    @tw.jit
    def kernel(out, options: tl.constexpr):
        tl.store(out, options.size)

    options = Options(3)
    assert result(kernel, options) == 3
    options.size = 5
    assert result(kernel, options) == 5


@pytest.mark.compiled
def test_equal_values_need_no_compilation(result, change):
    kernel = tw.jit(read_offset.fn)
    for _ in range(5):
        assert result(kernel) == 10
        change("OFFSET", tl.constexpr(10))
    change("OFFSET", tl.constexpr(10.0))
    assert result(kernel) == 10 and compilations(kernel) == 2, "10.0 is no int"


def test_a_name_that_a_global_hides_later(result, change):
    @tw.jit
    def kernel(out):
        tl.store(out, max(2, 3))

    assert result(kernel) == 3
    change("max", helper_of_two)
    assert result(kernel) == 23


@tw.jit
def helper_of_two(x, y):
    return 10 * x + y


def test_a_function_that_is_defined_later(result, change):
    @tw.jit
    def kernel(out):
        tl.store(out, defined_later(4))  # noqa: F821

    with pytest.raises(Exception, match="'defined_later' is not defined"):
        result(kernel)
    change("defined_later", times_ten)
    assert result(kernel) == 40
    change("defined_later", helper)
    assert result(kernel) == 14


def test_a_cell_of_a_notebook_that_runs_again(result, tmp_path):
    import linecache

    def define(number, text):
        file = f"<cell {number}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), names)

    names = {"tw": tw, "tl": tl, "__name__": "notebook"}
    define(1, "@tw.jit\ndef h(x):\n    return x + 1\n")
    define(2, "@tw.jit\ndef kernel(out):\n    tl.store(out, h(1))\n")
    assert result(names["kernel"]) == 2
    define(3, "@tw.jit\ndef h(x):\n    return x + 5\n")
    assert result(names["kernel"]) == 6


@pytest.mark.compiled
def test_an_object_that_cannot_be_compared(result, change):
    class Odd:
        def __getattr__(self, name):
            raise RuntimeError("no attributes")

    kernel = tw.jit(read_offset.fn)
    assert result(kernel) == 10
    change("OFFSET", Odd())
    with pytest.raises(Exception, match=r"OFFSET|no attributes"):
        result(kernel)
    change("OFFSET", tl.constexpr(10))
    assert result(kernel) == 10
