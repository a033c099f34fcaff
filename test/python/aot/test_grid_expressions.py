"""Expressions: the same value in Python and in C."""

import ctypes
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tilewright.aot import c_source
from tilewright.aot.expressions import Expression, ExpressionError, grid_expressions

pytestmark = pytest.mark.once

TEXTS = (
    "a + b * 3 - a",
    "a // b",
    "a % b",
    "-a // b",
    "cdiv(a, b)",
    "min(a, b) - max(a, 7)",
    "a < b",
    "0 <= a <= b < 100 // b",
    "a == b or not a != 3 and b > 2",
    "a * b * a",
    "a - -9223372036854775807",
)


@pytest.fixture(scope="module")
def in_c(cc, tmp_path_factory):
    """A function of C for each of `TEXTS`."""
    directory = tmp_path_factory.mktemp("expressions")
    common = (Path(c_source.__file__).parent / "support" / "common.c").read_text()
    text = (
        "#include <stdint.h>\n" + common[common.index("/* -- Expressions") : common.index("/* -- Functions")]
    )
    for i, expression in enumerate(TEXTS):
        body = Expression(expression, "ab").to_c(lambda name: name)
        text += f"int64_t f{i}(int64_t a, int64_t b, int *failed) {{ (void)a, (void)b, (void)failed; return {body}; }}\n"
    (directory / "expressions.c").write_text(text)
    return ctypes.CDLL(str(cc(directory / "expressions.so", directory / "expressions.c")))


NUMBERS = st.one_of(st.integers(-5, 5), st.integers(-(2**63), 2**63 - 1))


@settings(max_examples=60, deadline=None)
@given(NUMBERS, NUMBERS)
@pytest.mark.parametrize("index", range(len(TEXTS)), ids=TEXTS)
def test_c_agrees_with_python(in_c, index, a, b):
    function, failed = in_c[f"f{index}"], ctypes.c_int(0)
    function.restype = ctypes.c_int64
    result = function(ctypes.c_int64(a), ctypes.c_int64(b), ctypes.byref(failed))
    try:
        wanted = Expression(TEXTS[index], "ab").evaluate({"a": a, "b": b})
    except ExpressionError:
        assert failed.value
    else:
        assert (failed.value, result) == (0, wanted)


def test_values():
    assert Expression("cdiv(n, BLOCK)", ["n", "BLOCK"]).evaluate({"n": 1001, "BLOCK": 100}) == 11
    assert [extent.text for extent in grid_expressions("cdiv(n, 4), 2", ["n"])] == ["cdiv(n, 4)", "2"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("n +", "'n +' is no expression: invalid syntax"),
        ("n + m", "'n + m': 'm' is not an int that is known here; there is n"),
        ("n / 2", "'n / 2': 'n / 2' is not + - * // %, a comparison, and, or, not, cdiv, min or max of ints"),
        ("n ** 2", "'n ** 2' is not"),
        ("print(n, n)", "'print(n, n)' is not"),
        ("min(n, 1, 2)", "'min(n, 1, 2)' is not"),
        ("n < 1.5", "'1.5' is not"),
        ("n < 9223372036854775808", "'9223372036854775808' is not"),
    ],
)
def test_errors(text, message):
    with pytest.raises(ExpressionError, match=re.escape(message)):
        Expression(text, ["n"])


def test_no_value():
    with pytest.raises(ExpressionError, match=re.escape("'n // 0' has no value: integer")):
        Expression("n // 0", ["n"]).evaluate({"n": 1})
    with pytest.raises(ExpressionError, match="a result does not fit 64 bits"):
        Expression("n * n", ["n"]).evaluate({"n": 2**32})


def test_grid_of_four_axes():
    with pytest.raises(
        ExpressionError, match=re.escape("the grid '1, 2, 3, 4' has 4 dimensions, not one to three")
    ):
        grid_expressions("1, 2, 3, 4", [])
