"""Tensors of PyTorch that the functions must not take as they are, and what autograd is told of results."""

import pytest
from optional_packages import needs
from tilewright import kernels
from tilewright.kernels import GradientError

torch = needs("torch")
forward_ad = torch.autograd.forward_ad


@pytest.fixture
def make(backend):
    """`make(*shape)`: a tensor of random numbers on the back end."""
    if backend.is_emulated:
        pytest.skip("PyTorch has no tensors on an emulated GPU")
    return lambda *shape: torch.rand(shape, device="cuda" if backend.name == "cuda" else "cpu")


#: The function, the shapes of its tensors by name, and other arguments.
CALLS = {
    "add": (kernels.add, {"x": (4, 8), "y": (4, 8)}),
    "softmax": (kernels.softmax, {"x": (4, 8)}),
    "layer_norm": (kernels.layer_norm, {"x": (4, 8), "weight": (8,), "bias": (8,)}),
    "rms_norm": (kernels.rms_norm, {"x": (4, 8), "weight": (8,)}),
    "gelu": (kernels.gelu, {"x": (4, 8)}),
    "silu": (kernels.silu, {"x": (4, 8)}),
    "matmul": (kernels.matmul, {"a": (16, 16), "b": (16, 16), "bias": (16,), "residual": (16, 16)}),
    "gated_matmul": (kernels.gated_matmul, {"a": (16, 16), "gate": (16, 16), "up": (16, 16)}),
    "attention": (kernels.attention, dict.fromkeys("qkv", (1, 2, 8, 16))),
}
ARGUMENTS = [(case, name) for case, (_, shapes) in CALLS.items() for name in shapes]


def tensors(make, case):
    return {name: make(*shape) for name, shape in CALLS[case][1].items()}


def shape_of_result(case):
    return next(iter(CALLS[case][1].values()))


@pytest.mark.parametrize("case, name", ARGUMENTS)
def test_gradients_are_not_lost(make, case, name):
    function, given = CALLS[case][0], tensors(make, case)
    expected = function(**given)
    given[name].requires_grad_()
    refused = rf"^{name} requires a gradient.*torch\.no_grad\(\).*pass {name}\.detach\(\)"
    for _ in range(2):
        with pytest.raises(GradientError, match=refused):
            function(**given)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                assert torch.equal(function(**given), expected)
    assert torch.equal(function(**given | {name: given[name].detach()}), expected)


@pytest.mark.parametrize("case", CALLS)
def test_results_that_require_gradients(make, case):
    function, given = CALLS[case][0], tensors(make, case)
    parameter = torch.nn.Parameter(make(*shape_of_result(case)))
    for out in (parameter, parameter.view(parameter.shape), parameter * 1):
        with pytest.raises(GradientError, match=r"^out requires a gradient"):
            function(**given, out=out)
    with torch.no_grad():
        assert function(**given, out=parameter) is parameter
    assert torch.equal(parameter, function(**given))


def test_gradients_of_tensors_by_position_and_in_tuples(make):
    a, b = make(16, 16), make(16, 16).requires_grad_()
    with pytest.raises(GradientError, match=r"^b requires a gradient"):
        kernels.matmul(a, b)
    for operands in ((1.0, b), (1.0, (b,))):
        with pytest.raises(GradientError, match=r"^operands requires a gradient"):
            kernels.matmul(a, a, operands=operands)
    assert kernels.matmul(a, b.detach()).shape == (16, 16)


def test_tangents_are_not_lost(make):
    x = make(4, 8)
    expected = kernels.softmax(x)
    with forward_ad.dual_level():
        with pytest.raises(GradientError, match=r"^x has a tangent.*x\.detach\(\)"), torch.no_grad():
            kernels.softmax(forward_ad.make_dual(x, x))
        assert torch.equal(kernels.softmax(x), expected)


@pytest.mark.parametrize("case", CALLS)
def test_autograd_notices_writes(make, case):
    function, given = CALLS[case][0], tensors(make, case)
    out = make(*shape_of_result(case))
    for _ in range(3):  # in full, and repeated
        factor = make(*out.shape).requires_grad_()
        saved = factor * out
        before = out._version
        function(**given, out=out)
        assert out._version > before
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            saved.sum().backward()


