"""Launches on a real device: streams, and arrays of several libraries."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs

pytestmark = pytest.mark.cuda


@tw.jit
def increment(x, n, BLOCK: tl.constexpr = 256):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)


def run(x, n=1000, **options):
    return increment[tw.cdiv(n, 256)](x, n, **options)


@pytest.fixture
def torch():
    return needs("torch")


def test_current_stream_of_torch(torch):
    x = torch.zeros(1000, device="cuda")
    other = torch.cuda.Stream()
    other.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(other):
        torch.cuda._sleep(50_000_000)  # the kernel has to wait for this and for the fill after it
        x.fill_(5)
        run(x)
    other.synchronize()
    assert (x == 6).all()


@pytest.mark.parametrize("as_int", [False, True])
def test_stream_of_the_caller(torch, as_int):
    x = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    other = torch.cuda.Stream()
    with torch.cuda.stream(other):
        torch.cuda._sleep(50_000_000)
        x.fill_(5)
    run(x, stream=other.cuda_stream if as_int else other)
    other.synchronize()
    assert (x == 6).all()


def test_captured_in_a_graph(torch):
    x = torch.zeros(1000, device="cuda")
    run(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run(x)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert (x == 4).all()


def test_views_and_gradients(torch):
    x = torch.zeros(8, 500, device="cuda", requires_grad=True)
    run(x.detach()[1:3], 1000)
    assert x.sum(dim=1).tolist() == [0, 500, 500, 0, 0, 0, 0, 0]


def test_cupy():
    cupy = needs("cupy")
    x = cupy.zeros(1000, cupy.float32)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x += 5
        run(x)
        stream.synchronize()
    assert (x == 6).all()


def test_jax():
    """JAX's arrays are immutable: they are read, and a kernel that writes to one is refused."""
    jax = needs("jax")
    cupy = needs("cupy")

    @tw.jit
    def double(out, x, n, BLOCK: tl.constexpr = 256):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, i < n) * 2, i < n)

    x = jax.device_put(np.arange(1000, dtype=np.float32), jax.devices("gpu")[0])
    with pytest.raises(ValueError, match=r"argument 'out' .* is read-only, and the kernel writes to it"):
        double[tw.cdiv(1000, 256)](x, x, 1000)
    out = cupy.zeros(1000, cupy.float32)
    double[tw.cdiv(1000, 256)](out, x, 1000)
    np.testing.assert_array_equal(out.get(), 2 * np.arange(1000))
    with pytest.raises(ValueError, match=r"argument 'x' of kernel increment.* read-only"):
        run(x)


def test_arrays_of_our_own():
    x = tw.cuda.to_device(np.arange(1000, dtype=np.int32))
    run(x)
    np.testing.assert_array_equal(x.numpy(), np.arange(1, 1001))


def test_array_on_the_cpu_among_others(torch):
    @tw.jit
    def kernel(x, y):
        pass

    with pytest.raises(
        ValueError, match=r"argument 'y' of kernel kernel.* is on the CPU, but 'x' is on CUDA device 0"
    ):
        kernel[1](torch.zeros(4, device="cuda"), torch.zeros(4))


def test_empty_tensor(torch):
    run(torch.zeros(0, device="cuda"), 0)
    torch.cuda.synchronize()


def test_bench_measures_the_kernel(torch):
    x = torch.zeros(1 << 26, device="cuda")
    milliseconds = tw.testing.do_bench(lambda: x.add_(1))
    assert 0.1 < milliseconds < 2  # half a gigabyte read and written


def test_compiled_kernel_knows_its_resources(torch):
    compiled = run(torch.zeros(1000, device="cuda"))
    assert compiled.target.startswith("sm_")
    assert compiled.num_regs > 0
    assert (compiled.spills, compiled.shared) == (0, 0)
    assert f".target {compiled.target}" in compiled.asm["ptx"]
