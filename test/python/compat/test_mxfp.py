"""`triton.tools.mxfp`: numbers of 4 bits and scales."""

import pytest
import tilewright.compat
from optional_packages import needs

tilewright.compat.install()

torch = needs("torch")

from triton.tools.mxfp import MXFP4Tensor, MXScaleTensor, fp8e8m0_to_float32  # noqa: E402


def test_numbers_there_and_back():
    values = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
    values = torch.stack([values, -values])
    made = MXFP4Tensor(data=values)
    assert made.data.tolist() == [list(range(8)), list(range(8, 16))] and made.size == values.shape
    assert torch.equal(made.to(torch.float32), values)


@pytest.mark.parametrize(
    "value, rounded",
    [(0.25, 0.0), (0.75, 1.0), (1.3, 1.5), (2.5, 2.0), (3.5, 4.0), (5.0, 4.0), (-100.0, -6.0)],
)
def test_rounding(value, rounded):
    assert MXFP4Tensor(data=torch.tensor([value])).to(torch.float32).item() == rounded


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("shape", [(4, 6), (3, 5)])
def test_packing(dim, shape):
    made = MXFP4Tensor(size=shape, device="cpu").random()
    packed = made.to_packed_tensor(dim=dim)
    assert packed.shape[dim] == (shape[dim] + 1) // 2
    assert torch.equal(made.unpack_packed_tensor(packed, dim, shape), made.data)
    assert (
        packed.movedim(dim, -1)[0, 0]
        == made.data.movedim(dim, -1)[0, 0] | made.data.movedim(dim, -1)[0, 1] << 4
    )


def test_scales():
    values = torch.tensor([1.0, 0.25, 2.0**127, 2.0**-126, 3.0, -1.0, float("nan"), float("inf")])
    found = MXScaleTensor(data=values)
    assert found.data.tolist() == [127, 125, 254, 1, 128, 255, 255, 255]
    assert found.to(torch.float32)[:5].tolist() == [1.0, 0.25, 2.0**127, 2.0**-126, 2.0]
    assert found.to(torch.float32)[5:].isnan().all()
    scales = MXScaleTensor(size=(1000,), device="cpu").random(low=0.5, high=4.0).to(torch.float32)
    assert set(scales.tolist()) == {0.5, 1.0, 2.0, 4.0}


def test_mistakes():
    with pytest.raises(ValueError, match="made of data or of a size"):
        MXFP4Tensor()
    with pytest.raises(ValueError, match="low is at most high, got 4 and 2"):
        MXScaleTensor(size=(1,)).random(4, 2)
    for made in (MXFP4Tensor(size=(2,)).random(), MXScaleTensor(size=(2,)).random()):
        with pytest.raises(TypeError, match=r"converted to torch\.float32, not to torch\.float16"):
            made.to(torch.float16)


@pytest.mark.parametrize("dim", [2, -3])
def test_packing_along_no_axis(dim):
    with pytest.raises(AssertionError, match=f"dim is one of 2 axes, got {dim}"):
        MXFP4Tensor(size=(4, 4), device="cpu").random().to_packed_tensor(dim=dim)


def test_bytes_of_scales_as_floats():
    scale = torch.tensor([0, 1, 126, 127, 128, 254, 255], dtype=torch.uint8)
    floats = fp8e8m0_to_float32(scale)
    assert floats[:-1].tolist() == [2.0**-127, 2.0**-126, 0.5, 1.0, 2.0, 2.0**127] and floats[-1].isnan()
