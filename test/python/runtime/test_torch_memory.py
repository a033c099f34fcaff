"""PyTorch tensors whose memory does not hold their values: a launch refuses them and names the remedy."""

import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs
from tilewright.runtime.retyped import Retyped

torch = needs("torch")
fake_tensor = needs("torch._subclasses.fake_tensor")


@tw.jit
def second(x, out):
    tl.store(out, tl.load(x + 1).to(tl.float32))


@pytest.fixture
def device(backend):
    if backend.is_emulated:
        pytest.skip("PyTorch has no tensors on an emulated GPU")
    return "cuda" if backend.name == "cuda" else "cpu"


@pytest.fixture
def read(device):
    """`read(x)`: the second element as a kernel sees it, after a launch that is remembered."""
    out = torch.zeros(1, device=device)
    second[1](torch.arange(4.0, device=device), out)

    def read(x):
        out.fill_(-1)
        second[1](x, out)
        return out.item()

    return read


def refuses(read, x, message, error=TypeError):
    for _ in range(2):
        with pytest.raises(error, match=rf"^argument 'x' of kernel second\(\): .*{message}"):
            read(x)
    assert read(torch.arange(4.0, device=x.device)) == 1


def test_negated_views(read, device):
    values = torch.view_as_complex(torch.arange(8.0, device=device).reshape(4, 2))
    negated = torch.imag(values.conj())
    assert negated.is_neg() and negated[1].item() == -3
    refuses(read, negated, r"negative bit .* x\.resolve_neg\(\)")
    refuses(read, torch._neg_view(torch.arange(4.0, device=device)), r"x\.resolve_neg\(\)")
    assert read(torch._neg_view(torch.arange(4.0, device=device)).resolve_neg()) == -1


def test_negated_results(device):
    out = torch._neg_view(torch.zeros(1, device=device))
    with pytest.raises(TypeError, match=r"argument 'out' of kernel second\(\): .*resolve_neg"):
        second[1](torch.arange(4.0, device=device), out)


@tw.jit
def from_parts(block, pair, out):
    values = tl.sum(block.load([0, 0]), axis=0).to(tl.float32)
    tl.store(out + tl.arange(0, 4), values + tl.load(pair[0] + tl.arange(0, 4)))


@pytest.mark.compiled
def test_negated_bases_and_parts(device):
    def values():
        return torch.arange(16.0, device=device).reshape(4, 4)

    def launch(block, part, out):
        descriptor = tw.TensorDescriptor.from_tensor(block, [4, 4])
        return from_parts[1](descriptor, (part, 1), out)

    out = torch.zeros(4, device=device)
    launch(values(), values(), out)
    assert out.tolist() == [24, 29, 34, 39]
    for _ in range(2):
        with pytest.raises(TypeError, match=r"from_parts.*resolve_neg"):
            launch(torch._neg_view(values()), values(), out)
        with pytest.raises(TypeError, match=r"from_parts.*resolve_neg"):
            launch(values(), torch._neg_view(values()), out)
        with pytest.raises(TypeError, match=r"second.*resolve_neg"):
            second.bind(1, torch._neg_view(values()), out)


def test_arrays_over_tensors(device):
    x = torch.arange(4.0, device=device)
    with pytest.raises(TypeError, match=r"from_dlpack: .*x\.resolve_neg\(\)"):
        tw.from_dlpack(torch._neg_view(x))
    assert tw.from_dlpack(x).shape == (4,)
    x.untyped_storage().resize_(0)
    with pytest.raises(ValueError, match=r"from_dlpack: .*no memory"):
        tw.from_dlpack(x)


def test_negated_views_seen_as_another_type(read, device):
    bits = torch._neg_view(torch.arange(4.0, device=device))
    with pytest.raises(TypeError) as caught:
        read(Retyped(bits, tl.int32))
    assert "resolve_neg" in f"{caught.value} {caught.value.__cause__}"


def test_conjugated_views(read, device):
    # As all complex tensors.
    refuses(read, torch.ones(4, dtype=torch.complex64, device=device).conj(), "no kernel takes elements of")


@pytest.mark.parametrize("form", ["to_sparse", "to_sparse_csr", "to_mkldnn"])
def test_other_layouts(read, device, form):
    if form == "to_mkldnn" and not (device == "cpu" and torch.backends.mkldnn.is_available()):
        pytest.skip("PyTorch has no such tensors here")
    refuses(read, getattr(torch.eye(4, device=device), form)(), r"layout is torch\..* x\.to_dense\(\)")


def test_quantised(read, device):
    quantised = torch.quantize_per_tensor(torch.arange(4.0, device=device), 0.5, 0, torch.qint8)
    refuses(read, quantised, r"quantised; pass x\.dequantize\(\)")


def test_nested(read, device):
    parts = [torch.arange(2.0, device=device), torch.ones(3, device=device)]
    jagged = torch.nested.nested_tensor(parts, layout=torch.jagged)
    refuses(read, jagged, r"layout is torch\.jagged; pass x\.values\(\)")
    assert read(jagged.values()) == 1


@pytest.mark.compiled
def test_nested_without_gaps(read, device):
    # A pointer to the first part; the second part follows it.
    assert read(torch.nested.nested_tensor([torch.arange(2.0, device=device)] * 2)) == 1


def test_freed_storage(read, device):
    x = torch.arange(8.0, device=device)
    view = x[4:]
    assert (read(x), read(view)) == (1, 5)
    x.untyped_storage().resize_(0)
    refuses(read, x, "has no memory", ValueError)
    # Its address is the offset alone.
    refuses(read, view, "has no memory", ValueError)
    x.untyped_storage().resize_(32)
    x.copy_(torch.arange(8.0))
    assert (read(x), read(view)) == (1, 5)


def test_empty_tensors_pass(device):
    out = torch.zeros(1, device=device)
    for empty in (torch.ones(0, device=device), torch.ones(4, device=device)[4:]):
        second[(0,)](empty, out)


def test_zero_tensors(read, device):
    refuses(read, torch._efficientzerotensor(4, device=device), "has no memory", ValueError)


def test_traced_values(read, device):
    with fake_tensor.FakeTensorMode():
        traced = torch.ones(8, device=device)
        for x in (traced, traced[4:]):
            with pytest.raises(ValueError, match=r"argument 'x' .* has no memory"):
                second[1](x, x)


@pytest.mark.parametrize("transform", ["vmap", "grad", "functionalize", "jvp"])
def test_tensors_of_transforms(device, transform):
    x, out = torch.ones(3, 4, device=device), torch.zeros(1, device=device)

    def function(x):
        for view in (x, x[1:]):
            with pytest.raises(TypeError, match=r"argument 'x' of kernel second\(\): torch\.func"):
                second[1](view, out)
        return x.sum()

    if transform == "jvp":
        torch.func.jvp(function, (x,), (x,))
    else:
        getattr(torch.func, transform)(function)(x)


class Pair(torch.Tensor):
    """A tensor that wraps the values of another one."""

    @staticmethod
    def __new__(cls, values):
        made = torch.Tensor._make_wrapper_subclass(
            cls, values.shape, dtype=values.dtype, device=values.device
        )
        made.values_ = values
        return made

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError


class Noted(torch.Tensor):
    """A tensor that intercepts operations but holds its values itself."""

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return super().__torch_dispatch__(function, types, args, kwargs or {})


def test_subclasses(read, device):
    values = torch.arange(4.0, device=device)
    refuses(read, Pair(values), "has no memory", ValueError)
    assert read(torch.Tensor._make_subclass(Noted, values)) == 1
