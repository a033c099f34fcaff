"""Drivers that are missing, old or full, and arrays on the wrong device; with the C++ tests' double of the driver."""

import pytest

pytestmark = pytest.mark.compiled


def test_no_driver(run):
    (line,) = run("show(lambda: tw.cuda.empty(4))", "/nonexistent/libcuda.so")
    assert line.startswith("DriverError: no CUDA driver found: /nonexistent/libcuda.so: cannot open")


def test_no_driver_is_not_needed_for_the_cpu(run):
    lines = run(
        """
        print(tw.cuda.is_available())
        print(kernel.warmup(np.zeros(4), None, 3).target)
        """,
        "/nonexistent/libcuda.so",
    )
    assert lines == ["False", "cpu"]


def test_old_driver(run, double):
    (line,) = run("show(lambda: tw.cuda.empty(4))", double("FakeCudaAncient"))
    assert line.startswith("DriverError: CUDA driver too old: have 13.0, need")


def test_launch(run, double):
    lines = run(
        """
        x = tw.cuda.empty(4, np.float32, device=1)
        compiled = kernel[2, 3](x, None, 7)
        print(compiled.target, compiled.arg_types)
        print(kernel[2](x, None, 9, stream=5) is compiled, kernel[0](x, None, 9) is compiled)
        """,
        double("FakeCuda"),
    )
    assert lines == ["sm_80 {'x': '*fp32', 'n': 'i32'}", "True True"]


def test_arrays_on_two_devices(run, double):
    (line,) = run(
        "show(lambda: kernel[1](np.zeros(4), tw.cuda.empty(4, device=1), 3))",
        double("FakeCuda"),
    )
    assert line == "ValueError: argument 'y' of kernel kernel() is on CUDA device 1, but 'x' is on the CPU"


def test_too_much_shared_memory(run, double):
    (line,) = run(
        """
        metadata["shared"] = 300000
        show(lambda: kernel[1](tw.cuda.empty(4, device=1), None, 3))
        """,
        double("FakeCuda"),
    )
    assert line.startswith(
        "OutOfResources: kernel 'kernel' needs 301024 bytes of shared memory, but device 1 (Fake A100)"
    )
    assert "has at most 232448 for a program; use smaller blocks or fewer stages" in line


def test_memory_goes_there_and_back(run, double):
    lines = run(
        """
        x = tw.cuda.to_device(np.arange(6, dtype=np.int16).reshape(2, 3), device=1)
        print(x)
        print(x.numpy().tolist())
        show(lambda: x.copy_from(np.zeros(6, np.int16)))
        show(lambda: tw.cuda.empty(-1))
        """,
        double("FakeCuda"),
    )
    assert lines == [
        "<tilewright array of int16, shape [2, 3], on cuda:1>",
        "[[0, 1, 2], [3, 4, 5]]",
        "ValueError: cannot copy int16 of shape [6] to int16 of shape [2, 3]",
        "ValueError: the dimensions of an array are not negative, got [-1]",
    ]


def test_address_that_the_driver_does_not_know(run, double):
    (line,) = run(
        """
        class Array:
            __cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (64, False), "version": 3}
        show(lambda: kernel[1](Array(), None, 3))
        """,
        double("FakeCuda"),
    )
    assert line == (
        "ValueError: argument 'x' of kernel kernel(): the CUDA driver does not know the array's address"
    )


def test_contexts_of_other_libraries(run, double):
    """A kernel runs in the caller's context where that is one of the device, else in the primary one."""
    lines = run(
        """
        import ctypes, os
        fake = ctypes.CDLL(os.environ["TILEWRIGHT_LIBCUDA"])
        arrays = [tw.empty(4, device=device) for device in (0, 1)]
        def contexts():
            for array in arrays:
                kernel[1](array, None, 3)
                yield hex(fake.fakeLastContext())
        print(*contexts())
        for device in (0, 1):
            fake.fakeEnterContext(device)
            print(*contexts(), "left on the stack:", fake.fakeEnterContext(-1))
        launch = kernel.bind(1, arrays[0], None, 3)
        fake.fakeEnterContext(1)
        launch()
        print(hex(fake.fakeLastContext()), "left on the stack:", fake.fakeEnterContext(-1))
        """,
        double("FakeCuda"),
    )
    assert lines == [
        "0x1000 0x1001",
        "0x2000 0x1001 left on the stack: 0",
        "0x1000 0x2001 left on the stack: 0",
        "0x1000 left on the stack: 0",
    ]


