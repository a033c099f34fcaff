"""What declarations answer without a launch: types of results, schemas, costs and gradients."""

import numpy as np
import pytest
from declared import Case
from optional_packages import needs
from tilewright import kernels
from tilewright.kernels._declaration import Array, ArrayType, Result, Sample, declare, samples, shapes

DECLARED = kernels.declarations()

pytestmark = pytest.mark.once


def arguments(name, number=0, array=ArrayType):
    """The arguments of a sample, its arrays without data."""
    declaration = DECLARED[name]
    case = Case(declaration, declaration.samples[number], next(iter(declaration.tolerance)))
    made = samples.make(declaration, case.sample, case.dtype, np.random.default_rng(0))
    return {
        key: array(np.shape(value[0]), value[1]) if isinstance(value, tuple) else value
        for key, value in made.items()
    }


def test_all_public_functions_are_declared():
    public = {name for name in kernels.__all__ if name.islower() and name != "declarations"}
    assert public == set(DECLARED)
    assert all(getattr(kernels, name).declaration is DECLARED[name] for name in public)


@pytest.mark.parametrize("name", DECLARED)
def test_tensors_without_memory(name):
    torch = needs("torch")
    declaration = DECLARED[name]

    def meta(shape, dtype):
        return torch.empty(shape, dtype=getattr(torch, dtype), device="meta")

    for number in range(len(declaration.samples)):
        assert declaration.infer(**arguments(name, number, meta)) == declaration.infer(
            **arguments(name, number)
        )


def test_inferred_types():
    x, w = ArrayType((2, 3, 8), "bfloat16"), ArrayType((8,), "float32")
    assert DECLARED["layer_norm"].infer(x, w, eps=0.1) == {"out": x}
    a, b = ArrayType((5, 1, 4, 8), "int8"), ArrayType((3, 8, 7), "int8")
    assert DECLARED["matmul"].infer(a, b) == {"out": ArrayType((5, 3, 4, 7), "int32")}
    assert DECLARED["matmul"].infer(a, b, alpha=2) == {"out": ArrayType((5, 3, 4, 7), "float32")}
    assert DECLARED["matmul"].infer(a, b, out_dtype="float16")["out"].dtype == "float16"
    with pytest.raises(ValueError, match=r"weight has shape \(2,\), expected \(8,\)"):
        DECLARED["layer_norm"].infer(x, ArrayType((2,), "float32"))
    with pytest.raises(ValueError, match=r"c has shape \(4, 8\), which does not broadcast to \(5, 3, 4, 7\)"):
        DECLARED["matmul"].infer(a, b, c=ArrayType((4, 8), "float32"))


@pytest.mark.parametrize("name", DECLARED)
def test_schemas(name):
    torch = needs("torch")
    declaration = DECLARED[name]
    schema = torch._C.parse_schema(f"test::{declaration.schema()}")
    written = torch._C.parse_schema(f"test::{declaration.schema(out=True)}")
    assert [a.name for a in written.arguments if a.alias_info] == list(declaration.written)
    assert len(schema.returns) == len(written.returns) == len(declaration.results)
    for argument in schema.arguments:
        assert argument.has_default_value() == (argument.name in declaration.defaults)


@pytest.mark.parametrize("name", DECLARED)
def test_costs(name):
    cost = DECLARED[name].cost(**arguments(name))
    assert cost.bytes > 0 and cost.flops >= 0


def test_costs_by_hand():
    x = ArrayType((4, 8), "float16")
    assert DECLARED["softmax"].cost(x).bytes == 2 * 4 * 8 * 2
    a, b = ArrayType((3, 4, 8), "float16"), ArrayType((8, 5), "float16")
    cost = DECLARED["matmul"].cost(a, b)
    assert (cost.bytes, cost.flops) == (2 * (96 + 40 + 60), 2 * 3 * 4 * 8 * 5)


@pytest.mark.parametrize("workload", ["cpu", "gpu"])
@pytest.mark.parametrize("name", DECLARED)
def test_workloads(name, workload):
    sample, dtype = DECLARED[name].workloads[workload]
    assert dtype in DECLARED[name].tolerance and samples.elements(sample) > 0


def test_shapes():
    sizes = {}
    assert shapes.match((2, 3, 4), "... n", sizes) and sizes == {"...": (2, 3), "n": 4}
    assert not shapes.match((5,), "n", sizes) and not shapes.match((3, 4), "... n", sizes)
    assert not shapes.match((), "... n", {}) and not shapes.match((2, 3), "n n", {})
    assert shapes.match((3, 3), "n n", {}) and not shapes.match((3, 3), "n 2", {})
    assert shapes.show("... n 2 k", sizes) == "(2, 3, 4, 2, k)" and shapes.show("k", sizes) == "(k,)"
    assert shapes.show("... k", {}) == "(..., k)" and shapes.show("", {}) == "()"
    assert shapes.evaluate("... n", sizes) == (2, 3, 4)
    assert shapes.match((3, 7), "... k", sizes | {"...": (2, 1)}, broadcast=True)
    with pytest.raises(ValueError, match="leading dimensions come first"):
        shapes.parse("n ...")


def test_a_declaration_names_the_parameters_of_its_function():
    with pytest.raises(TypeError, match="halve and its declaration differ in the parameters y"):

        @declare(
            arguments={"x": Array("n"), "y": Array("n")},
            results={"out": Result("n", dtype="x")},
            reference=lambda x: x / 2,
            samples=[Sample({"n": 3})],
            workloads={},
        )
        def halve(x, out=None):
            pass

    assert "halve" not in DECLARED
