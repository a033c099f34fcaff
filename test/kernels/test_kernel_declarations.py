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


GRADIENTS = [name for name, declaration in DECLARED.items() if declaration.gradient]


def test_kernels_with_gradients():
    assert {"softmax", "layer_norm", "rms_norm", "gelu", "silu"} <= set(GRADIENTS)


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_declared(name):
    """Every argument and result of the gradient is one of the forward kernel, or belongs to one."""
    forward = DECLARED[name]
    backward = DECLARED[forward.gradient.kernel]
    known = {*forward.arguments, *forward.results, *(f"{result}_grad" for result in forward.results)}
    assert {forward.gradient.sources.get(argument, argument) for argument in backward.arguments} <= known
    assert {result.removesuffix("_grad") for result in backward.results} <= set(forward.arguments)
    assert all(result.endswith("_grad") for result in backward.results)


def cases_of_gradients():
    for name in GRADIENTS:
        for number, sample in enumerate(DECLARED[name].samples):
            if 0 < samples.elements(sample) < 5000:
                yield name, number


@pytest.mark.parametrize("name, number", cases_of_gradients())
def test_references_of_gradients_against_finite_differences(rng, name, number):
    forward = DECLARED[name]
    backward = DECLARED[forward.gradient.kernel]
    given = samples.make(forward, forward.samples[number], "float32", rng)
    given = {key: value[0] if isinstance(value, tuple) else value for key, value in given.items()}
    known = given | samples.expected(forward, given)
    known |= {f"{key}_grad": rng.standard_normal(known[key].shape) for key in forward.results}
    sources = {key: forward.gradient.sources.get(key, key) for key in backward.arguments}
    gradients = samples.expected(
        backward, {key: known[source] for key, source in sources.items() if source in known}
    )

    def loss(changed):
        found = samples.expected(forward, given | changed)
        return sum((known[f"{key}_grad"] * found[key]).sum() for key in forward.results)

    checked = 0
    for result, gradient in gradients.items():
        argument = result.removesuffix("_grad")
        if given.get(argument) is None:
            continue
        assert gradient.shape == given[argument].shape
        for _ in range(3):
            direction = rng.standard_normal(given[argument].shape)
            step = 1e-5 * direction
            slope = loss({argument: given[argument] + step}) - loss({argument: given[argument] - step})
            expected = (gradient * direction).sum()
            scale = np.linalg.norm(gradient) * np.linalg.norm(direction) + 1e-3
            assert abs(slope / 2e-5 - expected) < 1e-6 * scale
            checked += 1
    assert checked


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