def test_autograd_notices_writes_of_several_results(make):
    x, weight = make(4, 8), make(8)
    for _ in range(3):
        outs = {name: make(*shape) for name, shape in (("x_grad", (4, 8)), ("weight_grad", (8,)))}
        before = [out._version for out in outs.values()]
        made = kernels.layer_norm_backward(x, x.clone(), weight, **outs)
        assert made[0] is outs["x_grad"] and made[1] is outs["weight_grad"] and made[2] is None
        assert all(out._version > version for out, version in zip(outs.values(), before))
    with pytest.raises(GradientError, match=r"^weight_grad requires a gradient"):
        kernels.layer_norm_backward(x, x, weight, weight_grad=make(8).requires_grad_())


def test_versions_of_inputs_stay(make):
    x, y = make(4, 8), make(4, 8)
    versions = x._version, y._version
    kernels.add(x, y)
    kernels.add(x, y, make(4, 8))
    assert (x._version, y._version) == versions
    kernels.add(x, y, x)
    assert (x._version, y._version) == (versions[0] + 1, versions[1])
    with pytest.raises(ValueError, match="out has shape"):
        kernels.add(x, y, make(4, 9))


def test_inference_tensors(make):
    x = make(4, 8)
    with torch.inference_mode():
        out = make(4, 8)
        assert kernels.softmax(x, out=out) is out
    kept = out.clone()
    with pytest.raises(RuntimeError, match=r"out is an inference tensor.*inference_mode"):
        kernels.softmax(x + 1, out=out)
    assert torch.equal(out, kept) and kernels.softmax(out).shape == (4, 8)


@pytest.mark.parametrize("case", CALLS)
def test_results_whose_elements_share_memory(make, case):
    function, given = CALLS[case][0], tensors(make, case)
    shape = shape_of_result(case)
    shared = [make(*shape[:-2], 1, shape[-1]).expand(shape)]
    shared.append(torch.as_strided(make(2, *shape), shape, (*make(*shape).stride()[:-2], 1, 1)))
    for out in shared:
        for _ in range(2):
            with pytest.raises(ValueError, match="elements of out share memory"):
                function(**given, out=out)


def negated(x):
    return torch._neg_view(x)


def freed(x):
    x.untyped_storage().resize_(0)
    return x


REFUSED = {
    "negated": (negated, TypeError, r"x\.resolve_neg\(\)"),
    "freed": (freed, ValueError, "has no memory"),
    "sparse": (lambda x: x.to_sparse(), TypeError, r"layout is torch.sparse_coo; pass x\.to_dense\(\)"),
    "meta": (lambda x: x.to("meta"), ValueError, "device meta"),
    "quantised": (
        lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.quint8),
        TypeError,
        r"x\.dequantize\(\)",
    ),
    "nested": (lambda x: torch.nested.nested_tensor(list(x)), TypeError, "nested"),
    "jagged": (
        lambda x: torch.nested.nested_tensor(list(x), layout=torch.jagged),
        TypeError,
        r"pass x\.values\(\)",
    ),
    "zeros": (
        lambda x: torch._efficientzerotensor(x.shape, device=x.device),
        ValueError,
        "has no memory",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("function", [kernels.softmax, kernels.silu, kernels.rms_norm])
def test_memory_without_values(make, function, case):
    change, error, message = REFUSED[case]
    expected = function(make(4, 8))
    for _ in range(2):
        with pytest.raises(error, match=f"^x: .*{message}"):
            function(change(make(4, 8)))
    assert function(make(4, 8)).shape == expected.shape


def test_results_in_memory_without_values(make):
    for _ in range(2):
        with pytest.raises(TypeError, match=r"^out: .*x\.resolve_neg\(\)"):
            kernels.softmax(make(4, 8), out=negated(make(4, 8)))


@pytest.mark.parametrize("transform", ["vmap", "grad", "functionalize", "jvp"])
def test_transforms(make, transform):
    x = make(4, 8)

    def function(x):
        return kernels.softmax(x).sum()

    with pytest.raises(TypeError, match=r"^x: torch\.func"):
        if transform == "jvp":
            torch.func.jvp(function, (x,), (x,))
        else:
            getattr(torch.func, transform)(function)(x)
