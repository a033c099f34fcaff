"""Tilewright's arrays on the back end under test: values, copies, kernels, other libraries."""

import gc

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs


@pytest.fixture
def device(backend):
    return "cuda" if backend.name == "cuda" else "cpu"


@tw.jit
def double(x, out, n, BLOCK: tl.constexpr = 256):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * 2, i < n)


def test_kernel_on_our_arrays(device):
    x = tw.from_numpy(np.arange(1000, dtype=np.float32), device)
    out = tw.empty(x.shape, x.dtype, device)
    double[4](x, out, 1000)
    np.testing.assert_array_equal(tw.to_numpy(out), 2 * np.arange(1000))


@pytest.mark.parametrize(
    "dtype, name",
    [
        (np.float64, "float64"),
        ("fp16", "float16"),
        ("int32", "int32"),
        (tl.uint8, "uint8"),
        (tl.bfloat16, "bfloat16"),
        (np.bool_, "bool"),
        (ml_dtypes.float8_e4m3fn, "float8_e4m3fn"),
    ],
)
def test_dtypes(device, dtype, name):
    x = tw.zeros((2, 3), dtype, device)
    assert (x.dtype.name, x.shape, x.strides, x.size, x.ndim, len(x)) == (
        name,
        (2, 3),
        (3 * x.dtype.itemsize, x.dtype.itemsize),
        6,
        2,
        2,
    )
    np.testing.assert_array_equal(x.to_numpy().astype(np.float32), np.zeros((2, 3)))


def test_types_that_no_kernel_takes(device):
    for dtype in (np.complex64, "S4", np.longdouble):
        with pytest.raises(TypeError, match="no kernel takes elements of dtype"):
            tw.empty(3, dtype, device)


@pytest.mark.parametrize("shape", [(), 0, 5, (3, 0, 2), (2, 3, 4)])
def test_copies_there_and_back(device, rng, shape):
    values = rng.normal(size=shape).astype(np.float32)
    x = tw.from_numpy(values, device)
    np.testing.assert_array_equal(x.to_numpy(), values)
    out = np.zeros_like(values)
    assert x.to_numpy(out) is out
    np.testing.assert_array_equal(out, values)
    y = tw.empty(x.shape, x.dtype, device).copy_from(x)
    np.testing.assert_array_equal(y.numpy(), values)


def test_a_copy_is_a_copy(device):
    values = np.arange(6)
    x = tw.from_numpy(values[::2], device)
    values[:] = -1
    x.to_numpy()[:] = 9
    assert x.to_numpy().tolist() == [0, 2, 4]


def test_copies_larger_than_the_buffers(device, rng):
    values = rng.integers(0, 255, 40_000_001, np.uint8)
    np.testing.assert_array_equal(tw.from_numpy(values, device).to_numpy(), values)


def test_pinned(device):
    values = tw.pinned((3, 4), np.int16, device)
    values[:] = np.arange(12).reshape(3, 4)
    x = tw.from_numpy(values, device)
    back = tw.pinned((3, 4), np.int16, device)
    x.to_numpy(back)
    if device == "cuda":
        tw.current_stream().synchronize()
    np.testing.assert_array_equal(back, values)
    assert tw.pinned(0, device=device).size == 0


def test_reshape(device):
    x = tw.from_numpy(np.arange(12), device)
    y = x.reshape(3, -1)
    assert (y.shape, y.address) == ((3, 4), x.address)
    np.testing.assert_array_equal(y.to_numpy(), np.arange(12).reshape(3, 4))
    assert tw.zeros((0, 3), device=device).reshape(3, 0).shape == (3, 0)
    for shape in ((5, -1), (3, 5), (-1, -1), (-2, 6)):
        with pytest.raises(ValueError, match=r"cannot reshape|not negative"):
            x.reshape(shape)


def test_wrong_copies(device):
    x = tw.zeros((2, 2), device=device)
    with pytest.raises(
        ValueError, match=r"cannot copy float64 of shape \[2, 2\] to float32 of shape \[2, 2\]"
    ):
        x.copy_from(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"out is float32 of shape \[4\], not a contiguous array of float32"):
        x.to_numpy(np.zeros(4, np.float32))


def test_torch_takes_and_gives(device):
    torch = needs("torch")
    x = tw.from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3), device)
    tensor = torch.from_dlpack(x)
    tensor[0, 0] = 7
    assert x.to_numpy()[0, 0] == 7
    del x
    assert tensor.tolist() == [[7, 1, 2], [3, 4, 5]], "the tensor keeps the memory"

    back = tw.from_dlpack(tensor.to(torch.bfloat16).t())
    assert (back.shape, back.strides, back.dtype.name) == ((3, 2), (2, 6), "bfloat16")
    if device == "cuda":
        with pytest.raises(ValueError, match="a copy from a device needs an array in row-major order"):
            back.to_numpy()
    else:
        assert back.to_numpy().astype(int).tolist() == [[7, 3], [1, 4], [2, 5]]


