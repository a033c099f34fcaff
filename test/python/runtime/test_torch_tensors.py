"""PyTorch tensors that change between launches: each launch sees their present state."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs

pytestmark = pytest.mark.compiled
torch = needs("torch")


@pytest.fixture
def device(backend):
    return "cuda" if backend.name == "cuda" else "cpu"


@tw.jit
def first(x, out):
    tl.store(out, tl.load(x).to(tl.float32))


@pytest.fixture
def read(device):
    """`read(x)`: the first element as a kernel sees it, and the type it is compiled for."""
    out = torch.zeros(1, device=device)

    def read(x):
        out.fill_(-1)
        compiled = first[1](x, out)
        return out.item(), compiled.arg_types["x"]

    return read


def test_other_memory(read, device):
    x = torch.full((4,), 1.0, device=device)
    assert read(x) == (1, "*fp32")
    x.data = torch.full((4,), 2.0, device=device)
    assert read(x) == (2, "*fp32")
    x.set_(torch.full((8,), 3.0, device=device)[2:])
    assert read(x) == (3, "*fp32")
    grown = torch.empty(1 << 20, device=device)
    kept = x.clone()
    x.resize_(1 << 22)
    x[0] = 4.0
    assert read(x) == (4, "*fp32")
    assert (read(kept)[0], read(grown)[1]) == (3, "*fp32")


def test_other_type(read, device):
    x = torch.full((4,), 1.5, device=device)
    assert read(x) == (1.5, "*fp32")
    for dtype, name in [
        (torch.float16, "*fp16"),
        (torch.int8, "*i8"),
        (torch.bfloat16, "*bf16"),
        (torch.float32, "*fp32"),
    ]:
        x.data = torch.full((4,), 3, dtype=dtype, device=device)
        assert read(x) == (3, name)


def test_views_and_classes(read, device):
    x = torch.arange(16.0, device=device)
    assert read(x) == (0, "*fp32")
    assert read(x[5:]) == (5, "*fp32")
    assert read(x.view(4, 4).t()[1]) == (1, "*fp32")
    assert read(torch.nn.Parameter(x[3:])) == (3, "*fp32")

    class Other(torch.Tensor):
        pass

    assert read(x[7:].as_subclass(Other)) == (7, "*fp32")
    assert read(x[2:].requires_grad_()) == (2, "*fp32")
    assert read(x.view(torch.int32)) == (0, "*i32")


def test_lazy_copies(read, device):
    x = torch.arange(4.0, device=device)
    copy = torch._lazy_clone(x)
    assert read(x) == read(copy) == (0, "*fp32")
    copy.fill_(9)
    assert (read(x)[0], read(copy)[0]) == (0, 9)


def test_no_plain_array(read, device):
    x = torch.eye(4, device=device)
    assert read(x) == (1, "*fp32")
    others = [x.to_sparse()]
    if device == "cpu" and torch.backends.mkldnn.is_available():
        others.append(x.to_mkldnn())
    for other in others:
        with pytest.raises(TypeError, match="argument 'x' of kernel first"):
            read(other)
    assert read(x) == (1, "*fp32")


def test_not_initialised(read, device):
    x = torch.ones(4, device=device)
    assert read(x) == (1, "*fp32")
    meta = torch.ones(4, device="meta")
    for _ in range(2):
        with pytest.raises((TypeError, ValueError), match="argument 'x' of kernel first"):
            read(meta)
    assert read(x) == (1, "*fp32")


@pytest.mark.cuda
def test_other_device(read):
    x = torch.ones(4, device="cuda")
    assert read(x) == (1, "*fp32")
    x.data = torch.ones(4)
    with pytest.raises(ValueError, match="is on CUDA device 0, but 'x' is on the CPU"):
        read(x)


def test_other_libraries_between(read, device, backend):
    x = torch.full((4,), 1.0, device=device)
    y = tw.from_numpy(np.full(4, 2.0, np.float32), device)
    assert [read(array)[0] for array in (x, y, x, y)] == [1, 2, 1, 2]
