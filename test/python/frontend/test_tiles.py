"""Block pointers and descriptors are carried and merged part by part, and become plain pointers."""

import re

import tilewright.language as tl


def test_loops_carry_block_pointers(tile):
    def kernel(x, n):
        block = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (8, 16), (1, 0))
        for _ in range(n):
            block = tl.advance(block, (0, 16))
            block = block.advance((8, 0))
        if n > 3:
            block = tl.advance(block, [1, 1])
        tl.store(block, 0.0, boundary_check=(1,))

    text = tile(kernel, "*fp32", "i32")
    assert re.search(r"iter_args\(.*\) -> \(!tile\.ptr<f32>, i64, i64, i64, i64, i32, i32\)", text)
    assert re.search(r"scf\.if %\w+ -> \(!tile\.ptr<f32>, i64, i64, i64, i64, i32, i32\)", text)
    assert "tile.store" in text and text.count("arith.cmpi slt") == 1 and text.count("arith.cmpi sge") == 1


def test_functions_take_and_give_descriptors(tile, jit):
    @jit
    def describe(x, n, BLOCK: tl.constexpr):
        return tl.make_tensor_descriptor(x, [n, n], [n, 1], [BLOCK, BLOCK])

    @jit
    def copy(source, target, at):
        tl.static_assert(source.dtype == tl.float16 and source.block_type.shape == (16, 16))
        tl.store_tensor_descriptor(target, [at, 0], source.load([0, at]))

    def kernel(x, out, n):
        copy(describe(x, n, 16), describe(out, n, 16), n // 2)

    text = tile(kernel, "*fp16", "*fp16", "i32")
    assert text.count("tile.descriptor_load") == 1 and text.count("tile.descriptor_store") == 1
    assert "!tile.desc<16x16xf16>" in text
