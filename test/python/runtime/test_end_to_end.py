"""Kernels from end to end."""

import threading

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)


@tw.jit
def softmax_kernel(x, out, stride_x, stride_out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride_x + i, i < n, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride_out + i, powers / tl.sum(powers, axis=0), i < n)


@pytest.mark.parametrize("n", [1, 63, 64, 1000, 4096])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int8", "uint16"])
def test_add(backend, rng, n, dtype):
    x, y = (backend.array(rng.integers(0, 50, n), dtype) for _ in range(2))
    out = backend.poisoned(n, dtype)
    add_kernel[lambda meta: tw.cdiv(n, meta["BLOCK"])](x, y, out, n, BLOCK=256)
    np.testing.assert_array_equal(backend.numpy(out), backend.numpy(x) + backend.numpy(y))


@pytest.mark.parametrize("rows, n", [(1, 1), (5, 100), (33, 1024)])
def test_softmax(backend, rng, rows, n):
    values = rng.standard_normal((rows, n)) * 4
    x, out = backend.array(values, "float32"), backend.poisoned((rows, n), "float32")
    softmax_kernel[rows](x, out, n, n, n, BLOCK=tw.next_power_of_2(n))
    powers = np.exp(backend.numpy(x).astype(np.float64))
    backend.check(out, powers / powers.sum(axis=1, keepdims=True), "float32")


def test_strides_of_a_view(backend, rng):
    x = backend.array(rng.standard_normal((8, 64)), "float32")
    out = backend.poisoned((8, 64), "float32")
    softmax_kernel[4](x[::2, 16:48], out, 128, 64, 32, BLOCK=32)
    powers = np.exp(backend.numpy(x)[::2, 16:48].astype(np.float64))
    backend.check(backend.numpy(out)[:4, :32], powers / powers.sum(axis=1, keepdims=True), "float32")


def test_negative_strides(rng, backend):
    if backend.name == "cuda":
        pytest.skip("torch has no negative strides")
    x = rng.standard_normal((4, 32)).astype(np.float32)
    out = np.full_like(x, np.nan)
    softmax_kernel[4](x[::-1], out, -32, 32, 32, BLOCK=32)
    powers = np.exp(x[::-1].astype(np.float64))
    backend.check(out, powers / powers.sum(axis=1, keepdims=True), "float32")


def test_empty_grid(backend):
    out = backend.poisoned(4, "float32")
    add_kernel[0](out, out, out, 4, BLOCK=4)
    assert np.isnan(backend.numpy(out)).all()


def test_every_kind_of_scalar(backend):
    @tw.jit
    def kernel(out, flag, small, big, huge, real, nothing):
        if nothing is None:
            tl.store(out + 0, flag.to(tl.float64))
            tl.store(out + 1, small.to(tl.float64))
            tl.store(out + 2, big.to(tl.float64))
            tl.store(out + 3, huge.to(tl.float64))
            tl.store(out + 4, real.to(tl.float64))

    out = backend.poisoned(5, "float64")
    kernel[1](out, True, -7, -(2**40), 2**63, 0.1, None)
    expected = [1.0, -7.0, -(2.0**40), 2.0**63, float(np.float32(0.1))]
    np.testing.assert_array_equal(backend.numpy(out), expected)


def test_grid_of_three_axes(backend):
    @tw.jit
    def kernel(out):
        x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
        linear = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
        tl.store(out + linear, 100 * x + 10 * y + z)

    out = backend.array(np.zeros((2, 3, 4)), "int32")
    kernel[4, 3, 2](out)
    z, y, x = np.indices((2, 3, 4))
    np.testing.assert_array_equal(backend.numpy(out), 100 * x + 10 * y + z)


@pytest.mark.compiled
class TestCompiled:
    def test_compiled_kernel(self, backend, rng):
        x = backend.array(rng.standard_normal(100), "float32")
        compiled = add_kernel[1](x, x, backend.poisoned(100, "float32"), 100, BLOCK=128)
        assert compiled.name == "add_kernel"
        assert list(compiled.arg_types.values()) == ["*fp32", "*fp32", "*fp32", "i32"]
        assert compiled.written == ["out"]
        assert "tile.func @add_kernel" in compiled.asm["tile"]
        assert "add_kernel" in compiled.asm["llvm"]
        if not backend.is_emulated:
            binary = "obj" if backend.name == "cpu" else "cubin"
            assert compiled.asm[binary][:4] == b"\x7fELF"
        if backend.name == "cuda":
            assert ".entry add_kernel(" in compiled.asm["ptx"]
            assert compiled.num_warps == 4
        if backend.name == "cuda" and not backend.is_emulated:
            assert compiled.num_regs > 0
            assert compiled.spills == 0

    def test_warmup_and_launch_give_kernels_alike(self, backend):
        x = backend.array(np.ones(64), "float32")
        warm = add_kernel.warmup(x, x, x, 64, BLOCK=64, grid=(1,))
        assert add_kernel[1](x, x, x, 64, BLOCK=64).asm == warm.asm
        np.testing.assert_array_equal(backend.numpy(x), np.full(64, 2.0))

    def test_launches_from_threads(self, backend):
        outs = [backend.poisoned(1000, "float32") for _ in range(8)]
        x = backend.array(np.arange(1000), "float32")

        def work(out):
            for _ in range(50):
                add_kernel[8](x, x, out, 1000, BLOCK=128)

        threads = [threading.Thread(target=work, args=(out,)) for out in outs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for out in outs:
            np.testing.assert_array_equal(backend.numpy(out), 2 * np.arange(1000))

    def test_forgotten_variants_are_made_again(self, backend):
        x = backend.array(np.ones(64), "float32")
        first = add_kernel[1](x, x, x, 64, BLOCK=64)
        add_kernel._dispatcher.clear()
        second = add_kernel[1](x, x, x, 64, BLOCK=64)
        assert second is not first
        assert second.from_cache

    def test_failed_assertion(self, backend):
        if backend.name == "cuda":
            pytest.skip("an assertion that fails on a GPU leaves its context unusable")

        @tw.jit
        def kernel(x, n):
            tl.device_assert(tl.load(x + tl.program_id(0)) < n, "too large")

        x = backend.array(np.arange(8), "int32")
        kernel[8](x, 8, debug=True)
        kernel[8](x, 4)
        with pytest.raises(tw.KernelAssertError, match="too large"):
            kernel[8](x, 4, debug=True)
        kernel[8](x, 8, debug=True)

    def test_error_in_the_kernel(self, backend):
        @tw.jit
        def kernel(x):
            tl.store(x, undefined)  # noqa: F821

        with pytest.raises(tw.CompilationError, match="undefined"):
            kernel[1](backend.array(np.zeros(4), "float32"))


@pytest.mark.compiled
class TestReadOnly:
    def array(self, backend, writeable):
        if backend.name != "cpu":
            pytest.skip("arrays on a GPU are not read-only")
        array = np.ones(8, np.float32)
        array.flags.writeable = writeable
        return array

    def test_may_be_read(self, backend):
        x, out = self.array(backend, False), self.array(backend, True)
        add_kernel[1](x, x, out, 8, BLOCK=8)
        np.testing.assert_array_equal(out, np.full(8, 2.0))

    def test_cannot_be_written(self, backend):
        x, out = self.array(backend, True), self.array(backend, False)
        message = (
            r"argument 'out' of kernel add_kernel\(\): the array is read-only, and the kernel writes to it"
        )
        with pytest.raises(ValueError, match=message):
            add_kernel[1](x, x, out, 8, BLOCK=8)
        np.testing.assert_array_equal(out, np.ones(8))
