"""Arrays on two GPUs: each kernel runs on the GPU of its arrays, independent of PyTorch's current device."""

import threading

import numpy as np
import pytest
import tilewright as tw
import tilewright.kernels as kernels
import tilewright.language as tl
from optional_packages import needs

pytestmark = pytest.mark.cuda
torch = needs("torch")

DEVICES = (0, 1)


@pytest.fixture(autouse=True)
def _two():
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    with torch.cuda.device(0):
        yield
    for device in DEVICES:
        torch.cuda.synchronize(device)


@tw.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    both = tl.load(x_ptr + at, mask=at < n) + tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, both, mask=at < n)


@tw.jit
def matmul_kernel_of_test(a_desc, b_ptr, c_desc, n, SIZE: tl.constexpr):
    """A matmul of SIZE x SIZE matrices. Tensor maps come from the host, and for `b` from the device."""
    b_desc = tl.make_tensor_descriptor(b_ptr, [n, n], [n, 1], [SIZE, SIZE])
    c_desc.store([0, 0], tl.dot(a_desc.load([0, 0]), b_desc.load([0, 0])))


def launch_add(device, n=1000, **options):
    """The actual and the expected result of a launch on `device`."""
    x, y = (torch.randn(n, device=f"cuda:{device}") for _ in range(2))
    out = torch.full_like(x, float("nan"))
    add_kernel[tw.cdiv(n, 256)](x, y, out, n, BLOCK=256, **options)
    return out, x + y


@pytest.mark.parametrize("current", DEVICES)
@pytest.mark.parametrize("device", DEVICES)
def test_launch(device, current):
    with torch.cuda.device(current):
        for _ in range(3):
            out, expected = launch_add(device)
            assert torch.equal(out, expected)
        assert torch.cuda.current_device() == current


def test_bound_launches():
    launches = []
    for device in DEVICES:
        x = torch.zeros(512, device=f"cuda:{device}")
        launches.append((x, add_kernel.bind(2, x, torch.ones_like(x), x, 512, BLOCK=256)))
    for current in DEVICES:
        with torch.cuda.device(current):
            for _, launch in launches:
                launch()
    for x, _ in launches:
        assert torch.equal(x, torch.full_like(x, 2))


def test_arrays_on_both():
    x, y = (torch.zeros(256, device=f"cuda:{device}") for device in DEVICES)
    with pytest.raises(ValueError, match="is on CUDA device 1, but 'x_ptr' is on CUDA device 0"):
        add_kernel[1](x, y, x, 256, BLOCK=256)


@pytest.mark.parametrize("device", DEVICES)
def test_descriptors(device):
    a, b = (torch.randn(64, 64, device=f"cuda:{device}", dtype=torch.float16) for _ in range(2))
    c = torch.full((64, 64), float("nan"), device=f"cuda:{device}")
    maps = [tw.TensorDescriptor.from_tensor(x, [64, 64]) for x in (a, c)]
    matmul_kernel_of_test[1](maps[0], b, maps[1], 64, SIZE=64)
    expected = a.double() @ b.double()
    assert (c.double() - expected).norm() <= 1e-3 * expected.norm()


@pytest.mark.parametrize("device", DEVICES)
def test_ready_kernels(device):
    a, b = (torch.randn(200, 200, device=f"cuda:{device}", dtype=torch.float16) for _ in range(2))
    expected = a.double() @ b.double()
    result = kernels.matmul(a, b)
    assert result.device.index == device
    assert (result.double() - expected).norm() <= 1.5e-3 * expected.norm()
    q = torch.randn(1, 2, 128, 64, device=f"cuda:{device}", dtype=torch.float16)
    attended = torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
    assert (kernels.attention(q, q, q, True) - attended).norm() <= 2e-3 * attended.norm()
    rows = torch.randn(33, 1000, device=f"cuda:{device}")
    assert torch.allclose(kernels.softmax(rows), rows.softmax(-1), atol=1e-6)


def test_streams():
    streams = [torch.cuda.Stream(device) for device in DEVICES]
    for device, stream in zip(DEVICES, streams, strict=True):
        with torch.cuda.stream(stream):
            out, expected = launch_add(device)
        stream.synchronize()
        assert torch.equal(out, expected)
        out, expected = launch_add(device, stream=torch.cuda.current_stream(device))
        assert torch.equal(out, expected)


def test_threads():
    failures = []

    def work(device):
        try:
            with torch.cuda.device(1 - device):
                for n in range(1, 400):
                    out, expected = launch_add(device, n)
                    assert torch.equal(out, expected)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number % 2,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize("device", DEVICES)
def test_graph(device):
    x = torch.zeros(512, device=f"cuda:{device}")
    one = torch.ones_like(x)
    add_kernel[2](x, one, x, 512, BLOCK=256)
    graph = torch.cuda.CUDAGraph()
    # Without an explicit stream, PyTorch captures on a stream of the first device that captured.
    stream = torch.cuda.Stream(device)
    with torch.cuda.device(device), torch.cuda.graph(graph, stream=stream):
        add_kernel[2](x, one, x, 512, BLOCK=256)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize(device)
    assert torch.equal(x, torch.full_like(x, 4))


@pytest.mark.parametrize("device", DEVICES)
def test_own_arrays(device):
    values = np.arange(300, dtype=np.float32)
    with tw.Stream(device) as stream:
        x = tw.from_numpy(values, device=device)
        out = tw.zeros(300, "fp32", device=device)
        add_kernel[2](x, x, out, 300, BLOCK=256)
        stream.synchronize()
    assert np.array_equal(tw.to_numpy(out), 2 * values)
    tensor = torch.from_dlpack(out)
    assert tensor.device.index == device
    add_kernel[2](tensor, x, out, 300, BLOCK=256)
    torch.cuda.synchronize(device)
    assert np.array_equal(tw.to_numpy(out), 3 * values)
    graph = tw.Graph(device)
    with graph.capture():
        add_kernel[2](out, x, out, 300, BLOCK=256)
    for _ in range(2):
        graph.launch()
    assert np.array_equal(tw.to_numpy(out), 5 * values)
    assert tw.device_info(device).architecture.startswith("sm_") and tw.memory_info(device).total > 0


@pytest.mark.parametrize("device", DEVICES)
def test_tuned(device):
    @tw.autotune([tw.Config({"BLOCK": block}) for block in (128, 256, 512)], key=["n"])
    @tw.jit
    def tuned_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)

    x = torch.randn(5000, device=f"cuda:{device}")
    out = torch.full_like(x, float("nan"))
    tuned_kernel[lambda meta: (tw.cdiv(5000, meta["BLOCK"]),)](x, out, 5000)
    assert torch.equal(out, 2 * x)
