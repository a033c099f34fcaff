"""Building ops through the bindings: inferred types, and a diagnostic for every misuse."""

import pytest
from tilewright import _tilewright as tw


class Bench:
    """A builder at the end of a module, and a way to get values of any type."""

    def __init__(self):
        self.context = tw.Context()
        self.module = self.context.module()
        self.builder = self.context.builder()
        self.builder.set_insertion_point_to_end(self.module.body)
        self.builder.set_loc(self.context.loc("user.py", 7, 3, 7, 9, "kernel"))

    def value(self, text):
        """A value of the type `text` without a meaningful producer."""
        cast = self.builder.create("builtin.unrealized_conversion_cast", [], {}, [self.context.type(text)])
        return cast.results[0]

    def create(self, name, *types, **attrs):
        return self.builder.create(name, [self.value(text) for text in types], attrs)

    def refusal(self, name, *types, **attrs):
        """The diagnostics of a refused op."""
        with pytest.raises(tw.DiagnosticError) as caught:
            self.create(name, *types, **attrs)
        diagnostics = caught.value.args[0]
        end = {"end_line": 7, "end_column": 9}
        expected = {"file": "user.py", "line": 7, "column": 3, **end, "function": "kernel"}
        assert diagnostics[0]["frames"] == [expected]
        return " / ".join(each["message"] for each in diagnostics)


@pytest.fixture
def bench():
    return Bench()


@pytest.mark.parametrize(
    ("name", "types", "attrs", "result"),
    [
        (
            "tile.load",
            ["tensor<8x!tile.ptr<f16>>"],
            {"operandSegmentSizes": "array<i32: 1, 0, 0>"},
            "tensor<8xf16>",
        ),
        ("tile.expand_dims", ["tensor<8xi32>"], {"axis": "1 : i32"}, "tensor<8x1xi32>"),
        ("tile.transpose", ["tensor<8x4xi1>"], {"order": "array<i32: 1, 0>"}, "tensor<4x8xi1>"),
        ("tile.addptr", ["!tile.ptr<f32>", "i64"], {}, "!tile.ptr<f32>"),
        ("tile.program_id", [], {"axis": "0 : i32"}, "i32"),
        ("tile.dot", ["tensor<2x3xf16>", "tensor<3x4xf16>", "tensor<2x4xf32>"], {}, "tensor<2x4xf32>"),
    ],
)
def test_result_types_are_inferred(bench, name, types, attrs, result):
    op = bench.create(name, *types, **attrs)
    assert [str(value.type) for value in op.results] == [result]


@pytest.mark.parametrize(
    ("name", "types", "attrs", "message"),
    [
        (
            "tile.load",
            ["tensor<8xf32>"],
            {"operandSegmentSizes": "array<i32: 1, 0, 0>"},
            "loads through a pointer",
        ),
        ("tile.expand_dims", ["f32"], {"axis": "0 : i32"}, "expands a tile at an axis, got 'f32'"),
        ("tile.expand_dims", ["tensor<8xf32>"], {}, "expands a tile at an axis"),
        ("tile.transpose", ["f32"], {"order": "array<i32: 0>"}, "transposes a tile by an order, got 'f32'"),
        ("tile.transpose", ["tensor<8xf32>"], {}, "transposes a tile by an order"),
        ("tile.reduce", [], {"axis": "0 : i32"}, "reduces at least one tile along an axis"),
        ("tile.reduce", ["tensor<8xf32>"], {}, "reduces at least one tile along an axis"),
        ("tile.reduce", ["f32"], {"axis": "0 : i32"}, "reduces tiles, got 'f32'"),
        (
            "tile.atomic_rmw",
            ["i32", "i32"],
            {"kind": "0 : i32", "sem": "0 : i32", "scope": "1 : i32"},
            "needs pointers, got 'i32'",
        ),
    ],
)
def test_operands_without_an_inferred_type_are_refused(bench, name, types, attrs, message):
    assert message in bench.refusal(name, *types, **attrs)


@pytest.mark.parametrize("name", ["tile.nowhere", "nowhere.op", "", "tile"])
def test_unknown_ops_are_refused(bench, name):
    assert name in bench.refusal(name)


@pytest.mark.parametrize(
    ("name", "types"),
    [("tile.splat", []), ("tile.load", []), ("tile.dot", ["f32"]), ("tile.addptr", ["!tile.ptr<f32>"])],
)
def test_missing_operands_are_refused(bench, name, types):
    assert name in bench.refusal(name, *types)


@pytest.mark.parametrize("axis", ["0 : i64", '"x"', "dense<0> : tensor<4xi32>"])
def test_attributes_of_another_type_are_refused(bench, axis):
    assert bench.refusal("tile.expand_dims", "tensor<8xf32>", axis=axis)


def test_text_that_is_no_attribute_is_refused(bench):
    with pytest.raises(tw.DiagnosticError):
        bench.create("tile.program_id", axis="]")


@pytest.mark.parametrize("text", ["tensor<8x", "!tile.ptr<i1>", "!nowhere.type", ""])
def test_text_that_is_no_type_is_refused(bench, text):
    with pytest.raises(ValueError, match="not a type"):
        bench.context.type(text)


def test_a_used_op_is_not_erased(bench):
    source = bench.builder.create("tile.program_id", [], {"axis": "0 : i32"})
    bench.builder.create("tile.splat", source.results, {}, [bench.context.type("tensor<8xi32>")])
    with pytest.raises(ValueError, match="still used"):
        source.erase()
