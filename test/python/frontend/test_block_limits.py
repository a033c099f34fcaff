"""Blocks too large to compile in reasonable time are refused early, at their line."""

import time

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def large_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.exp(tl.load(x + i))
    tl.store(out + i, value / tl.sum(value, 0))


def test_blocks_for_too_few_warps(assemble):
    with pytest.raises(tw.CompilationError, match="a block that 4 warps hold has at most 262144") as caught:
        assemble(large_kernel, {"x": "*fp32", "out": "*fp32"}, {"N": 2**20})
    assert caught.value.line == large_kernel.fn.__code__.co_firstlineno + 2
    assert "use more warps" in caught.value.message


@tw.jit
def cube_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    index = (i[:, None, None] * N + i[None, :, None]) * N + i[None, None, :]
    value = tl.load(x + index)
    tl.store(out + index, value / tl.sum(value, 0))


def test_values_for_too_few_warps(assemble):
    """Loaded values need registers; index computations do not."""
    with pytest.raises(tw.CompilationError, match="a block that 4 warps hold has at most 131072") as caught:
        assemble(cube_kernel, {"x": "*fp32", "out": "*fp32"}, {"N": 64})
    assert caught.value.line == cube_kernel.fn.__code__.co_firstlineno + 4


@tw.jit
def masked_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.exp(tl.load(x + i, i < n))
    tl.store(out + i, value / tl.max(value, 0), i < n)


@pytest.mark.compiled
def test_masks_of_large_blocks_compile_quickly(monkeypatch):
    """The time of code generation does not grow with the square of the element count."""
    monkeypatch.setenv("TILEWRIGHT_ALWAYS_COMPILE", "1")
    types = {"x": "*fp32", "out": "*fp32", "n": "i32"}
    before = time.process_time()
    compile_kernel(
        masked_kernel.fn, types, {"N": 2**17}, {}, "sm_90a", Options(num_warps=4), stop_after="ptx"
    )
    assert time.process_time() - before < 6  # fails if quadratic, see benchmarks/notes/compile-time.md


def test_blocks_of_any_size_on_the_cpu(backend):
    if backend.name == "cuda":
        pytest.skip("refused there")
    import numpy as np

    x, out = np.zeros(2**20, np.float32), np.empty(2**20, np.float32)
    large_kernel[1,](x, out, N=2**20)
    assert (out == 2**-20).all()


@tw.jit
def unrolled_kernel(x, N: tl.constexpr):
    for i in tl.static_range(N):
        for j in tl.static_range(N):
            tl.store(x + i, tl.load(x + j) * 2)


@pytest.mark.compiled
@pytest.mark.parametrize("debug", [False, True])
def test_kernels_of_too_many_operations(debug):
    import time

    import numpy as np

    start = time.process_time()
    with pytest.raises(tw.CompilationError, match=r"the kernel has more than .* operations") as caught:
        unrolled_kernel.warmup(np.zeros(1, np.float32), N=250, debug=debug)
    assert time.process_time() - start < 30
    assert caught.value.line == unrolled_kernel.fn.__code__.co_firstlineno + 4
    assert "use tl.range" in caught.value.hint