INTERFACE = """
        import ctypes, os
        fake = ctypes.CDLL(os.environ["TILEWRIGHT_LIBCUDA"])
        start = ctypes.c_uint64()
        fake.fakeMemory(ctypes.byref(start))
        class Array:
            def __init__(self, offset=0, **more):
                data = start.value + offset, False
                self.interface = {"shape": (4,), "typestr": "<f4", "data": data, "version": 3, **more}
            __cuda_array_interface__ = property(lambda self: self.interface)
"""


def test_stream_that_an_array_names(run, double):
    """CuPy's arrays name the current stream like this."""
    lines = run(
        INTERFACE
        + """
        def launch(**options):
            kernel[1](Array(stream=0x7000), None, 3, **options)
            print(hex(fake.fakeLastStream()))
        launch()
        launch(stream=0x9000)
        with tw.Stream(1) as own:
            launch()
            print(hex(own.handle))
        kernel[1](Array(stream=None), None, 3)
        print(fake.fakeLastStream())
        """,
        double("FakeCuda"),
    )
    assert lines[:2] == ["0x7000", "0x9000"]
    assert lines[2] == lines[3]
    assert lines[4] == "0"


def test_address_that_elements_cannot_have(run, double):
    lines = run(
        INTERFACE
        + """
        show(lambda: kernel[1](Array(4), None, 3).target)
        show(lambda: kernel[1](Array(6), None, 3))
        show(lambda: kernel[1](tw.empty(4, device=1), Array(1), 3))
        show(lambda: kernel.bind(1, Array(2), None, 3))
        """,
        double("FakeCuda"),
    )
    assert lines[0] == "sm_80"
    assert len(lines) == 4
    for line, name in zip(lines[1:], "xyx", strict=True):
        assert line.startswith(
            f"ValueError: argument '{name}' of kernel kernel(): the array begins at address 0x"
        )
        assert line.endswith(
            ", which is not a multiple of the 4 bytes of its elements, as GPUs require; pass a copy of the array"
        )


def test_device_that_a_tuned_kernel_is_measured_on(run, double):
    lines = run(
        INTERFACE
        + """
        from tilewright.tuning.measuring import device_of
        ours = tw.empty((8, 8), "bf16", device=1)  # a type that CUDA's array interface has no letter for
        descriptor = tw.TensorDescriptor(ours, [8, 8], [8, 1], [4, 4])
        print(device_of([3, np.zeros(4), None]), device_of([3, ours]), device_of([np.zeros(4), Array()]))
        print(device_of([descriptor]), device_of([(3, np.zeros(2))]), device_of([(3, (ours,))]))
        print(device_of([tw.empty(3, device="cpu")]))
        """,
        double("FakeCuda"),
    )
    assert lines == [
        "('cpu', 0) ('cuda', 1) ('cuda', 0)",
        "('cuda', 1) ('cpu', 0) ('cuda', 1)",
        "('cpu', 0)",
    ]


def test_errors_of_kernels_name_them_where_launches_wait(run, double):
    lines = run(
        """
        import ctypes, os
        os.environ["TILEWRIGHT_SYNC"] = "1"
        x = tw.empty(4)
        kernel[1](x, None, 3)
        tw.Stream().synchronize()
        ctypes.CDLL(os.environ["TILEWRIGHT_LIBCUDA"]).fakeFailSynchronize(700)
        show(lambda: kernel[1](x, None, 3))
        show(kernel.bind(1, x, None, 3))
        """,
        double("FakeCuda"),
    )
    assert len(lines) == 2
    for line in lines:
        assert line.startswith(
            "DriverError: kernel 'kernel' failed, or work before it on its stream: cuStreamSynchronize failed: "
            "FAKE_ERROR (700)"
        )


def test_ranges_of_profilers(run, double):
    lines = run(
        """
        import ctypes, os
        os.environ["TILEWRIGHT_NVTX"] = os.environ["TILEWRIGHT_LIBCUDA"]
        ranges = ctypes.CDLL(os.environ["TILEWRIGHT_LIBCUDA"]).fakeRanges
        x = tw.empty(4)
        print(ranges())
        kernel[1](x, None, 3)
        kernel.bind(1, x, None, 3)()
        print(ranges())
        """,
        double("FakeCuda"),
    )
    assert lines == ["0", "2"]