def test_numpy_views_arrays_of_the_cpu():
    x = tw.from_numpy(np.arange(4), "cpu")
    np.asarray(x)[1] = 9
    np.from_dlpack(x)[2] = 8
    assert x.to_numpy().tolist() == [0, 9, 8, 3]
    assert np.asarray(x, np.float32).dtype == np.float32
    # Strides may be negative.
    assert tw.from_dlpack(np.arange(5)[::-1]).to_numpy().tolist() == [4, 3, 2, 1, 0]


@pytest.mark.compiled
def test_read_only_arrays_are_not_written():
    values = np.arange(4)
    values.flags.writeable = False
    try:
        x = tw.from_dlpack(values)
    except BufferError:
        pytest.skip("this NumPy exports no read-only arrays")
    assert x.read_only
    with pytest.raises(ValueError, match="read-only"):
        x.copy_from(np.zeros(4, int))
    with pytest.raises(ValueError, match=r"argument 'out' of kernel double\(\): the array is read-only"):
        double[1](x, x, 4)
    with pytest.raises(BufferError, match=r"a read-only array needs DLPack 1\.0"):
        x.__dlpack__()


def test_devices():
    for device in ("gpu", "cuda:x", "cpu:1", 1.5, True):
        with pytest.raises(ValueError, match="device is"):
            tw.empty(3, device=device)
    info = tw.device_info("cpu")
    assert info.device == "cpu" and info.multiprocessors >= 1
    with pytest.raises(ValueError, match="memory_info is about CUDA devices"):
        tw.memory_info("cpu")
    with pytest.raises(ValueError, match="a stream is on a CUDA device"):
        tw.Stream("cpu")


@pytest.mark.cuda
class TestOnTheGpu:
    def test_memory_is_used_again(self):
        del_me = tw.empty(1 << 20, np.uint8)
        before = tw.memory_info()
        assert before.used >= 1 << 20
        del del_me
        tw.cuda.synchronize()
        after = tw.memory_info()
        assert after.used < before.used and after.reserved == before.reserved
        tw.trim_memory()
        assert tw.memory_info().reserved <= after.reserved

    def test_out_of_memory(self):
        info = tw.memory_info()
        with pytest.raises(tw.OutOfMemory, match="cannot allocate") as caught:
            tw.empty(info.total + 1, np.uint8)
        error = caught.value
        assert (error.requested, error.total) == (info.total + 1, info.total)
        assert isinstance(error, MemoryError)
        assert tw.zeros(4).to_numpy().tolist() == [0, 0, 0, 0]

    def test_streams_and_events(self):
        x, out = tw.zeros(1 << 22), tw.zeros(1 << 22)
        start, end = tw.Event(), tw.Event()
        with tw.Stream() as stream:
            assert tw.current_stream() is stream
            start.record()
            for _ in range(10):
                double[1 << 14](x, out, 1 << 22)
            end.record()
        assert tw.current_stream().handle == 0
        other = tw.Stream()
        other.wait(stream)
        other.wait(end)
        other.synchronize()
        assert end.done and stream.done and 0 < end.elapsed(start) < 1000

    def test_graph(self):
        x, out = tw.from_numpy(np.arange(1000, dtype=np.float32)), tw.zeros(1000)
        double[4](x, out, 1000)
        graph = tw.Graph()
        with pytest.raises(RuntimeError, match="nothing was captured"):
            graph.launch()
        with graph.capture() as stream:
            double[4](x, out, 1000)
            double[4](out, out, 1000)
            with pytest.raises(ValueError, match="memory is allocated on a stream while a graph is captured"):
                tw.empty(4)
        tw.cuda.synchronize()
        graph.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(out.to_numpy(), 4 * np.arange(1000))

    def test_shared_with_other_streams(self):
        """Memory that another stream uses is not reused before that stream is done."""
        x = tw.zeros(1 << 24)
        with tw.Stream() as other:
            for _ in range(20):
                double[1 << 16](x, x, 1 << 24)
        del x
        y = tw.from_numpy(np.ones(1 << 24, np.float32))
        other.synchronize()
        assert (y.to_numpy() == 1).all()

    def test_streams_and_arrays_that_the_collector_finds(self):
        for order in (("stream", "array"), ("array", "stream")) * 20:
            stream = tw.Stream()
            members = {"stream": stream, "array": tw.zeros(1000, stream=stream)}
            cycle = {name: members[name] for name in order}
            cycle["cycle"] = cycle
            del stream, members, cycle
            gc.collect()
        assert tw.zeros(4).to_numpy().tolist() == [0, 0, 0, 0]

    def test_cupy(self):
        cupy = needs("cupy")
        x = tw.from_numpy(np.arange(4, dtype=np.float32))
        assert cupy.asarray(x).tolist() == [0, 1, 2, 3]
        assert tw.from_dlpack(cupy.arange(3)).to_numpy().tolist() == [0, 1, 2]
