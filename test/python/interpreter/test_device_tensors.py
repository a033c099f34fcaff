"""Torch tensors of a device in the interpreter: their memory is copied to the host and back."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs
from tilewright.interpreter import OutOfBounds, interpret

torch = needs("torch")


class FarStorage:
    """Memory on a device, as far as the interpreter sees it: it is there, and can be copied."""

    def __init__(self, storage):
        self.storage, self.copies = storage, 0

    def data_ptr(self):
        return self.storage.data_ptr()

    def nbytes(self):
        return self.storage.nbytes()

    def cpu(self):
        self.copies += 1
        return self.storage.clone()

    def copy_(self, other):
        self.storage.copy_(other)


class FarTensor:
    """A tensor on a device."""

    device = torch.device("cuda", 0)

    def __init__(self, tensor, storage):
        self.tensor, self.storage = tensor, storage

    def untyped_storage(self):
        return self.storage

    def __getattr__(self, name):
        return getattr(self.tensor, name)


def shift(x, out, n, FAIL: tl.constexpr):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(x + i, i < n) + 1, i < n)
    if FAIL:
        tl.store(out - 1, 0.0)


@pytest.fixture
def far():
    memory = torch.arange(16, dtype=torch.float32)
    return memory, FarStorage(memory.untyped_storage())


@pytest.mark.parametrize("numerics", ["ieee", "triton"])
def test_views_of_one_memory(far, numerics):
    memory, storage = far
    x, out = FarTensor(memory[:4], storage), FarTensor(memory[8:12], storage)
    tw.interpret(tw.jit(shift, numerics=numerics))[1,](x, out, 4, False)
    assert memory.tolist() == [*range(8), 1, 2, 3, 4, *range(12, 16)]
    assert storage.copies == 1


def test_a_failure_leaves_the_device_alone(far):
    memory, storage = far
    with pytest.raises(OutOfBounds, match="4 bytes before the start of 'out'"):
        interpret(shift)[1,](FarTensor(memory[:4], storage), FarTensor(memory[8:12], storage), 4, True)
    assert memory.tolist() == list(range(16))


def test_other_arrays_of_devices_are_refused(far):
    memory, storage = far

    class Lookalike(FarTensor):
        untyped_storage = property()  # has none

        def __getattr__(self, name):
            if name == "untyped_storage":
                raise AttributeError(name)
            return super().__getattr__(name)

    with pytest.raises(TypeError, match="'x' is on cuda:0; the interpreter takes torch tensors from there"):
        interpret(shift)[1,](Lookalike(memory, storage), np.zeros(4, np.float32), 4, False)


@pytest.mark.cuda
def test_on_a_device():
    x, out = torch.arange(8.0, device="cuda"), torch.zeros(8, device="cuda")
    interpret(shift)[1,](x, out, 8, False)
    assert out.tolist() == list(range(1, 9))
