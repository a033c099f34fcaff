"""Arrays, streams, events and graphs on the double of the driver: calls to the driver, and its failures."""

import pytest

pytestmark = pytest.mark.compiled


def test_memory_is_counted(run, double):
    lines = run(
        """
        x = tw.empty(1000, np.uint8, "cuda:1")
        print(tw.memory_info(1))
        del x
        print(tw.memory_info(1).used, tw.memory_info(1).reserved)
        tw.trim_memory(1)
        print(tw.memory_info("cuda:1").reserved)
        """,
        double("FakeCuda"),
    )
    assert lines == [
        "MemoryInfo(free=1073740824, total=1073741824, reserved=1000, used=1000)",
        "0 1000",
        "0",
    ]


def test_out_of_memory_has_the_numbers(run, double):
    lines = run(
        """
        keep = tw.empty(1 << 29, np.uint8)
        try:
            tw.empty(1 << 30, np.uint8)
        except tw.OutOfMemory as error:
            print(error)
            print(error.device, error.requested, error.free, error.total, error.used)
            print(isinstance(error, (tw.OutOfResources)), isinstance(error, MemoryError))
        """,
        double("FakeCuda"),
    )
    assert lines[0].startswith(
        "cannot allocate 1073741824 bytes on device 0: 536870912 of its 1073741824 bytes are free, and arrays of "
        "this process hold 536870912 (cuMemAllocFromPoolAsync failed"
    )
    assert lines[1:] == ["0 1073741824 536870912 1073741824 536870912", "True True"]


def test_streams(run, double):
    lines = run(
        """
        stream = tw.Stream()
        print(stream, stream.__cuda_stream__(), stream.done, tw.current_stream().handle)
        with stream:
            print(tw.current_stream() is stream)
            with tw.Stream(1):
                print(tw.current_stream(0) is stream, tw.current_stream(1) is stream)
        print(tw.current_stream().handle)
        stream.wait(tw.Stream())
        show(lambda: stream.wait(3))
        show(lambda: tw.empty(3, device=1, stream=stream))
        show(lambda: tw.Stream(2))
        """,
        double("FakeCuda"),
    )
    assert lines == [
        "<tilewright stream 0x5000 on cuda:0> (0, 20480) True 0",
        "True",
        "True False",
        "0",
        "TypeError: a stream waits for an Event or a Stream, got 3",
        "ValueError: <tilewright stream 0x5000 on cuda:0> is used for work on cuda:1",
        "ValueError: there is no CUDA device 2: this machine has 2",
    ]


def test_events(run, double):
    lines = run(
        """
        start, end = tw.Event(), tw.Event()
        start.record(), end.record(tw.Stream()), end.synchronize()
        print(end.done, end.elapsed(start))
        """,
        double("FakeCuda"),
    )
    assert lines == ["True 1.5"]


def test_graphs(run, double):
    lines = run(
        """
        graph = tw.Graph()
        show(graph.launch)
        x = tw.zeros(4)
        with graph.capture() as stream:
            kernel[1](x, None, 3)
            show(lambda: tw.zeros(4))
            show(lambda: x.to_numpy())
        graph.launch()
        try:
            with graph.capture():
                raise KeyError("mistake")
        except KeyError:
            print(tw.zeros(4, stream=stream).to_numpy(), "after a failed capture")
        show(lambda: graph.capture("x").__enter__())
        """,
        double("FakeCuda"),
    )
    refusal = "on a stream while a graph is captured on it; do it before the capture"
    assert lines == [
        "RuntimeError: nothing was captured in this graph; use `with graph.capture():` first",
        f"ValueError: memory is allocated {refusal}",
        f"ValueError: host memory is copied {refusal}",
        "[0. 0. 0. 0.] after a failed capture",
        "TypeError: stream is 'x', not an int, a tilewright.Stream or a stream of torch or CuPy",
    ]


def test_device_info(run, double):
    (line,) = run("print(tw.device_info(1))", double("FakeCuda"))
    assert line.startswith("DeviceInfo(device='cuda:1', name='Fake A100', architecture='sm_80'")
    assert "tensor_cores=('fp16', 'bf16', 'tf32', 'fp64', 'int8')" in line


def test_interfaces_of_device_arrays(run, double):
    lines = run(
        """
        x = tw.from_numpy(np.arange(4, dtype=np.float32))
        interface = x.__cuda_array_interface__
        print(interface["typestr"], interface["shape"], interface["data"] == (x.address, False), interface["stream"])
        print(x.__dlpack_device__(), type(x.__dlpack__()).__name__)
        show(lambda: np.asarray(x))
        show(lambda: tw.zeros(3, "bf16").__cuda_array_interface__)
        show(lambda: x.__dlpack__(copy=True))
        y = tw.from_dlpack(x)
        print(y, y.address == x.address, y.copy_from(x).to_numpy())
        """,
        double("FakeCuda"),
    )
    assert lines == [
        "<f4 (4,) True 1",
        "(2, 0) PyCapsule",
        "TypeError: the array is on cuda:0; to_numpy() copies it to the host",
        "AttributeError: arrays of bfloat16 on cuda:0 have no CUDA array interface",
        "BufferError: an array is given as it is, on its own device",
        "<tilewright array of float32, shape [4], on cuda:0> True [0. 1. 2. 3.]",
    ]
