"""Bound launches: the state that they hold, and the state that they read again."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs


@tw.jit
def add(x, out, n, step, BLOCK: tl.constexpr = 256):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(out + i, i < n) + step * tl.load(x + i, i < n), i < n)


def test_launches_again_with_the_content_of_now(backend):
    x, out = backend.array(np.ones(1000, np.float32)), backend.array(np.zeros(1000, np.float32))
    launch = add.bind(lambda meta: tw.cdiv(meta["n"], meta["BLOCK"]), x, out, n=1000, step=2, BLOCK=128)
    assert (backend.numpy(out) == 0).all(), "bind does not launch"
    launch()
    launch()
    assert (backend.numpy(out) == 4).all()
    x[:] = 3
    launch()
    assert (backend.numpy(out) == 10).all()


def test_keeps_its_arrays(backend):
    out = backend.array(np.zeros(1000, np.float32))
    launch = add.bind(4, backend.array(np.ones(1000, np.float32)), out, 1000, 1)
    for _ in range(10):
        backend.array(np.full(1000, 9, np.float32))  # would reuse the memory of arrays that are not kept
    launch()
    assert (backend.numpy(out) == 1).all()


@pytest.mark.compiled
def test_properties_of_a_bound_launch(backend):
    out = backend.array(np.zeros(10, np.float32))
    launch = add.bind(1, out, out, 10, 1)
    assert launch.compiled is add[1](out, out, 10, 1)
    with pytest.raises(TypeError, match="a bound launch takes no arguments"):
        launch(out)
    with pytest.raises(TypeError, match=r"kernel add\(\) is missing arguments 'n', 'step'"):
        add.bind(1, out, out)
    with pytest.raises(ValueError, match=r"grid of kernel add\(\) along x is -1, a negative number"):
        add.bind(-1, out, out, 10, 1)


@pytest.mark.compiled
def test_structured_arguments(backend):
    @tw.jit
    def copy(pair, n, BLOCK: tl.constexpr = 64):
        i = tl.arange(0, BLOCK)
        tl.store(pair[1] + i, tl.load(pair[0] + i, i < n), i < n)

    x, out = backend.array(np.arange(10, dtype=np.float32)), backend.array(np.zeros(10, np.float32))
    copy.bind(1, (x, out), 10)()
    np.testing.assert_array_equal(backend.numpy(out), np.arange(10))


@pytest.mark.compiled
def test_cooperative_grids(backend):
    x, out = backend.array(np.ones(10, np.float32)), backend.array(np.zeros(10, np.float32))
    add[1](x, out, 10, 1, launch_cooperative_grid=True)
    np.testing.assert_array_equal(backend.numpy(out), 1)


@pytest.mark.cuda
def test_streams_of_bound_launches():
    torch = needs("torch")
    x, out = torch.ones(1000, device="cuda"), torch.zeros(1000, device="cuda")
    launch = add.bind(4, x, out, 1000, 1)
    torch.cuda.synchronize()
    other = torch.cuda.Stream()
    with torch.cuda.stream(other):
        torch.cuda._sleep(50_000_000)
        out.fill_(5)
        launch()  # on the stream that is current now, after the fill
    other.synchronize()
    assert (out == 6).all()
