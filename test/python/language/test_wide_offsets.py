"""Block offsets that programs compute in 64 bits."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

SIZE, K = 64, 96


@tw.jit
def matmul_kernel_of_test(a, b, out, M, N, K, first, S: tl.constexpr):
    """out = a @ b from column block `first` on, where a block has S columns and `a` is M x K."""
    rows = tl.arange(0, S)
    columns = (first + tl.program_id(0).to(tl.int64)) * S + tl.arange(0, S)
    total = tl.zeros((S, S), tl.float32)
    for k in range(0, K, 32):
        along = k + tl.arange(0, 32)
        x = tl.load(a + rows[:, None] * K + along[None, :], (rows[:, None] < M) & (along[None, :] < K), 0.0)
        y = tl.load(
            b + along[:, None] * N + columns[None, :], (along[:, None] < K) & (columns[None, :] < N), 0.0
        )
        total = tl.dot(x, y, total)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(out + rows[:, None] * N + columns[None, :], total.to(tl.float16), mask)


@pytest.mark.parametrize(
    "first, whole", [(0, 2), (1, 1), (2**25, 0), (2**26, 0), (2**31, 0), (2**32, 0), (2**34 - 1, 0)]
)
def test_dots_of_distant_blocks(backend, rng, first, whole):
    """Blocks whose number needs more than 32 bits are outside of the array: they are neither read nor written."""
    a, b = (rng.uniform(-1, 1, shape).astype(np.float16) for shape in ((SIZE, K), (K, 2 * SIZE)))
    out = backend.poisoned((SIZE, 2 * SIZE), "float16")
    before = backend.numpy(out).copy()
    matmul_kernel_of_test[(2,)](backend.array(a), backend.array(b), out, SIZE, 2 * SIZE, K, first, SIZE)
    result = backend.numpy(out)
    written = np.arange(2 * SIZE) // SIZE >= 2 - whole
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(result[:, written], expected[:, written], rtol=2e-3, atol=2e-3)
    np.testing.assert_array_equal(result[:, ~written], before[:, ~written])


@pytest.mark.compiled
def test_operands_and_result_use_tma(assemble):
    types = dict.fromkeys(("a", "b", "out"), "*fp16") | dict.fromkeys(("M", "N", "K", "first"), "i32")
    ptx = assemble(matmul_kernel_of_test, types, {"S": SIZE}, dict.fromkeys(types, 16)).asm["ptx"]
    assert ptx.count("cp.async.bulk.tensor") >= 3
    assert "cp.async.cg" not in ptx and "st.global" not in ptx


@tw.jit
def stack_kernel(a, b, out, blocks, K, back, EACH: tl.constexpr, S: tl.constexpr):
    """Dots of the arrays of `EACH` elements that `blocks` lists; the stacks start `back` elements before `a`, `out`."""
    rows = tl.arange(0, S)
    offset = tl.load(blocks + tl.program_id(0)).to(tl.int64) * EACH
    total = tl.zeros((S, S), tl.float32)
    for k in range(0, K, 32):
        along = k + tl.arange(0, 32)
        x = tl.load(a - back + offset + rows[:, None] * K + along[None, :])
        y = tl.load(b + along[:, None] * S + rows[None, :])
        total = tl.dot(x, y, total)
    tl.store(out - back + offset + rows[:, None] * S + rows[None, :], total.to(tl.float16))


@pytest.mark.parametrize("first", [0, 2**11, 2**12, 3 * 2**11, 2**20])
def test_stacks_beyond_32_bit_offsets(backend, rng, first):
    each = 2**20
    a = rng.uniform(-1, 1, (2, each)).astype(np.float16)
    b = rng.uniform(-1, 1, (K, SIZE)).astype(np.float16)
    out = backend.poisoned((2, each), "float16")
    before = backend.numpy(out).copy()
    blocks = backend.array(np.array([first + 1, first], np.int32))
    stack_kernel[(2,)](backend.array(a), backend.array(b), out, blocks, K, first * each, each, SIZE)
    expected = a[:, : SIZE * K].reshape(2, SIZE, K).astype(np.float64) @ b.astype(np.float64)
    result = backend.numpy(out)
    np.testing.assert_allclose(result[:, : SIZE**2].reshape(2, SIZE, SIZE), expected, rtol=2e-3, atol=2e-3)
    np.testing.assert_array_equal(result[:, SIZE**2 :], before[:, SIZE**2 :])


@pytest.mark.compiled
def test_stacks_use_tma(assemble):
    types = dict.fromkeys(("a", "b", "out"), "*fp16") | {"blocks": "*i32", "K": "i32", "back": "i64"}
    ptx = assemble(stack_kernel, types, {"EACH": 2**20, "S": SIZE}, dict.fromkeys(types, 16)).asm["ptx"]
    assert "cp.async.bulk.tensor.3d.shared" in ptx and "cp.async.bulk.tensor.2d.shared" in ptx
    assert "cp.async.bulk.tensor.3d.global" in ptx
