"""Kernels written at the `tile` level, compiled for the CPU and run on NumPy arrays."""

import ctypes
import math
import pathlib
import re

import numpy as np
import pytest


def _library():
    """The shared library that the extension module links to."""
    import tilewright._tilewright  # noqa: F401

    maps = pathlib.Path("/proc/self/maps").read_text()
    library = ctypes.CDLL(re.search(r"/\S*libtilewright\S*", maps).group())
    library.tw_last_error.restype = ctypes.c_char_p
    return library


def _slot(value):
    """A kernel argument as the 8 bytes that the host calling convention passes."""
    if isinstance(value, np.ndarray):
        return value.ctypes.data
    if isinstance(value, np.generic):
        return int.from_bytes(value.tobytes().ljust(8, b"\0"), "little")
    return value & (2**64 - 1)


class Kernel:
    """A linked kernel: call it with arrays, NumPy scalars and integers."""

    def __init__(self, text, name="kernel"):
        from tilewright import _tilewright

        self.context = _tilewright.Context()
        module = self.context.parse(text)
        self.artifact = _tilewright.compile(module, {"target": "cpu"})
        self.library = _library()
        binary = self.artifact.get("obj")
        self.handle, self.kernel = ctypes.c_void_p(), ctypes.c_void_p()
        status = self.library.tw_host_load(
            binary,
            ctypes.c_size_t(len(binary)),
            name.encode(),
            ctypes.byref(self.handle),
            ctypes.byref(self.kernel),
        )
        assert status == 0, self.library.tw_last_error()

    def __call__(self, *args, grid=(1, 1, 1), threads=0):
        slots = (ctypes.c_uint64 * max(len(args), 1))(*map(_slot, args))
        sizes = (ctypes.c_int64 * 3)(*grid, *[1] * (3 - len(grid)))
        status = self.library.tw_host_launch(self.kernel, slots, sizes, ctypes.c_uint(threads))
        if status:
            raise RuntimeError(self.library.tw_last_error().decode())


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


class Body:
    """Writes the text of a kernel: row-major tiles of arrays in, ops, tiles out."""

    def __init__(self):
        self.lines, self.arguments, self.count = [], [], 0

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def op(self, text):
        """Appends `text` with a new result and returns its name."""
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def argument(self, type):
        self.arguments.append((f"%arg{len(self.arguments)}", type))
        return self.arguments[-1][0]

    def range(self, size):
        return self.op(f"tile.range {{start = 0 : i32, end = {size} : i32}} : {tensor((size,), 'i32')}")

    def offsets(self, shape):
        """Row-major offsets of all elements of a shape."""
        flat = self.range(math.prod(shape))
        source = tensor((math.prod(shape),), "i32")
        return self.op(f"tile.reshape {flat} : {source} -> {tensor(shape, 'i32')}")

    def strided_offsets(self, shape):
        """The same offsets as sums of scaled ranges, as front ends write them."""
        total = None
        for dim, size in enumerate(shape):
            index = self.range(size)
            current = [size]
            for axis in range(len(shape)):
                if axis != dim:
                    source = tensor(current, "i32")
                    current.insert(axis, 1)
                    index = self.op(
                        f"tile.expand_dims {index} {{axis = {axis} : i32}} : "
                        f"{source} -> {tensor(current, 'i32')}"
                    )
            stride = math.prod(shape[dim + 1 :])
            part = tensor(current, "i32")
            factor = self.op(f"arith.constant dense<{stride}> : {part}")
            scaled = self.op(f"arith.muli {index}, {factor} : {part}")
            full = tensor(shape, "i32")
            wide = self.op(f"tile.broadcast {scaled} : {part} -> {full}")
            total = wide if total is None else self.op(f"arith.addi {total}, {wide} : {full}")
        return total

    def pointers(self, shape, element):
        """Pointers to the elements of a new argument, an array of that shape."""
        base = self.argument(f"!tile.ptr<{element}>")
        type = tensor(shape, f"!tile.ptr<{element}>")
        repeated = self.op(f"tile.splat {base} : !tile.ptr<{element}> -> {type}")
        offsets = self.strided_offsets(shape)
        return self.op(f"tile.addptr {repeated}, {offsets} : {type}, {tensor(shape, 'i32')}")

    def load(self, shape, element):
        pointers = self.pointers(shape, element)
        return self.op(f"tile.load {pointers} : {tensor(shape, f'!tile.ptr<{element}>')}")

    def store(self, value, shape, element):
        pointers = self.pointers(shape, element)
        self.lines.append(f"tile.store {pointers}, {value} : {tensor(shape, f'!tile.ptr<{element}>')}")

    def text(self):
        arguments = ", ".join(f"{name}: {type}" for name, type in self.arguments)
        body = "\n  ".join(self.lines)
        return f"tile.func @kernel({arguments}) attributes {{tile.kernel}} {{\n  {body}\n  tile.return\n}}\n"

    def build(self):
        return Kernel(self.text())


@pytest.fixture
def body(request):
    if request.config.getoption("--backend") != "cpu":
        pytest.skip("compiles for the CPU")
    return Body()


@pytest.fixture
def kernel(request):
    if request.config.getoption("--backend") != "cpu":
        pytest.skip("compiles for the CPU")
    return Kernel
